"""Holes that are no states of their columns: each column has its own rate of them, independent of all else."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, read_only
from depnet.model.evidence import Evidence
from depnet.model.network import Network

Bools = NDArray[np.bool_]


def log_pattern(network: Network, hidden: Bools) -> FloatArray:
    """[row]: the log-probability of which cells are holes, in nats; of columns with a state for holes the law says it.

    A rate is that of the rows learned from, half a hole and half a known cell added. A column that had no holes then has
    none for sure, and one that comes later the rate of half a hole. Without counts nothing is known: 0.
    """
    counts = network.counts
    if counts is None:
        return np.zeros(len(hidden))
    rates, seen = counts.hole_rates, counts.holes > 0
    own = np.array([variable.missing is None for variable in network.domain.variables])
    gone = np.where(own, np.log(rates), 0.0)
    there = np.where(own & seen, np.log1p(-rates), 0.0)
    return np.asarray(there.sum() + hidden @ (gone - there))


def drawn_holes(network: Network, evidence: Evidence, rows: int, rng: np.random.Generator) -> Bools | None:
    """[row, variable]: holes by the columns' rates, but where the evidence says of a column that it is known, or missing.

    None where there are none.
    """
    rates = np.zeros(len(network)) if network.counts is None else np.array(network.counts.missing_rates)
    for i, variable in enumerate(network.domain.variables):
        if variable.missing is not None or i in evidence.variables:
            rates[i] = 0.0
        if variable.missing is None and i in evidence.allowed:
            rates[i] = float(evidence.allowed[i].missing)
    if not rates.any():
        return None
    holes = np.zeros((rows, len(rates)), dtype=bool, order="F")
    for i in np.flatnonzero(rates).tolist():
        holes[:, i] = rng.random(rows) < rates[i]
    return holes


def all_known(network: Network, evidence: Evidence) -> Evidence:
    """The evidence, and that no column is missing of which it does not say so."""
    tilts = dict(evidence.tilts)
    for i, variable in enumerate(network.domain.variables):
        if variable.missing is None or variable.cardinality < 2 or i in evidence.variables:
            continue
        weights = np.ones(variable.cardinality)
        weights[-1] = 0.0
        tilts[i] = read_only(weights)
    return replace(evidence, tilts=tilts)
