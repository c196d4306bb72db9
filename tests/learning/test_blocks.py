"""`blocks="auto"`: candidates equal their slow twin, the choice, and what comes out of learning."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Aic, Dataset, Mdl, StructuralMdl, learn
from depnet.arrays import FloatArray, IntArray
from depnet.errors import LearningError
from depnet.learning import blocks, coupling
from depnet.learning.auto import learn_auto
from depnet.learning.blocks import block_smoothing, choose_blocks, held_out_gain, share_of, what_it_knows
from depnet.learning.coupling import candidates, mutual_information
from depnet.learning.ladder import Auto
from depnet.learning.options import plan
from tests.strategies import datasets, seeds


def slow_entropy(table: Dataset, variables: tuple[int, ...]) -> float:
    rows = Counter(tuple(row[i] for i in variables) for row in table.codes.tolist())
    return -sum(count / table.rows * math.log(count / table.rows) for count in rows.values())


def slow_information(table: Dataset, i: int, j: int) -> float:
    return slow_entropy(table, (i,)) + slow_entropy(table, (j,)) - slow_entropy(table, (i, j))


def connected(edges: list[tuple[int, int]], i: int, j: int) -> bool:
    reached, before = {i}, set[int]()
    while reached != before:
        before = set(reached)
        reached |= {k for edge in edges for k in edge if set(edge) & before}
    return j in reached


@given(datasets(max_rows=200))
def test_candidates_are_the_forest_of_most_information(table: Dataset) -> None:
    found = candidates(table)
    n, cards = len(table.domain), table.domain.cardinalities
    pays = {}
    for i, j in itertools.combinations(range(n), 2):
        information = slow_information(table, i, j)
        if table.rows * information > (cards[i] - 1) * (cards[j] - 1) * math.log(table.rows) / 2 + 1e-9:
            pays[i, j] = information
    assert {c.variables for c in found} <= {
        pair for pair in itertools.combinations(range(n), 2) if math.prod(cards[i] for i in pair) <= 64
    }
    for c in found:
        assert c.information == pytest.approx(slow_information(table, *c.variables), abs=1e-9)
        least = min(slow_entropy(table, (i,)) for i in c.variables)
        assert c.coupling == pytest.approx(min(c.information / least, 1.0), abs=1e-6)
    # A forest: no edge joins what the others join. Spanning: each pair that pays is joined, by edges that say no less.
    edges = [c.variables for c in found]
    for i, j in edges:
        assert not connected([edge for edge in edges if edge != (i, j)], i, j)
    for (i, j), information in pays.items():
        assert connected([c.variables for c in found if c.information >= information - 1e-9], i, j)


def copies(rows: int, noise: float, rng: np.random.Generator) -> IntArray:
    """X1 copies X0 and X3 copies X2, but for noise; X4 is a coin by itself."""
    codes = rng.integers(0, 2, size=(rows, 5))
    codes[:, 1] = codes[:, 0] ^ (rng.random(rows) < noise)
    codes[:, 3] = codes[:, 2] ^ (rng.random(rows) < noise)
    return codes


def test_coupled_variables_become_blocks_and_others_do_not() -> None:
    table = Dataset.from_codes(copies(5_000, 0.01, np.random.default_rng(0)), [2] * 5)
    network = learn(table, blocks="auto", smoothing=0.5)
    assert sorted(node.variables for node in network.nodes) == [(0, 1), (2, 3), (4,)]
    independent = Dataset.from_codes(np.random.default_rng(1).integers(0, 2, size=(5_000, 5)), [2] * 5)
    assert learn(independent, blocks="auto") == learn(independent)


def near_deterministic(
    rng: np.random.Generator, n: int, rows: int, noise: float
) -> tuple[FloatArray, Dataset]:
    """The exact law of a random network of noisy functions of one or two parents, and rows drawn from it."""
    p = np.ones((2,) * n)
    codes = np.zeros((rows, n), dtype=np.int64)
    for i in range(n):
        parents = [] if i < 2 else sorted(rng.choice(i, size=int(rng.integers(1, 3)), replace=False).tolist())
        one = np.where(rng.random((2,) * len(parents)) < 0.5, noise, 1 - noise)
        if not parents:
            one = np.array(rng.uniform(0.3, 0.7))
        elif len(np.unique(one)) == 1:
            one.flat[0] = 1 - one.flat[0]  # no constant
        codes[:, i] = rng.random(rows) < one[tuple(codes[:, j] for j in parents)]
        q = one.reshape([2 if j in parents else 1 for j in range(n)])
        p = p * np.concatenate([1 - q, q], axis=i)
    return p, Dataset.from_codes(codes, [2] * n)


def drift(p: FloatArray, pi: FloatArray) -> float:
    """The mean over variables of the error of P(X_i = 1)."""
    axes = range(p.ndim)
    return float(np.mean([np.abs((pi - p).sum(axis=tuple(j for j in axes if j != i))).max() for i in axes]))


def test_blocks_keep_the_weights_of_modes() -> None:
    """Near-deterministic networks, exact laws: blocks have at most a third of the drift and of KL(p || pi)."""
    found: dict[str, list[tuple[float, float]]] = {"singles": [], "blocks": []}
    for seed in range(6):
        p, table = near_deterministic(np.random.default_rng(seed), 8, 5_000, 0.01)
        for name, network in (
            ("singles", learn(table, smoothing=0.5)),
            ("blocks", learn(table, smoothing=0.5, blocks="auto")),
        ):
            pi = depnet.stationary(network, depnet.RandomScan())
            found[name].append((drift(p, pi), depnet.geometry.kl(p, pi)))
    singles, paired = (np.mean(found[name], axis=0) for name in ("singles", "blocks"))
    assert (paired < singles / 3).all(), (singles, paired)
    assert singles[0] > 0.05  # else there was nothing to mend


@given(datasets(min_variables=2, max_rows=300), seeds)
def test_the_choice_does_not_depend_on_the_order_of_rows(table: Dataset, seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation(table.rows)
    again = Dataset.from_codes(table.codes[shuffled], domain=table.domain)
    assert choose_blocks(table, Mdl()) == choose_blocks(again, Mdl())


def test_every_variable_has_a_node_and_blocks_are_bounded() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 12, size=4_000)
    codes = np.column_stack([first, first, first // 2, rng.integers(0, 3, size=4_000)])
    network = learn(Dataset.from_codes(codes, [12, 12, 6, 3]), blocks="auto", smoothing=0.5)
    assert {i for node in network.nodes for i in node.variables} == set(range(4))
    assert max(node.table.states for node in network.nodes) <= 64


def test_held_out_rows_show_a_block_that_forgets() -> None:
    """A pair grown with a ruinous penalty knows nothing of the others."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, size=(6_000, 4))
    codes[:, 2] = codes[:, 0] ^ (rng.random(6_000) < 0.05)
    codes[:, 3] = codes[:, 1] ^ (rng.random(6_000) < 0.05)
    table = Dataset.from_codes(codes, [2] * 4)
    names = table.domain.names
    good = learn(table, blocks=[names[:1], names[1:2], names[:2]], smoothing=0.5)
    blind = learn(table, blocks=[names[:2]], penalty=1e6 * Mdl(), smoothing=0.5)
    held = Dataset.from_codes(codes[:1_000], [2] * 4)
    singles = [what_it_knows(node, held) for node in good.nodes[:2]]
    gain, known = held_out_gain(good.nodes[2], singles, held)
    assert abs(gain) < 0.03 * known
    forgot, _ = held_out_gain(blind.nodes[0], singles, held)
    assert forgot < -0.9 * known
    assert known == pytest.approx(2 * (math.log(2) + 0.05 * math.log(0.05) + 0.95 * math.log(0.95)), abs=0.05)


