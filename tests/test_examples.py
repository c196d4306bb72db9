"""What the README and scripts/demo show runs, and says what it should."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import depnet

ROOT = Path(__file__).parent.parent


def test_the_demo_shows_the_law_beside_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "titanic.py"), run_name="__main__")
    shown = capsys.readouterr().out
    parts = [
        "What was learned",
        "What was asked",
        "beside the table's own frequency",
        "The theory",
        "FC-limit",
    ]
    places = [shown.index(part) for part in parts]
    assert places == sorted(places), "plain words first, the theory last"
    assert "Crew  male    adult     39.16%" in shown
    assert len(shown.splitlines()) <= 50, "one screen"


def test_the_demo_speaks_of_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "measures.py"), run_name="__main__")
    shown = capsys.readouterr().out
    means = [float(line.split("mean ")[1].split(",")[0]) for line in shown.splitlines() if "mean 2" in line]
    assert len(means) == 2
    assert means[0] == pytest.approx(means[1], rel=0.1), "the answer is near the rows'"
    ours, plain = (
        float(line.split("off by ")[1].split()[0]) for line in shown.splitlines() if "off by" in line
    )
    assert ours < 0.85 * plain


def test_the_demo_classifies(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "classify.py"), run_name="__main__")
    losses = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines() if "log loss" in line]
    assert len(losses) == 2
    assert losses[1] < losses[0], "many small graphs do better than one"


def test_the_readme_example_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    pattern = r"# Yes (\S+) \(model (\S+), table (\S+)\), 90 % sure: (\S+) to (\S+); (\d+) of"
    (said,) = re.findall(pattern, text)
    namespace: dict[str, object] = {}
    for part in text.split("```python\n")[1:]:
        exec(compile(part.split("```")[0], "README.md", "exec"), namespace)
    answer = namespace["answer"]
    assert isinstance(answer, depnet.QueryResult)
    figures = (answer.combined, answer.probabilities, answer.observed)
    low, high = np.asarray(answer.interval)[1]
    sure = (f"{low:.2f}", f"{high:.2f}")
    assert said == (*(f"{np.asarray(each)[1]:.4f}" for each in figures), *sure, str(answer.matching))
    assert np.abs(np.asarray(answer.combined) - np.asarray(answer.observed)).max() < 0.01, "as the table says"
    assert np.abs(np.asarray(answer.probabilities) - np.asarray(answer.observed)).max() < 0.03
