r"""Columns of many states that repeat each other: a number and its name, a code and its label (ours, beyond the paper).

A graph that splits on a variable of many states pays for a table row for each of them, R(k, N) = k (log N) / 2 with
k = |X_i| |X_j| parameters, although nearly all of these are zero: X_j = f(X_i). So no such split is ever made, and columns
that repeat each other are learned as if they had nothing to do with each other. In the law, such a column gets a function
node: its source is one split on X_i, its table the counts, with pseudo-counts that are e + 1/2 rows in all, e being the rows
that are exceptions to f. (Of a column that X_i divides further, X_i = g(X_j), alike.) A function node is taken where
held-out rows gain by it, by more than two standard errors. The paper's network keeps R(k, N).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset
from depnet.learning.auto import Choice
from depnet.learning.grow import TrainingRows
from depnet.learning.options import LearnOptions, node_specs
from depnet.model.counting import leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.sources.decision_graph import DecisionGraph, Split
from depnet.model.table import ConditionalTable

FEWEST_STATES = 8
"""Of both columns: with fewer, a graph pays for the split."""
MOST_CELLS = 1 << 20
"""Of the table of a function node."""
EXCEPTIONS = 0.005
"""The share of rows, at most, that are exceptions to a function."""
LOOK = 1_000
"""Rows that are looked at first: most pairs are ruled out by these."""
STANDARD_ERRORS = 2.0


class Copy(NamedTuple):
    """`column` repeats `of`: the one is a function of the other, and back."""

    column: str
    of: str

    def __str__(self) -> str:
        return f"{self.column} repeats {self.of}"


def learn_copies(
    rows: TrainingRows, law: Network, choice: Choice, options: LearnOptions
) -> tuple[Network, Choice]:
    """The law with function nodes where held-out rows gain by them, and its trials on the rows held out alike."""
    found = {}
    for spec in node_specs(rows.domain, replace(options, order=law.order)):
        pairs = list(_functions(rows.dataset, spec.target, spec.inputs))
        if pairs:
            found[spec.target] = min(pairs)[1]
    parts = [(learned.dataset, held) for learned, held in rows.held_out[: len(choice.tried)]]
    tried, nodes, gained = [list(graphs.nodes) for graphs in choice.tried], list(law.nodes), 0.0
    for j, i in found.items():
        own = [_function_node(learned, i, j) for learned, _ in parts]
        gains = np.concatenate(
            [
                (node.log_theta(held) - graphs.nodes[j].log_theta(held)).repeat(
                    1 if held.weights is None else held.weights
                )
                for node, graphs, (_, held) in zip(own, choice.tried, parts, strict=True)
            ]
        )
        if gains.mean() * math.sqrt(len(gains)) > STANDARD_ERRORS * gains.std():
            nodes[j], gained = _function_node(rows.dataset, i, j), gained + float(gains.mean())
            for trial, node in zip(tried, own, strict=True):
                trial[j] = node
    if not gained:
        return law, choice
    of_trials = zip(choice.tried, tried, strict=True)
    again = tuple(replace(graphs, nodes=tuple(trial)) for graphs, trial in of_trials)
    judged = law.held_out and replace(law.held_out, score=law.held_out.score + gained)
    return replace(law, nodes=tuple(nodes), held_out=judged), replace(choice, tried=again)


def copies_of(law: Network) -> tuple[Copy, ...]:
    """The columns that repeat another, by the law's function nodes: each of the two is a function of the other.

    >>> from depnet import titanic, learn
    >>> copies_of(learn(titanic(), order="auto"))
    ()
    """
    found = []
    for node in law.nodes:
        if node.boosted or node.counts is None or len(node.inputs) != 1 or node.states < FEWEST_STATES:
            continue
        whole = node.source.size == law.domain.cardinalities[node.inputs[0]]  # a leaf for each state
        exceptions = max(_exceptions(node.counts), _exceptions(node.counts.T))
        if whole and exceptions <= EXCEPTIONS * node.counts.sum():
            names = law.domain.names
            found.append(Copy(names[node.variable], names[node.inputs[0]]))
    return tuple(found)


def _functions(dataset: Dataset, j: int, inputs: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(exceptions, i) of each X_i that X_j is a function of, or that is one of X_j, but for a few rows."""
    cards = dataset.domain.cardinalities
    for i in inputs:
        if min(cards[i], cards[j]) < FEWEST_STATES or cards[i] * cards[j] > MOST_CELLS:
            continue
        for rows in (slice(LOOK), slice(None)):
            pairs = dataset.column(i)[rows].astype(np.int64) * cards[j] + dataset.column(j)[rows]
            weights = None if dataset.weights is None else dataset.weights[rows]
            cells, where = np.unique(pairs, return_inverse=True)
            counts = np.bincount(where, weights, len(cells)).astype(np.int64)
            fewest = min(_lost(cells // cards[j], counts), _lost(cells % cards[j], counts))
            if fewest > EXCEPTIONS * counts.sum():
                break
        else:
            yield int(fewest), i


def _lost(of: IntArray, counts: IntArray) -> int:
    """Rows that are not in the largest cell of theirs."""
    largest = np.zeros(int(of.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, of, counts)
    return int(counts.sum() - largest.sum())


def _exceptions(counts: IntArray) -> int:
    """Rows that are not in the most frequent state of their leaf."""
    return int(counts.sum() - counts.max(axis=1).sum())


def _function_node(dataset: Dataset, i: int, j: int) -> Node:
    cards = dataset.domain.cardinalities
    source = DecisionGraph((Split(0, i),), cards)
    counts = leaf_counts(source, j, dataset)
    e = min(_exceptions(counts), _exceptions(counts.T))
    return TableNode(j, source, ConditionalTable.from_counts(counts, (e + 0.5) / counts.size))
