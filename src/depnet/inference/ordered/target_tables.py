r"""A target beside every other variable at once: the tables of Q(T, X_j | x_C) of an ordered law, for all j.

What is kept of the target are some functions c_k of its states (is it in this class, its value). Each X_j has cells

.. math:: S_{jxk} = E_Q[\,1(X_j = x)\, c_k(T) \mid x_C\,],

from which every law of T given one more fact, and every information I(T; X_j | x_C), follows. Elimination finds
them exactly with one run a state of T, which clamps it and gives the marginals of all others; where that is too large, draws
do (`target_draws`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.law.elimination import Elimination, network_plan
from depnet.law.factors import IMPOSSIBLE, Factor, certain, factors_of
from depnet.model.evidence import Evidence
from depnet.model.network import Network

CLUSTER_CELLS = 1 << 10
"""A cluster of an elimination takes about as long as this many cells more than it has."""


@dataclass(frozen=True, slots=True, eq=False)
class TargetTables:
    """`sums[batch, cell, k]`, in proportion to each batch's weight; one batch where they are exact.

    The cells of `variables[v]` are `begin[v]` to `begin[v + 1]`; `totals[batch, k]` are the same of the target alone.
    """

    variables: tuple[int, ...]
    begin: IntArray
    sums: FloatArray
    totals: FloatArray
    method: str
    log_evidence: float
    """The log of the probability of what is known, in nats, and its standard error."""
    log_evidence_error: float = 0.0
    draws: int = 0
    effective: float = math.inf
    """The number of draws without weights that would be as good."""


def cells_of(network: Network, variables: Sequence[int]) -> IntArray:
    """The first cell of each variable, and the number of all."""
    cards = [network.domain.cardinalities[i] for i in variables]
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(cards, dtype=np.int64)])


def exact_tables(
    network: Network,
    evidence: Evidence,
    target: int,
    columns: FloatArray,
    variables: Sequence[int],
    most_cells: int,
) -> TargetTables | None:
    """By elimination, once for each state of the target; None where all together are more than `most_cells`.

    `columns` [state, k] are c_k.
    """
    assert network.order is not None
    cards = network.domain.cardinalities
    weights = evidence.tilts.get(target, np.ones(cards[target]))
    states = np.flatnonzero(weights).tolist()
    others = {i: tilt for i, tilt in evidence.tilts.items() if i != target}
    clamped = Evidence({**evidence.clamped, target: states[0]}, others)
    each = most_cells // len(states) - len(network) * CLUSTER_CELLS
    plan = network_plan(network, network.order, clamped, most_cells=each) if each > 0 else None
    if plan is None:
        return None
    try:
        factors = factors_of(network, network.order, evidence)
    except DomainTooLargeError:
        return None
    begin, fixed = cells_of(network, variables), certain(network, clamped)
    asked = [i for i in variables if i not in fixed]
    laws, logs = [], []
    for t in states:
        try:
            done = Elimination([_at(factor, target, t) for factor in factors], cards, plan)
            log_total = done.log_total
        except EvidenceError:  # this state is impossible
            continue
        marginals = done.marginals(asked)
        laws.append((t, np.concatenate([marginals.get(i, np.ones(1)) for i in variables] or [np.zeros(0)])))
        logs.append(log_total)
    if not laws:
        raise EvidenceError(IMPOSSIBLE)
    log_evidence = float(np.logaddexp.reduce(logs))
    shares = np.exp(np.array(logs) - log_evidence)
    sums, totals = np.zeros((1, begin[-1], columns.shape[1])), np.zeros((1, columns.shape[1]))
    for (t, law), share in zip(laws, shares, strict=True):
        sums[0] += share * np.outer(law, columns[t])
        totals[0] += share * columns[t]
    return TargetTables(tuple(variables), begin, sums, totals, "exact", log_evidence)


def _at(factor: Factor, target: int, state: int) -> Factor:
    """A factor where the target is in this state."""
    if target not in factor.variables:
        return factor
    axis = factor.variables.index(target)
    rest = factor.variables[:axis] + factor.variables[axis + 1 :]
    return Factor(rest, np.asarray(factor.table.take(state, axis=axis)))
