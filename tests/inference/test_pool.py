"""A pool of states: answers by Bayes' rule against the exact conditional, and when it has nothing to say."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings

import depnet
from depnet import (
    ConditionalTable,
    ConstantSource,
    Domain,
    LosslessSource,
    Network,
    Node,
    Pool,
    RandomScan,
    SequentialScan,
    query,
)
from depnet.errors import SamplingError, ScanError
from depnet.inference.law import at_last
from depnet.model import Evidence
from tests.inference.cases import random_targets
from tests.reference.inference import query_law
from tests.strategies import networks, seeds


@pytest.fixture
def never_exact() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["depnet.inference.query"], "EXACT_STATES", 0)
        yield


def own_scan(rng: np.random.Generator, network: Network) -> RandomScan:
    weights = rng.dirichlet(np.full(len(network), 3.0)) + 1e-2
    return RandomScan(tuple(weights / weights.sum()))


@settings(max_examples=20)
@given(networks(min_variables=2, max_states=60, blocks=True), seeds)
def test_the_pool_conditions_the_joint_law(network: Network, seed: int) -> None:
    """Within 7.5 standard errors: with 64 groups, Student's t passes that about once in 4e9 cells. Joints and blocks too."""
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    targets = random_targets(rng, network, most=2)
    others = [i for i in range(len(cards)) if i not in targets]
    known = {i: int(rng.integers(cards[i])) for i in others[:2]}
    scan = own_scan(rng, network)
    pool = Pool.draw(network, 16_384, scan=scan, rng=rng)
    found = pool.answer([targets], known)
    together = at_last(query_law(network, [*targets, *known], Evidence({}, {}), scan), list(known.values()))
    if found is None:
        assert together.sum() < 0.1  # else 16,384 states have a hundred that match, in many chains
        return
    expected = together / together.sum()
    np.testing.assert_array_less(np.abs(found.values[0] - expected), 7.5 * found.errors[0] + 1e-9)
    assert found.values[0].sum() == pytest.approx(1)
    assert found.diagnostics.matches == pytest.approx(together.sum() * len(pool), abs=8 * len(pool) ** 0.5)


def one_sided() -> Network:
    """X0 and X1 read each other, X2 reads X0, and X3 is a coin: nobody reads X2."""
    reads: list[tuple[int, ...]] = [(1,), (0,), (0,), ()]
    theta = [[[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.4, 0.6]], [[0.6, 0.4], [0.1, 0.9]], [[0.5, 0.5]]]
    nodes = [
        Node(
            (i,),
            LosslessSource(reads[i], (2,)) if reads[i] else ConstantSource(),
            ConditionalTable.from_probabilities(theta[i]),
        )
        for i in range(4)
    ]
    return Network(Domain.from_cardinalities([2] * 4), tuple(nodes))


@pytest.mark.usefixtures("never_exact")
def test_a_query_says_that_it_was_answered_from_the_pool() -> None:
    network = one_sided()
    pool = Pool.draw(network, rng=np.random.default_rng(0))
    exact = query(network, "X0", {"X2": 1}, method="exact")  # clamped: X2 is silent
    found = query(network, "X0", {"X2": 1}, method="bayes", pool=pool)
    assert found.method == "pool, by Bayes' rule"
    assert found.diagnostics is not None
    assert found.diagnostics.matches is not None
    assert found.diagnostics.matches > 10_000
    assert "states of the pool match" in str(found)
    assert (found.evidence_used, found.evidence_ignored, found.warnings) == (("X2",), (), ())
    assert found.converged
    law = query_law(network, [0, 2], Evidence({}, {}), RandomScan())[:, 1]
    np.testing.assert_allclose(np.asarray(found.probabilities), law / law.sum(), atol=0.01)
    with pytest.raises(AssertionError):  # mutant: the clamped law
        np.testing.assert_allclose(
            np.asarray(found.probabilities), np.asarray(exact.probabilities), atol=0.01
        )
    again = query(network, "X0", {"X2": 1}, method="bayes", pool=pool)
    assert np.array_equal(np.asarray(again.probabilities), np.asarray(found.probabilities))
    several = query(network, ["X0", "X1", "X2"], {"X2": 1}, method="bayes", pool=pool)
    assert isinstance(several.probabilities, dict)
    np.testing.assert_array_equal(several.probabilities["X0"], found.probabilities)
    assert several.probabilities["X2"].tolist() == [0, 1]


@pytest.mark.usefixtures("never_exact")
def test_chains_are_run_where_the_pool_has_too_little_to_say() -> None:
    network = one_sided()
    rng = np.random.default_rng(1)
    pool = Pool.draw(network, 4096, rng=rng)
    few = query(network, "X0", {"X2": 1}, method="bayes", pool=pool, tolerance=0.001, rng=rng)
    assert few.method == "sample, by Bayes' rule"  # 4,096 states do not know it so well
    tilted = query(
        network, "X0", {"X2": {0: 1.0, 1: 3.0}}, method="bayes", pool=pool, tolerance=0.02, rng=rng
    )
    assert tilted.method == "sample"
    rare = ConditionalTable.from_probabilities([[0.999, 0.001]])
    coins = Network(
        Domain.from_cardinalities([2, 2]), tuple(Node((i,), ConstantSource(), rare) for i in (0, 1))
    )
    of_coins = Pool.draw(coins, 8192, rng=rng)
    # About 8 states match: no standard error to trust.
    assert of_coins.answer([(1,)], {0: 1}) is None
    small = query(coins, "X0", method="bayes", pool=of_coins, rng=rng)
    assert small.method == "pool"


def test_what_is_small_is_exact_with_a_pool_too() -> None:
    network = one_sided()
    pool = Pool.draw(network, 4096, rng=np.random.default_rng(0))
    assert query(network, "X0", {"X2": 1}, method="bayes", pool=pool).method == "exact, by Bayes' rule"


def test_the_pool_is_a_function_of_the_generator() -> None:
    one, two, other = (Pool.draw(one_sided(), 4096, rng=np.random.default_rng(k)) for k in (3, 3, 4))
    assert np.array_equal(one.codes, two.codes)
    assert not np.array_equal(one.codes, other.codes)


def test_a_pool_that_does_not_fit_is_a_clear_error() -> None:
    network = one_sided()
    pool = Pool.draw(network, 4096, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match='give method="bayes" with it'):
        query(network, "X0", pool=pool)
    other = Network.from_joint(np.full((2, 2), 0.25))
    with pytest.raises(ValueError, match="from another network"):
        query(other, "X0", method="bayes", pool=pool)
    with pytest.raises(ValueError, match="under another scan"):
        query(network, "X0", method="bayes", pool=pool, scan=SequentialScan())
    with pytest.raises(ValueError, match="got Dataset"):
        query(network, "X0", method="bayes", pool=depnet.titanic())  # type: ignore[arg-type]
    with pytest.raises(ScanError, match="RandomScan"):
        Pool.draw(network, scan=SequentialScan())  # type: ignore[arg-type]
    with pytest.raises(SamplingError, match="states"):
        Pool.draw(network, 0)
