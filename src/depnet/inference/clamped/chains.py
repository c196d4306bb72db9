r"""Clamped chains of the native core, for one row of evidence or for many, run in rounds, and what they estimate.

An estimate is the average, over the updates of its targets, of what the update would draw (pi = sum of c_i pi K_i, and
only the nodes of T move X_T):

.. math:: \pi(x_T) = \sum_{i \in T} \frac{c_i}{c_T}
    E_\pi\left[\theta_i(x_i \mid Y_i)\, 1(X_{T \setminus i} = x_{T \setminus i})\right]

Under the random scan node i is chosen independently of the state, so theta_i at the very moment when X_i is updated is
one of these averages, and costs nothing more. Under the sequential scan it has as
its weight the steps until the next update of a target, over the steps of a sweep.

Each row of evidence has several chains with random streams of their own. Their averages are independent, so
the standard error is that of a mean over chains, whatever the correlation within a chain. A round is a number
of sweeps; the first quarter of the rounds is burn-in; when there are many rounds, neighbours are joined.

Chains start far apart, so that modes are met from all sides, and at rows of the data where there are any. If all start in
one region, such as near the product of the marginals, they agree with each other long before they
have seen the others: an R-hat near 1 then says nothing. Rows of the data lie in the modes that matter; uniformly random
states fall into whatever modes draw them; and where more of one variable means more of another, all chains lie between
those that start with every variable at its first state, and at its last.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import FloatArray, IntArray
from depnet.checks import cores, jobs_of
from depnet.inference.effort import Over
from depnet.model.compiled import compiled_of, known_of, places_of
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan
from depnet.threads import in_threads

UPDATES_PER_CALL = 4_000_000
"""A native call ends within about a tenth of a second, so that an interrupt is heard."""

SMALL = 100_000
"""Fewer updates than this are not worth a second thread."""


class ChainProgram:
    """A network tilted by the weights of the evidence (clamps are given row by row), and estimators.

    Each estimator is a tuple of variables, whose joint law is wanted; `sizes` are their numbers of cells.
    """

    def __init__(
        self, network: Network, estimators: Sequence[Sequence[int]] = (), evidence: Evidence = NOTHING
    ) -> None:
        self.network = network
        cards = network.domain.cardinalities
        self.sizes = [math.prod(cards[i] for i in variables) for variables in estimators]
        self.place = np.argsort(places_of(network)).astype(np.int32)
        """Of each variable, in the compiled network."""
        known = known_of(Evidence({}, evidence.tilts), cards)
        self.native = native.RowProgram(compiled_of(network), known, [list(each) for each in estimators])

    @classmethod
    def of_each(cls, network: Network) -> "ChainProgram":
        """An estimator for every variable."""
        return cls(network, [(i,) for i in range(len(network))])


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Which nodes each row updates, flat: row r has `node[begin[r] : begin[r + 1]]`, in the order of the scan.

    `weight` are their c_i, each row's summing to one, and `choice` cumulates them (empty: all alike);
    `position` and `length` are the places in, and the steps of, a full sweep.
    """

    begin: NDArray[np.int32]
    node: NDArray[np.int32]
    weight: FloatArray
    choice: FloatArray
    position: NDArray[np.int32]
    length: NDArray[np.int32]
    sequential: bool

    @classmethod
    def of(cls, scan: Scan, free: NDArray[np.bool_]) -> "Order":
        """The nodes of every row of `free` [rows, variables]."""
        n = free.shape[1]
        random = isinstance(scan, RandomScan)
        order = np.array(range(n) if isinstance(scan, RandomScan) else scan.order_of(n), dtype=np.int32)
        free = free[:, order]
        length = free.sum(axis=1).astype(np.int32)
        begin = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
        node = order[np.nonzero(free)[1]]
        place = (np.arange(len(node)) - np.repeat(begin[:-1], length)).astype(np.int32)
        weight, choice = np.repeat(1.0 / np.maximum(length, 1), length), np.zeros(0)
        if isinstance(scan, RandomScan) and scan.weights is not None:
            scan.weights_of(n, np.flatnonzero(free.any(axis=0)).tolist())  # their errors
            weights = np.where(free, np.array(scan.weights)[order], 0.0)
            weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
            weight, choice = weights[free], np.cumsum(weights, axis=1)[free]
        return cls(begin, node, weight, choice, place, length, not random)

    def row_scan(self, program: ChainProgram) -> native.RowScan:
        """The same for the native core, nodes by their places in the program."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}
        return native.RowScan(**{**arrays, "node": program.place[self.node]})

    def rotated(self, rng: np.random.Generator) -> "Order":
        """Every row's sweep begun at a random place: whole sweeps then end just before that place."""
        length = np.diff(self.begin)
        shift = np.repeat(rng.integers(0, np.maximum(length, 1)), length)
        first = np.repeat(self.begin[:-1], length)
        within = np.arange(len(self.node)) - first
        return replace(self, node=self.node[first + (within + shift) % np.repeat(length, length)])


