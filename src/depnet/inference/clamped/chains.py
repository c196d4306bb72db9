r"""Clamped chains, for one row of evidence or for many; what those of one row, run in rounds, estimate; sampled answers.

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
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray, new_seeds
from depnet.errors import EvidenceError
from depnet.geometry.size import check_bytes
from depnet.inference.answer.part import Diagnostics, Part, Remark, effective_sample_size, margins
from depnet.inference.answer.question import RESOLUTION, Over, over_after
from depnet.inference.clamped.relevance import Reduced
from depnet.law import limits
from depnet.law.draw import sharpen
from depnet.model.scan import RandomScan, SequentialScan
from depnet.sampling.chains import ChainProgram, Chains, Order, start_codes
from depnet.sampling.plan import UNCHECKED, ChainPlan, chain_plan
from depnet.threads import cores, jobs_of

MOST_BYTES = 1 << 30
"""Of the sums that all chains keep of all rounds."""
ROUNDING = 1e-24
"""Variances below this are rounding: the averages are all equal."""


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


def start_states(
    plan: ChainPlan,
    chains: int,
    rng: np.random.Generator,
    rows: NDArray[np.uint16] | None = None,
    of_each: int | None = None,
) -> NDArray[np.uint16]:
    """[chain, variable]: random states (`start_codes`); the first half at `rows` of the data, where they are possible.

    Of the last quarter (of each `of_each` chains, where they are many rows'), every other chain has all first states, the
    others all last ones.
    """
    codes = start_codes(plan, new_seeds(rng, 1)[0], chains)
    each = chains if of_each is None else of_each
    places = np.arange(chains)
    ends = places[places % each >= each - each // 4]
    for i in plan.order:
        allowed = np.flatnonzero(plan.possible_states(i))
        codes[ends, i] = np.where(ends % 2, allowed[-1], allowed[0])
        if rows is not None:
            here = rows[:chains, i]
            fits = np.isin(here, allowed)
            codes[: len(here), i][fits] = here[fits]
    return codes


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

    @property
    def largest_r_hat(self) -> float:
        return float(np.nanmax(self.r_hat, initial=1.0))

    def is_settled(self, tolerance: float) -> bool:
        """Errors are small enough, and neither R-hat nor a common drift says that chains still move.

        Settled chains drift by more, in standard errors, in a share `FALSE_DRIFT` of queries at most (Bonferroni).
        """
        from scipy import special  # slow to import

        most_drift = -float(special.ndtri(limits.FALSE_DRIFT / 2 / self.values.size))
        small = bool(self.errors.max() <= tolerance)
        return small and self.largest_r_hat <= limits.R_HAT and bool(self.drift <= most_drift)


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
) -> NDArray[np.uint16]:
    """[completion, row, variable]: the rows with their holes drawn by each row's clamped chains, `records` times."""
    states = np.repeat(codes, limits.FEWEST_CHAINS, axis=0)
    free = np.repeat(holes, limits.FEWEST_CHAINS, axis=0)
    plan = chain_plan(program.network, RandomScan())
    states[free] = start_states(plan, len(states), rng, of_each=limits.FEWEST_CHAINS)[free]
    chains = ClampedChains(program, Order.of(RandomScan(), holes), states, rng)
    found = []
    for record in range(records):
        chains.run(limits.THIN if record else limits.LONGER * limits.THIN, record=False)
        found.append(chains.codes.reshape(len(codes), limits.FEWEST_CHAINS, -1).swapaxes(0, 1).copy())
    return np.concatenate(found)


def sample_chains(
    reduced: Reduced,
    estimators: Sequence[Sequence[int]],
    *,
    tolerance: float,
    max_seconds: float | None,
    rng: np.random.Generator,
    stop: Over | None = None,
    rows: NDArray[np.uint16] | None = None,
    threads: int | None = None,
) -> tuple[Part, ClampedChains]:
    """Rao-Blackwell estimates of the joint laws of `estimators`, each a tuple of reduced variables; and the chains.

    It ends early after `max_seconds`, or when `stop` says so. Chains start at `rows` of the data, if there are any, and
    at random states.
    """
    over = over_after(max_seconds, stop)
    cards = reduced.network.domain.cardinalities
    shapes = [tuple(cards[i] for i in variables) for variables in estimators]
    cells = sum(map(math.prod, shapes))
    check_bytes(
        8 * limits.ROUNDS * limits.CHAINS * cells,
        what=f"sampling tables of {cells:,} cells with {limits.CHAINS} chains",
        way_out='Ask for fewer targets, or for an ordered law (learn(dataset, order="auto")), which keeps one table.',
        limit_bytes=MOST_BYTES,
    )
    plan = chain_plan(reduced.network, reduced.scan, reduced.evidence)
    codes = start_states(plan, limits.CHAINS, rng, rows)
    program = ChainProgram(reduced.network, estimators, reduced.evidence)
    chains = ClampedChains(program, _order_of(reduced), codes, rng, threads)
    history: list[float] = []
    found: Estimate | None = None
    in_time = True

    def draw(_: int) -> None:
        nonlocal found, in_time
        in_time = chains.extend(limits.ROUNDS, limits.FIRST_SWEEPS, over)
        if len(chains.rounds) >= 2:
            found = estimate(chains)
            history.append(float(found.errors.max()))

    def error() -> float:
        if found is None or not in_time:
            return math.inf
        # Chains that still move need as many sweeps again.
        return history[-1] if found.is_settled(tolerance) else max(history[-1], math.sqrt(2) * tolerance)

    def is_over() -> bool:
        """Time is over, or several doublings have not made the error smaller and the chains do not agree."""
        if found is None or not in_time:
            return not in_time
        if len(history) <= limits.STALLED_DOUBLINGS or found.largest_r_hat <= 1.5:
            return False
        return history[-1] > 0.7 * history[-1 - limits.STALLED_DOUBLINGS]

    good = sharpen(
        draw, error, tolerance, first=limits.ROUNDS * limits.FIRST_SWEEPS, most=math.inf, over=is_over
    )
    said = None
    if found is None:  # not even two rounds were done in time: at least one sweep is
        if not chains.rounds:
            chains.run(1)
        found = estimate(chains)
        said = (
            "stopped before the chains could be compared with each other: take the answer as a first guess."
        )
    elif not in_time:  # where rounds had just been joined, the last estimate stands
        why = "" if stop is not None and stop() else " by the time limit"
        said = (
            f"stopped{why}, at a standard error of {found.errors.max():.2g} where {tolerance:.2g} was asked."
        )
    elif not good:
        said = (
            f"stopped: the chains do not mix (R-hat {found.largest_r_hat:.2f}), and more sweeps do not help. They "
            "hardly leave the mode in which they start, or tables with zeros leave several recurrent classes. An "
            'ordered law has no chain to wait for (learn(dataset, order="auto")).'
        )
    # Zeros in the tables may leave several recurrent classes, and nobody can check.
    warnings = [
        *([Remark(UNCHECKED)] if plan.unchecked else []),
        *([Remark(said, "stopped")] if said else []),
    ]
    return _part(chains, found, shapes, tolerance, warnings), chains


def _order_of(reduced: Reduced) -> Order:
    """The nodes of the reduced network at their places in the sweeps of the full one."""
    order = Order.of(reduced.scan, np.ones((1, len(reduced.network)), dtype=bool))
    if not isinstance(reduced.scan, SequentialScan):
        return order
    place, length = np.array(reduced.positions, dtype=np.int32), np.array([reduced.steps], dtype=np.int32)
    return replace(order, position=place, length=length)


def _part(
    chains: ClampedChains,
    found: Estimate,
    shapes: Sequence[tuple[int, ...]],
    tolerance: float,
    warnings: Sequence[Remark],
) -> Part:
    if chains.impossible.sum() > 0:
        raise EvidenceError(
            "the evidence contradicts itself: the chains keep coming to contexts where the states that it allows have "
            "probability 0. Smooth the tables (learn with a smoothing of 0.5), or give other evidence."
        )
    values = found.values
    errors = np.maximum(found.errors, RESOLUTION * tolerance)
    too_few = bool(np.isnan(found.r_hat).any())  # rounds
    diagnostics = Diagnostics(
        r_hat=math.nan if too_few else found.largest_r_hat,
        effective_sample_size=effective_sample_size(values, found.errors),
        chains=len(chains.codes),
        sweeps=chains.sweeps,
        burn_in=found.burn_in,
        updates=chains.updates,
        largest_error=float(errors.max()),
    )
    at = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
    laws, spreads, deviations = (
        [
            flat.reshape(*flat.shape[:-1], *shape)
            for flat, shape in zip(np.split(table, at, axis=-1), shapes, strict=True)
        ]
        for table in (values, errors, found.deviations)
    )
    converged = not too_few and found.is_settled(tolerance)
    return Part(
        laws,
        spreads,
        "sample",
        converged,
        diagnostics,
        tuple(warnings),
        [margins(each) for each in deviations],
    )
