"""FC over blocks (ours, beyond the paper): between the paper's FC and KL, and monotone in the blocks.

For A inside B the chain rule of KL gives

    KL(p || E_B(q)) = KL(p || E_A(q)) + <KL(p(X_{B less A} | X_-B) || q(X_{B less A} | X_-B))>_p,

so that a larger block never has a smaller term. Theorem 3 for blocks is in test_thm_fc.py, FC <= KL for blocks in
test_eq_fc_le_kl.py.
"""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import ConditionalTable, LosslessSource, Network, Node, RandomScan, geometry
from depnet.arrays import FloatArray
from tests.strategies import cardinalities, random_blocks, random_joint, random_weights, seeds

ZEROS = st.sampled_from([0.0, 0.3])


def two_laws(
    shape: tuple[int, ...], seed: int, zeros: float
) -> tuple[np.random.Generator, FloatArray, FloatArray]:
    """p with zeros or without, and a positive q, so that every divergence is finite."""
    rng = np.random.default_rng(seed)
    return rng, random_joint(rng, shape, zeros), random_joint(rng, shape)


def term(p: FloatArray, q: FloatArray, block: tuple[int, ...]) -> float:
    return geometry.kl_to_manifold(p, geometry.FullConditionalManifold.of_joint(q, block))


def at_most(smaller: float, larger: float) -> None:
    assert smaller <= larger * (1 + 1e-9) + 1e-12


def singles_weights(
    rng: np.random.Generator, blocks: list[tuple[int, ...]], c: FloatArray, n: int
) -> FloatArray:
    """Weights of single variables: each block's c_B shared out at random among its own variables."""
    weights = np.zeros(n)
    for block, weight in zip(blocks, c, strict=True):
        weights[list(block)] += weight * rng.dirichlet(np.ones(len(block)))
    return np.asarray(weights / weights.sum())


@given(cardinalities(min_variables=2), seeds, ZEROS)
def test_a_larger_block_adds_the_divergence_of_what_it_adds(
    shape: tuple[int, ...], seed: int, zeros: float
) -> None:
    rng, p, q = two_laws(shape, seed, zeros)
    order = rng.permutation(len(shape)).tolist()
    large = tuple(sorted(order[: int(rng.integers(2, len(shape) + 1))]))
    small = tuple(sorted(order[: int(rng.integers(1, len(large)))]))
    # What is added: the same laws without X_A, and the block B less A among the rest.
    kept = [i for i in range(len(shape)) if i not in small]
    added = tuple(kept.index(i) for i in large if i not in small)
    rest = term(p.sum(axis=small), q.sum(axis=small), added)
    assert term(p, q, large) == pytest.approx(term(p, q, small) + rest, rel=1e-9, abs=1e-11)
    at_most(term(p, q, small), term(p, q, large))


@given(cardinalities(), seeds, ZEROS)
def test_one_block_of_everything_gives_kl(shape: tuple[int, ...], seed: int, zeros: float) -> None:
    _, p, q = two_laws(shape, seed, zeros)
    everything = geometry.full_conditional_divergence(p, q, blocks=[tuple(range(len(shape)))])
    assert everything == pytest.approx(geometry.kl(p, q), rel=1e-9, abs=1e-12)


@given(cardinalities(), seeds, ZEROS)
def test_single_variables_give_the_papers_fc(shape: tuple[int, ...], seed: int, zeros: float) -> None:
    rng, p, q = two_laws(shape, seed, zeros)
    c = random_weights(rng, len(shape))
    blocks = [(i,) for i in range(len(shape))]
    assert geometry.full_conditional_divergence(p, q, c, blocks=blocks) == (
        geometry.full_conditional_divergence(p, q, c)
    )


@given(cardinalities(min_variables=2), seeds, ZEROS)
def test_fc_over_blocks_lies_between(shape: tuple[int, ...], seed: int, zeros: float) -> None:
    """FC <= FC over blocks <= KL, where the c_i are the c_B shared out among each block's variables."""
    rng, p, q = two_laws(shape, seed, zeros)
    blocks = random_blocks(rng, len(shape))
    c = np.array(random_weights(rng, len(blocks)))
    over_blocks = geometry.full_conditional_divergence(p, q, c, blocks=blocks)
    weights = singles_weights(rng, blocks, c, len(shape))
    paper = sum(w * term(p, q, (i,)) for i, w in enumerate(weights))
    at_most(float(paper), over_blocks)
    at_most(over_blocks, geometry.kl(p, q))


