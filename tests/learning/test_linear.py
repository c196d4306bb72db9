"""Linear guesses: equal to their twin, the same for any order of the rows, and what a teacher gains by them."""

from types import MappingProxyType

import numpy as np
import pytest

from depnet import Dataset, Domain
from depnet.data import Variable
from depnet.fitting.fit import FitOptions, fit_law
from depnet.learning import limits
from depnet.learning.linear import GUESSES, PENALTIES, LinearGuess, learn_guesses, with_guesses
from depnet.model.score import score
from depnet.model.stages import DigitTree, theta_of
from tests.reference import linear as twin

NUMBERS, STATES = {0, 1}, 6
READABLE = MappingProxyType({1: (0, 2)})


def sloping(rows: int, seed: int, missing: bool = False) -> Dataset:
    """Two numbers of six bins, the second rising with the first, and a category that moves both."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, rows)
    x = group + rng.normal(size=rows)
    y = x + 0.5 * rng.normal(size=rows) - group
    cells = [np.searchsorted(np.quantile(each, np.arange(1, STATES) / STATES), each) for each in (x, y)]
    bins: tuple[str | int, ...] = tuple(range(STATES))
    variables = [Variable("x", bins), Variable("y", bins), Variable("group", tuple("abc"))]
    if missing:
        variables[1] = Variable("y", (*bins, "?"), missing="?")
        cells[1][rng.random(rows) < 0.2] = STATES
    return Dataset.from_codes(
        np.column_stack([*cells, group]).astype(np.uint8), domain=Domain(tuple(variables))
    )


def guess_of(rows: Dataset) -> tuple[LinearGuess, DigitTree]:
    variable = rows.domain.variables[1]
    counts = np.bincount(rows.column(1), minlength=variable.cardinality)
    tree = DigitTree.of(counts, missing=variable.missing is not None)
    return learn_guesses(rows, NUMBERS, READABLE, {1: tree})[1], tree


def test_a_guess_equals_its_twin() -> None:
    rows = sloping(300, 0)
    guess, tree = guess_of(rows)
    x, y, group = (rows.column(j).tolist() for j in range(3))
    of_x, of_y = twin.normal_scores(x, STATES), twin.normal_scores(y, STATES)
    of_group = twin.normal_scores(group, 3)
    shares = [group.count(k) / len(group) for k in range(3)]
    inputs = [
        [of_x[a], of_group[g], *(float(g == k) - shares[k] for k in range(3))]
        for a, g in zip(x, group, strict=True)
    ]
    own = [of_y[b] for b in y]
    penalty = min(PENALTIES, key=lambda each: twin.generalised_error(inputs, own, each))
    expected = np.array(twin.ridge_guesses(inputs, own, penalty))
    found = sum(guess.effects[j][rows.column(j)] for j in (0, 2))
    assert found == pytest.approx(expected, abs=1e-7)

    column = guess.codes(rows.codes)
    theta = theta_of(guess.scores, tree)
    seen = np.unique(column)
    for state in seen[[0, len(seen) // 2, -1]]:
        at = float(expected[column == state].mean())
        law = twin.bin_probabilities(y, STATES, expected.tolist(), at)
        assert theta[state] == pytest.approx(law, abs=0.004)
        with pytest.raises(AssertionError):
            assert theta[state] == pytest.approx(
                twin.bin_probabilities(y, STATES, expected.tolist(), at + 0.1), abs=0.004
            )


def test_neither_the_order_of_rows_nor_missing_values_matter_to_the_rest() -> None:
    rows = sloping(500, 1, missing=True)
    guess, tree = guess_of(rows)
    mixed = Dataset.from_codes(rows.codes[np.random.default_rng(0).permutation(500)], domain=rows.domain)
    again, _ = guess_of(mixed)
    assert np.array_equal(guess.scores, again.scores)
    assert np.array_equal(guess.cuts, again.cuts)
    theta = theta_of(guess.scores, tree)
    assert theta.sum(axis=1) == pytest.approx(1.0)
    gone = float((rows.column(1) == STATES).mean())
    assert theta[:, STATES] == pytest.approx(gone, abs=0.01)  # a guess says nothing of who is missing


def test_guesses_stand_behind_the_columns_of_the_rows() -> None:
    rows = sloping(200, 2)
    guess, _ = guess_of(rows)
    wide = with_guesses(rows, {1: guess})
    assert wide.domain.names == ("x", "y", "group", "guess of y")
    assert np.array_equal(wide.codes[:, :3], rows.codes)
    assert wide.column(3).max() < GUESSES
    assert np.corrcoef(wide.column(3), rows.column(1))[0, 1] > 0.5


def summed(rows: int, seed: int) -> Dataset:
    """Four numbers, and a fifth that is their sum but for noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4))
    numbers = np.column_stack([x, x.sum(axis=1) + rng.normal(size=rows)])
    codes = np.digitize(numbers / numbers.std(axis=0), [-1.0, -0.4, 0.0, 0.4, 1.0])
    domain = Domain(tuple(Variable(name, tuple(range(STATES))) for name in "abcde"))
    return Dataset.from_codes(codes.astype(np.uint8), domain=domain)


def test_a_law_of_few_rows_knows_a_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, fresh = summed(300, 3), summed(3_000, 4)

    def fresh_score() -> float:
        return score(fit_law(rows, FitOptions(order=list("abcde"))), fresh)

    guessed = fresh_score()
    monkeypatch.setattr(limits, "GUESSED_STATES", 100)  # no number has a guess
    assert guessed > fresh_score() + 0.1
