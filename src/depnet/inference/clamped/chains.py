r"""Clamped chains, for one row of evidence or for many; and what those of one row, run in rounds, estimate.

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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.inference.answer.question import Over
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan
from depnet.sampling.chains import ChainProgram, Chains, Order
from depnet.threads import cores, jobs_of


class ClampedChains(Chains):
    """Equally many chains for each row of evidence; those of one row estimate in rounds."""

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
        """Of each round the sums [chain, cell] and the weights [chain, estimator]."""
        self.round_sweeps = 0

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
            self.rounds.append((sums, weights))
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
    """The estimates and standard errors [cell], and R-hat [estimator].

    `drift` is the largest difference, over cells, between the second and the first half of all chains together, in its own
    standard errors. R-hat compares chains one by one; what moves all of them alike, only their mean shows.
    """

    values: FloatArray
    errors: FloatArray
    r_hat: FloatArray
    drift: float
    burn_in: int
    deviations: FloatArray
    """[chain, cell]: what each chain adds to the error."""


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
    sums = np.stack([s for s, _ in kept])  # [round, chain, cell]
    of_cell = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.stack([w for _, w in kept])[..., of_cell]
    chain_sums, chain_weights = sums.sum(axis=0), weights.sum(axis=0)
    totals = chain_weights.sum(axis=0)
    seen = totals > 0
    values = np.divide(chain_sums.sum(axis=0), totals, out=np.zeros_like(totals), where=seen)
    c = len(chain_sums)
    residuals = chain_sums - values * chain_weights
    squares = residuals**2
    spread = np.sqrt(squares.sum(axis=0) * c / (c - 1) + (squares.max(axis=0) if one_more else 0.0))
    errors = np.divide(spread, totals, out=np.zeros_like(totals), where=seen)
    r_hat = split_r_hat(sums, weights, values, of_cell)
    moved = drift(sums - values * weights)
    deviations = np.divide(math.sqrt(c / (c - 1)) * residuals, totals, out=residuals, where=seen)
    return Estimate(values, errors, r_hat, moved, skipped * chains.round_sweeps, deviations)


def drift(residuals: FloatArray) -> float:
    """The largest standardised difference of the halves of `residuals` [round, chain, cell]."""
    half = len(residuals) // 2
    apart = residuals[len(residuals) - half :].sum(axis=0) - residuals[:half].sum(axis=0)
    spread = np.sqrt(apart.var(axis=0, ddof=1) / len(apart))
    moved = np.abs(apart.mean(axis=0))
    largest = np.divide(moved, spread, out=np.zeros_like(moved), where=spread > math.sqrt(ROUNDING))
    return float(largest.max(initial=0.0))


def split_r_hat(sums: FloatArray, weights: FloatArray, values: FloatArray, of_cell: IntArray) -> FloatArray:
    """Split R-hat of every estimator, on the rounds' averages [round, chain, cell].

    The first and the second half of a chain are chains of their own.
    """
    half = len(sums) // 2
    if half < 2:
        return np.full(int(of_cell[-1]) + 1, np.nan)
    # What a round adds to the error of the estimate: not its own share, which means nothing where its weight is small.
    typical = weights.mean(axis=(0, 1))
    means = (sums - values * weights) / np.where(typical > 0, typical, 1.0)
    halves = np.concatenate([means[:half], means[-half:]], axis=1)  # [round, 2 chains, cell]
    first = np.flatnonzero(np.diff(of_cell, prepend=-1))
    within = np.add.reduceat(halves.var(axis=0, ddof=1).mean(axis=0), first)
    between = np.add.reduceat(halves.mean(axis=0).var(axis=0, ddof=1), first)
    settled = np.where(between > ROUNDING, np.inf, 1.0)  # nothing moves within a chain: do the chains agree?
    squared = np.divide((half - 1) / half * within + between, within, out=settled, where=within > ROUNDING)
    return np.asarray(np.sqrt(squared))


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
    states = np.repeat(codes, chains, axis=0)
    free = np.repeat(holes, chains, axis=0)
    states[free] = start_states(program.network, NOTHING, len(states), rng, of_each=chains)[free]
    made = ClampedChains(program, Order.of(RandomScan(), holes), states, rng, threads)
    for record in range(records):
        made.run(THIN if record else BURN_IN, record=False)
        yield made.codes
