"""docs/pictures.md: its example runs, and every function that it names is there."""

import re
from pathlib import Path

from depnet import pictures

DOCUMENT = (Path(__file__).parents[2] / "docs" / "pictures.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT, flags=re.DOTALL)
    scope: dict[str, object] = {}
    exec(compile(code, "docs/pictures.md", "exec"), scope)
    assert str(scope["svg"]).startswith("<svg")


def test_every_function_it_names_is_there() -> None:
    rows = re.findall(r"^\| (`.+?`) \|", DOCUMENT, flags=re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert len(names) >= 15
    assert names <= set(pictures.__all__)
