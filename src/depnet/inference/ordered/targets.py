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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.frames.within import Drawn
from depnet.errors import EvidenceError
from depnet.inference.answer.question import Over
from depnet.inference.ordered.levels import level_rows, some_rows
from depnet.law.draw import BATCHES
from depnet.law.elimination import IMPOSSIBLE, Elimination, log_largest_weight, network_plan
from depnet.law.program import LevelPlan, certain, law_of
from depnet.model.evidence import Evidence
from depnet.model.network import Network

CLUSTER_CELLS = 1 << 10
"""A cluster of an elimination takes about as long as this many cells more than it has."""

OfLevel: TypeAlias = Callable[[IntArray, NDArray[np.int32]], tuple[FloatArray, FloatArray]]


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
    draws: int = 0
    effective: float = math.inf
    """The number of draws without weights that would be as good."""


def cells_of(network: Network, variables: Sequence[int]) -> IntArray:
    """The first cell of each variable, and the number of all."""
    cards = [network.domain.cardinalities[i] for i in variables]
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(cards, dtype=np.int64)])


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
    weights = evidence.tilts.get(target, np.ones(network.domain.cardinalities[target]))
    states = np.flatnonzero(weights).tolist()
    others = {i: tilt for i, tilt in evidence.tilts.items() if i != target}
    clamped = {t: Evidence({**evidence.clamped, target: t}, others) for t in states}
    each = most_cells // len(states) - len(network) * CLUSTER_CELLS
    plan = network_plan(network, network.order, clamped[states[0]], most_cells=each) if each > 0 else None
    if plan is None:
        return None
    begin, fixed = cells_of(network, variables), certain(network, clamped[states[0]])
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
    sums, totals = np.zeros((1, begin[-1], columns.shape[1])), np.zeros((1, columns.shape[1]))
    for (t, law), share in zip(laws.items(), shares, strict=True):
        sums[0] += share * np.outer(law, columns[t])
        totals[0] += share * columns[t]
    return TargetTables(tuple(variables), begin, sums, totals, "exact")


class TargetDraws:
    """As many as are asked for: `draw` until the tables are sharp enough.

    `of_level` says of rows (their codes and levels of the target) what g and h are.
    """

    def __init__(
        self,
        network: Network,
        evidence: Evidence,
        target: int,
        columns: FloatArray,
        variables: Sequence[int],
        seed: int,
        *,
        plan: LevelPlan | None,
        of_level: OfLevel,
    ) -> None:
        if log_largest_weight(network, network.order or (), evidence) == -math.inf:
            raise EvidenceError(IMPOSSIBLE)
        self._law, self._evidence, self._target = law_of(network), evidence, target
        self._columns, self._variables, self._plan = columns, list(variables), plan
        self._of_level = of_level
        self._rows = level_rows(network, evidence, plan, range(len(network)), seed)
        self._begin, k = cells_of(network, variables), columns.shape[1]
        self._sums, self._totals = np.zeros((BATCHES, self._begin[-1], k)), np.zeros((BATCHES, k))
        self._weight = self._squares = 0.0
        self._draws = 0

    def draw(self, rows: int, over: Over) -> None:
        for codes, drawn in some_rows(self._rows, rows):
            weights = np.ones(len(codes)) if drawn is None else drawn.weights
            counted = weights[:, None] * self._counted(codes, drawn)
            self._weight += float(weights.sum())
            self._squares += float(weights @ weights)
            self._draws += len(codes)
            for b, part in enumerate(np.array_split(np.arange(len(codes)), BATCHES)):
                self._sums[b] += sums_by_cell(codes[part][:, self._variables], self._begin, counted[part])
                self._totals[b] += counted[part].sum(axis=0)
            if over():
                break

    def _counted(self, codes: CodeArray, drawn: Drawn | None) -> FloatArray:
        """[row, k]: c_k of the target, in the mean given all else, or by its level."""
        if drawn is None:
            return self._law.conditionals(self._target, codes, self._evidence) @ self._columns
        own: IntArray = codes[:, self._target].astype(np.int64)
        found = self._columns[own]
        if self._target in drawn.places:
            g, h = self._of_level(own, drawn.places[self._target])
            found[:, -2], found[:, -1] = g * h, h
        return found

    def tables(self) -> TargetTables | None:
        """What was found so far; None where no draw has a weight yet."""
        total = self._weight
        if not total > 0:
            return None
        return TargetTables(
            tuple(self._variables),
            self._begin,
            self._sums / total,
            self._totals / total,
            "draws" if self._plan is None else "draws within bins",
            self._draws,
            total**2 / self._squares,
        )
