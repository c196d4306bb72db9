r"""A target beside every other variable at once: the tables of Q(T, X_j | x_C) of an ordered law, for all j.

What is kept of the target are some functions c_k of its states (is it in this class, its value). Each X_j has cells

.. math:: S_{jxk} = E_Q[\,1(X_j = x)\, c_k(T) \mid x_C\,],

from which every law of T given one more fact, and every information I(T; X_j | x_C), follows. Elimination finds
them exactly with one run a state of T, which clamps it and gives the marginals of all others; where that is too large,
draws do.

Draws are weighted passes, which the evidence weighs, or, where a few of these have most of the weight, passes that are
resampled and moved. A draw counts by the conditional Q(T | x_-T) of the target given all else, whose mean is the same and
which varies less than the state that was drawn. Draws come in independent batches: how far the tables vary shows between
them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.effort import Over
from depnet.law.elimination import Elimination, log_largest_weight, network_plan
from depnet.law.factors import IMPOSSIBLE, Factor, certain, factors_of
from depnet.law.program import law_of
from depnet.law.resample import WeightedPasses
from depnet.law.sharpen import BATCHES, FEWEST_EFFECTIVE, UNEVEN
from depnet.model.evidence import Evidence
from depnet.model.network import Network

CLUSTER_CELLS = 1 << 10
"""A cluster of an elimination takes about as long as this many cells more than it has."""
PIECE_CELLS = 1 << 22
"""Codes of the passes that are summed at a time."""
MOVED_PASSES, MOVED_STATES = 1 << 9, 32
"""Of a batch: passes at a time, and states that are taken from them and moved."""
MOST_PASSES = 1 << 20
"""Of a batch that is to be moved."""
SWEEPS, LOOKS = 4, 4
"""Sweeps of moves between two looks at the moved states, and how often they are looked at."""


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


class TargetDraws:
    """As many as are asked for: `draw` until the tables are sharp enough."""

    def __init__(
        self,
        network: Network,
        evidence: Evidence,
        target: int,
        columns: FloatArray,
        variables: Sequence[int],
        seed: int,
    ) -> None:
        self._law, self._evidence, self._target = law_of(network), evidence, target
        self._columns, self._variables, self._seed = columns, list(variables), seed % 2**63
        self._ancestors = self._law.ancestors(evidence.variables)
        known = set(self._ancestors)
        self._others = [i for i in self._law.order if i not in known]
        if log_largest_weight(network, self._ancestors, evidence) == -math.inf:
            raise EvidenceError(IMPOSSIBLE)
        self._begin = cells_of(network, variables)
        self._uneven = self._moved = False
        self.draws = 0
        self._start()

    def _start(self) -> None:
        k = self._columns.shape[1]
        self._sums, self._totals = np.zeros((BATCHES, self._begin[-1], k)), np.zeros((BATCHES, k))
        self._weights = np.zeros(BATCHES)
        self._squares = 0.0
        self._weighed = 0
        """How many weights were summed: of passes, or of moved batches."""
        self._top = -math.inf

    @property
    def effective(self) -> float:
        """(sum W)^2 / sum W^2 of passes; of moved states, that of their passes."""
        return float(self._weights.sum() ** 2 / self._squares) if self._squares > 0 else 0.0

    def draw(self, rows: int, over: Over) -> None:
        """About as many more passes, or moved states instead once the weights of passes have shown to be uneven."""
        if self._uneven:
            self._draw_moved(over)
            return
        size = max(rows // BATCHES, 1)
        piece = max(PIECE_CELLS // len(self._law.order), 1)
        for begin in range(0, size, piece):
            for b in range(BATCHES):
                count = min(piece, size - begin)
                done = self._law.passes(count, self._evidence, seed=self._seed, first=self.draws)
                self._add(b, done.codes, done.log_weights)
                if self._top > -math.inf:
                    self._squares += float(np.exp(2 * (done.log_weights - self._top)).sum())
                self._weighed += count
                self.draws += count
            if over():
                break
        self._uneven = self.effective * UNEVEN < self.draws

    def _draw_moved(self, over: Over) -> None:
        """One more round of all batches; one that is not whole when time is over counts nothing."""
        found = []
        for _ in range(BATCHES):
            batch = WeightedPasses(self._law, self._ancestors, self._evidence, self._seed + 2 * self.draws)
            batch.draw_effective(FEWEST_EFFECTIVE, first=MOVED_PASSES, most=MOST_PASSES, over=over)
            self.draws += batch.rows
            if over() or not batch.effective:
                return
            found.append(batch)
        if not self._moved:  # what passes had counted is left out: their weights are too uneven
            self._start()
            self._moved = True
        for b, batch in enumerate(found):
            self._add_moved(b, batch)
        self._weighed += BATCHES

    def _add_moved(self, b: int, batch: WeightedPasses) -> None:
        start = np.random.default_rng(batch.seed).random()
        states = batch.taken((np.arange(MOVED_STATES) + start) / MOVED_STATES)
        log_weight = batch.log_mean_weight - math.log(MOVED_STATES * LOOKS)
        for look in range(LOOKS):
            batch.move(states, SWEEPS, seed=batch.seed + 1, first_sweep=look * SWEEPS)
            rest = self._law.passes(
                MOVED_STATES,
                variables=self._others,
                seed=batch.seed + 1,
                first=look * MOVED_STATES,
                start=states.astype(self._law.dtype),
            )
            self._add(b, rest.codes, np.full(MOVED_STATES, log_weight))
        worth = min(batch.effective, MOVED_STATES)
        self._squares += float(np.exp(2 * (batch.log_mean_weight - self._top))) / worth

    def _add(self, b: int, codes: CodeArray, log_weights: FloatArray) -> None:
        """More draws of a batch; all weights are divided by the largest so far."""
        top = float(log_weights.max())
        if top > self._top:
            scale = math.exp(self._top - top) if self._top > -math.inf else 0.0
            self._sums *= scale
            self._totals *= scale
            self._weights *= scale
            self._squares *= scale**2
            self._top = top
        if self._top == -math.inf:
            return
        weights = np.exp(log_weights - self._top)
        counted = weights[:, None] * (self._conditionals(codes) @ self._columns)
        self._sums[b] += sums_by_cell(codes[:, self._variables], self._begin, counted)
        self._totals[b] += counted.sum(axis=0)
        self._weights[b] += weights.sum()

    def _conditionals(self, codes: CodeArray) -> FloatArray:
        """[row, state]: Q(T | x_-T) under the evidence."""
        n = len(self._law.order)
        hidden = np.zeros((1, n), dtype=bool)
        hidden[0, self._target] = True
        sums = np.zeros((len(codes), self._law.cardinalities[self._target]))
        states = np.ascontiguousarray(codes, dtype=np.uint16)
        cells: IntArray = np.zeros(n, dtype=np.int64)
        self._law.moves(states, hidden, self._evidence, sweeps=1, seed=self._seed, cells=cells, sums=sums)
        return sums

    def tables(self) -> TargetTables | None:
        """What was found so far; None where no draw has a weight yet."""
        total = float(self._weights.sum())
        if not total > 0:
            return None
        error = float(self._weights.std(ddof=1) / math.sqrt(BATCHES) / self._weights.mean())
        return TargetTables(
            tuple(self._variables),
            self._begin,
            self._sums / total,
            self._totals / total,
            "passes and moves" if self._moved else "passes",
            math.log(total / self._weighed) + self._top,
            error,
            self.draws,
            self.effective,
        )