def test_pairs_that_suffer_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """X0 and X1 are coupled a little and X2, ... tell each of them much more; a blind pair loses that."""
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 2, size=(4_000, 4))
    codes[:, 1] = codes[:, 0] ^ (rng.random(4_000) < 0.1)
    codes[:, 2] = codes[:, 0] ^ codes[:, 1] ^ (rng.random(4_000) < 0.02)
    codes[:, 3] = codes[:, 1] ^ (rng.random(4_000) < 0.2)
    for _ in range(2):  # more than three candidates
        codes = np.column_stack([codes, codes[:, -1] ^ (rng.random(4_000) < 0.1)])
    table = Dataset.from_codes(codes, [2] * 6)
    assert len(candidates(table)) > 3
    assert choose_blocks(table, Mdl())
    kept = choose_blocks(table, Mdl())
    with monkeypatch.context() as patch:  # a few are tried first, and do not suffer: the same are kept
        patch.setattr(blocks, "SOME", 1)
        assert choose_blocks(table, Mdl()) == kept
    monkeypatch.setattr(blocks, "SCALE", 1e6)
    assert choose_blocks(table, Mdl()) == ()
    monkeypatch.setattr(blocks, "SOME", 1)
    assert choose_blocks(table, Mdl()) == ()


def test_read_off_equals_the_definition() -> None:
    table = depnet.titanic()
    names = table.domain.names
    node = learn(table, blocks=[(names[0], names[2])], smoothing=0.5).nodes[0]
    cards = [table.domain.cardinalities[i] for i in node.variables]
    weights = np.ones(table.rows) if table.weights is None else table.weights
    expected = [0.0, 0.0]
    for row, leaf, weight in zip(table.codes.tolist(), node.source(table.codes), weights, strict=True):
        theta = node.table.probabilities[leaf].reshape(cards)
        x, z = row[0], row[2]
        expected[0] += weight * math.log(theta[x, z] / theta[:, z].sum())
        expected[1] += weight * math.log(theta[x, z] / theta[x, :].sum())
    np.testing.assert_allclose(blocks.read_off(node, table), np.array(expected) / table.total, rtol=1e-9)


