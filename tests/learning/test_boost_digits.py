"""Nodes of digits: learned from what rows say, whatever their order; where rows say nothing, the histogram."""

import math
import time
from dataclasses import replace

import numpy as np

from depnet import Boost, BoostedNode, Dataset, Domain, Network, Variable, learn
from depnet.learning.boost import DIGITS, NOTHING, BoostRows, Grown, NodeGrower, all_tests, tree_of
from depnet.learning.choose import choose_stages
from depnet.model.stages import DigitTree
from tests.narrowed import there

NUMBER = Variable("y", tuple(range(8)))


def noisy(rows: int = 3_000, seed: int = 0, told: float = 1.0) -> Dataset:
    """A number of eight values that two numbers of sixteen tell of by their sum, and a category that tells of nothing."""
    rng = np.random.default_rng(seed)
    x, z = rng.integers(0, 16, size=(2, rows))
    y = np.clip(
        np.rint(told * (x + z) / 4 + rng.normal(0, 1 if told else 3, size=rows) + 4 * (1 - told)), 0, 7
    )
    codes = np.column_stack([x, z, rng.integers(0, 3, size=rows), y]).astype(np.uint8)
    number = tuple(range(16))
    names = (Variable("x", number), Variable("z", number), Variable("group", ("a", "b", "c")), NUMBER)
    return Dataset.from_codes(codes, domain=Domain(names))


ORDER = ["x", "z", "group", "y"]
TABLE, FRESH = noisy(), noisy(seed=1)


def rows_of(dataset: Dataset) -> BoostRows:
    return BoostRows.of(dataset, all_tests(TABLE))


def grower(dataset: Dataset = TABLE) -> NodeGrower:
    rows = rows_of(dataset)
    return NodeGrower(rows, 3, tree_of(rows, 3), [0, 1, 2])


def entropy_of_the_truth(dataset: Dataset) -> float:
    """The mean log-likelihood of rows under the law that drew them, on the bins."""
    mean, y = dataset.codes[:, :2].astype(float).sum(axis=1) / 4, dataset.codes[:, 3]
    edges = np.concatenate([[-np.inf], np.arange(7) + 0.5, [np.inf]])
    cdf = np.vectorize(lambda z: 0.5 * math.erfc(-z / math.sqrt(2)))
    p = cdf(edges[y + 1] - mean) - cdf(edges[y] - mean)
    return float(np.log(p).mean())


def test_digits_come_near_the_truth_and_beat_the_graph() -> None:
    law = learn(TABLE, penalty="auto", smoothing=0.5, boost="auto", order=ORDER)
    graph = learn(TABLE, penalty="auto", smoothing=0.5, order=ORDER)
    node = law.nodes[3]
    assert isinstance(node, BoostedNode)
    assert node.digits is not None
    truth, found = entropy_of_the_truth(FRESH), float(node.log_theta(FRESH).mean())
    assert truth - 0.05 < found <= truth + 0.02
    assert found > float(graph.nodes[3].log_theta(FRESH).mean()) + 0.03


def test_vertices_without_stages_are_the_histogram() -> None:
    node = grower().node([NOTHING] * 7)
    counts = np.bincount(TABLE.codes[:, 3], minlength=8)
    assert not node.inputs
    np.testing.assert_allclose(node.probabilities(TABLE.codes[:1])[0], counts / counts.sum(), atol=2e-3)


def test_held_out_rows_that_gain_nothing_leave_few_stages() -> None:
    one = grower(noisy(told=0.0))
    grown = there(one.grow(DIGITS, held=rows_of(noisy(seed=2, told=0.0))))
    assert sum(choose_stages(one.tree, [grown])) < 15, "of up to 2,800"


def test_stages_are_chosen_by_all_parts_and_by_the_depth() -> None:
    """What a vertex gains counts for its neighbour, too: here one gains 1 by its first stage, the other loses 3."""
    tree = DigitTree.of([1, 1, 1, 1])

    def curve(*scores: float) -> Grown:
        return NOTHING._replace(
            begin=np.arange(len(scores), dtype=np.int32), held_scores=np.array(scores, dtype=float)
        )

    part = [curve(0, 3, 2), curve(0, 1), curve(-9, -12)]
    assert choose_stages(tree, [part]) == [1, 0, 0]
    assert choose_stages(tree, [part, [curve(0, -2, 5), curve(0, 9), curve(0, 0)]]) == [2, 1, 1]


def test_neither_the_order_of_rows_nor_weights_matter() -> None:
    turned = np.random.default_rng(5).permutation(TABLE.rows)
    shuffled = Dataset.from_codes(TABLE.codes[turned], domain=TABLE.domain)
    distinct, counts = np.unique(TABLE.codes, axis=0, return_counts=True)
    weighted = Dataset.from_codes(distinct, domain=TABLE.domain, weights=counts)
    one, *others = (grower(rows).averaged_node(DIGITS, [5] * 7) for rows in (TABLE, shuffled, weighted))
    assert others == [one, one]


def test_threads_and_given_settings() -> None:
    few = Boost(stages=6, leaves=4, rate=0.3)
    networks = [learn(TABLE, smoothing=0.5, boost=few, n_jobs=jobs) for jobs in (1, 2)]
    assert networks[0] == networks[1]
    assert all(isinstance(node, BoostedNode) for node in networks[0].nodes)
    assert [node.digits is not None for node in networks[0].nodes if isinstance(node, BoostedNode)] == [
        True,
        True,
        False,
        True,
    ]


def test_missing_is_the_first_digit() -> None:
    variable = Variable("y", (1, 2, 3, 4, "missing"), missing="missing")
    domain = Domain((Variable("x", (0, 1)), variable))
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, size=600)
    y = np.where(rng.random(600) < 0.1 + 0.7 * x, 4, rng.integers(0, 4, size=600))
    rows = rows_of_any(Dataset.from_codes(np.column_stack([x, y]).astype(np.uint8), domain=domain))
    tree = tree_of(rows, 1)
    assert tuple(tree.vertices[0]) == (0, 4, 5)
    whole = NodeGrower(rows, 1, tree, [0])
    best = choose_stages(tree, [there(whole.grow(DIGITS, held=rows))])
    node = there(whole.averaged_node(DIGITS, best))
    theta = node.probabilities(np.array([[0, 0], [1, 0]], dtype=np.uint8))
    np.testing.assert_allclose(theta[:, 4], [0.1, 0.8], atol=0.06)
    first, second = (row / row.sum() for row in theta[:, :4])
    np.testing.assert_allclose(first, second, atol=0.12)


def rows_of_any(dataset: Dataset) -> BoostRows:
    return BoostRows.of(dataset, all_tests(dataset))


def test_time_that_does_not_suffice_is_no_node() -> None:
    over = replace(grower(), ends=time.monotonic() - 1)
    assert over.averaged_node(DIGITS, [5] * 7) is None
    assert over.grow(DIGITS, held=rows_of(FRESH)) is None
    network = learn(TABLE, smoothing=0.5, boost="auto", penalty="auto", max_seconds=1e-6)
    assert isinstance(network, Network)
