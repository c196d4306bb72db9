r"""Rows of an ordered law, given evidence.

Without evidence a row is one pass. With evidence, the ancestors A of what is known are drawn from Q(A | x_C), exactly by
elimination where that is small; all others follow by a pass, since given A they do not depend on the evidence. Where
elimination is too large, a weighted pass of A is accepted with probability W / (a bound on W): what is accepted follows
Q(A | x_C), independent and exact. Where hardly any would be, passes are resampled in proportion to their weights, and
moved, so that rows that share a pass part again.

Where evidence cuts a bin, rows drawn given the bins are accepted by the weights of their levels (`LevelPlan`), over the
largest that 4,096 other rows had.

Whatever is drawn is drawn until it is good enough (`sharpen`). Errors of draws fall with the root of their number, so the
last error says how many more are needed. Answers are drawn in `limits.BATCHES` batches where errors, or how errors of
several numbers hang together, are found between them.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray
from depnet.errors import EvidenceError, MixingWarning, outside
from depnet.law import limits
from depnet.law.elimination import IMPOSSIBLE, Elimination, log_largest_weight, network_plan
from depnet.law.program import Law, LevelPlan, law_of, words
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork
from depnet.model.network import Network

BLOCK = 1 << 16
"""The rows that are drawn at a time without evidence."""
PIECE = 1 << 12
"""The rows that are drawn at a time with evidence: whole pieces, so that they do not depend on how many are asked for."""
NEGLIGIBLE = 40.0
"""A pass whose log-weight is further than this below the largest is never taken, and is not kept."""
EXACT_STREAM, RESAMPLE_STREAM, ACCEPT_STREAM = 96, 112, 128


def sharpen(
    draw: Callable[[int], None],
    error: Callable[[], float],
    tolerance: float,
    *,
    first: int = limits.FIRST_DRAWS,
    most: float = limits.MOST_DRAWS,
    over: Callable[[], bool] = bool,
) -> bool:
    """Call `draw(count)` until `error()` is within the tolerance: then True.

    False where as many as `most` were drawn, or where it is `over`. Not much more is drawn than the last error says is
    needed; at least half as many again, and at most three times as many.

    >>> drawn = []
    >>> sharpen(drawn.append, lambda: 1 / math.sqrt(sum(drawn)), 0.01, first=4000)
    True
    >>> drawn
    [4000, 6999]
    """
    done, count = 0, first
    while True:
        draw(count)
        done += count
        found = error()
        if found <= tolerance:
            return True
        if done >= most or over():
            return False
        needed = limits.CAUTION * done * (found / tolerance) ** 2 if math.isfinite(found) else 2 * done
        count = int(min(max(needed - done, done // 2, 1), 3 * done, limits.MOST_DRAWS))


class WeightedPasses:
    """Passes of some variables given evidence, drawn piece by piece."""

    def __init__(
        self, law: Law, variables: Sequence[int], evidence: Evidence, seed: int, n_jobs: int = 1
    ) -> None:
        self.law, self.variables, self.evidence = law, tuple(variables), evidence
        self.seed, self.n_jobs = seed % 2**64, n_jobs
        self._codes: list[CodeArray] = []
        self._logs: list[FloatArray] = []
        self.rows = 0
        """The number of passes that were drawn."""

    def draw(self, rows: int) -> None:
        done = self.law.passes(
            rows, self.evidence, variables=self.variables, seed=self.seed, first=self.rows, n_jobs=self.n_jobs
        )
        self.rows += rows
        likely = done.log_weights > done.log_weights.max() - NEGLIGIBLE
        self._codes.append(done.codes[likely])
        self._logs.append(done.log_weights[likely])

    @property
    def effective(self) -> float:
        """The number of passes without weights that would be as good: (sum W)^2 / sum W^2."""
        logs = np.concatenate(self._logs)
        if not len(logs):
            return 0.0
        weights = np.exp(logs - logs.max())
        return float(weights.sum() ** 2 / (weights**2).sum())

    def draw_effective(
        self, wanted: float, *, first: int, most: float = math.inf, over: Callable[[], bool] = bool
    ) -> bool:
        """Passes until they are worth `wanted` without weights; False where `most` are not, or where it is `over`."""

        def error() -> float:
            effective = self.effective
            return 1 / math.sqrt(effective) if effective else math.inf

        return sharpen(self.draw, error, 1 / math.sqrt(wanted), first=first, most=most, over=over)

    @property
    def log_mean_weight(self) -> float:
        """The log of the mean weight: an estimate of the probability of the evidence."""
        return float(np.logaddexp.reduce(np.concatenate(self._logs))) - math.log(self.rows)

    def take(self, places: FloatArray) -> NDArray[np.uint16]:
        """A pass for each of the places in [0, 1) of the cumulated weights."""
        logs, codes = np.concatenate(self._logs), np.concatenate(self._codes)
        ends = np.cumsum(np.exp(logs - logs.max()))
        at = np.searchsorted(ends, places * ends[-1], side="right")
        return np.ascontiguousarray(codes[np.minimum(at, len(ends) - 1)], dtype=np.uint16)

    @property
    def open(self) -> list[int]:
        """The variables that moves change: those that take part and are not known for certain."""
        return [i for i in self.variables if i not in self.evidence.clamped]

    def move(self, states: NDArray[np.uint16], sweeps: int, *, seed: int, **how: Any) -> None:
        """Sweeps of moves of all open variables, in place; `how` are arguments of `Law.moves`."""
        hidden = np.isin(np.arange(len(self.law.order)), self.open)[None]
        how |= {"variables": self.variables, "sweeps": sweeps, "seed": seed % 2**64, "n_jobs": self.n_jobs}
        self.law.moves(states, hidden, self.evidence, **how)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of Q(. | x_C), as many as wanted: row r is a function of the seed and of r alone."""

    network: Network
    evidence: Evidence
    seed: int
    n_jobs: int = 1
    variables: tuple[int, ...] | None = None
    """Those that are wanted; None: all. Of others codes are any."""

    def pieces(self, n: int, first: int = 0) -> Iterator[CodeArray]:
        """The rows `first` .. `first` + n - 1, some at a time, [rows, n variables], column-major."""
        if (plan := cutting_plan(self.network, self.evidence)) is not None:
            yield from accept_levels(self, plan, n, first)
            return
        law = law_of(self.network)
        taking = law.order if self.variables is None else law.ancestors(self.variables)
        if not self.evidence.variables:
            block = BLOCK if self.variables is None else PIECE
            for begin in range(first, first + n, block):
                rows = min(block, first + n - begin)
                yield law.passes(
                    rows, variables=taking, seed=self.seed, first=begin, n_jobs=self.n_jobs
                ).codes
            return
        ancestors = law.ancestors(self.evidence.variables)
        others = [i for i in taking if i not in set(ancestors)]
        eliminated = self._eliminate(ancestors)
        bound = math.inf if eliminated is not None else self._bound(law, ancestors)
        for piece in range(first // PIECE, -(-(first + n) // PIECE)):
            begin = piece * PIECE
            if eliminated is not None:
                codes = self._exact(law, eliminated, begin)
            elif math.isfinite(bound):
                codes = self._accept(law, ancestors, piece, bound)
            else:
                codes = self._resample(law, ancestors, piece)
            # Only the ancestors depend on the evidence, whose weights are in them already.
            rest = law.passes(
                PIECE, variables=others, seed=self.seed, first=begin, start=codes, n_jobs=self.n_jobs
            )
            yield rest.codes[max(first - begin, 0) : first + n - begin]

    def log_evidence(self) -> float:
        """The log-probability of what is known: by elimination where that is small, else from passes; -inf: impossible."""
        if not self.evidence.variables:
            return 0.0
        law = law_of(self.network)
        ancestors = law.ancestors(self.evidence.variables)
        try:
            eliminated = self._eliminate(ancestors)
        except EvidenceError:
            return -math.inf
        if eliminated is not None:
            return eliminated.log_total
        passes = WeightedPasses(law, ancestors, self.evidence, self.seed - 2, self.n_jobs)
        passes.draw_effective(PIECE, first=PIECE, most=limits.PIECE_DRAWS)
        return passes.log_mean_weight if passes.effective else -math.inf

    def _eliminate(self, ancestors: tuple[int, ...]) -> Elimination | None:
        """The ancestors of the evidence, all summed out; None where that is too large."""
        plan = network_plan(self.network, ancestors, self.evidence, most_cells=limits.MOST_CELLS)
        if plan is None:
            return None
        done = Elimination.of(self.network, ancestors, self.evidence, plan)
        done.joint(())  # evidence of probability 0 is an error here
        return done

    def _exact(self, law: Law, eliminated: Elimination, begin: int) -> CodeArray:
        codes: CodeArray = np.zeros((PIECE, len(law.order)), dtype=law.dtype, order="F")
        for i, code in self.evidence.clamped.items():
            codes[:, i] = code
        clusters = max(len(eliminated.plan.clusters), 1)
        eliminated.draw(words(self.seed, EXACT_STREAM, 0, clusters, begin, PIECE), codes)
        return codes

    def _bound(self, law: Law, ancestors: tuple[int, ...]) -> float:
        """The log of a bound on the weights of passes; infinite where too few passes would be accepted by it."""
        bound = log_largest_weight(self.network, ancestors, self.evidence)
        if bound == -math.inf:
            raise EvidenceError(IMPOSSIBLE)
        seed = (self.seed - 1) % 2**64  # passes of no piece
        pilot = law.passes(PIECE, self.evidence, variables=ancestors, seed=seed, n_jobs=self.n_jobs)
        rate = float(np.exp(pilot.log_weights - bound).mean())
        return bound if rate * limits.PIECE_DRAWS >= PIECE else math.inf

    def _accept(self, law: Law, ancestors: tuple[int, ...], piece: int, bound: float) -> CodeArray:
        """The first passes that are accepted."""
        seed = (self.seed + 2 * piece + 1) % 2**64
        found: list[CodeArray] = []
        wanted, passes, count = PIECE, 0, 2 * PIECE
        while wanted > 0:
            done = law.passes(
                count, self.evidence, variables=ancestors, seed=seed, first=passes, n_jobs=self.n_jobs
            )
            word = words(seed, ACCEPT_STREAM, 0, 1, passes, count)[0]
            kept = word * 2.0**-32 < np.exp(done.log_weights - bound)
            passes += count
            found.append(done.codes[kept][:wanted])
            wanted -= len(found[-1])
            rate = max(PIECE - wanted, 1) / passes
            count = int(min(max(1.1 * wanted / rate, PIECE), BLOCK))
        return np.asfortranarray(np.concatenate(found))

    def _resample(self, law: Law, ancestors: tuple[int, ...], piece: int) -> CodeArray:
        """Passes until their effective number is enough, or they are too many; then resampled and moved."""
        seed = self.seed + 2 * piece + 1
        passes = WeightedPasses(law, ancestors, self.evidence, seed, self.n_jobs)
        passes.draw_effective(limits.CANDIDATES * PIECE, first=PIECE, most=limits.PIECE_DRAWS)
        effective = passes.effective
        if not effective:
            raise EvidenceError(IMPOSSIBLE)
        if effective < PIECE / 16:
            warnings.warn(
                f"what is given is rare: the rows are drawn from {passes.rows:,} simulated ones, of which few fit it well "
                f"(they are worth {effective:,.0f}), so that some of them are nearly alike.",
                MixingWarning,
                stacklevel=outside(),
            )
        word = words(self.seed, RESAMPLE_STREAM, 0, 1, piece * PIECE, PIECE)[0]
        states = passes.take(word * 2.0**-32)
        passes.move(states, 2 * limits.FIRST_SWEEPS, seed=seed)
        return np.asfortranarray(states, dtype=law.dtype)


def cutting_plan(network: AnyNetwork, evidence: Evidence) -> LevelPlan | None:
    """The plan of evidence that cuts bins; None where it is of codes alone."""
    plan = LevelPlan.of(network, evidence, ()) if evidence.levels else None
    return plan if plan is not None and plan.cuts else None


def accept_levels(rows: Any, plan: LevelPlan, n: int, first: int) -> Iterator[CodeArray]:
    """Rows given evidence that cuts bins: those drawn given bins, accepted by the weights that levels have."""
    bins = replace(rows, evidence=replace(rows.evidence, levels={}))
    pilot = replace(bins, seed=(rows.seed - 1) % 2**64)
    rng = np.random.default_rng(rows.seed)
    bound = max(float(plan.draw(codes, rng).weights.max()) for codes in pilot.pieces(PIECE))
    for piece in range(first // PIECE, -(-(first + n) // PIECE)):
        rng, found = np.random.default_rng([rows.seed, piece]), []
        for codes in bins.pieces(limits.PIECE_DRAWS, piece * limits.PIECE_DRAWS):
            kept = rng.random(len(codes)) * bound <= plan.draw(codes, rng).weights
            found.append(codes[kept])
            if sum(map(len, found)) >= PIECE:
                break
        some = np.concatenate(found)
        some = some[np.arange(PIECE) % max(len(some), 1)]  # the same again, where hardly any is accepted
        begin = piece * PIECE
        yield np.asfortranarray(some[max(first - begin, 0) : first + n - begin])
