"""Holes that are states: which are filled, by the law given that they are known, against the whole joint law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, Domain, Network, Variable, learn
from depnet.arrays import FloatArray
from depnet.data.table.dataset import Holed, nothing_hidden
from depnet.inference.holes import LEAST_KNOWN, open_holes, present_law, query_rows, split_holes
from depnet.learning.boost import Boost

DOMAIN = Domain(
    (
        Variable("dead", ("no", "yes")),
        Variable("cause", ("a", "b", "(missing)"), missing="(missing)"),
        Variable("test", ("low", "high", "(missing)"), missing="(missing)"),
    )
)


def rows_of(rng: np.random.Generator, rows: int = 4000) -> Dataset:
    """The living have no cause; a test is missing for a third, more often of the dead, and tells of the cause."""
    dead = rng.random(rows) < 0.4
    cause = np.where(dead, rng.integers(2, size=rows), 2)
    test = np.where(rng.random(rows) < 0.8, cause % 2, rng.integers(2, size=rows))
    test = np.where(rng.random(rows) < np.where(dead, 0.5, 0.2), 2, test)
    return Dataset.from_codes(np.stack([dead, cause, test], axis=1).astype(np.int64), domain=DOMAIN)


def law_of(seed: int = 0) -> Network:
    return learn(rows_of(np.random.default_rng(seed)), smoothing=0.5, order="auto")


def joint(network: Network) -> FloatArray:
    cards = network.domain.cardinalities
    codes = np.stack(np.unravel_index(np.arange(np.prod(cards)), cards), axis=1).astype(np.uint8)
    each = [node.own_probabilities(codes) for node in network.nodes]
    return np.asarray(np.prod(each, axis=0)).reshape(cards)


def test_the_living_keep_no_cause_and_the_dead_get_one() -> None:
    law = law_of()
    codes = np.array([[0, 2, 0], [1, 2, 0], [1, 2, 2], [0, 2, 2], [1, 0, 1]], dtype=np.uint8)
    table = Holed(DOMAIN, codes, nothing_hidden(codes.shape))
    holes = open_holes(table)
    assert holes.tolist() == (codes == 2).tolist()
    plain, fill = split_holes(law, codes, holes)
    assert fill[:, 1].tolist() == [False, True, True, False, False]
    assert fill[:, 2].tolist() == [False, False, True, True, False]
    assert plain[:, 1].tolist() == [2, 0, 0, 2, 0]  # what stays is a fact
    assert split_holes(law, codes, holes, everything=True)[1].tolist() == holes.tolist()
    found = query_rows(present_law(law), plain, fill)
    for name in ("cause", "test"):
        i = DOMAIN.index(name)
        assert (found.probabilities[name][fill[:, i], -1] < 1e-8).all()


@given(st.integers(0, 2**32))
def test_what_fills_is_the_law_given_known_and_facts_weigh_as_before(seed: int) -> None:
    law = law_of(seed % 7)
    filling = present_law(law)
    whole, filled = joint(law), joint(filling)
    np.testing.assert_allclose(filled.sum(), 1.0)
    order = law.order or ()
    # One hole, all else known: theta(X_j | known, rest) where X_j is the last that is drawn.
    last = order[-1]
    if DOMAIN.variables[last].missing is not None:
        given_rest = np.moveaxis(whole, last, -1)[..., :-1]
        ours = np.moveaxis(filled, last, -1)[..., :-1]
        wanted = given_rest / given_rest.sum(axis=-1, keepdims=True)
        got = ours / ours.sum(axis=-1, keepdims=True)
        often = given_rest.sum(axis=-1) > 0.02  # leaves that know little of it say what all say together
        assert np.abs(wanted - got)[often].max() < 0.02
    for i in (1, 2):  # the state of a hole weighs the states of others as it did
        odds = filling.nodes[i].table.probabilities[:, -1] / law.nodes[i].table.probabilities[:, -1]
        np.testing.assert_allclose(odds, odds[0])


def test_a_leaf_that_never_knows_says_what_all_leaves_say() -> None:
    law = learn(rows_of(np.random.default_rng(0)), smoothing=0.5, order=["dead", "cause", "test"])
    found = query_rows(present_law(law), np.array([[0, 0, 2]]), np.array([[False, True, False]]))
    assert np.abs(found.probabilities["cause"][0, :2] - 0.5).max() < 0.1


def test_boosted_nodes_never_fill_with_missing() -> None:
    law = learn(rows_of(np.random.default_rng(0)), smoothing=0.5, order="auto", boost=Boost(stages=5))
    codes = np.array([[1, 0, 1]])
    found = query_rows(present_law(law), codes, np.array([[False, True, True]]))
    assert max(found.probabilities[name][0, -1] for name in ("cause", "test")) < 1e-6


def test_a_network_of_probabilities_alone_and_one_without_such_states() -> None:
    plain = Network.from_joint(np.full((2, 2), 0.25))
    assert present_law(plain) is plain
    law = law_of()
    assert pytest.approx(0.02) == LEAST_KNOWN
    again = Network(law.domain, tuple(node.smoothed(0.5) for node in law.nodes), None, law.order)
    assert present_law(again).nodes[1].table.counts is None
