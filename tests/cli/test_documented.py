"""docs/command-line.md says what there is: every command, and every field of its JSON."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from depnet.cli.main import COMMANDS
from tests.cli.entry import answer, depnet

TEXT = (Path(__file__).parent.parent.parent / "docs" / "command-line.md").read_text(encoding="utf-8")


README = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_readme_s_commands_run_as_they_stand(tmp_path: Path) -> None:
    """One after the other in an empty directory, but for `explore` and `serve`, which stay."""
    (block,) = re.findall(r"^```\n(depnet example .*?)^```", README, flags=re.M | re.S)
    lines = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    assert len(lines) >= 7
    (said,) = re.findall(r"# Yes (\S+) \(model", README)
    for words in lines:
        if words[0] not in ("explore", "serve"):
            shown = depnet(*words, cwd=tmp_path).stdout.decode()
            assert words[0] != "query" or said in shown, "as Python answers, and the table"


def documented(command: str) -> str:
    found = re.search(rf"^\*\*{command}\*\* (.*?)(?=^\*\*|^An error)", TEXT, flags=re.M | re.S)
    assert found, f"the JSON of {command} is not documented"
    return found[1]


def check_fields(command: str, document: dict[str, Any]) -> None:
    text = documented(command)
    for name in document:
        assert f"`{name}`" in text, f"{command}: the field {name} is not documented"


def test_every_command_is_in_the_table() -> None:
    for name in COMMANDS:
        assert f"`depnet {name} " in TEXT


def test_every_field_is_documented(model: Path, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    check_fields("fit", answer("fit", table, "-o", f"{out}.json", "--penalty", "mdl"))
    for view in ([], ["--links"], ["--variables"], ["--node", "age"]):
        check_fields("show", answer("show", model, *view))
    check_fields("query", answer("query", model, "age"))
    check_fields("information", answer("information", model))
    check_fields("nearest", answer("nearest", model, table, "--row", 1))
    check_fields("sample", answer("sample", model, "-o", f"{out}.csv"))
    check_fields("impute", answer("impute", model, table, "-o", f"{out}2.csv"))
    check_fields("predict", answer("predict", model, "age", "--rows", table, "-o", f"{out}4.csv"))
    check_fields("score", answer("score", model, table))
    check_fields("sql", answer("sql", model, "SELECT 1 AS one"))
    check_fields("update", answer("update", model, table, "-o", f"{out}2.json"))
    check_fields("export", answer("export", model, "-o", f"{out}.svg"))
    check_fields("compare", answer("compare", model, table, "--rows", "100"))
    check_fields("compare", answer("compare", model, table, "--report", f"{out}.html"))
    check_fields("example", answer("example", "-o", f"{out}3.csv"))


def test_mutant_a_field_that_nobody_documented() -> None:
    with pytest.raises(AssertionError, match="the field surprise"):
        check_fields("export", {"output": "-", "surprise": 1})
