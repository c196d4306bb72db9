"""log Q(o) of rows with holes: the probability of what is observed, the holes summed out.

Items of few joint states are summed over, rows that have a larger one are eliminated where their tables are small, and what
is left is the mean weight of passes.
"""

import math

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.errors import EvidenceError
from depnet.inference.ordered.items import Holes, RowEliminations
from depnet.law.program import law_of
from depnet.law.sharpen import sharpen
from depnet.model.network import Network
from depnet.sampling.words import new_seeds

FIRST_PASSES, MOST_PASSES = 1 << 8, 1 << 14
"""Of a row, of which there are many."""
LOG_ERROR = 0.05
"""Passes go on until the standard error of log Q(o) is no larger, or they are too many."""


def log_observed(
    network: Network, codes: NDArray[np.uint16], holes: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Log Q(o) of the observed cells of every row, the holes summed out, and its standard errors (0: exact)."""
    values, errors = np.zeros(len(codes)), np.zeros(len(codes))
    eliminations = RowEliminations(network)
    for rows in Holes.pieces(holes):
        here = Holes.of(network, codes[rows], holes[rows])
        total = here.untouched()
        parts = here.parts()
        for sums in parts.chosen(parts.small).sums():
            np.add.at(total, sums.items.rows, sums.log_sums)
        large = parts.chosen(~parts.small)
        for r in np.unique(large.rows).tolist():
            own = large.chosen(large.rows == r)
            row = int(rows[r])
            try:
                found = eliminations.of(codes[row], holes[row], targets=False)
                if found is not None:  # which is of the whole row
                    total[r] = found.log_total
                    continue
            except EvidenceError:
                total[r] = -math.inf
                continue
            moved = np.asarray(own.holes.any(axis=0))
            value, errors[row] = _log_passes(here.chosen(np.array([r])), moved, rng)
            total[r] += value
        values[rows] = total
    return values, errors


def _log_passes(holes: Holes, moved: NDArray[np.bool_], rng: np.random.Generator) -> tuple[float, float]:
    """The log of the sum over the `moved` holes of one row of the tables of all active nodes that they touch."""
    law, roles, (seed,) = law_of(holes.network), holes.roles(moved[None]), new_seeds(rng, 1)
    logs, value, error = np.zeros(0), -math.inf, math.inf

    def draw(count: int) -> None:
        nonlocal logs
        states = np.repeat(holes.codes, count, axis=0).astype(np.uint16, copy=False)
        logs = np.concatenate([logs, law.row_passes(states, roles, seed=seed, first=len(logs))])

    def log_error() -> float:
        nonlocal value, error
        top = float(logs.max())
        if top > -math.inf:
            weights = np.exp(logs - top)
            mean = float(weights.mean())
            value, error = math.log(mean) + top, float(weights.std()) / mean / math.sqrt(len(weights))
        return error

    sharpen(draw, log_error, LOG_ERROR, first=FIRST_PASSES, most=MOST_PASSES)
    return value, error