def test_options_go_through() -> None:
    table = Dataset.from_codes(copies(2_000, 0.01, np.random.default_rng(5)), [2] * 5)
    options = learn(table, blocks="auto", roles={"X0": "input"}, forbidden=[("X4", "X1")], max_leaves=2)
    assert (0, 1) not in [node.variables for node in options.nodes]
    assert max(node.source.size for node in options.nodes) <= 2
    auto = learn(table, blocks="auto", penalty="auto", smoothing=0.5)
    assert (0, 1) in [node.variables for node in auto.nodes]
    own = learn(table, blocks="auto", penalty=lambda k, rows: k * math.log(rows) / (2 * rows))
    assert [n.variables for n in own.nodes] == [n.variables for n in learn(table, blocks="auto").nodes]
    assert learn(table, blocks="auto", n_jobs=2) == learn(table, blocks="auto")
    few = Dataset.from_codes([[0, 0], [1, 1]], [2, 2])
    assert len(learn(few, blocks="auto")) == 2


def test_on_the_ladder_a_block_pays_its_share_and_its_cells_share_the_smoothing() -> None:
    table = Dataset.from_codes(copies(3000, 0.01, np.random.default_rng(0)), [2] * 5)
    tasks = plan(table.domain, blocks=[("X0", "X1")])
    ladder = Auto(penalties=(Mdl(), Aic()), smoothings=(1.0, 4.0))
    shares = [share_of([2] * len(task.targets)) for task in tasks]
    network, choice = learn_auto(table, tasks, ladder, smoothing=0.5, shares=shares)
    for node, penalty, smoothing in zip(network.nodes, choice.penalties, choice.smoothings, strict=True):
        block = len(node.variables) == 2
        assert penalty in ([0.25 * Mdl(), 0.25 * Aic()] if block else [Mdl(), Aic()])
        assert smoothing in ((0.25, 1.0) if block else (0.5, 2.0))
        assert node.table.smoothing == smoothing
    plain, _ = learn_auto(table, tasks, ladder, smoothing=0.5)
    assert plain != network  # mutant: all of the penalty and of the smoothing


def test_penalties_and_pseudo_counts_of_blocks() -> None:
    assert share_of([3]).penalty(Aic()) == Aic()
    assert share_of([3, 3]).penalty(Aic())(8, 100) == pytest.approx(Aic()(2, 100))
    assert share_of([3, 3]).penalty(StructuralMdl()) == 0.25 * StructuralMdl()
    assert block_smoothing(0.5, [3, 3]) * 9 == pytest.approx(1.5)


@given(datasets(min_variables=2, max_rows=50))
def test_information_does_not_depend_on_how_many_tables_are_held(table: Dataset) -> None:
    whole = mutual_information(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coupling, "BAND_CELLS", 1)
        for a, b in zip(whole, mutual_information(table), strict=True):
            assert np.array_equal(a, b)


def test_bad_options_are_clear_errors() -> None:
    table = Dataset.from_codes(copies(500, 0.01, np.random.default_rng(0)), [2] * 5)
    with pytest.raises(LearningError, match="max_states is a whole number of at least 4"):
        candidates(table, 3)
    with pytest.raises(LearningError, match="validation="):
        learn(table, blocks="auto", validation=table)
    with pytest.raises(LearningError, match="role"):
        learn(table, blocks="auto", roles={"X0": "nothing"})  # type: ignore[dict-item]
