"""The correction of a forest's errors, against leaving rows out one by one."""

import numpy as np
import pytest

from depnet.learning.forest.ridge import LADDER, REACH, fit_correction


def test_the_strength_is_the_one_that_rows_left_out_prefer() -> None:
    """A literal twin: for each strength each row is left out, the others' line is fitted, and its error squared."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 3))
    errors = 0.8 * x[:, 0] - 0.5 * x[:, 2] + 0.5 * rng.normal(size=40)
    found = fit_correction(x, errors)
    z = np.clip((x - x.mean(axis=0)) / x.std(axis=0), -REACH, REACH)

    def line(rows: np.ndarray, strength: float) -> np.ndarray:
        """Slopes and an intercept that no strength holds back."""
        own = np.column_stack([z[rows], np.ones(len(rows))])
        return np.linalg.solve(own.T @ own + strength * np.diag([1.0, 1, 1, 0]), own.T @ errors[rows])

    losses = []
    for strength in LADDER:
        loss = 0.0
        for r in range(40):
            slope = line(np.delete(np.arange(40), r), strength)
            loss += (errors[r] - z[r] @ slope[:3] - slope[3]) ** 2
        losses.append(loss)
    best = line(np.arange(40), LADDER[int(np.argmin(losses))])
    assert found.slope == pytest.approx(best[:3])
    assert found.of(x) == pytest.approx(z @ best[:3] + best[3])


def test_noise_is_not_corrected() -> None:
    """A false correction needs two standard errors: in at most 5 of 40 tables of noise, where 1 or 2 are expected."""
    made = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        made += bool(fit_correction(rng.normal(size=(100, 5)), rng.normal(size=100)).slope.any())
    assert made <= 5


def test_few_rows_and_constant_columns() -> None:
    assert not fit_correction(np.ones((30, 2)), np.arange(30.0)).slope.any()
    assert fit_correction(np.ones((3, 2)), np.arange(3.0)).of(np.zeros((2, 2))).tolist() == [0.0, 0.0]
