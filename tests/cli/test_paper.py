"""The command: small runs, files, exit codes, one-line errors."""

import json
from pathlib import Path

import pytest

from depnet.cli.main import run
from tests.cli.entry import refused

SMALL = {
    "scans": ["--family", "RB4-4", "--rows", "200", "--orders", "3"],
    "game": ["--family", "RB4-4", "--rows", "200", "--steps", "30"],
    "perturbation": [],
    "rare": ["--family", "RB5-6", "--rows", "500", "--clamped", "2", "--sets", "2"],
    "convergence": ["--family", "Ising2x2", "--most", "1000", "--smoothing", "0.5"],
    "table1": ["--seed", "2"],
}


@pytest.mark.parametrize("command", SMALL)
def test_every_command_prints_and_writes(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "records.json"
    assert run(["paper", command, *SMALL[command], "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "holds" in text
    assert "FAILS" not in text
    records = json.loads(out.read_text())
    assert isinstance(records, list)
    assert records
    assert command != "table1" or {line["seed"] for line in records} == {2}


def test_figures(tmp_path: Path) -> None:
    assert run(["paper", "figures", "fcd", "--into", str(tmp_path), "--format", "svg"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["fcd.svg"]


def test_records_as_json_on_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "records.json"
    assert run(["paper", "perturbation", "--json", "--out", str(out)]) == 0
    shown = capsys.readouterr()
    assert shown.out == out.read_text()
    assert isinstance(json.loads(shown.out), list)
    assert shown.err == f"written: {out}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["scans", "--family", "Potts"], 1, "there is no family 'Potts'"),
        (["table1", "--out", "no-such-folder/t.json"], 1, "no-such-folder/t.json: there is no directory"),
        (["table1", "--seed", "-1"], 2, "See depnet paper table1 --help."),
        (["nothing"], 2, "No such command 'nothing'"),
    ],
)
def test_errors_are_one_line(arguments: list[str], code: int, message: str) -> None:
    assert message in refused("paper", *arguments, code=code)


def test_help_says_what_each_command_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["paper", "--help"]) == 0
    text = capsys.readouterr().out
    assert "..." not in text.split("Commands:")[1]  # no description is cut off
    assert all(f"  {name} " in text for name in [*SMALL, "figures"])


def test_a_claim_that_fails_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    from depnet.cli.paper import deliver
    from depnet.paper import Claim, Report, ReportColumn

    report = Report("x", (ReportColumn("a", "a"),), ({"a": 1.5},), (Claim("two is three", False),))
    assert deliver(report) == 1
    assert "FAILS two is three" in capsys.readouterr().out


def test_no_figure_is_written_over_without_force(tmp_path: Path) -> None:
    (tmp_path / "fcd.svg").write_text("mine")
    figure = ["paper", "figures", "fcd", "--into", str(tmp_path), "--format", "svg"]
    assert run(figure) == 1
    assert (tmp_path / "fcd.svg").read_text() == "mine"
    assert run([*figure, "--force"]) == 0
    assert (tmp_path / "fcd.svg").read_text() != "mine"
