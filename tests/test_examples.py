"""What the README and scripts/demo show runs, and says what it should."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_the_demo_shows_the_law_beside_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "titanic.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "FC-limit" in shown
    assert "Crew  male    adult     39.16%" in shown
    assert len(shown.splitlines()) <= 50, "one screen"


def test_the_readme_example_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = text.split("```python\n")[1].split("```")[0]
    exec(compile(example, "README.md", "exec"), {})
