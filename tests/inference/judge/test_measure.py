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
