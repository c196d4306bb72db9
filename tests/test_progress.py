"""`progress=True`: a bar by tqdm, or as the command draws it; or a callback of one's own."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import depnet
from depnet.threads import show_progress

PROGRAM = """
import sys
{before}
import depnet
model = depnet.DependencyNetwork(random_state=0, penalty="mdl").fit(depnet.titanic(), progress=True)
model.sample(1000, progress=True)
model.impute([{{"class": "1st", "age": "adult", "sex": "male", "survived": None}}], progress=True)
assert "tqdm" in sys.modules or {without}
"""


@pytest.mark.parametrize("without", [False, True], ids=["tqdm", "without tqdm"])
def test_fit_and_sample_say_how_far_they_are(without: bool) -> None:
    hidden = "import importlib.util as u\n"
    hidden += "real = u.find_spec; u.find_spec = lambda name: name != 'tqdm' and real(name) or None"
    before = hidden if without else ""
    program = PROGRAM.format(before=before, without=without)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert "learning" in done.stderr
    assert "drawing rows" in done.stderr
    assert "filling" in done.stderr
    assert without or "8/8" in done.stderr, "the nodes of both networks"


def test_nothing_is_said_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    depnet.learn(depnet.titanic())
    with show_progress("work", False) as tell:
        assert tell is None
    assert capsys.readouterr().err == ""


def test_a_callback_is_passed_on() -> None:
    seen: list[tuple[int, int]] = []
    depnet.learn(depnet.titanic(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)


def told_by(call: Callable[..., object]) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    call(progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len({total for _, total in seen}) == 1
    return seen


RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.integers(0, 4, 200), "b": RNG.normal(size=200)})
HOLED = X.mask(RNG.random(X.shape) < 0.1)
HEAPED = np.where(RNG.random(200) < 0.3, 0.0, X.a + X.b)


@pytest.mark.parametrize(
    ("estimator", "rows", "y"),
    [
        (depnet.DependencyNetworkClassifier(random_state=0), X, X.a > 1),
        (depnet.DependencyNetworkClassifier(random_state=0, missing="complete"), HOLED, X.a > 1),
        (depnet.DependencyNetworkRegressor(random_state=0), X, X.a + X.b),
        (depnet.DependencyNetworkRegressor(random_state=0), X, HEAPED),
    ],
    ids=["class", "class, with holes", "number", "number with a heap"],
)
def test_predictors_count_to_their_total(estimator: Any, rows: Any, y: Any) -> None:
    seen = told_by(partial(estimator.fit, rows, y))
    assert seen[-1][0] == seen[-1][1]
    assert len({done for done, _ in seen}) > 2


@pytest.mark.parametrize("scan", [None, depnet.RandomScan()], ids=["law", "chains"])
@pytest.mark.parametrize("answer", [depnet.query_rows, depnet.impute])
def test_rows_are_counted_once_a_kind(answer: Callable[..., object], scan: Any) -> None:
    law = depnet.learn(depnet.titanic(), order="auto", smoothing=0.5)
    rows = [[0, -1, -1, 0], [1, -1, 0, -1], [0, 0, 0, 0], [0, -1, -1, 0]]
    assert told_by(partial(answer, law, rows, scan=scan, tolerance=0.1))[-1] == (3, 3)
