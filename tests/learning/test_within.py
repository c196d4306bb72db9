"""Trees within bins: the kernel against its twin, and what is learned from tables."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from depnet import DependencyNetwork, Network
from depnet._native import within as native
from depnet.data import Holed, encode
from depnet.data.frames.within import Within
from depnet.data.table.values import Values
from depnet.learning import limits
from depnet.learning.within import LEAST, learn_within
from tests.narrowed import there
from tests.reference.within import slow_leaf, slow_tree

pd = pytest.importorskip("pandas")


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([0.0, 1.0, 3.0]))
def test_a_tree_equals_its_twin(seed: int, least: int, pays: float) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 40))
    levels = np.asfortranarray(rng.integers(0, 5, (rows, 3)).astype(np.int32))
    place = (levels[:, 0] // 2 + rng.integers(0, 3, rows)).astype(np.int32)
    equal, readable = [False, True, False], [0, 1, 2]
    variable, threshold, child, shares = native.grow(
        levels,
        [int(each) for each in equal],
        [5, 5, 5],
        place,
        np.arange(rows, dtype=np.int32),
        places=7,
        least=least,
        pays=pays,
    )
    slow = slow_tree(levels.tolist(), place.tolist(), readable, equal, 7, least, pays)
    for row in levels.tolist():
        node = 0
        while variable[node] >= 0:
            level, at = row[variable[node]], threshold[node]
            node = child[node] + (not (level == at if equal[variable[node]] else level <= at))
        leaf = child[node]
        assert shares[7 * leaf : 7 * (leaf + 1)].tolist() == slow_leaf(slow, row, equal)


def numbers(rows: int, seed: int = 0) -> NDArray[np.float64]:
    """A number, itself with little noise, and one that has nothing to do with them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    return np.column_stack([x, x + 0.02 * rng.normal(size=rows), rng.normal(size=rows)])


def within_bins(codes: NDArray[np.integer], values: NDArray[np.float64]) -> float:
    """The correlation of the first two columns, each less its mean in the joint bins of both."""
    _, joint = np.unique(codes[:, :2], axis=0, return_inverse=True)
    joint = joint.ravel()
    left = [values[:, i] - (np.bincount(joint, values[:, i]) / np.bincount(joint))[joint] for i in range(2)]
    return float(np.corrcoef(left[0], left[1])[0, 1])


def test_numbers_agree_within_their_bins_and_bins_stay_as_they_are() -> None:
    table = pd.DataFrame(numbers(4000), columns=["x", "y", "z"])
    model = DependencyNetwork(random_state=1).fit(table)
    law = there(model.law_)
    drawn = model.sample(4000)
    found = encode(drawn, model.domain_)
    real = within_bins(np.asarray(encode(table, model.domain_).codes), table.to_numpy())
    assert real > 0.9
    assert within_bins(np.asarray(found.codes), drawn.to_numpy()) > 0.8
    # The mutant: without the trees, numbers are independent given their bins.
    kept = law.within
    assert isinstance(kept, Within)
    model.law_ = type(law)(law.domain, law.nodes, law.counts, law.order, law.held_out)
    alone = model.sample(4000)
    assert abs(within_bins(np.asarray(encode(alone, model.domain_).codes), alone.to_numpy())) < 0.1
    assert np.array_equal(encode(alone, model.domain_).codes, found.codes)  # the same bins, row by row
    assert all(trees.column != 2 for trees in kept.trees)  # z has nothing to do with others


@pytest.fixture(scope="module")
def fitted() -> tuple[Network, Holed]:
    values = numbers(3000, 1)
    law = there(DependencyNetwork().fit(values).law_)
    return law, encode(values, law.domain, values=True)


def test_leaves_have_many_rows_and_trees_do_not_depend_on_threads(fitted: tuple[Network, Holed]) -> None:
    law, table = fitted
    one, two = (learn_within(law, table.codes, table, n_jobs=jobs) for jobs in (1, 2))
    assert one == two == law.within
    for trees in there(one).trees:
        leaves = int((trees.variable < 0).sum())
        assert leaves <= 3000 / LEAST
        assert trees.shares.sum() == 256 * leaves


def test_without_numbers_or_where_they_are_few_there_is_nothing() -> None:
    labels = DependencyNetwork().fit([{"a": "x", "b": "y"}, {"a": "z", "b": "y"}] * 20).law_
    few = there(DependencyNetwork().fit(numbers(60)).law_)
    assert there(labels).within is None
    assert few.within is None


def test_holes_and_missing_values_are_known_by_their_bins_alone() -> None:
    values = numbers(3000, 2)
    values[::3, 1] = np.nan
    for missing in ("complete", "state"):
        model = DependencyNetwork(missing=missing, random_state=0, rounds=2).fit(values)
        drawn = model.sample(2000)
        assert 0.28 < np.isnan(drawn[:, 1]).mean() < 0.39  # a third, as in the table
        full = drawn[~np.isnan(drawn).any(axis=1)]
        assert within_bins(np.asarray(encode(full, model.domain_).codes), full) > 0.3  # without trees: 0


def test_numbers_whose_levels_are_not_known_have_no_trees(fitted: tuple[Network, Holed]) -> None:
    law, table = fitted
    found = learn_within(law, table.codes, replace(table, values=Values({0: there(table.values)[0]})))
    assert found is None or all(trees.column == 0 for trees in found.trees)


def test_a_wide_table_reads_some_of_its_variables() -> None:
    rng = np.random.default_rng(0)
    values = np.column_stack([numbers(2500, 3), rng.normal(size=(2500, limits.WITHIN_READ + 5))])
    model = DependencyNetwork(random_state=0, penalty="mdl").fit(values)
    law = there(model.law_)
    assert law.within is not None
    drawn = model.sample(2500)
    assert within_bins(np.asarray(encode(drawn, model.domain_).codes), drawn) > 0.6


def test_an_imputer_has_no_use_for_it() -> None:
    from depnet import DependencyNetworkImputer

    values = numbers(400)
    values[0, 0] = np.nan
    assert DependencyNetworkImputer(random_state=0).fit(values).model_.law_.within is None
