"""Readers at once, each with its own evidence (`tests.explorer.load`; the long one for a minute)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.explorer.load import run


@pytest.mark.parametrize(
    ("clients", "seconds", "growth"), [(6, 5.0, 1.3), pytest.param(20, 60.0, 1.1, marks=pytest.mark.long)]
)
def test_each_reader_gets_the_posterior_of_its_own_evidence(
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    clients: int,
    seconds: float,
    growth: float,
) -> None:
    report, left, said = run(clients, seconds, tmp_path)
    record_property(f"explorer, {clients} readers for {seconds:.0f} s", report.lines())
    assert report.wrong == []
    assert report.questions > 2 * clients
    assert len(report.evidences) > clients
    assert "Traceback" not in said
    assert left == (0, 0)
    assert report.growth() < growth  # at first there is still something to be made
