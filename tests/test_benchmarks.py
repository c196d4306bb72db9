"""`python -m benchmarks` names what can be run, and nothing else."""

import ast
import subprocess
import sys
from pathlib import Path

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
