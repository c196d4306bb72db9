r"""A law of graphs that a boosted law has taught: nearly its quality, at the speed of graphs (ours, beyond the paper).

Boosted nodes are nearer to the truth than single graphs, and slow to ask: nothing about them is exact, and each row of a
pass sums hundreds of stages. So they do not answer. They teach:

1. a boosted law B of words (`Teacher`), for all columns alike, is learned in the order of the graphs' law;
2. rows are drawn from B, many more than the table has, and graphs are grown on them, so that a leaf can be as fine as B is;
3. the tables of these graphs are the counts N of the table's own rows, and what B says of a leaf is their prior:

.. math:: \theta(x \mid y) = \frac{N_{yx} + \kappa\, q_B(x \mid y)}{N_y + \kappa}, \qquad \kappa = 30, \dots, 1000,

where q_B are the shares of the rows that were drawn. Nothing drawn is counted as a row. What is learned is a law like any
other: every node has one information source and one table, and KL(p^D || Q) is of its theta. Held-out rows choose kappa, and
the nodes that are taught: those that gain, over the graphs that the table alone has grown, if together that is more than
two standard errors.

Every state of a column is the leaf of a tree of binary digits (`depnet.model.stages`), which needs an order of states.
Numbers and ordered labels have theirs. A category's is found from the table: its states are put along the first axis of
correspondence analysis, the unit vectors u of its states and v of the states of all other columns with the largest

.. math:: \sum_{x, b} \frac{N_{xb} - N_x N_b / N}{\sqrt{N_x N_b}}\, u_x v_b,

so that states whose rows look alike are neighbours: a digit then tells groups of like states apart, and so does a cut where
the category is read.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from depnet._native import boost as native
from depnet.arrays import CodeArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Domain, Variable
from depnet.learning import limits
from depnet.learning.auto import Choice
from depnet.learning.boost import DIGITS, NOTHING, BoostRows, NodeGrower, all_tests, tree_of
from depnet.learning.choose import TrialPart, try_node
from depnet.learning.cost import Mdl
from depnet.learning.cuts import Cut, CutDomain, cuts_of
from depnet.learning.grow import TrainingRows, learn_nodes
from depnet.learning.linear import LinearGuess, learn_guesses, with_guesses
from depnet.learning.options import LearnOptions, NodeSpec, node_specs, readable_inputs
from depnet.learning.order import fold_states
from depnet.learning.rows import some_rows
from depnet.learning.words import Word
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.table import ConditionalTable, leaf_counts
from depnet.threads import Work, results_in_threads

PENALTY = 0.25 * Mdl()
"""Of graphs of drawn rows: that B is no graph is known, and what is drawn has less noise than N such rows of a table."""
ALL_CUTS = 15
"""Of a number that a graph of drawn rows may split at: of all of its bins."""
PRIORS = (30.0, 100.0, 300.0, 1000.0)
"""Kappa is one of these, for each node."""
DRAWN_CELLS = 1 << 21
"""Cells that are drawn from the teacher for the law; for the trials together as many again."""
MOST_DRAWN = 1 << 20
TEACHER = replace(DIGITS, stages=200, rate=0.2)
"""Larger steps than elsewhere: on three tables they scored alike, in less time."""
FAINT = 5.0
"""Rows that are added to a state's own: what few rows say of a state does not put it first or last."""
STEPS = 50
"""Of the power method: as many always, so that equal axes, too, come out alike everywhere."""
PLACE_CUTS = 15
"""Of a category, at most, along its places."""
BLOCK = 1 << 15
"""Rows that are drawn at once, with random numbers of their own."""
SEED = 0x7EAC
Part = tuple[Dataset, Dataset, Network]
"""Rows to learn from, rows held out, and the graphs of the first."""


def state_places(dataset: Dataset) -> list[IntArray]:
    """[variable][state]: the place of each state in the order of its digits."""
    small = fold_states(dataset)
    return [
        _axis_places(dataset, small, i)
        if not variable.has_cuts and len(variable.present_states) > 2
        else np.arange(variable.cardinality)
        for i, variable in enumerate(dataset.domain.variables)
    ]


