r"""A law of graphs that a boosted law has taught: nearly its quality, at the speed of graphs (ours, beyond the paper).

Boosted nodes are nearer to the truth than single graphs, and slow to ask: nothing about them is exact, and each row of a
pass sums hundreds of stages. So they do not answer. They teach:

1. a boosted law B is learned in the order of the graphs' law (`depnet.learning.boost`);
2. rows are drawn from B, many more than the table has, and graphs are grown on them, so that a leaf can be as fine as B is;
3. the tables of these graphs are the counts N of the table's own rows, and what B says of a leaf is their prior:

.. math:: \theta(x \mid y) = \frac{N_{yx} + \kappa\, q_B(x \mid y)}{N_y + \kappa}, \qquad \kappa = 300,

where q_B are the shares of the rows that were drawn. Nothing drawn is counted as a row. What is learned is a law like any
other: every node has one information source and one table, and KL(p^D || Q) is of its theta. It is taken where held-out rows
gain by it more than two standard errors over the graphs that the table alone has grown.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.law.program import law_of
from depnet.learning.boost.digits import SETTINGS, has_digits
from depnet.learning.boost.learn import chosen_boost
from depnet.learning.boost.settings import AutoBoost
from depnet.learning.choose.trials import Choice
from depnet.learning.grow.node_specs import NodeSpec, node_specs
from depnet.learning.grow.nodes import learn_nodes
from depnet.learning.options import LearnOptions
from depnet.learning.penalty import QUICK
from depnet.learning.rows.training import TrainingRows
from depnet.learning.work import Work
from depnet.model.counting import leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.table import ConditionalTable

PRIOR_ROWS = 300.0
"""Kappa. On thirteen tables of 350 to 28,000 rows, 100, 300 and 1,000 scored alike to 0.1 nats a row, 300 best or nearly."""
DRAWN_CELLS = 1 << 22
"""Cells that are drawn from the teacher for the law; for the trials together as many again."""
MOST_DRAWN = 1 << 20
FEWEST_ROWS = 100
"""Of a table. Fewer held-out rows hardly judge a teacher."""
MOST_STATES = 32
"""A category of more states stays a graph in the teacher: a score vector a leaf takes too long."""
MOST_WORK = 1 << 29
"""Rows times columns times states of a table that has a teacher, at most: some tens of seconds of boosting."""
TEACHER = AutoBoost(candidates=(SETTINGS,))
"""One candidate: on nodes of seven tables it gained as much as all of `boost="auto"` together, in 0.4 of the time."""
STANDARD_ERRORS = 2.0
SEED = 0x7EAC


def distil(
    rows: TrainingRows, law: Network, choice: Choice, options: LearnOptions, work: Work
) -> tuple[Network, Choice]:
    """The law of taught graphs, and its trials, where held-out rows gain by it; else what was given.

    `choice` has the graphs' law as it was learned without each part of the rows held out.
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
    teacher = chosen_boost(
        rows.dataset, law, parts, readable, TEACHER, work.share(0.5).silent(), options.limits
    )
    if work.over or not any(node.boosted for node in teacher.network.nodes):
        return law, choice
    drawn = min(DRAWN_CELLS // len(law), MOST_DRAWN)
    students = [
        _student(boosted, learned, specs, options, drawn // len(parts), work)
        for boosted, (learned, _, _) in zip(teacher.tried, parts, strict=True)
    ]
    gains = [
        _row_logs(student, held) - _row_logs(graphs, held)
        for student, (_, held, graphs) in zip(students, parts, strict=True)
    ]
    total, error = _sum(gains, [held for _, held, _ in parts])
    if work.over or total <= STANDARD_ERRORS * error:
        return law, choice
    student = _student(teacher.network, rows.dataset, specs, options, drawn, work)
    held_out = law.held_out
    if held_out is not None:
        held_out = replace(held_out, score=held_out.score + total / held_out.rows)
    return replace(student, held_out=held_out), replace(choice, tried=tuple(students))


def _boosts(rows: TrainingRows, i: int) -> bool:
    variable = rows.domain.variables[i]
    return variable.cardinality > 1 and (has_digits(variable) or variable.cardinality <= MOST_STATES)


def _student(
    teacher: Network,
    dataset: Dataset,
    specs: Sequence[NodeSpec],
    options: LearnOptions,
    count: int,
    work: Work,
) -> Network:
    """Graphs of `count` rows that the teacher draws, with the counts of the table's own rows."""
    codes = law_of(teacher).passes(count, seed=SEED, n_jobs=work.threads).codes
    drawn = TrainingRows(Dataset.from_codes(codes, domain=dataset.domain))
    least = math.ceil(options.min_leaf_rows * count / dataset.total)  # so many rows of the table, about
    graphs = learn_nodes(
        drawn, specs, [QUICK] * len(specs), replace(options, min_leaf_rows=least), work.silent()
    )
    return replace(graphs, nodes=tuple(_with_prior(node, dataset) for node in graphs.nodes))


def _with_prior(node: Node, dataset: Dataset) -> Node:
    own = leaf_counts(node.source, node.variable, dataset)
    table = ConditionalTable.from_counts(own, PRIOR_ROWS / node.states, node.table.counts)
    return Node(node.variables, node.source, table)


def _row_logs(law: Network, dataset: Dataset) -> FloatArray:
    return np.asarray(np.sum([node.log_theta(dataset) for node in law.nodes], axis=0))


def _sum(gains: Sequence[FloatArray], parts: Sequence[Dataset]) -> tuple[float, float]:
    """The sum of paired gains over all rows held out, and its standard error."""
    gain = np.concatenate(gains)
    weight = np.concatenate([np.ones(part.rows) if part.weights is None else part.weights for part in parts])
    total, rows = float(gain @ weight), float(weight.sum())
    spread = float(weight @ (gain - total / rows) ** 2)
    return total, math.sqrt(spread * rows / max(rows - 1, 1))
