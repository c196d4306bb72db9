"""What a terminal gets, and what a pipe gets: signs for bold and colour go to a terminal alone."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from depnet.cli.command import progress, show
from depnet.cli.main import run
from depnet.wording import Grid, Line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Standard output and standard error, 40 columns wide."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    there = Terminal()
    with redirect_stdout(there), redirect_stderr(there):
        yield there


def test_a_terminal_is_shown_bold_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        show(Grid(["state", "share"], [["No", "0.25"]], title="P(survived)"), Line("some words", "dim"))
    shown = there.getvalue()
    assert "\x1b[1mP(survived)\x1b[0m" in shown
    assert "\x1b[1m  state   share\x1b[0m" in shown
    assert "\n  No       0.25\n" in shown
    assert shown.endswith("\x1b[2msome words\x1b[0m\n")


def test_wide_characters_take_two_places_and_a_long_cell_moves_its_own_row(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show(Grid(["state", "p"], [["語", "1"], ["a" * 70, "2"]]))
    head, _, wide, long = capsys.readouterr().out.splitlines()[1:5]
    assert head == f"  state{' ' * 58}p"
    assert wide == f"  語{' ' * 61}1"
    assert long == f"  {'a' * 70}   2"


def test_no_colour_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        monkeypatch.setenv("NO_COLOR", "1")
        show(Line("plain", "bold"))
    assert there.getvalue() == "plain\n"


def test_a_pipe_gets_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    show(Grid(["state", "share"], [["\x1b[2JNo", "0.25"]], title="P(survived)"))
    assert capsys.readouterr().out == (
        "P(survived)\n\n  state       share\n ───────────────────\n  \\x1b[2JNo    0.25\n\n"
    )


def test_a_bar_is_drawn_on_a_terminal_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there, progress("learning") as told:
        assert told is not None
        told(3, 12, "growing")
    drawn = there.getvalue()
    assert "growing  [###" in drawn
    assert "3/12" in drawn
    assert drawn.endswith("\n\x1b[A\x1b[K")


def test_fit_draws_a_bar_on_a_terminal_only_and_never_in_the_answer(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = ["fit", str(table), "--penalty", "mdl", "--json", "-o"]
    assert run([*fit, str(tmp_path / "m.json")]) == 0
    assert capsys.readouterr().err == ""
    with terminal(monkeypatch) as there, redirect_stdout(io.StringIO()) as said:
        assert run([*fit, str(tmp_path / "n.json")]) == 0
    assert there.getvalue().count("\n\x1b[A\x1b[K") == 2, "reading and learning, each taken away at its end"
    assert json.loads(said.getvalue())["rows"] == 2201
