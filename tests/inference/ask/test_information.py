"""Mutual information given evidence: against the full joint table, exactly and by draws."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

import depnet
from depnet import Network
from depnet.arrays import FloatArray
from depnet.errors import EvidenceError
from depnet.inference.ask.information import _jackknife, information
from depnet.law.limits import BATCHES
from tests.inference.ordered.test_events import random_tree
from tests.reference.events import indicator, text_of
from tests.reference.ordered import law
from tests.refusals import refuses
from tests.strategies import ordered_networks, seeds


def bits_of(joint: FloatArray, left: list[int], right: list[int]) -> float:
    """The sum over all states of both sides, one after the other."""
    others = tuple(i for i in range(joint.ndim) if i not in (*left, *right))
    p = np.moveaxis(joint.sum(axis=others, keepdims=True), (*left, *right), range(len(left) + len(right)))
    p = p.reshape(math.prod(joint.shape[i] for i in left), -1) / joint.sum()
    found = 0.0
    for a, b in itertools.product(range(p.shape[0]), range(p.shape[1])):
        if p[a, b] > 0:
            found += p[a, b] * math.log2(p[a, b] / (p[a].sum() * p[:, b].sum()))
    return found


@given(ordered_networks(min_variables=2), seeds)
def test_it_is_that_of_the_joint_table(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, network, 2)
    joint = law(network) * (indicator(network, tree) == 1)
    order = rng.permutation(len(network)).tolist()
    cut = int(rng.integers(1, len(network)))
    left, right = order[:cut][:2], order[cut:][:2]
    assume(joint.sum() > 0)
    names = network.domain.names
    found = information(network, [names[i] for i in left], [names[i] for i in right], text_of(tree))
    assert found.bits == pytest.approx(bits_of(joint, left, right), abs=1e-9)
    assert found.standard_error == 0.0


def test_draws_take_the_bias_away() -> None:
    """Of independent columns, drawn tables say more than nothing; the jackknife does not, within six standard errors."""
    rng = np.random.default_rng(0)
    cells = (
        rng.multinomial(200, np.full(20 * 20, 1 / 400), size=BATCHES).reshape(BATCHES, 20, 20).astype(float)
    )
    found = _jackknife(cells)
    plain = bits_of(cells.sum(axis=0), [0], [1])
    assert found.bits < plain / 3
    assert found.bits <= 6 * found.standard_error
    assert found.standard_error < 0.01


def test_a_comparison_of_columns_is_drawn() -> None:
    network = depnet.learn(depnet.titanic(), order="auto", smoothing=0.5)
    given_it = "not sex = age or class = 1st"  # labels differ always: nothing is known
    found = information(network, "sex", "survived", given_it, rng=np.random.default_rng(0))
    exact = information(network, "sex", "survived")
    assert 0 < found.standard_error <= 0.005
    assert abs(found.bits - exact.bits) < 6 * found.standard_error


def test_a_given_model_is_asked_as_a_model() -> None:
    people = depnet.titanic()
    model = depnet.DependencyNetwork(random_state=0, boost=None, penalty="mdl").fit(people)
    women = model.given("class = 1st or age = child", sex="female")
    both: dict[str, Any] = {"class = 1st or age = child": True, "sex": "female"}
    assert (
        str(women.query("survived")).splitlines()[:4] == str(model.query("survived", both)).splitlines()[:4]
    )
    assert women.information("class", "survived") == model.information("class", "survived", both)
    assert women.influence("survived", of="Yes").value == model.influence("survived", both, "Yes").value
    assert women.links() == model.links()
    rows = women.sample(50, {"survived": "Yes"}, random_state=0)
    assert {tuple(row) for row in rows.codes[:, [1, 3]].tolist()} == {(0, 1)}
    inside = np.isfinite(women.score_samples(people))
    assert inside.sum() > 0
    every = depnet.Dataset.from_codes(
        [list(state) for state in np.ndindex(*people.domain.cardinalities)], domain=people.domain
    )
    assert np.exp(women.score_samples(every)).sum() == pytest.approx(1.0), "a law of its own"
    assert (
        women.score(people) == pytest.approx(women.score_samples(people)[inside].mean())
        or people.weights is not None
    )
    refuses(EvidenceError, "'sex' is already known in GivenModel", women.query, "survived", {"sex": "male"})


def test_what_has_no_information() -> None:
    network = depnet.learn(depnet.titanic(), order="auto")
    assert information(network, "sex", "survived", {"sex": "male"}).bits == 0.0
    refuses(EvidenceError, "'sex' is on both sides", information, network, "sex", ["age", "sex"])
    refuses(EvidenceError, "of an ordered law", information, depnet.learn(depnet.titanic()), "sex", "age")
