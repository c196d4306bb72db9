"""Evidence, rows and networks for the tests of ordered laws."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from depnet import ConditionalTable, ConstantSource, LosslessSource, Network, TableNode
from depnet.arrays import FloatArray
from depnet.data import Domain
from depnet.law.program import Law, Passes
from depnet.model import Evidence
from tests.boosted import with_boosted_nodes
from tests.strategies import cardinalities, random_ordered_network, seeds

WIDE = 300
"""States that need codes of two bytes."""


@composite
def laws(draw: DrawFn, max_variables: int = 5, zeros: float = 0.4) -> Network:
    """A random ordered network, often with zeros in its tables or with boosted nodes, sometimes with a variable of many
    states.
    """
    cards = draw(cardinalities(1, max_variables, max_states=150))
    if draw(st.integers(0, 5)) == 5:
        cards = (*cards[:3], WIDE)
    order = draw(st.permutations(range(len(cards))))
    share = draw(st.sampled_from((0.0, zeros)))
    rng = np.random.default_rng(draw(seeds))
    network = random_ordered_network(rng, cards, order, share)
    return with_boosted_nodes(rng, network) if draw(st.booleans()) else network


def evidence_of(weights: Mapping[int, Sequence[float]]) -> Evidence:
    """Weights as evidence: one state of weight 1 is clamped."""
    rows = {i: np.asarray(w, dtype=np.float64) for i, w in weights.items()}
    clamped = {i: int(w.argmax()) for i, w in rows.items() if w.max() == w.sum() == 1}
    return Evidence(clamped, {i: w for i, w in rows.items() if i not in clamped})


def weighed(law: FloatArray, weights: Mapping[int, Sequence[float]]) -> FloatArray:
    """The tensor times the weights of its variables, not normalised."""
    for j, w in weights.items():
        law = law * np.reshape(w, [-1 if axis == j else 1 for axis in range(law.ndim)])
    return law


def compiled(network: Network, walked: bool) -> Law:
    """The law with decision graphs `walked` and stages summed, or written out where they are small."""
    with pytest.MonkeyPatch.context() as patch:
        if walked:
            patch.setattr("depnet.model.sources.limits.TABLE_STATES", 0)
        return Law(replace(network))  # another object: what was compiled before is kept by the network


def some(rng: np.random.Generator, variables: int) -> list[int]:
    """A few of the variables, at least one."""
    count = int(rng.integers(1, variables + 1))
    return [int(i) for i in rng.permutation(variables)[:count]]


def without(network: Network, variables: Collection[int]) -> Network:
    """The network with a table of its own for each of these variables, which then reads nothing."""
    nodes = list(network.nodes)
    for i in variables:
        states = network.domain.cardinalities[i]
        uniform = ConditionalTable.from_probabilities(np.full((1, states), 1 / states))
        nodes[i] = TableNode(i, ConstantSource(), uniform)
    return replace(network, nodes=tuple(nodes))


def given_tables(*tables: tuple[Sequence[int], Sequence[Sequence[float]]], in_order: bool = True) -> Network:
    """X_0, X_1, ..., each with the variables that it reads and its rows, one for each of their states."""
    cards = [len(rows[0]) for _, rows in tables]
    nodes = []
    for i, (inputs, rows) in enumerate(tables):
        source = LosslessSource(tuple(inputs), tuple(cards[j] for j in inputs))
        nodes.append(TableNode(i, source, ConditionalTable.from_probabilities(rows)))
    return Network(
        Domain.from_cardinalities(cards), tuple(nodes), order=tuple(range(len(cards))) if in_order else None
    )


def assert_same_passes(law: Law, known: Evidence, whole: Passes) -> None:
    """The 1000 passes `whole` of seed 7 from 13 on, in several threads and in pieces."""
    for n_jobs in (1, 2, 3):
        again = law.passes(1000, known, seed=7, first=13, n_jobs=n_jobs)
        np.testing.assert_array_equal(again.codes, whole.codes)
        np.testing.assert_array_equal(again.log_weights, whole.log_weights)
    ends = [0, 1, 17, 80, 500, 1000]
    parts = [law.passes(b - a, known, seed=7, first=13 + a) for a, b in itertools.pairwise(ends)]
    np.testing.assert_array_equal(np.concatenate([part.codes for part in parts]), whole.codes)
    np.testing.assert_array_equal(np.concatenate([part.log_weights for part in parts]), whole.log_weights)
