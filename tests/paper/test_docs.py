"""docs/theory.md shows figures that exist, and names commands that exist."""

import re
from pathlib import Path

import click

from depnet.cli.main import depnet

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "theory.md").read_text(encoding="utf-8")


def test_every_figure_exists_and_every_file_is_shown() -> None:
    shown = set(re.findall(r"\]\((figures/[^)]+)\)", TEXT))
    assert shown
    assert shown == {f"figures/{path.name}" for path in (DOCS / "figures").iterdir()}
    assert sum(path.stat().st_size for path in (DOCS / "figures").iterdir()) < 2_000_000


def test_every_command_named_exists() -> None:
    group = depnet.get_command(click.Context(depnet), "paper")
    assert isinstance(group, click.Group)
    named = set(re.findall(r"depnet paper (\w+)", TEXT))
    assert named <= set(group.commands)
    assert named == set(group.commands)
