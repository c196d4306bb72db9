"""How near drawn rows are to the data: equal to its definition, at its floor for a perfect model, above for a wrong one."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset
from depnet.errors import DataError, ModelError
from depnet.inference.judge.compare import by_chance, nearness
from depnet.model.marginals import MarginalCounts
from tests.narrowed import there
from tests.refusals import refuses
from tests.strategies import datasets, random_joint, seeds


def shares(table: Dataset, variables: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    """The relative frequencies of states, by a loop over rows."""
    found: Counter[tuple[int, ...]] = Counter()
    weights = np.ones(table.rows) if table.weights is None else table.weights
    for row, weight in zip(table.codes.tolist(), weights.tolist(), strict=True):
        found[tuple(row[i] for i in variables)] += weight / table.total
    return found


def slow_distance(first: Dataset, second: Dataset, variables: tuple[int, ...]) -> float:
    """Half the sum over states of the difference of relative frequencies."""
    p, q = shares(first, variables), shares(second, variables)
    return sum(abs(p[state] - q[state]) for state in p.keys() | q.keys()) / 2


def slow_floor(table: Dataset, variables: tuple[int, ...], n: int) -> float:
    """Half the sum over states of E|K / n - p|, K binomial, by a sum over all K."""
    total = 0.0
    for p, k in itertools.product(shares(table, variables).values(), range(n + 1)):
        total += math.comb(n, k) * p**k * (1 - p) ** (n - k) * abs(k / n - p)
    return total / 2


@given(datasets(weighted=True), seeds)
def test_distances_and_floors_are_their_definitions(table: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    if not table.total:
        return
    n, rows = len(table.domain), int(rng.integers(1, 31))
    codes = rng.integers(0, table.domain.cardinalities, size=(rows, n))
    drawn = Dataset.from_codes(codes, domain=table.domain)
    found = nearness(drawn, table)
    pairs = list(itertools.combinations(range(n), 2))
    singles = [slow_distance(drawn, table, (i,)) for i in range(n)]
    np.testing.assert_allclose(found.singles, singles, rtol=0, atol=1e-12)
    floors = [slow_floor(table, (i,), rows) for i in range(n)]
    assert found.floor_one_way == pytest.approx(np.mean(floors), abs=1e-9)
    np.testing.assert_allclose(
        there(found.pairs), [slow_distance(drawn, table, pair) for pair in pairs], rtol=0, atol=1e-12
    )
    if pairs:
        floors = [slow_floor(table, pair, rows) for pair in pairs]
        assert found.floor_two_way == pytest.approx(np.mean(floors), abs=1e-9)
    from_counts = nearness(drawn, MarginalCounts.of(table))
    assert from_counts.one_way == found.one_way


def drawn_from(p: np.ndarray, rows: int, rng: np.random.Generator) -> Dataset:
    states = rng.choice(p.size, size=rows, p=p.ravel())
    return Dataset.from_codes(np.column_stack(np.unravel_index(states, p.shape)), p.shape)


def test_a_perfect_model_is_at_its_floor_and_a_wrong_one_is_not() -> None:
    rng = np.random.default_rng(0)
    p = random_joint(rng, (2, 3, 2))
    table = drawn_from(p, 2_000_000, rng)

    def assert_at_its_floor(law: np.ndarray) -> None:
        found = nearness(drawn_from(law, 20_000, rng), table)
        assert found.two_way < 2.5 * found.floor_two_way

    assert_at_its_floor(p)
    with pytest.raises(AssertionError):
        assert_at_its_floor(0.7 * p + 0.3 / p.size)


def test_it_prints_itself_and_refuses_what_it_cannot_compare() -> None:
    table = depnet.titanic()
    shown = str(nearness(table, table))
    assert "2,201 drawn rows against the data" in shown
    assert "1-way: mean 0.0000" in shown
    assert "by chance alone" in shown
    refuses(ModelError, "nearness", lambda: nearness(table, Dataset.from_codes([[0]], [2])))
    empty = Dataset.from_codes(np.zeros((0, 4), dtype=np.uint8), domain=table.domain)
    refuses(DataError, "no rows", lambda: nearness(table, empty))
    one = Dataset.from_codes([[0], [1]], [2])
    assert math.isnan(by_chance(MarginalCounts.of(one), 10)[1])
