"""Boosted nodes, one row at a time: stages of splits, sums of scores, theta; and theta of any node."""

from collections.abc import Sequence

from depnet import Node
from depnet._native.network import exp
from depnet.model.boosted import BoostedNode
from depnet.model.stages import UNIT, DigitTree, Stages, Test
from tests.boosted import stage_of

Stage = tuple[list[tuple[int, Test]], list[list[int]]]


def stages_of(stages: Stages) -> list[Stage]:
    """The stages as lists: the splits (leaf, test) of each, and its scores [leaf][state]."""
    found = []
    for m in range(len(stages)):
        splits, scores = stage_of(stages, m)
        found.append((splits, scores.tolist()))
    return found


def leaf_of(row: Sequence[int], splits: Sequence[tuple[int, Test]]) -> int:
    """Y^m(x): start at 0; split t sends what is in its leaf and passes its test to the leaf t + 1."""
    y = 0
    for t, (leaf, test) in enumerate(splits):
        if y == leaf and test.low <= row[test.variable] <= test.high:
            y = t + 1
    return y


def sums(row: Sequence[int], stages: Sequence[Stage], states: int) -> list[int]:
    """For every state x the sum over m of s_m[Y^m, x], in multiples of `UNIT`."""
    total = dict.fromkeys(range(states), 0)
    for splits, scores in stages:
        y = leaf_of(row, splits)
        for x in range(states):
            total[x] += scores[y][x]
    return [total[x] for x in range(states)]


def theta(scores: Sequence[int]) -> list[float]:
    """exp of the scores, divided by their sum; the largest is taken away first, and states are summed in their order."""
    top = max(scores)
    each = [exp((score - top) * UNIT) for score in scores]
    total = 0.0
    for e in each:
        total += e
    return [e / total for e in each]


def probabilities(node: BoostedNode, row: Sequence[int]) -> list[float]:
    """theta_i(. | x_-i) of one row."""
    first = node.start_scores[int(node.start([list(row)])[0])].tolist()
    added = sums(row, stages_of(node.stages), node.states)
    scores = [a + b for a, b in zip(first, added, strict=True)]
    return theta(scores) if node.digits is None else digit_theta(scores, node.digits)


def digit_theta(scores: Sequence[int], tree: DigitTree) -> list[float]:
    """The product over the vertices on the way to each state of the probability of its digit there."""
    found = []
    for x in range(tree.states):
        product = 1.0
        for (low, middle, high), logit in zip(tree.vertices, scores, strict=False):
            if low <= x < high:
                product *= theta([0, logit])[int(x >= middle)]
        found.append(product)
    return found


def node_theta(node: Node, row: Sequence[int]) -> list[float]:
    """theta_i(. | Y_i(x)) of any node: the row of the leaf, or what the stages of a boosted node add up to."""
    if isinstance(node, BoostedNode):
        return probabilities(node, row)
    leaf = int(node.source([list(row)])[0])
    return [float(p) for p in node.table.probabilities[leaf]]
