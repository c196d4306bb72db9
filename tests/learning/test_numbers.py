"""Large counts, tiny probabilities, one-hot rows and variables of one state: every law stays a law.

N = 10^9 and counts about 2^31 come by row weights, which count as so many rows.
"""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import Aic, ConditionalTable, Dataset, Mdl, Network, RandomScan, SequentialScan, TableNode, learn
from depnet.arrays import FloatArray
from depnet.errors import MixingWarning, ReducibleError, ReducibleWarning
from tests.narrowed import there
from tests.reference.learning import learn_operations
from tests.strategies import datasets, networks, seeds

TINY = 1e-300


def assert_law(p: FloatArray, axis: int | None = -1) -> None:
    """No NaN, nothing negative, sums of one within 1e-12."""
    assert np.isfinite(p).all()
    assert (p >= 0).all()
    assert np.abs(p.sum(axis=axis) - 1).max() <= 1e-12


def heavy(dataset: Dataset, kind: str, seed: int) -> Dataset:
    """The same rows, standing for very many."""
    rng = np.random.default_rng(seed)
    if kind == "10^9 rows":
        weights = rng.multinomial(10**9, rng.dirichlet(np.full(dataset.rows, 0.5)))
    elif kind == "about 2^31":
        weights = 2**31 + rng.integers(-3, 4, size=dataset.rows)
    else:  # as many as there may be
        weights = rng.integers(0, 2**52 // dataset.rows, size=dataset.rows) + 1
    return Dataset.from_codes(dataset.codes, dataset.domain.cardinalities, weights)


FEWER = settings(max_examples=settings().max_examples // 3)  # the twin is slow


@pytest.mark.parametrize("kind", ["10^9 rows", "about 2^31", "about 2^52"])
@FEWER
@given(dataset=datasets(max_variables=4, max_rows=25), seed=seeds, penalty=st.sampled_from([Mdl(), Aic()]))
def test_a_network_of_very_many_rows(kind: str, dataset: Dataset, seed: int, penalty: Mdl | Aic) -> None:
    rows = heavy(dataset, kind, seed)
    network = learn(rows, penalty=penalty, smoothing=0.5)
    for i, node in enumerate(network.nodes):
        assert list(node.source.operations) == learn_operations(rows, (i,), penalty)  # type: ignore[attr-defined]
        assert there(node.table.counts).sum() == rows.total
        assert_law(node.table.probabilities)
    counted = network.with_counts(rows)
    assert there(counted.counts).total == rows.total
    proven = depnet.certificate(network, rows)
    assert math.isfinite(proven.fc_limit)
    assert proven.fc_limit >= -1e-12
    assert_law(depnet.stationary(network, RandomScan()), axis=None)


@FEWER
@given(datasets(max_variables=4, max_rows=25), seeds)
def test_rows_added_to_very_many(dataset: Dataset, seed: int) -> None:
    rows = heavy(dataset, "10^9 rows", seed)
    network = learn(rows, smoothing=0.5).with_counts(rows)
    twice = network.updated(rows)
    for before, after in zip(network.nodes, twice.nodes, strict=True):
        assert before.table.counts is not None
        assert np.array_equal(2 * before.table.counts, after.table.counts)  # type: ignore[arg-type]
        assert_law(after.table.probabilities)
    with pytest.raises(depnet.errors.DepnetError, match=r"2\^53"):
        network.updated(Dataset(rows.domain, rows.codes, np.full(rows.rows, 2**53 // rows.rows - 1)))


def sharpened(network: Network, seed: int) -> Network:
    """Cells of 1e-300, one-hot rows, and rows as they were."""
    rng = np.random.default_rng(seed)
    nodes = []
    for node in network.nodes:
        theta = node.table.probabilities.copy()
        for row in theta:
            kind, x = rng.random(), rng.integers(len(row))
            if kind < 0.4:
                row[:], row[x] = 0.0, 1.0
            elif kind < 0.8 and len(row) > 1:
                row[x] = 0.0
                row /= row.sum()
                row[x] = TINY * rng.random()
        nodes.append(TableNode(node.variable, node.source, ConditionalTable.from_probabilities(theta)))
    return Network(network.domain, tuple(nodes))


@pytest.mark.parametrize("scan", [RandomScan(), SequentialScan()])
@given(network=networks(max_variables=4, max_states=60), seed=seeds)
def test_laws_of_tiny_probabilities(network: Network, seed: int, scan: RandomScan | SequentialScan) -> None:
    sharp = sharpened(network, seed)
    for node in sharp.nodes:
        assert_law(node.table.probabilities)
    try:
        pi = depnet.stationary(sharp, scan)
    except ReducibleError:  # one-hot rows may part the chain: no one law to speak of
        return
    assert_law(pi, axis=None)
    assert_law(
        depnet.geometry.m_projection(
            pi, depnet.geometry.FullConditionalManifold.of_node(sharp.nodes[0], pi.shape)
        ),
        axis=None,
    )
    names = sharp.domain.names
    exact = depnet.query(sharp, names[0], scan=scan, method="exact")
    assert isinstance(exact.probabilities, np.ndarray)
    assert_law(exact.probabilities)
    drawn = int(np.argmax(pi))
    state = np.unravel_index(drawn, pi.shape)
    evidence = {name: sharp.domain.variables[i].states[state[i]] for i, name in enumerate(names[1:], start=1)}
    given_rest = depnet.query(sharp, names[0], evidence, scan=scan)
    assert isinstance(given_rest.probabilities, np.ndarray)
    assert_law(given_rest.probabilities)


@given(networks(max_variables=4, max_states=60), seeds)
def test_samples_of_tiny_probabilities(network: Network, seed: int) -> None:
    sharp = sharpened(network, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReducibleWarning)
        warnings.simplefilter("ignore", MixingWarning)
        try:
            rows = depnet.sample(sharp, 200, burn_in=20, thin=1, rng=np.random.default_rng(seed))
        except ReducibleError:
            return
    assert (rows.codes < np.array(sharp.domain.cardinalities)).all()
    for i, node in enumerate(
        sharp.nodes
    ):  # what has no probability is not drawn: the last update gave each code
        leaves = node.source(rows.codes)
        if not node.source.inputs:
            assert (node.table.probabilities[leaves, rows.codes[:, i]] > 0).all()
