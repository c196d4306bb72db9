"""Options, bad input, time budget, progress, Ctrl-C; the order "auto" is the slow rule, whatever the bands."""

import gc
import itertools
import math
import threading
import time
import warnings
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Dataset, NoPenalty, learn
from depnet.errors import DataError, DepnetError, ManyStatesWarning
from depnet.learning import limits
from depnet.learning import order as rule
from depnet.learning.order import choose_order
from tests.interrupts import ctrl_c
from tests.narrowed import there
from tests.reference import order as slow
from tests.refusals import refuses
from tests.strategies import datasets, seeds


def copies(rows: int = 400, variables: int = 4, noise: float = 0.1, cardinality: int = 2) -> Dataset:
    """Noisy copies of one hidden variable: everything depends on everything."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, cardinality, (rows, 1))
    codes = (hidden + (rng.random((rows, variables)) < noise)) % cardinality
    return Dataset.from_codes(codes, [cardinality] * variables)


def large() -> Dataset:
    """Enough work for many seconds: noise, and a penalty of nothing."""
    return Dataset.from_codes(np.random.default_rng(0).integers(0, 3, (30_000, 40)), [3] * 40)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": 1.5}, "n_jobs"),
        ({"max_leaves": 0}, "max_leaves is a whole number of at least 1; got 0"),
        ({"min_leaf_rows": -1}, "min_leaf_rows"),
        ({"max_seconds": -1}, "max_seconds"),
        ({"max_seconds": math.nan}, "max_seconds"),
        ({"smoothing": -0.5}, "smoothing"),
        ({"penalty": "bayes"}, "no penalty 'bayes'"),
        ({"penalty": lambda k, n: math.nan}, "nan"),
        ({"penalty": lambda k, n: -1.0}, "-1.0"),
        ({"penalty": lambda k, n: math.nan if k > 1 else 0.01}, r"R\(2, 400\) = nan"),
        ({"roles": {"X9": "input"}}, "no variable 'X9'"),
        ({"roles": {"X1": "output"}}, "'target' or 'input'"),
        ({"forbidden": [("X0", "X0")]}, "predicted from itself"),
        ({"forbidden": [("X0",)]}, "pair"),
        ({"forbidden": ["X0"]}, "pair"),
        ({"forbidden": [("X0", "Y")]}, "no variable 'Y'"),
    ],
)
def test_bad_options_are_clear_errors(options: dict[str, Any], message: str) -> None:
    refuses(DepnetError, message, learn, copies(), **options)


@pytest.mark.parametrize("order", [None, "auto"])
def test_an_empty_table_is_an_error(order: str | None) -> None:
    empty = Dataset.from_codes(np.zeros((0, 2), dtype=int), [2, 2])
    refuses(DataError, "at least one row", learn, empty, order=order)
    weightless = Dataset.from_codes([[0, 1]], [2, 2], weights=[0])
    refuses(DataError, "weights are 0", learn, weightless, order=order)


def test_roles() -> None:
    network = learn(copies(), roles={"X0": "target", "X1": "input"})
    assert network.nodes[0].source.size > 1
    assert network.nodes[1].source.size == 1, "an input is not predicted"
    assert all(0 not in node.source.inputs for node in network.nodes), "a target is no input"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_counts_nodes(n_jobs: int) -> None:
    seen: list[tuple[int, int]] = []
    learn(copies(), n_jobs=n_jobs, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_error_in_the_callback_ends_the_fit() -> None:
    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    for n_jobs in (1, 2):
        refuses(RuntimeError, "enough", learn, copies(), n_jobs=n_jobs, progress=fail)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_time_budget_ends_with_a_valid_network(n_jobs: int) -> None:
    dataset = large()
    began = time.perf_counter()
    network = learn(dataset, penalty=NoPenalty(), max_seconds=0.3, n_jobs=n_jobs)
    assert time.perf_counter() - began < 30  # without a limit it takes minutes
    assert len(network.nodes) == 40
    assert network.nodes[-1].source.size == 1, "not begun: one leaf"
    for node in network.nodes[::13]:
        leaves = np.bincount(node.source(dataset.codes), minlength=node.source.size)
        assert there(node.table.counts).sum(axis=1).tolist() == leaves.tolist()
    assert learn(copies(), max_seconds=1000) == learn(copies())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_fit_soon(n_jobs: int) -> None:
    dataset = large()
    with ctrl_c(after=0.5) as pressing:
        pressing.begin()
        with pytest.raises(KeyboardInterrupt):
            learn(dataset, penalty=NoPenalty(), n_jobs=n_jobs)
        assert pressing.since < 20, "a tenth of a second on an idle machine"


def test_a_column_of_identifiers_is_reported_and_harmless() -> None:
    rows = 65_535
    rng = np.random.default_rng(0)
    codes = np.stack([rng.permutation(rows), *rng.integers(0, 2, (3, rows))], axis=1)
    codes[:, 3] = codes[:, 2] ^ (rng.random(rows) < 0.1)
    with pytest.warns(ManyStatesWarning, match=r"'X0' has 65,535 different values in 65,535 rows"):
        network = learn(Dataset.from_codes(codes, [rows, 2, 2, 2]))
    assert [node.source.size for node in network.nodes] == [1, 1, 2, 2]


def test_fits_in_several_threads_at_once() -> None:
    dataset, expected = copies(), learn(copies())
    results: list[object] = []
    threads = [threading.Thread(target=lambda: results.append(learn(dataset))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(a == b for a, b in itertools.product(results, [expected]))
    assert len(results) == 4


def test_a_fit_that_is_ended_early_ends_its_threads_without_a_warning() -> None:
    dataset = copies(20_000, 60)

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(KeyboardInterrupt):
            learn(dataset, n_jobs=2, progress=stop)
        gc.collect()
    assert not said
    assert not [thread.name for thread in threading.enumerate() if "Pool" in thread.name]


def fast(table: Dataset, **rules: object) -> tuple[int, ...]:
    return choose_order(table, **rules)  # type: ignore[arg-type]


def random_rules(rng: np.random.Generator, n: int) -> dict[str, object]:
    kind = rng.choice(3, size=n, p=[0.2, 0.6, 0.2])
    if rng.random() < 0.4:
        kind[:] = 1
    pairs = rng.integers(n, size=(int(rng.integers(0, 2 * n)), 2))
    return {
        "inputs": frozenset(np.flatnonzero(kind == 0).tolist()),
        "targets": frozenset(np.flatnonzero(kind == 2).tolist()),
        "before": [(int(i), int(j)) for i, j in pairs],
    }


FEW_VALUES = datasets(min_variables=2, max_variables=12, max_cardinality=2, max_rows=6)
"""Of information for all pairs: ties go to the lowest."""


@settings(max_examples=2 * settings().max_examples)
@given(datasets(max_variables=9, max_rows=40) | FEW_VALUES, seeds, st.booleans())
def test_the_order_is_the_slow_one(table: Dataset, seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    if weighted:
        weights = rng.integers(0, rng.choice([4, 2**46]), table.rows)
        table = Dataset.from_codes(table.codes, weights=weights, domain=table.domain)
    rules = random_rules(rng, len(table.domain))
    cells = int(rng.choice([1, 30, 1 << 22]))
    with patch.object(limits, "BAND_CELLS", cells):
        assert fast(table) == slow.chosen_order(table)
        assert fast(table, **rules) == slow.chosen_order(table, **rules)  # type: ignore[arg-type]


@given(datasets(min_variables=2, max_variables=6, max_cardinality=9), seeds)
def test_many_states_are_folded(table: Dataset, seed: int) -> None:
    with patch.object(limits, "ORDER_STATES", 3):
        assert fast(table) == slow.chosen_order(table, most=3)
    cards = [300, 65, 2]
    rng = np.random.default_rng(seed)
    first = rng.integers(300, size=60)
    wide = Dataset.from_codes(np.column_stack([first, first % 65, first % 2]), cards)
    assert fast(wide) == slow.chosen_order(wide)


def chain(rows: int, n: int, seed: int) -> Dataset:
    """X_0 -> X_1 -> ... of four states, each told by the last, later ones better: the walk is n - 1, n - 2, ..."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((rows, n), dtype=np.int64)
    codes[:, 0] = rng.integers(4, size=rows)
    for i in range(1, n):
        moved = rng.random(rows) < 0.6 * (n - i) / n
        codes[:, i] = np.where(moved, rng.integers(4, size=rows), codes[:, i - 1])
    return Dataset.from_codes(codes, [4] * n)