@given(cardinalities(min_variables=2), seeds, ZEROS)
def test_merging_two_blocks_never_lowers_fc(shape: tuple[int, ...], seed: int, zeros: float) -> None:
    """A and B with c_A and c_B, or A + B with c_A + c_B."""
    rng, p, q = two_laws(shape, seed, zeros)
    blocks = [*random_blocks(rng, len(shape)), *random_blocks(rng, len(shape))]
    c = list(random_weights(rng, len(blocks)))
    before = geometry.full_conditional_divergence(p, q, c, blocks=blocks)
    both = tuple(sorted({*blocks[0], *blocks[1]}))
    after = geometry.full_conditional_divergence(p, q, [c[0] + c[1], *c[2:]], blocks=[both, *blocks[2:]])
    at_most(before, after)


def test_mutant_weights_that_are_not_shared_out_of_the_blocks() -> None:
    """With c_i of their own, single variables may have the larger FC: one block hides a variable that is wrong."""
    p = np.full((2, 2), 0.25)
    q = np.outer([0.9, 0.1], [0.5, 0.5])
    blocks = [(0,), (1,)]
    mostly_wrong = geometry.full_conditional_divergence(p, q, [0.9, 0.1], blocks=blocks)
    with pytest.raises(AssertionError):
        at_most(mostly_wrong, geometry.full_conditional_divergence(p, q, [0.1, 0.9], blocks=blocks))


def test_mutant_adding_a_block_is_not_merging() -> None:
    """A further block takes its weight from the others, and then FC may fall."""
    p, q = np.full((2, 2), 0.25), np.outer([0.9, 0.1], [0.5, 0.5])
    before = geometry.full_conditional_divergence(p, q, blocks=[(0,), (1,)])
    with pytest.raises(AssertionError):
        at_most(before, geometry.full_conditional_divergence(p, q, blocks=[(0,), (1,), (1,)]))


def consistent(p: FloatArray, blocks: Sequence[tuple[int, ...]]) -> Network:
    """Every theta_B a full conditional of the positive law p."""
    nodes = []
    for block in blocks:
        states = int(np.prod([p.shape[i] for i in block]))
        others = [i for i in range(p.ndim) if i not in block]
        rows = np.transpose(p, [*others, *block]).reshape(-1, states)
        source = LosslessSource(tuple(others), tuple(p.shape[i] for i in others))
        table = ConditionalTable.from_probabilities(rows / rows.sum(axis=1, keepdims=True))
        nodes.append(Node(block, source, table))
    return Network(depnet.Domain.from_cardinalities(p.shape), tuple(nodes))


def assert_consistent(p: FloatArray, network: Network, c: tuple[float, ...]) -> None:
    assert geometry.fc_limit(p, network, c) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(depnet.stationary(network, RandomScan(c)), p, rtol=0, atol=1e-9)


@given(cardinalities(min_variables=2, max_variables=4, max_states=100), seeds)
def test_consistent_blocks_have_their_law(shape: tuple[int, ...], seed: int) -> None:
    """All theta_B from one law: FC_lim = 0 and pi is that law, whatever blocks and weights."""
    rng = np.random.default_rng(seed)
    p = random_joint(rng, shape)
    blocks = [b for b in random_blocks(rng, len(shape)) if len(b) < len(shape)]
    blocks += [(i,) for i in range(len(shape)) if not any(i in b for b in blocks)]
    assert_consistent(p, consistent(p, blocks), random_weights(rng, len(blocks)))


def test_mutant_one_block_of_another_law() -> None:
    rng = np.random.default_rng(3)
    p, q = random_joint(rng, (2, 3, 2)), random_joint(rng, (2, 3, 2))
    blocks = [(0, 1), (1, 2)]
    mixed = Network(
        depnet.Domain.from_cardinalities(p.shape),
        (consistent(p, blocks).nodes[0], consistent(q, blocks).nodes[1]),
    )
    with pytest.raises(AssertionError):
        assert_consistent(p, mixed, (0.5, 0.5))


def test_blocks_see_what_single_variables_do_not() -> None:
    """Two copies of a fair coin against two copies of a loaded one: FC is nearly 0, FC over the pair is KL.

    Why blocks: with near-deterministic tables the FC-limit of single variables says little of the modes' weights.
    """
    e = 1e-6
    p = np.array([[0.5 - e, e], [e, 0.5 - e]])
    q = np.array([[0.9 - e, e], [e, 0.1 - e]])
    assert geometry.full_conditional_divergence(p, q) < 1e-4
    over_the_pair = geometry.full_conditional_divergence(p, q, blocks=[(0, 1)])
    assert over_the_pair == pytest.approx(geometry.kl(p, q), rel=1e-12)
    assert over_the_pair > 0.5