def _axis_places(dataset: Dataset, small: Dataset, i: int) -> IntArray:
    k, total = len(dataset.domain.variables[i].present_states), dataset.domain.cardinalities[i]
    own = dataset.column(i).astype(np.int64)
    blocks = []
    for j, states in enumerate(small.domain.cardinalities):
        if j == i or states < 2:
            continue
        cells = np.bincount(own * states + small.column(j), dataset.weights, minlength=total * states)
        counts = cells.reshape(total, states)[:k]
        n, m = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
        expected = n * m / max(n.sum(), 1)
        blocks.append((counts - expected) / np.sqrt((n + FAINT) * (m + FAINT)))
    rows = np.bincount(own, dataset.weights, minlength=total)[:k]
    if not blocks:
        return np.arange(total)
    residuals = np.concatenate(blocks, axis=1)
    axis = np.random.default_rng(SEED).standard_normal(k)
    for _ in range(STEPS):
        axis = residuals @ (residuals.T @ axis)
        axis /= np.abs(axis).max() or 1.0
    axis = np.round(axis / np.sqrt(rows + FAINT), 9)
    places = np.arange(total)
    places[np.argsort(axis, kind="stable")] = np.arange(k)
    return places


def in_places(dataset: Dataset, places: Sequence[IntArray]) -> Dataset:
    """The rows with each state by its place: every column has an order then."""
    codes = np.empty(dataset.codes.shape, dtype=dataset.codes.dtype, order="F")
    for i, place in enumerate(places):
        codes[:, i] = place.astype(codes.dtype)[dataset.column(i)]
    variables = []
    for variable in dataset.domain.variables:
        k = len(variable.present_states)
        missing = None if variable.missing is None else "missing"
        states = tuple(range(k)) if missing is None else (*range(k), missing)
        variables.append(Variable(variable.name, states, missing=missing))
    return Dataset(Domain(tuple(variables)), codes, dataset.weights)


@dataclass(frozen=True, eq=False)
class Teacher:
    """Words for some nodes of an ordered network, which read places, and its graphs for the others."""

    graphs: Network
    words: Mapping[int, Word]
    places: Sequence[IntArray]
    guesses: Mapping[int, LinearGuess]

    def draw(self, count: int, threads: int) -> CodeArray:
        """Rows of the law, the same for any number of threads."""
        codes: CodeArray = np.zeros((count, len(self.graphs)), dtype=np.uint16, order="F")
        states = [np.argsort(place).astype(np.uint16) for place in self.places]
        columns = len(self.graphs) + len(self.guesses)
        behind = {i: len(self.graphs) + at for at, i in enumerate(self.guesses)}

        def draw_block(first: int) -> None:
            own = codes[first : first + BLOCK]
            placed: CodeArray = np.zeros((len(own), columns), dtype=np.uint16, order="F")
            rng = np.random.default_rng([SEED, first])
            for i in self.graphs.order or ():
                if i in self.words:
                    if self.words[i].first is not None:
                        placed[:, behind[i]] = self.guesses[i].codes(placed)
                    placed[:, i] = self.words[i].draw(placed, rng)
                    own[:, i] = states[i][placed[:, i]]
                else:
                    own[:, i] = draw_state(self.graphs.nodes[i], own, rng)
                    placed[:, i] = self.places[i][own[:, i]]

        results_in_threads(draw_block, range(0, count, BLOCK), threads)
        return codes

    def cuts(self, dataset: Dataset) -> list[Cut]:
        """Sets of a category's states on one side of a place, about as many rows between two of them."""
        found = []
        for i, variable in enumerate(dataset.domain.variables):
            k = len(variable.present_states)
            if variable.has_cuts or k < limits.ALONE_STATES:
                continue
            counts = np.bincount(self.places[i][dataset.column(i)], dataset.weights, minlength=k)[:k]
            share = np.cumsum(counts) / counts.sum()
            ends = np.arange(1, PLACE_CUTS + 1) / (PLACE_CUTS + 1)
            each = np.unique(np.searchsorted(share, ends) + 1).tolist()
            found += [Cut.of(i, self.places[i] >= at) for at in each if at < k]
        return found


def draw_state(node: Node, codes: CodeArray, rng: np.random.Generator) -> IntArray:
    """A state of each row, by the table of a graph."""
    leaf = node.source(codes)
    ends = np.cumsum(node.table.probabilities, axis=1)
    ends[:, -1] = 1.0
    flat = (ends + np.arange(len(ends))[:, None]).ravel()
    found = np.searchsorted(flat, leaf + rng.random(len(codes)), side="right") - leaf * node.states
    return np.asarray(np.minimum(found, node.states - 1))


