r"""A law of graphs that a boosted law has taught: nearly its quality, at the speed of graphs (ours, beyond the paper).

Boosted nodes are nearer to the truth than single graphs, and slow to ask: nothing about them is exact, and each row of a
pass sums hundreds of stages. So they do not answer. They teach:

1. a boosted law B is learned in the order of the graphs' law (`depnet.learning.boost`);
2. rows are drawn from B, many more than the table has, and graphs are grown on them, so that a leaf can be as fine as B is;
3. the tables of these graphs are the counts N of the table's own rows, and what B says of a leaf is their prior:

.. math:: \theta(x \mid y) = \frac{N_{yx} + \kappa\, q_B(x \mid y)}{N_y + \kappa}, \qquad \kappa = 300,

where q_B are the shares of the rows that were drawn. Nothing drawn is counted as a row. What is learned is a law like any
other: every node has one information source and one table, and KL(p^D || Q) is of its theta. Nodes are taught that held-out
rows gain by, over the graphs that the table alone has grown, if together that is more than two standard errors.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.law.program import law_of
from depnet.learning.auto import Choice
from depnet.learning.boost.digits import SETTINGS, has_digits
from depnet.learning.boost.learn import chosen_boost
from depnet.learning.boost.settings import AutoBoost
from depnet.learning.grow import TrainingRows, learn_nodes
from depnet.learning.options import LearnOptions, NodeSpec, node_specs
from depnet.learning.penalty import Mdl
from depnet.learning.work import Work
from depnet.model.counting import leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.table import ConditionalTable

PRIOR_ROWS = 300.0
"""Kappa. On thirteen tables of 230 to 28,000 rows, 100, 300 and 1,000 scored alike to 0.1 nats a row, 300 best or nearly."""
DRAWN_CELLS = 1 << 22
"""Cells that are drawn from the teacher for the law; for the trials together as many again."""
MOST_DRAWN = 1 << 20
FEWEST_ROWS = 100
"""Of a table. Fewer held-out rows hardly judge a teacher."""
MOST_STATES = 32
"""A category of more states stays a graph in the teacher: a score vector a leaf takes too long."""
MOST_WORK = 1 << 28
"""Rows times columns times states of a table that has a teacher, at most. 2^27, as of storms (19,537 rows, 13 columns), take
12 s of one core (`python -m benchmarks answers --raw --parts named` prints the seconds of fits)."""
TEACHER = AutoBoost(candidates=(SETTINGS,))
"""One candidate: on nodes of seven tables it gained as much as all of `boost="auto"` together, in 0.4 of the time."""
TRIAL_ROWS = 1_500
"""Held-out rows that choose stages and judge students, about: of small tables all five parts, of large ones the first."""
STANDARD_ERRORS = 2.0
SEED = 0x7EAC


def distil(
    rows: TrainingRows, law: Network, choice: Choice, options: LearnOptions, work: Work
) -> tuple[Network, Choice]:
    """The law with taught graphs for the nodes of which held-out rows say so, and its trials on the first parts held out.

    `choice` has the graphs' law as it was learned without each part of the rows.
    """
    specs = node_specs(rows.domain, law.order, roles=options.roles, forbidden=options.forbidden)
    readable = {spec.target: spec.inputs for spec in specs if spec.inputs and _boosts(rows, spec.target)}
    states = sum(rows.domain.cardinalities)
    if not readable or rows.total < FEWEST_ROWS or rows.dataset.codes.size * states > MOST_WORK:
        return law, choice
    parts = [
        (learned.dataset, held, graphs)
        for (learned, held), graphs in zip(rows.held_out, choice.tried, strict=True)
    ]
    judged = np.cumsum([held.total for _, held, _ in parts])
    parts = parts[: int(np.searchsorted(judged, TRIAL_ROWS)) + 1]
    teacher = chosen_boost(rows.dataset, law, parts, readable, TEACHER, work.share(0.5), options.limits)
    drawn = min(DRAWN_CELLS // len(law), MOST_DRAWN)
    study = partial(_student, specs=specs, options=options, work=work)
    students = [
        study(boosted, graphs, learned, drawn // len(parts))
        for boosted, (learned, _, graphs) in zip(teacher.tried, parts, strict=True)
    ]
    better, gained = _judge(students, parts)
    if work.over or not better:
        return law, choice
    student = study(teacher.network, law, rows.dataset, drawn)
    held_out = law.held_out
    if held_out is not None:
        held_out = replace(held_out, score=held_out.score + gained)
    tried = tuple(_joined(one, graphs, better) for one, (_, _, graphs) in zip(students, parts, strict=True))
    return replace(_joined(student, law, better), held_out=held_out), replace(choice, tried=tried)


def _boosts(rows: TrainingRows, i: int) -> bool:
    variable = rows.domain.variables[i]
    return variable.cardinality > 1 and (has_digits(variable) or variable.cardinality <= MOST_STATES)


def _student(
    teacher: Network,
    graphs: Network,
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
    taught = [i for i, node in enumerate(teacher.nodes) if node.boosted]
    if not taught:
        return graphs
    codes = law_of(teacher).passes(count, seed=SEED, n_jobs=work.threads).codes
    drawn = TrainingRows(Dataset.from_codes(codes, domain=dataset.domain))
    least = math.ceil(options.min_leaf_rows * count / dataset.total)  # so many rows of the table, about
    grown = learn_nodes(drawn, specs, [Mdl()] * len(specs), replace(options, min_leaf_rows=least), work)
    nodes = list(graphs.nodes)
    for i in taught:
        nodes[i] = _with_prior(grown.nodes[i], dataset)
    return replace(graphs, nodes=tuple(nodes))


def _with_prior(node: Node, dataset: Dataset) -> Node:
    own = leaf_counts(node.source, node.variable, dataset)
    table = ConditionalTable.from_counts(own, PRIOR_ROWS / node.states, node.table.counts)
    return TableNode(node.variable, node.source, table)


def _joined(student: Network, graphs: Network, better: Collection[int]) -> Network:
    """The student's nodes where they are better, the graphs' elsewhere."""
    nodes = zip(student.nodes, graphs.nodes, strict=True)
    return replace(graphs, nodes=tuple(one if i in better else other for i, (one, other) in enumerate(nodes)))


def _judge(
    students: Sequence[Network], parts: Sequence[tuple[Dataset, Dataset, Network]]
) -> tuple[set[int], float]:
    """The nodes that held-out rows gain by, and what they gain in all, nats a row; none where that is not sure.

    All gains together must be more than some standard errors: a node by itself, with few rows, would be chosen by chance.
    """
    weight = np.concatenate(
        [np.ones(held.rows) if held.weights is None else held.weights for _, held, _ in parts]
    )
    gains = np.stack(
        [
            np.concatenate(
                [
                    student.nodes[i].log_theta(held) - graphs.nodes[i].log_theta(held)
                    for student, (_, held, graphs) in zip(students, parts, strict=True)
                ]
            )
            for i in range(len(students[0]))
        ]
    )
    rows = float(weight.sum())
    better = np.flatnonzero(gains @ weight > 0)
    gain = gains[better].sum(axis=0)
    mean = float(gain @ weight) / rows
    error = math.sqrt(float(weight @ (gain - mean) ** 2)) / rows
    return (set(better.tolist()), mean) if mean > STANDARD_ERRORS * error else (set(), 0.0)
