r"""Clamped chains, for one row of evidence or for many, run in rounds, and what they estimate.

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

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.checks import cores, jobs_of
from depnet.inference.effort import Over
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan
from depnet.sampling.chains import ChainProgram, Chains, Order


class ClampedChains(Chains):
    """Equally many chains for each row of evidence, which run in rounds, and start far apart."""

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
        keys = rng.integers(0, 2**64, size=len(codes), dtype=np.uint64)
        super().__init__(program, order, codes, keys, cores() if threads is None else jobs_of(threads))
        self.sizes, self.cells = program.sizes, program.native.cells
        self.rounds: list[tuple[FloatArray, FloatArray]] = []
        """Of each round the sums [row, chain, cell] and the weights [row, chain, estimator]."""
        self.round_sweeps = 0

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
    ) -> "ClampedChains":
        """Chains that know what each row knows, and start far apart: at random, all first, or all last states."""
        states = np.repeat(codes, per_row, axis=0)
        free = np.repeat(holes, per_row, axis=0)
        states[free] = start_states(program.network, NOTHING, len(states), rng, of_each=per_row)[free]
        made = cls(program, Order.of(scan, holes), states, rng, threads)
        made.scan, made.holes = scan, holes
        return made

    def run(self, sweeps: int, *, record: bool = True, over: Over | None = None) -> bool:
        """Run all chains for a number of sweeps, a round where they are recorded; False where it was `over` first.

        What was drawn by then stays in the states, and the sums of the round begun are dropped.
        """
        chains = len(self.codes)
        sums = np.zeros((chains, self.cells)) if record else None
        weights = np.zeros((chains, len(self.sizes))) if record else None
        for done in range(0, sweeps, self.sweeps_a_call):
            if over is not None and over():
                return False
            self.advance(min(self.sweeps_a_call, sweeps - done), sums=sums, weights=weights)
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
        self.keys, self.impossible = self.keys[chains], self.impossible[chains]
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


def estimate(chains: ClampedChains, *, one_more: bool = True) -> Estimate:
    r"""The estimates of all rounds but the first quarter.

    With C chains of weights w_c and sums s_c, the estimate is p = sum s_c / W, W = sum w_c, the residuals are
    r_c = s_c - p w_c, and the standard error is that of a ratio of means,

    .. math:: \sqrt{\tfrac{C}{C-1} \textstyle\sum_c r_c^2 \;[\; + \max_c r_c^2 \;]} \Big/ W

    The last term with `one_more`. Where chains seldom come to a part of the states and then stay there for long, a few
    of them decide the sum: it is like a Poisson count, and a run that met little gives too small a probability and too
    small an error at once. So what the farthest chain met is counted once more. Of many chains alike it adds little.
    """
    skipped, sizes = len(chains.rounds) // 4, chains.sizes
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
    made = ClampedChains.far_apart(program, RandomScan(), codes, holes, chains, rng, threads)
    for record in range(records):
        made.run(THIN if record else BURN_IN, record=False)
        yield made.codes