class Chains:
    """Equally many chains for each row of the order: their states `codes` [chain, variable], streams and rounds.

    Mutable; owned by one call.
    """

    scan: Scan
    holes: NDArray[np.bool_]

    def __init__(
        self,
        program: ChainProgram,
        order: Order,
        codes: NDArray[np.uint16],
        rng: np.random.Generator,
        threads: int | None = None,
    ) -> None:
        rows, chains = len(order.length), len(codes)
        self.per_row = chains // max(rows, 1)
        assert rows * self.per_row == chains
        self.rounds: list[tuple[FloatArray, FloatArray]] = []
        """Of each round the sums [row, chain, cell] and the weights [row, chain, estimator]."""
        self.round_sweeps = self.sweeps = self.updates = 0
        self.program, self.order = program, order
        self.codes = np.ascontiguousarray(codes)
        self.keys = rng.integers(0, 2**64, size=chains, dtype=np.uint64)
        self.counters = np.zeros(chains, dtype=np.uint64)
        self.impossible = np.zeros(chains, dtype=np.int64)
        self.threads = cores() if threads is None else jobs_of(threads)

    @classmethod
    def far_apart(
        cls,
        program: ChainProgram,
        scan: Scan,
        codes: NDArray[np.uint16],
        holes: NDArray[np.bool_],
        per_row: int,
        rng: np.random.Generator,
        threads: int | None,
    ) -> "Chains":
        """Chains that know what each row knows, and start far apart: at random, all first, or all last states."""
        states = np.repeat(codes, per_row, axis=0)
        free = np.repeat(holes, per_row, axis=0)
        states[free] = start_states(program.network, NOTHING, len(states), rng, of_each=per_row)[free]
        made = cls(program, Order.of(scan, holes), states, rng, threads)
        made.scan, made.holes = scan, holes
        return made

    def run(self, sweeps: int, *, record: bool = True, over: Over | None = None) -> bool:
        """Run all chains for a number of sweeps; False where it was `over` first.

        What was drawn by then stays in the states, and the sums of the round begun are dropped.
        """
        chains = len(self.codes)
        sums = np.zeros((chains, self.program.native.cells)) if record else None
        weights = np.zeros((chains, len(self.program.sizes))) if record else None
        scan = self.order.row_scan(self.program)
        states = native.ChainStates(
            per_row=self.per_row,
            keys=self.keys,
            counters=self.counters,
            codes=self.codes,
            impossible=self.impossible,
        )
        a_sweep = max(int(self.order.begin[-1]) * self.per_row, 1)
        piece = max(1, UPDATES_PER_CALL * self.threads // a_sweep)
        width = max(1, min(-(-chains // self.threads), UPDATES_PER_CALL * chains // a_sweep))
        spans = [(first, min(first + width, chains)) for first in range(0, chains, width)]
        threads = 1 if a_sweep * sweeps < SMALL else self.threads

        def work(first: int, last: int, count: int) -> None:
            self.program.native.run(
                scan, states, sweeps=count, first=first, last=last, sums=sums, weights=weights
            )

        done = 0
        while done < sweeps:
            if over is not None and over():
                return False
            count = min(piece, sweeps - done)
            in_threads(functools.partial(work, count=count), spans, threads)
            done += count
            self.sweeps += count
            self.updates += count * a_sweep
        if sums is not None and weights is not None:
            shape = (chains // self.per_row, self.per_row, -1)
            self.rounds.append((sums.reshape(shape), weights.reshape(shape)))
            self.round_sweeps = sweeps
        return True

    def extend(self, rounds: int, first: int, over: Over) -> bool:
        """Rounds of `first` sweeps; or as many sweeps again as there were, neighbouring rounds being joined, two by two.

        False where it was `over` first.
        """
        sweeps = first
        if self.rounds:
            pairs = zip(self.rounds[::2], self.rounds[1::2], strict=True)
            self.rounds = [(a + c, b + d) for (a, b), (c, d) in pairs]
            sweeps = 2 * self.round_sweeps
        while len(self.rounds) < rounds:
            if not self.run(sweeps, over=over):
                return False
        return True

    def keep(self, rows: IntArray) -> None:
        """Go on with some of the rows only, of chains that started far apart."""
        chains = (rows[:, None] * self.per_row + np.arange(self.per_row)).reshape(-1)
        self.holes = self.holes[rows]
        self.order = Order.of(self.scan, self.holes)
        self.codes = np.ascontiguousarray(self.codes[chains])
        self.keys, self.counters = self.keys[chains], self.counters[chains]
        self.impossible = self.impossible[chains]
        self.rounds = [(sums[rows], weights[rows]) for sums, weights in self.rounds]


COMPLETION_CHAINS = 8
"""Chains of a row that are asked for its completions."""
BURN_IN, THIN = 20, 2
"""Sweeps before the first completion of a chain, and between two."""


def start_states(
    network: Network,
    evidence: Evidence,
    chains: int,
    rng: np.random.Generator,
    rows: NDArray[np.uint16] | None = None,
    of_each: int | None = None,
) -> NDArray[np.uint16]:
    """[chain, variable]: uniformly random among the states that the evidence allows; the first half at `rows`.

    Of the last quarter (of each `of_each` chains, where they are many rows'), every other chain has all first states, the
    others all last ones. Where a row has a state that
    the evidence does not allow, that variable's start is random, too.
    """
    each = chains if of_each is None else of_each
    places = np.arange(chains)
    ends = places[places % each >= each - each // 4]
    codes = np.empty((chains, len(network.domain)), dtype=np.uint16)
    for i, k in enumerate(network.domain.cardinalities):
        if i in evidence.clamped:
            codes[:, i] = evidence.clamped[i]
            continue
        allowed = np.flatnonzero(evidence.tilts[i]) if i in evidence.tilts else np.arange(k)
        codes[:, i] = rng.choice(allowed, size=chains)
        codes[ends, i] = np.where(ends % 2, allowed[-1], allowed[0])
        if rows is not None:
            here = rows[:chains, i]
            fits = np.isin(here, allowed)
            codes[: len(here), i][fits] = here[fits]
    return codes


ROUNDING = 1e-24
"""Variances below this are rounding: the averages are all equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """For each row: the estimates and standard errors [row, cell], and R-hat [row, estimator].

    `drift` [row] is the largest difference, over cells, between the second and the first half of all chains together, in
    its own standard errors. R-hat compares chains one by one; what moves all of them alike, only their mean shows.
    """

    values: FloatArray
    errors: FloatArray
    r_hat: FloatArray
    pooled_r_hat: FloatArray
    drift: FloatArray
    burn_in: int
    deviations: FloatArray
    """[row, chain, cell]: what each chain adds to the error."""

    def chosen(self, rows: IntArray) -> "Estimate":
        """Of some of the rows."""
        names = ("values", "errors", "r_hat", "pooled_r_hat", "drift", "deviations")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


def estimate(chains: Chains, *, one_more: bool = True) -> Estimate:
    r"""The estimates of all rounds but the first quarter.

    With C chains of weights w_c and sums s_c, the estimate is p = sum s_c / W, W = sum w_c, the residuals are
    r_c = s_c - p w_c, and the standard error is that of a ratio of means,

    .. math:: \sqrt{\tfrac{C}{C-1} \textstyle\sum_c r_c^2 \;[\; + \max_c r_c^2 \;]} \Big/ W

    The last term with `one_more`. Where chains seldom come to a part of the states and then stay there for long, a few
    of them decide the sum: it is like a Poisson count, and a run that met little gives too small a probability and too
    small an error at once. So what the farthest chain met is counted once more. Of many chains alike it adds little.
    """
    skipped, sizes = len(chains.rounds) // 4, chains.program.sizes
    kept = chains.rounds[skipped:]
    sums = np.stack([s for s, _ in kept])  # [round, row, chain, cell]
    of_cell = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.stack([w for _, w in kept])[..., of_cell]
    chain_sums, chain_weights = sums.sum(axis=0), weights.sum(axis=0)
    totals = chain_weights.sum(axis=1)
    seen = totals > 0
    values = np.divide(chain_sums.sum(axis=1), totals, out=np.zeros_like(totals), where=seen)
    c = chains.per_row
    residuals = chain_sums - values[:, None, :] * chain_weights
    squares = residuals**2
    spread = np.sqrt(squares.sum(axis=1) * c / (c - 1) + (squares.max(axis=1) if one_more else 0.0))
    errors = np.divide(spread, totals, out=np.zeros_like(totals), where=seen)
    r_hat, pooled = split_r_hat(sums, weights, values, of_cell)
    moved = drift(sums - values[:, None, :] * weights)
    few = math.sqrt(c / (c - 1))
    deviations = np.divide(few * residuals, totals[:, None, :], out=residuals, where=seen[:, None, :])
    return Estimate(values, errors, r_hat, pooled, moved, skipped * chains.round_sweeps, deviations)


def drift(residuals: FloatArray) -> FloatArray:
    """The largest standardised difference of the halves of `residuals` [round, row, chain, cell]."""
    half = len(residuals) // 2
    apart = residuals[len(residuals) - half :].sum(axis=0) - residuals[:half].sum(axis=0)
    spread = np.sqrt(apart.var(axis=1, ddof=1) / apart.shape[1])
    moved = np.abs(apart.mean(axis=1))
    largest = np.divide(moved, spread, out=np.zeros_like(moved), where=spread > math.sqrt(ROUNDING))
    return np.asarray(largest.max(axis=1, initial=0.0))


def split_r_hat(
    sums: FloatArray, weights: FloatArray, values: FloatArray, of_cell: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Split R-hat of every estimator, and of all together, on the rounds' averages [round, row, chain, cell].

    The first and the second half of a chain are chains of their own.
    """
    half = len(sums) // 2
    if half < 2:
        nothing = np.full((sums.shape[1], int(of_cell[-1]) + 1), np.nan)
        return nothing, nothing[:, 0]
    # What a round adds to the error of the estimate: not its own share, which means nothing where its weight is small.
    typical = weights.mean(axis=(0, 2))[:, None, :]
    means = (sums - values[:, None, :] * weights) / np.where(typical > 0, typical, 1.0)
    halves = np.concatenate([means[:half], means[-half:]], axis=2)  # [round, row, 2 chains, cell]
    within = halves.var(axis=0, ddof=1).mean(axis=1)
    between = halves.mean(axis=0).var(axis=1, ddof=1)
    first = np.flatnonzero(np.diff(of_cell, prepend=-1))
    w, b = np.add.reduceat(within, first, axis=1), np.add.reduceat(between, first, axis=1)

    def ratio(w: FloatArray, b: FloatArray) -> FloatArray:
        settled = np.where(b > ROUNDING, np.inf, 1.0)  # nothing moves within a chain: do the chains agree?
        squared = np.divide((half - 1) / half * w + b, w, out=settled, where=w > ROUNDING)
        return np.asarray(np.sqrt(squared))

    return ratio(w, b), ratio(w.sum(axis=1), b.sum(axis=1))


def completions(
    program: ChainProgram,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    records: int,
    rng: np.random.Generator,
    *,
    chains: int = COMPLETION_CHAINS,
    threads: int | None = None,
) -> Iterator[NDArray[np.uint16]]:
    """As often as `records`: [row * chains, variable], the rows with their holes drawn by each row's clamped chains."""
    made = Chains.far_apart(program, RandomScan(), codes, holes, chains, rng, threads)
    for record in range(records):
        made.run(THIN if record else BURN_IN, record=False)
        yield made.codes
