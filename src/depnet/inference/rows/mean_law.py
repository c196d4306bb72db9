r"""The laws of holes, averaged over several networks: what imputation needs, without a verdict on every row.

Each row has a chain, which goes from one network to the next, some sweeps in each to forget the last one and some that
count. The Rao-Blackwell averages of a network's sweeps estimate its law of the hole, and their mean over networks is

.. math:: \bar\pi(x_h \mid o) = \frac1M \sum_m \pi_{\theta_m}(x_h \mid o)

A row with one hole is exact: its average is of equal terms. For error bars and R-hat, ask `query_rows`.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.inference.answer.rows import DistinctRows, RowAnswers, checked_rows, pieces
from depnet.inference.clamped.chains import ClampedChains
from depnet.inference.effort import Effort
from depnet.model.boosted import BoostedNode
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.scan import RandomScan
from depnet.sampling.chains import ChainProgram, Order

BURN_IN = 8
"""Sweeps before the first network's count; the next ones go on from where its chains are, and need few to forget it."""

NEXT_BURN_IN = 2
LEAST_SWEEPS = 4
VARIANCE = 0.02
"""About that of the averages of one visit, which are probabilities and not draws."""

PIECE_CELLS = 2_000_000


def laws_and_tables(
    networks: Sequence[Network],
    codes: NDArray[np.integer],
    hidden: NDArray[np.bool_],
    *,
    tolerance: float = 0.02,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> tuple[dict[str, FloatArray], list[NDArray[np.uint16]]]:
    """[row, state] by name: of a hole the mean of the networks' laws, certainty for what was observed.

    And a completed table for each network: where a chain of every distinct row was after its sweeps. There are as many
    sweeps as make `VARIANCE` / tolerance^2 visits of each hole in all, about what a standard error below `tolerance` takes
    where sweeps forget each other.

    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> laws, _ = laws_and_tables([network, network], np.array([[0, 0]]), np.array([[False, True]]))
    >>> laws["X1"].round(3).tolist()
    [[0.8, 0.2]]
    """
    effort = Effort.of(tolerance, None, rng, n_jobs)
    domain = networks[0].domain
    answers = RowAnswers(networks[0], DistinctRows.of(*checked_rows(domain, codes, hidden)), effort)
    sweeps = max(LEAST_SWEEPS, math.ceil(VARIANCE / tolerance**2 / len(networks)))
    chosen = np.flatnonzero(answers.holes.any(axis=1))
    tables = [answers.codes.copy() for _ in networks]
    for at in pieces(chosen, answers.values.shape[1] + len(domain), PIECE_CELLS):
        laws, states = _averaged(networks, answers.codes[at], answers.holes[at], sweeps, effort)
        answers.store(at, laws)
        for table, state in zip(tables, states, strict=True):
            table[at] = state
    return answers.by_name(answers.values), [table[answers.which] for table in tables]


def _averaged(
    networks: Sequence[Network],
    rows: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    sweeps: int,
    effort: Effort,
) -> tuple[FloatArray, list[NDArray[np.uint16]]]:
    """[row, cell] of the holes alone, 0 elsewhere; and where the chains were in each network."""
    cards = np.array(networks[0].domain.cardinalities)
    cells = np.flatnonzero(
        np.repeat(holes, cards, axis=1)
    )  # most cells are observed: those of holes alone are added up
    at = np.flatnonzero(holes)
    hole: IntArray = np.repeat(at, cards[at % len(cards)])
    total = np.zeros(len(cells))
    states: NDArray[np.uint16] | None = None
    tables = []
    for network in networks:
        program = ChainProgram.of_each(network)
        if states is None:
            chains = ClampedChains.far_apart(
                program, RandomScan(), rows, holes, 1, effort.rng, effort.threads
            )
        else:
            chains = ClampedChains(program, Order.of(RandomScan(), holes), states, effort.rng, effort.threads)
        chains.run(BURN_IN if states is None else NEXT_BURN_IN, record=False)
        chains.run(sweeps)
        states = chains.codes
        tables.append(states.copy())
        sums, weights = chains.rounds[-1]
        visits = weights.reshape(-1)[hole]
        # A hole that no sweep has come to, under a scan that hardly ever does: its table's mean law stands in.
        marginals = np.concatenate([_marginal(network, node) for node in network.nodes])
        found = sums.reshape(-1)[cells] / np.where(visits > 0, visits, 1.0)
        total += np.where(visits > 0, found, marginals[cells % len(marginals)])
    laws = np.zeros((len(rows), int(cards.sum())))
    laws.reshape(-1)[cells] = total / len(networks)
    return laws, tables


def _marginal(network: Network, node: Node) -> FloatArray:
    """The law of a variable in the data; where its node was not learned from counts, the average of its rows."""
    if isinstance(node, BoostedNode):
        # Without the counts of the data: what its first source says alone.
        rows = (
            node.theta(node.start_scores)
            if network.counts is None
            else network.counts.singles[node.variable][None] + 0.5
        )
    else:
        rows = node.table.probabilities if node.table.counts is None else node.table.counts + 0.5
    law = rows.sum(axis=0)
    return np.asarray(law / law.sum(), dtype=np.float64)