def test_a_chain_is_walked_along_its_links() -> None:
    table = chain(4_000, 12, 0)
    found = fast(table)
    assert all(min(abs(i - j) for j in found[:at]) == 1 for at, i in enumerate(found) if at)
    assert fast(table, inputs={3})[0] == 3
    assert fast(table, targets={11, 5})[-2:] in ((5, 11), (11, 5))
    assert fast(table, before=[(0, 11), (11, 0)]) == found
    circle = fast(table, before=[(0, 5), (5, 9), (9, 0), (1, 11)])
    assert circle == fast(table, before=[(1, 11)])
    assert circle.index(1) < circle.index(11)
    assert fast(table, inputs={11}, before=[(1, 11)])[0] == 11


def test_many_states_do_not_tell_of_others_by_chance() -> None:
    """X_0 and X_1 are independent with 30 states each, and share 2.1 nats of these 200 rows; X_2 and X_3 share .5."""
    rng = np.random.default_rng(0)
    bit = rng.integers(2, size=200)
    codes = np.column_stack([rng.integers(30, size=(200, 2)), bit, bit ^ (rng.random(200) < 0.03)])
    table = Dataset.from_codes(codes, [30, 30, 2, 2])
    assert fast(table)[:2] in ((2, 3), (3, 2))
    with patch.object(np, "count_nonzero", lambda counts: 1):  # and so nothing is taken off for chance
        assert fast(table)[:2] not in ((2, 3), (3, 2))


def test_no_rows_and_few_variables() -> None:
    assert fast(Dataset.from_codes([[0]], [3])) == (0,)
    assert fast(Dataset.from_codes([], [2, 2, 2])) == (0, 1, 2)
    assert fast(Dataset.from_codes([], [2, 2, 2]), before=[(2, 0)], targets={1}) == (2, 0, 1)
    assert fast(Dataset.from_codes([[0, 1], [1, 0]], [2, 2]), inputs={1}) == (1, 0)


@pytest.mark.parametrize("mutant", ["sum", "path", "ties"])
def test_a_slightly_wrong_rule_is_found(mutant: str) -> None:
    """The slow twin tells apart: another first variable, the pair of least information, other ties."""
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = 8 if mutant == "ties" else 60
        table = Dataset.from_codes(rng.integers(2, size=(rows, 9)) & rng.integers(2, size=(rows, 1)), [2] * 9)
        if mutant == "sum":
            with patch.object(np, "argmax", np.argmin):
                found = fast(table)
        elif mutant == "path":
            least = rule.informations(table)
            with patch.object(rule, "informations", lambda _, least=least: least.max() - least):
                found = fast(table)
        else:
            flipped = Dataset.from_codes(table.codes[:, ::-1], [2] * 9)
            found = tuple(8 - i for i in fast(flipped))
        wrong += found != slow.chosen_order(table)
    assert wrong > 10
