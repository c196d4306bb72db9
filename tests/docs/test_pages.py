"""Pages of docs/ are executed: every block in order, in one empty directory, and what it shows compared.

A block after `<!-- not run -->` is not run: how to install. `python` blocks share one namespace; the `text` block
after one is what it prints. `console` blocks have commands after `$ `, and what each prints below it. In what is shown,
`...` stands for anything (times, mostly), and runs of spaces are one.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.entry import depnet

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (
    "start", "queries", "pandas", "holes", "new-rows", "predict", "odd-rows", "compare", "pictures", "sql",
    "serve", "mcp", "frames",
)  # fmt: skip
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, content and first line; whether it is run."""

    language: str
    content: str
    line: int
    runs: bool


def blocks(text: str) -> Iterator[Block]:
    for found in re.finditer(r"(<!-- not run -->\n)?^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        line = text[: found.start(3)].count("\n") + 1
        yield Block(found[2], found[3], line, found[1] is None)


def commands(content: str) -> Iterator[tuple[str, str]]:
    """(command, what it prints) of a console block; a command goes on after a backslash."""
    parts = re.split(r"^\$ ", content, flags=re.M)
    assert parts[0] == "", "a console block begins with a command"
    for part in parts[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = f"{command}\n{more}"
        yield command, shown


def check_shown(expected: str, got: str, where: str) -> None:
    lines = "\n".join(line.rstrip() for line in got.splitlines() if line.strip()) + "\n"
    wanted = "\n".join(line.rstrip() for line in expected.splitlines() if line.strip()) + "\n"
    if not doctest.OutputChecker().check_output(wanted, lines, FLAGS):
        pytest.fail(f"{where}\nshown on the page:\n{wanted}\nprinted:\n{lines}")


def run_command(command: str, folder: Path) -> str:
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    if words[0] == "depnet" and not set(command) & set("|<>;&$`*~"):  # nothing that the shell is needed for
        done_here = depnet(*words[1:], cwd=folder)
        return (done_here.stdout + done_here.stderr).decode()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def run_python(content: str, namespace: dict[str, Any], line: int) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n" * (line - 1) + content, "<page>", "exec"), namespace)
    return out.getvalue()


def run_page(text: str, folder: Path) -> None:
    namespace: dict[str, Any] = {"__name__": "page"}
    printed, where = "", ""
    for block in blocks(text):
        if not block.runs:
            continue
        if block.language == "python":
            where = f"line {block.line}"
            printed = run_python(block.content, namespace, block.line)
        elif block.language == "text":
            check_shown(block.content, printed, where)
        elif block.language == "console":
            for command, shown in commands(block.content):
                got = run_command(command, folder)
                check_shown(shown, got, f"line {block.line}: {command}")
        else:
            pytest.fail(f"line {block.line}: a block of {block.language!r} is neither run nor compared")


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    run_page((DOCS / f"{name}.md").read_text(encoding="utf-8"), tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_only_installing_is_not_run(name: str) -> None:
    found = list(blocks((DOCS / f"{name}.md").read_text(encoding="utf-8")))
    assert any(block.runs for block in found)
    assert all("install" in block.content for block in found if not block.runs)


def test_mutants_are_caught(tmp_path: Path) -> None:
    """What is shown but not printed, a command that fails, Python that raises: each fails."""
    run_page(
        "```console\n$ echo one  two\none two\n```\n```python\nprint(3)\n```\n```text\n3\n```\n", tmp_path
    )
    with pytest.raises(pytest.fail.Exception, match="shown on the page"):
        run_page("```console\n$ echo one\ntwo\n```\n", tmp_path)
    with pytest.raises(pytest.fail.Exception, match="shown on the page"):
        run_page("```python\nprint(3)\n```\n```text\n4\n```\n", tmp_path)
    with pytest.raises(AssertionError, match="false"):
        run_page("```console\n$ false\n```\n", tmp_path)
    with pytest.raises(NameError):
        run_page("```python\nnobody\n```\n", tmp_path)
