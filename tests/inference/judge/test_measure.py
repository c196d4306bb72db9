"""What rows say of a target beside every state, and that few rows are hidden."""

import numpy as np

from depnet import Dataset, Domain, Variable
from depnet.inference.judge.measure import Measure, seen_effects
from depnet.model import Evidence

DOMAIN = Domain(
    (Variable("town", ("a", "b", "c")), Variable("ill", ("no", "yes")), Variable("old", ("no", "yes")))
)


def people(counts: dict[tuple[int, int, int], int], weights: bool) -> Dataset:
    rows = np.array([row for row, n in counts.items() for _ in range(1 if weights else n)], dtype=np.uint8)
    times = np.array(list(counts.values())) if weights else None
    return Dataset.from_codes(rows, domain=DOMAIN, weights=times)


COUNTS = {(0, 0, 1): 30, (0, 1, 1): 10, (1, 0, 1): 18, (1, 1, 1): 2, (2, 1, 1): 7, (2, 0, 0): 9}


def test_means_among_the_rows_that_match() -> None:
    ill = Measure.of(DOMAIN.variables[1], "yes")
    old = Evidence({2: 1}, {})
    for weights in (False, True):
        (seen,) = seen_effects(people(COUNTS, weights), old, 1, ill, [0])
        assert seen.rows.tolist() == [40, 20, 7]
        np.testing.assert_allclose(seen.values, [0.25, 0.1, 1.0])


def test_few_rows_are_hidden() -> None:
    ill = Measure.of(DOMAIN.variables[1], "yes")
    table = people(COUNTS, False)
    (seen,) = seen_effects(table, Evidence({2: 1}, {}), 1, ill, [0], hide=True)
    # b has 2 ill, and c none that is well, so both are hidden; so much is hidden that neither can be had by subtraction
    assert np.isnan(seen.values).tolist() == np.isnan(seen.rows).tolist() == [False, True, True]
    (none,) = seen_effects(table, Evidence({0: 1, 1: 1}, {}), 1, ill, [2], hide=True)
    assert np.isnan(none.values).all()
    assert np.isnan(none.rows).all()


def test_what_is_hidden_cannot_be_had_by_subtraction() -> None:
    # Only c has few rows. Were it hidden alone, all others would tell its 1 and its 8.
    ill = Measure.of(DOMAIN.variables[1], "yes")
    table = people(
        {(0, 0, 1): 30, (0, 1, 1): 10, (1, 0, 1): 18, (1, 1, 1): 20, (2, 1, 1): 1, (2, 0, 1): 8}, False
    )
    (seen,) = seen_effects(table, Evidence({}, {}), 1, ill, [0], hide=True)
    assert np.isnan(seen.values).tolist() == [False, True, True]
