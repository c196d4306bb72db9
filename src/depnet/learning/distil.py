r"""A law of graphs that a boosted law has taught: nearly its quality, at the speed of graphs (ours, beyond the paper).

Boosted nodes are nearer to the truth than single graphs, and slow to ask: nothing about them is exact, and each row of a
pass sums hundreds of stages. So they do not answer. They teach:

1. a boosted law B is learned in the order of the graphs' law (`depnet.learning.teacher`);
2. rows are drawn from B, many more than the table has, and graphs are grown on them, so that a leaf can be as fine as B is;
3. the tables of these graphs are the counts N of the table's own rows, and what B says of a leaf is their prior:

.. math:: \theta(x \mid y) = \frac{N_{yx} + \kappa\, q_B(x \mid y)}{N_y + \kappa}, \qquad \kappa = 30, \dots, 1000,

where q_B are the shares of the rows that were drawn. Nothing drawn is counted as a row. What is learned is a law like any
other: every node has one information source and one table, and KL(p^D || Q) is of its theta. Held-out rows choose kappa, and
the nodes that are taught: those that gain, over the graphs that the table alone has grown, if together that is more than
two standard errors.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.learning.auto import Choice
from depnet.learning.cuts import CutDomain, cuts_of
from depnet.learning.grow import TrainingRows, learn_nodes
from depnet.learning.options import LearnOptions, NodeSpec, node_specs
from depnet.learning.penalty import Mdl
from depnet.learning.rows.work import Work
from depnet.learning.teacher import Teacher, learn_teacher
from depnet.model.counting import leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.table import ConditionalTable

PENALTY = 0.25 * Mdl()
"""Of graphs of drawn rows: that B is no graph is known, and what is drawn has less noise than N such rows of a table."""
ALL_CUTS = 15
"""Of a number that a graph of drawn rows may split at: of all of its bins."""
PRIORS = (30.0, 100.0, 300.0, 1000.0)
"""Kappa is one of these, for each node."""
DRAWN_CELLS = 1 << 21
"""Cells that are drawn from the teacher for the law; for the trials together as many again."""
MOST_DRAWN = 1 << 20
FEWEST_ROWS = 100
"""Of a table. Fewer held-out rows hardly judge a teacher."""
MOST_CELLS = 1 << 28
"""Of a table that has a teacher, at most, each row by its weight."""
TRIAL_ROWS = 1_500
"""Held-out rows that choose stages and judge students, about: of small tables all five parts, of large ones the first."""
STANDARD_ERRORS = 2.0


def distil(
    rows: TrainingRows, law: Network, choice: Choice, options: LearnOptions, work: Work
) -> tuple[Network, Choice]:
    """The law with taught graphs for the nodes of which held-out rows say so, and its trials on the first parts held out.

    `choice` has the graphs' law as it was learned without each part of the rows.
    """
    specs = node_specs(rows.domain, law.order, roles=options.roles, forbidden=options.forbidden)
    readable = {
        spec.target: spec.inputs
        for spec in specs
        if spec.inputs and rows.domain.cardinalities[spec.target] > 1
    }
    if not readable or rows.total < FEWEST_ROWS or rows.total * len(law) > MOST_CELLS:
        return law, choice
    parts = [
        (learned.dataset, held, graphs)
        for (learned, held), graphs in zip(rows.held_out, choice.tried, strict=True)
    ]
    judged = np.cumsum([held.total for _, held, _ in parts])
    parts = parts[: int(np.searchsorted(judged, TRIAL_ROWS)) + 1]
    teacher, tried = learn_teacher(rows.dataset, law, parts, readable, work.share(0.5))
    drawn = min(DRAWN_CELLS // len(law), MOST_DRAWN)
    study = partial(_student, specs=specs, options=options, work=work)
    students = [
        study(one, learned, drawn // len(parts)) for one, (learned, _, _) in zip(tried, parts, strict=True)
    ]
    better, gained = _judge(students, parts)
    if work.over or not better:
        return law, choice
    student = study(teacher, rows.dataset, drawn)
    held_out = law.held_out
    if held_out is not None:
        held_out = replace(held_out, score=held_out.score + gained)
    joined = tuple(_joined(one, graphs, better) for one, (_, _, graphs) in zip(students, parts, strict=True))
    return replace(_joined(student, law, better), held_out=held_out), replace(choice, tried=joined)


def _student(
    teacher: Teacher,
    dataset: Dataset,
    count: int,
    *,
    specs: Sequence[NodeSpec],
    options: LearnOptions,
    work: Work,
) -> Network:
    """Graphs of `count` rows that the teacher draws, with the counts of the table's own rows.

    A node that the teacher has as a graph stays that graph.
    """
    if not teacher.words:
        return teacher.graphs
    drawn = Dataset.from_codes(teacher.draw(count, work.threads), domain=dataset.domain)
    cuts = CutDomain(drawn.domain, drawn, (*cuts_of(drawn.domain, ALL_CUTS), *teacher.cuts(drawn)))
    rows = TrainingRows(drawn, cuts)
    least = math.ceil(options.min_leaf_rows * count / dataset.total)  # so many rows of the table, about
    grown = learn_nodes(rows, specs, [PENALTY] * len(specs), replace(options, min_leaf_rows=least), work)
    nodes = list(teacher.graphs.nodes)
    for i in teacher.words:
        nodes[i] = _with_prior(grown.nodes[i], dataset)
    return replace(teacher.graphs, nodes=tuple(nodes))


def _with_prior(node: Node, dataset: Dataset) -> Node:
    own = leaf_counts(node.source, node.variable, dataset)
    table = ConditionalTable.from_counts(own, PRIORS[0] / node.states, node.table.counts)
    return TableNode(node.variable, node.source, table)


def _joined(student: Network, graphs: Network, priors: Mapping[int, float]) -> Network:
    """The student's nodes where they are better, each with its prior, and the graphs' elsewhere."""
    nodes = list(graphs.nodes)
    for i, rows in priors.items():
        nodes[i] = _weighed(student.nodes[i], rows)
    return replace(graphs, nodes=tuple(nodes))


def _weighed(node: Node, rows: float) -> Node:
    """A taught node whose prior is worth so many rows a leaf; a graph as it is."""
    return node if node.table.prior is None else node.smoothed(rows / node.states)


def _judge(
    students: Sequence[Network], parts: Sequence[tuple[Dataset, Dataset, Network]]
) -> tuple[dict[int, float], float]:
    """Kappa of the nodes that held-out rows gain by, and what they gain in all, nats a row; none where that is not sure.

    All gains together must be more than some standard errors: a node by itself, with few rows, would be chosen by chance.
    """
    weight = np.concatenate(
        [np.ones(held.rows) if held.weights is None else held.weights for _, held, _ in parts]
    )
    rows = float(weight.sum())
    priors: dict[int, float] = {}
    gain = np.zeros(len(weight))
    for i in range(len(students[0])):
        theirs = np.concatenate([graphs.nodes[i].log_theta(held) for _, held, graphs in parts])
        ours = [
            np.concatenate(
                [
                    _weighed(student.nodes[i], prior).log_theta(held)
                    for student, (_, held, _) in zip(students, parts, strict=True)
                ]
            )
            for prior in PRIORS
        ]
        best = int(np.argmax([float(each @ weight) for each in ours]))
        if float((ours[best] - theirs) @ weight) > 0:
            priors[i] = PRIORS[best]
            gain += ours[best] - theirs
    mean = float(gain @ weight) / rows
    error = math.sqrt(float(weight @ (gain - mean) ** 2)) / rows
    return (priors, mean) if mean > STANDARD_ERRORS * error else ({}, 0.0)
