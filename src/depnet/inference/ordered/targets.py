r"""A target beside every other variable at once: the tables of Q(T, X_j | x_C) of an ordered law, for all j.

What is kept of the target are some functions c_k of its states (is it in this class, its value). Each X_j has cells

.. math:: S_{jxk} = E_Q[\,1(X_j = x)\, c_k(T) \mid x_C\,],

from which every law of T given one more fact, and every information I(T; X_j | x_C), follows. Elimination finds
them exactly with one run a state of T, which clamps it and gives the marginals of all others; where that is too large,
draws do.

Draws are rows with levels (`depnet.inference.ordered.levels`). One counts by the conditional Q(T | x_-T) of the target
given all else, whose mean is the same and which varies less than the state that was drawn; where evidence cuts bins, by
the level of the target, if that is a number. Draws come in batches: how far the tables vary shows between them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.ordered.codes import exact_log_of_codes
from depnet.law import limits
from depnet.law.elimination import IMPOSSIBLE, Elimination, network_plan
from depnet.law.program import certain
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork, Mixture, class_shares


@dataclass(slots=True, eq=False)
class TargetTables:
    """`sums[batch, cell, k]` of some variables; one batch where they are exact. Mutable: draws are added.

    The cells of the v-th variable are `begin[v]` to `begin[v + 1]`; `totals[batch, k]` are the same of the target alone.
    Both have the `weight` of all draws, 1 where they are exact.
    """

    begin: IntArray
    sums: FloatArray
    totals: FloatArray
    weight: float = 0.0
    squares: float = 0.0
    draws: int = 0

    @classmethod
    def empty(
        cls, cardinalities: Sequence[int], columns: int, batches: int = limits.BATCHES
    ) -> "TargetTables":
        """Tables of variables of these cardinalities, beside so many functions of the target."""
        begin: IntArray = np.concatenate(
            [np.zeros(1, dtype=np.int64), np.cumsum(cardinalities, dtype=np.int64)]
        )
        return cls(begin, np.zeros((batches, begin[-1], columns)), np.zeros((batches, columns)))

    @property
    def effective(self) -> float:
        """The number of draws without weights that would be as good."""
        return self.weight**2 / self.squares if self.draws else math.inf

    def add(self, codes: CodeArray, weights: FloatArray, values: FloatArray) -> None:
        """More draws: the variables' codes, how much each draw counts, and its c_k."""
        counted = weights[:, None] * values
        self.weight += float(weights.sum())
        self.squares += float(weights @ weights)
        self.draws += len(codes)
        for b, part in enumerate(np.array_split(np.arange(len(codes)), len(self.sums))):
            self.sums[b] += sums_by_cell(codes[part], self.begin, counted[part])
            self.totals[b] += counted[part].sum(axis=0)


def sums_by_cell(codes: CodeArray, begin: IntArray, counted: FloatArray) -> FloatArray:
    """[cell, k]: of rows of the variables' codes, the sums of what is counted, [row, k]."""
    rows, variables = codes.shape
    if not codes.size:
        return np.zeros((int(begin[-1]), counted.shape[1]))
    from scipy import sparse  # slow to import

    cells = codes.astype(np.int32) + begin[:-1].astype(np.int32)
    ends = np.arange(0, cells.size + 1, variables)
    hits = sparse.csr_matrix((np.ones(cells.size), cells.ravel(), ends), shape=(rows, int(begin[-1])))
    return np.asarray(hits.T @ counted)


def exact_tables(
    network: AnyNetwork,
    evidence: Evidence,
    target: int,
    columns: FloatArray,
    variables: Sequence[int],
    most_cells: int,
) -> TargetTables | None:
    """By elimination, once for each state of the target; None where all together are more than `most_cells`.

    `columns` [state, k] are c_k.
    """
    if isinstance(network, Mixture):
        return _tables_of_mixture(network, evidence, target, columns, variables, most_cells)
    assert network.order is not None
    weights = evidence.tilts.get(target, np.ones(network.domain.cardinalities[target]))
    states = np.flatnonzero(weights).tolist()
    others = {i: tilt for i, tilt in evidence.tilts.items() if i != target}
    clamped = {t: Evidence({**evidence.clamped, target: t}, others) for t in states}
    each = most_cells // len(states) - len(network) * limits.CLUSTER_CELLS
    plan = network_plan(network, network.order, clamped[states[0]], most_cells=each) if each > 0 else None
    if plan is None:
        return None
    fixed = certain(network, clamped[states[0]])
    asked = [i for i in variables if i not in fixed]
    laws, logs = {}, []
    for t in states:
        try:
            done = Elimination.of(network, network.order, clamped[t], plan)
            logs.append(done.log_total + math.log(weights[t]))
        except EvidenceError:  # this state is impossible
            continue
        marginals = done.marginals(asked)
        laws[t] = np.concatenate([marginals.get(i, np.ones(1)) for i in variables] or [np.zeros(0)])
    if not laws:
        raise EvidenceError(IMPOSSIBLE)
    shares = np.exp(np.array(logs) - np.logaddexp.reduce(logs))
    found = TargetTables.empty(
        [network.domain.cardinalities[i] for i in variables], columns.shape[1], batches=1
    )
    found.weight = 1.0
    for (t, law), share in zip(laws.items(), shares, strict=True):
        found.sums[0] += share * np.outer(law, columns[t])
        found.totals[0] += share * columns[t]
    return found


def _tables_of_mixture(
    mixture: Mixture,
    evidence: Evidence,
    target: int,
    columns: FloatArray,
    variables: Sequence[int],
    most_cells: int,
) -> TargetTables | None:
    """Those of the components, each as far as it counts given the evidence."""
    cards = [mixture.domain.cardinalities[i] for i in variables]
    found = TargetTables.empty(cards, columns.shape[1], batches=1)
    found.weight = 1.0
    logs = [exact_log_of_codes(part, evidence, limits.LOG_ERROR) for part in mixture.components]
    if None in logs:
        return None
    if max(logs) == -math.inf:  # type: ignore[type-var]  # none is None
        raise EvidenceError(IMPOSSIBLE)
    shares = class_shares(mixture, np.array(logs, dtype=np.float64)[:, None])[:, 0]
    for part, share in zip(mixture.components, shares, strict=True):
        own = exact_tables(part, evidence, target, columns, variables, most_cells) if share > 0 else found
        if own is None:
            return None
        found.sums += share * own.sums
        found.totals += share * own.totals
    return found
