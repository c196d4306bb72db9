import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Domain, Variable
from depnet.learning.constraints import find_constraints
from depnet.model.constraints import Before, Total
from tests.reference import constraints as reference


def table_of(numbers: np.ndarray, hidden: np.ndarray | None = None) -> Holed:
    """Whole numbers as states, column by column."""
    variables, codes = [], []
    for i, column in enumerate(numbers.T):
        states, own = np.unique(column, return_inverse=True)
        variables.append(Variable(f"X{i}", tuple(states.tolist())))
        codes.append(own)
    stacked = np.stack(codes, axis=1).astype(np.uint8)
    hidden = np.zeros(stacked.shape, dtype=bool) if hidden is None else hidden
    return Holed(Domain(tuple(variables)), np.where(hidden, 0, stacked).astype(np.uint8), hidden)


def random_numbers(rng: np.random.Generator, rows: int, kinds: list[str]) -> np.ndarray:
    """Columns that have to do with those before them: larger ones, sums, copies, or any."""
    columns = [rng.integers(0, 6, rows), rng.integers(-2, 9, rows)]
    for kind in kinds:
        some = rng.choice(len(columns), size=2, replace=False)
        first, second = (columns[k] for k in some)
        columns.append(
            {
                "above": first + rng.integers(0, 3, rows),
                "strictly": first + rng.integers(1, 3, rows),
                "sum": first + second,
                "copy": first,
                "alone": rng.integers(0, 4, rows),
                "constant": np.full(rows, 3),
            }[kind]
        )
    return np.stack(columns, axis=1)


KINDS = ["above", "strictly", "sum", "copy", "alone", "constant"]


@given(st.integers(0, 2**32), st.integers(4, 60), st.lists(st.sampled_from(KINDS), max_size=4), st.booleans())
@settings(max_examples=60)
def test_what_is_found_is_what_trying_all_finds(seed: int, rows: int, kinds: list[str], holes: bool) -> None:
    rng = np.random.default_rng(seed)
    numbers = random_numbers(rng, rows, kinds)
    hidden = rng.random(numbers.shape) < 0.1 if holes else np.zeros(numbers.shape, dtype=bool)
    hidden[:, rng.random(numbers.shape[1]) < 0.5] = False
    table = table_of(numbers, hidden)
    plain = [
        [None if gone else int(number) for number, gone in zip(*row, strict=True)]
        for row in zip(numbers, hidden, strict=True)
    ]
    known = [i for i, variable in enumerate(table.domain.variables) if len(variable.states) > 2]
    sums = reference.kept_sums(plain, known, 4)
    orders = reference.needed_orders(plain, reference.kept_orders(plain, known), sums)
    found = find_constraints(table)
    index = table.domain.index
    assert {(index(c.low), index(c.high), c.strict) for c in found if isinstance(c, Before)} == set(orders)
    assert [(index(c.total), tuple(map(index, c.parts))) for c in found if isinstance(c, Total)] == sums


@given(
    st.integers(0, 2**32), st.lists(st.sampled_from(["above", "strictly", "copy"]), min_size=2, max_size=4)
)
@settings(max_examples=40)
def test_all_that_is_kept_follows_from_what_is_said(seed: int, kinds: list[str]) -> None:
    numbers = random_numbers(np.random.default_rng(seed), 60, kinds)
    table = table_of(numbers)
    known = [i for i, variable in enumerate(table.domain.variables) if len(variable.states) > 2]
    index, below = table.domain.index, set()
    for each in find_constraints(table):
        low, high = map(index, each.names)
        below |= {(low, high)} if isinstance(each, Before) else {(low, high), (high, low)}
    for middle in known:
        below |= {(a, d) for a, b in below for c, d in below if b == c == middle}
    assert {(low, high) for low, high, _ in reference.kept_orders(numbers.tolist(), known)} <= below


@pytest.mark.parametrize("seed", range(40))
def test_columns_that_have_nothing_to_do_with_each_other_have_no_constraint(seed: int) -> None:
    """Chance finds one in a table with a probability of e^-14, in any of 40 with one of less than 4 in 100,000."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(5, 400))
    columns = [rng.integers(0, rng.integers(3, 30), rows) * rng.integers(1, 3) for _ in range(8)]
    assert find_constraints(table_of(np.stack(columns, axis=1))) == ()


def test_shuffled_columns_lose_what_they_kept() -> None:
    rng = np.random.default_rng(1)
    numbers = random_numbers(rng, 500, ["above", "sum", "strictly"])
    assert len(find_constraints(table_of(numbers))) >= 3
    assert find_constraints(table_of(np.stack([rng.permutation(c) for c in numbers.T], axis=1))) == ()


def test_one_row_that_breaks_it_is_enough() -> None:
    rng = np.random.default_rng(2)
    low = rng.integers(0, 20, 5_000)
    numbers = np.stack([low, low + rng.integers(0, 20, 5_000)], axis=1)
    assert [*map(str, find_constraints(table_of(numbers)))] == ["X1 >= X0"]
    numbers[4_321] = 19, 3
    assert find_constraints(table_of(numbers)) == ()


def test_parts_that_are_almost_always_0_are_none() -> None:
    rng = np.random.default_rng(3)
    some, rare = rng.integers(0, 9, 300), np.zeros(300, dtype=int)
    rare[:3] = 1, 2, 1
    assert [
        c
        for c in find_constraints(table_of(np.stack([some, rare, some + rare], axis=1)))
        if isinstance(c, Total)
    ] == []


def test_what_is_asked_is_what_there_is() -> None:
    numbers = random_numbers(np.random.default_rng(4), 300, ["above", "sum"])
    table = table_of(numbers)
    assert find_constraints(table, None) == find_constraints(table, []) == ()
    with pytest.warns(UserWarning, match=r"'X0 > X1' does not hold in \d+ rows"):
        (own,) = find_constraints(table, ["X0 > X1"])
    assert own == Before("X1", "X0", strict=True)
    found = find_constraints(table)
    assert (
        set(found)
        == set(find_constraints(table, [*found]))
        == set(find_constraints(table, ["auto", str(found[0])]))
    )
