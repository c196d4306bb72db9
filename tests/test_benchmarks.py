"""`python -m benchmarks` names what can be run, and nothing else."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(not (ROOT / "benchmarks").is_dir(), reason="a source distribution has no benchmarks")
def test_every_name_that_is_listed_can_be_run() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "benchmarks"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert listed.returncode == 2
    names = listed.stderr.split("{")[1].split("}")[0].split(",")
    assert {"learn", "sample", "query"} < set(names)
    for name in names:
        module = ast.parse((ROOT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8"))
        assert any(isinstance(part, ast.FunctionDef) and part.name == "main" for part in module.body), name


@pytest.mark.skipif(not (ROOT / "benchmarks").is_dir(), reason="a source distribution has no benchmarks")
@pytest.mark.parametrize(
    ("share", "high", "apart"), [(0.43, 0.55, True), (0.43, 0.58, False), (0.5, 0.55, False)]
)
def test_a_warning_has_a_reason_outside_the_interval_and_beyond_chance_alone(
    share: float, high: float, apart: bool
) -> None:
    """Of 142 rows 81, that is .57; what is in the interval, or chance, is no reason."""
    from benchmarks.newcomer import mean_is_apart, rows_are_apart

    assert rows_are_apart(81, 142, share, (0.43, high)) == apart
    values = np.repeat([1.0, 0.0], [81, 61])
    assert mean_is_apart(values, share, (0.43, high)) == apart