def learn_teacher(
    dataset: Dataset, law: Network, parts: Sequence[Part], readable: Mapping[int, Sequence[int]], work: Work
) -> tuple[Teacher, list[Teacher]]:
    """The teacher of these rows, and those of each part: words where held-out rows gain by them over graphs."""
    places = state_places(dataset)

    def ordered(rows: Dataset) -> Dataset:
        return BoostRows.of(in_places(rows, places), ()).dataset

    def some(rows: Dataset) -> Dataset:
        count = min(rows.rows, limits.TEACHER_ROWS)  # evenly among them, as equal rows follow each other
        return some_rows(rows, np.arange(count) * rows.rows // max(count, 1))

    every = [some(ordered(dataset)), *(some(ordered(learned)) for learned, _, _ in parts)]
    trees = {i: tree_of(BoostRows(every[0], ()), i) for i in readable}
    numbers = {
        i
        for i, variable in enumerate(dataset.domain.variables)
        if variable.has_cuts and len(variable.present_states) >= limits.GUESSED_STATES
    }
    guesses = [learn_guesses(rows, numbers, readable, trees) for rows in every]
    everything, *learned_rows = (with_guesses(rows, own) for rows, own in zip(every, guesses, strict=True))
    tests = all_tests(everything)
    tried = [
        TrialPart(BoostRows(rows, tests), BoostRows(with_guesses(ordered(held), own), tests), graphs)
        for rows, own, (_, held, graphs) in zip(learned_rows, guesses[1:], parts, strict=True)
    ]
    stop = native.Stop()

    def learn(i: int) -> list[Word] | None:
        growers = [
            NodeGrower(rows, i, trees[i], readable[i], work.ends, stop)
            for rows in (BoostRows(everything, tests), *(part.rows for part in tried))
        ]
        if i in guesses[0] and all(i in own for own in guesses):
            at = len(dataset.domain) + list(guesses[0]).index(i)
            reads = [*readable[i], at]
            lines = [
                replace(grower, readable=reads, first=(at, own[i].scores))
                for grower, own in zip(growers, guesses, strict=True)
            ]
            if _held_score(lines[1:], tried) > _held_score(growers[1:], tried):
                growers = lines
        whole = growers[0]
        found = try_node(growers[1:], tried, TEACHER)
        if found is None:
            return None
        words = [Word.of(grower, each) for grower, each in zip(found.growers, found.grown, strict=True)]
        gained = 0.0
        for word, part, (_, held, graphs) in zip(words, tried, parts, strict=True):
            theirs = graphs.nodes[i].log_theta(held)
            gained -= float(theirs.sum() if held.weights is None else theirs @ held.weights)
            gained += float(word.log_theta(part.held.dataset).sum())
        last = whole.grow(TEACHER, found.stages) if gained > 0 else None
        return None if last is None else [Word.of(whole, last), *words]

    found = results_in_threads(learn, list(readable), work.threads, stop=stop.set)
    words = {i: each for i, each in zip(readable, found, strict=True) if each is not None}
    graphs_of = (law, *(graphs for _, _, graphs in parts))
    teacher, *others = (
        Teacher(graphs, {i: each[k] for i, each in words.items()}, places, guesses[k])
        for k, graphs in enumerate(graphs_of)
    )
    return teacher, others


def _held_score(growers: Sequence[NodeGrower], parts: Sequence[TrialPart]) -> float:
    """What the held-out rows of all parts say of nodes without stages."""
    return sum(
        float(Word.of(grower, [NOTHING] * grower.parts).log_theta(part.held.dataset).sum())
        for grower, part in zip(growers, parts, strict=True)
    )


def distil(
    rows: TrainingRows, law: Network, choice: Choice, options: LearnOptions, work: Work
) -> tuple[Network, Choice]:
    """The law with taught graphs for the nodes of which held-out rows say so, and its trials on the first parts held out.

    `choice` has the graphs' law as it was learned without each part of the rows.
    """
    specs = node_specs(rows.domain, replace(options, order=law.order))
    readable = readable_inputs(specs, rows.domain)
    if not readable or rows.total < limits.TAUGHT_ROWS or rows.total * len(law) > limits.TAUGHT_CELLS:
        return law, choice
    parts = [
        (learned.dataset, held, graphs)
        for (learned, held), graphs in zip(rows.held_out, choice.tried, strict=True)
    ]
    judged = np.cumsum([held.total for _, held, _ in parts])
    parts = parts[: int(np.searchsorted(judged, limits.JUDGED_ROWS)) + 1]
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


def _judge(students: Sequence[Network], parts: Sequence[Part]) -> tuple[dict[int, float], float]:
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
    return (priors, mean) if mean > limits.SURE * error else ({}, 0.0)
