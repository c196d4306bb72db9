r"""Answers of an ordered law: Q(T | x_C), exact where that is small, else by weighted passes.

First what does not matter is left out. Only ancestors of targets and evidence take part; of these, once what is known for
certain has no axis, only those that factors connect with a target.

Exact answers come from elimination (`depnet.law.elimination`). Where its clusters are too large, passes are drawn and
weighted by the tables of the known variables, until

.. math:: \hat p(x) = \frac{\sum_r W_r 1(X_r = x)}{\sum_r W_r}, \qquad
          s^2 = \frac{\sum_r W_r^2 (1(X_r = x) - \hat p(x))^2}{(\sum_r W_r)^2}

has s under the tolerance for every state. Where no weight depends on a target, since nothing known reads it or what
comes of it, theta(x | Y_r) takes the place of 1(X_r = x), whose mean it is and which varies more. A state that draws
seldom come to, and then with a large weight, shows in no spread before one has come: so one more draw of the largest
possible weight is counted into every error, and passes go on until that is less than half of the tolerance, or the
weights have no heavy tail. Where a few draws have most of the weight, draws are resampled and moved
(`depnet.inference.ordered.moved`).
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.answer.question import Part, Question
from depnet.inference.answer.result import PassDiagnostics, QueryResult
from depnet.inference.clamped.chains import Over
from depnet.inference.ordered.moved import moved
from depnet.inference.ordered.tails import pareto_shape
from depnet.law.conditional import Conditional
from depnet.law.elimination import (
    IMPOSSIBLE,
    LARGEST,
    MOST_CELLS,
    Elimination,
    EliminationPlan,
    certain,
    elimination_plan,
    log_largest_weight,
    scope_of,
)
from depnet.law.program import Law, joint_codes, law_of
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.sources.source import product_within
from depnet.sampling.plan.words import new_seeds

FIRST_PASSES = 1 << 11
CHUNK = 1 << 16
MOST_PASSES = 1 << 21
UNEVEN = 50
"""Where more passes than this would be needed, and so many are worth one without weights, states are moved instead."""
MOST_UPDATES = 1 << 28
"""No answer takes more updates than this, unless time is given: some ten seconds."""
HEAVY = 0.7
"""Weights whose tail has a larger shape have no variance to speak of (Vehtari et al., Pareto smoothed importance
sampling): their standard errors are not to be trusted."""
CAUTION = 1.1
"""Errors of passes are told so much larger: passes end when the errors that they estimate themselves are small."""
RESOLUTION = 0.25
"""No error is reported below this share of the tolerance: passes end when the tolerance is reached, and of a state that
few draws have hit by then, their spread says too little."""
UPDATE_CELLS = 1
"""An update of a pass takes as long as so many cells of an elimination, about."""
QUICK_CELLS = 1 << 16
"""An elimination of no more cells is always quicker than passes."""


@dataclass(frozen=True, slots=True, eq=False)
class LawAnswer:
    """A law for each of the tables asked for, with standard errors, and how it was found."""

    values: list[FloatArray]
    errors: list[FloatArray]
    method: str
    converged: bool = True
    passes: int = 0
    effective: float = math.inf
    """The effective number of passes: so many without weights would be as good."""
    moved: bool = False
    """Draws were resampled and moved; standard errors are then between independent batches."""
    warnings: tuple[str, ...] = ()


def of_law(question: Question, rng: np.random.Generator | None, stop: Over | None) -> QueryResult:
    """The result of a question to an ordered network: Q(T | x_C)."""
    tables = [question.free] if question.joint else [(i,) for i in question.free]
    asked = Conditional(question.network, question.known, tuple(table for table in tables if table))
    method = "auto" if question.method == "bayes" else question.method  # which here are the same law
    found = answer(
        asked,
        method=method,
        tolerance=question.tolerance,
        max_seconds=question.seconds_left,
        rng=rng,
        stop=stop,
    )
    diagnostics = None
    if found.passes:
        largest = max(float(errors.max()) for errors in found.errors)
        diagnostics = PassDiagnostics(found.passes, found.effective, found.moved, largest)
    part = Part(found.values, found.errors, found.method, found.converged, diagnostics, found.warnings)
    read = {j for i in asked.variables for j in question.network.nodes[i].inputs}
    known = question.known.clamped.keys() | question.known.tilts.keys()
    return question.result(
        [(question.free, part)] if question.free else [],
        method=found.method,
        scan=None,
        closure=[i for i in asked.variables if i not in question.known.clamped],
        used=known & (read | set(asked.variables)),
    )


def answer(
    asked: Conditional,
    *,
    method: str,
    tolerance: float,
    max_seconds: float | None,
    rng: np.random.Generator | None,
    stop: Callable[[], bool] | None = None,
    n_jobs: int = 1,
) -> LawAnswer:
    """The laws of the tables: "exact", "sample", or "auto", whichever is quicker."""
    if not asked.tables:
        return LawAnswer([], [], "evidence")
    if method != "sample":
        most = MOST_CELLS if method == "exact" else _worth(asked, tolerance)
        found = exact(asked, most)
        if found is not None:
            return found
        if method == "exact":
            raise DomainTooLargeError(
                f"eliminating the {len(asked.variables)} variables that matter for this question needs a table of "
                f'more than {LARGEST:,} cells. Ask with `method="auto"`, which draws and gives standard errors.'
            )
    ends = None if max_seconds is None else time.monotonic() + max_seconds
    over = _over(ends, stop)
    passes_seed, moves_seed = new_seeds(rng, 2)
    return _sampled(asked, tolerance, passes_seed, moves_seed, ends is not None, over, n_jobs)


def _worth(asked: Conditional, tolerance: float) -> int:
    """So many cells take an elimination about as long as passes would take, at this tolerance."""
    passes = max(0.25 / tolerance**2, FIRST_PASSES)
    return int(min(max(passes * len(asked.variables) * UPDATE_CELLS, QUICK_CELLS), MOST_CELLS))


def exact(asked: Conditional, most_cells: int = MOST_CELLS) -> LawAnswer | None:
    """The exact laws, by elimination; None where that takes too many cells."""
    network, evidence = asked.network, asked.evidence
    cards, fixed = network.domain.cardinalities, certain(network, evidence)
    single = all(len(table) == 1 for table in asked.tables)
    keeps = [()] if single else asked.tables
    values: dict[tuple[int, ...], FloatArray] = {}
    for keep in keeps:
        plan = _plan(asked, keep, most_cells)
        if plan is None:
            return None
        done = Elimination.of(network, asked.variables, asked.own, plan)
        if single:
            wanted = [i for (i,) in asked.tables if i not in fixed]
            values |= {(i,): law for i, law in done.marginals(wanted).items()}
            values |= {(i,): np.ones(1) for (i,) in asked.tables if i in fixed}  # of one state
        else:
            law, _ = done.joint([i for i in keep if i not in fixed])
            values[keep] = law.reshape([cards[i] for i in keep])
    laws = [values[table] for table in asked.tables]
    zeros = [np.zeros_like(law) for law in laws]
    return LawAnswer(laws, zeros, "exact")


def log_evidence(
    network: Network, evidence: Evidence, tolerance: float, rng: np.random.Generator | None
) -> tuple[float, float]:
    """The log of the sum of Q(x) w(x), the probability of the evidence, and its standard error (0: exact)."""
    asked = Conditional.of_evidence(network, evidence)
    plan = _plan(asked, (), _worth(asked, tolerance))
    if plan is not None:
        _, value = Elimination.of(network, asked.variables, evidence, plan).joint(())
        return value, 0.0
    law, (seed,) = law_of(network), new_seeds(rng, 1)
    sums = Weights([], log_largest_weight(network, asked.variables, evidence))
    count = FIRST_PASSES
    while True:
        draw(law, asked, sums, count, seed, 1)
        value, error = sums.log_mean
        if error <= tolerance or sums.rows >= MOST_PASSES:
            return value, error
        count = sums.rows


def _plan(asked: Conditional, keep: Sequence[int], most_cells: int) -> EliminationPlan | None:
    """The elimination of all variables that matter but `keep`; None where it is too large."""
    network, fixed = asked.network, certain(asked.network, asked.evidence)
    cards = network.domain.cardinalities
    scopes = [scope_of(network, i, fixed) for i in asked.variables]
    if not all(product_within([cards[j] for j in scope], LARGEST) for scope in scopes):
        return None
    return elimination_plan(scopes, cards, [i for i in keep if i not in fixed], most_cells)


class Weights:
    """Weighted draws, summed: W P(x), W^2 P(x) and W^2 P(x)^2 of each table's cells.

    P is 1 on the cell that a draw is in and 0 elsewhere, or the probabilities of the cells given what the draw is besides.
    """

    def __init__(self, cells: Sequence[int], log_largest: float) -> None:
        self._largest = log_largest
        self.sums = [np.zeros(k) for k in cells]
        self.squares = [np.zeros((2, k)) for k in cells]
        self.total = self.total_squares = 0.0
        self.rows = 0
        self._top = -math.inf
        self._logs: list[FloatArray] = []

    def add(self, log_weights: FloatArray, states: Sequence[NDArray[np.int64] | FloatArray]) -> None:
        """More draws: of each table, the cell of each of them, or the probabilities of its cells, [draw, cell]."""
        self.rows += len(log_weights)
        self._logs.append(log_weights)
        top = float(log_weights.max())
        if top > self._top:  # all weights are divided by the largest so far
            scale = math.exp(self._top - top) if self._top > -math.inf else 0.0
            for sums, squares in zip(self.sums, self.squares, strict=True):
                sums *= scale
                squares *= scale**2
            self.total *= scale
            self.total_squares *= scale**2
            self._top = top
        if self._top == -math.inf:
            return
        weights = np.exp(log_weights - self._top)
        for sums, squares, state in zip(self.sums, self.squares, states, strict=True):
            if state.ndim == 2:
                sums += weights @ state
                squares += [weights**2 @ state, weights**2 @ state**2]
            else:
                sums += np.bincount(state, weights, minlength=len(sums))
                squares += np.bincount(state, weights**2, minlength=len(sums))
        self.total += float(weights.sum())
        self.total_squares += float((weights**2).sum())

    @property
    def effective(self) -> float:
        """(sum W)^2 / sum W^2."""
        return self.total**2 / self.total_squares if self.total > 0 else 0.0

    @property
    def log_mean(self) -> tuple[float, float]:
        """The log of the mean weight, which is the probability of the evidence, and its standard error."""
        if self.total == 0:
            return -math.inf, math.inf
        mean = self.total / self.rows
        spread = max(self.total_squares / self.rows - mean**2, 0.0)
        return math.log(mean) + self._top, math.sqrt(spread / self.rows) / mean

    @property
    def tail(self) -> float:
        """The shape of the tail of the weights; above `HEAVY`, a few draws decide."""
        return pareto_shape(np.concatenate(self._logs))

    def laws(self) -> list[FloatArray]:
        """The estimates."""
        return [sums / self.total for sums in self.sums]

    @property
    def unseen(self) -> float:
        """The share that one more draw of the largest possible weight would have."""
        if self.total == 0:
            return 1.0
        largest = math.exp(min(self._largest - self._top, 700.0))
        return largest / (self.total + 2 * largest)

    def errors(self) -> list[FloatArray]:
        """Their standard errors, one more draw of the largest possible weight counted in."""
        found = []
        for sums, squares in zip(self.sums, self.squares, strict=True):
            p = sums / self.total
            variance = (squares[1] - 2 * p * squares[0] + self.total_squares * p**2) / self.total**2
            found.append(CAUTION * np.sqrt(np.maximum(variance, 0.0) + self.unseen**2))
        return found


def _sampled(
    asked: Conditional,
    tolerance: float,
    passes_seed: int,
    moves_seed: int,
    timed: bool,
    over: Callable[[], bool],
    n_jobs: int,
) -> LawAnswer:
    law = law_of(asked.network)
    largest = log_largest_weight(asked.network, asked.variables, asked.own)
    if largest == -math.inf:
        raise EvidenceError(IMPOSSIBLE)
    sums = Weights(asked.cells, largest)
    count, error = FIRST_PASSES, math.inf
    updates = len(asked.variables)
    while True:
        draw(law, asked, sums, count, passes_seed, n_jobs)
        error = max(float(each.max()) for each in sums.errors()) if sums.total > 0 else math.inf
        # Weights are bounded: where one more of the largest would not matter, their tail need not be looked at.
        sure = sums.unseen <= tolerance / 2 or sums.tail <= HEAVY
        if error <= tolerance and sure:
            return _told(asked, sums, tolerance, True, ())
        spent = not timed and sums.rows * updates > MOST_UPDATES
        nothing = sums.total == 0 and (sums.rows >= MOST_PASSES and not timed)
        if over() or spent or nothing:
            return _told(asked, sums, tolerance, False, (_stopped(error, tolerance),))
        needed = sums.rows * max((error / tolerance) ** 2, 1.0 if sure else 2 * sums.unseen / tolerance)
        uneven = 0 < sums.effective * UNEVEN < sums.rows
        if uneven and needed > MOST_PASSES and sums.rows >= 8 * FIRST_PASSES:
            break
        # Not much beyond what is needed, and not less than half as many again.
        more = 1.1 * needed - sums.rows if math.isfinite(needed) else sums.rows
        count = int(min(max(more, sums.rows // 2), 3 * sums.rows, MOST_PASSES))
    found = moved(
        law,
        asked.tables,
        asked.variables,
        asked.own,
        tolerance=tolerance,
        seed=moves_seed,
        most_updates=math.inf if timed else MOST_UPDATES,
        over=over,
        n_jobs=n_jobs,
    )
    if found is None:
        return _told(asked, sums, tolerance, False, (_stopped(error, tolerance),))
    cards = asked.network.domain.cardinalities
    shapes = [tuple(cards[i] for i in table) for table in asked.tables]
    warnings = () if found.converged else (_stopped(found.error, tolerance),)
    errors = [np.maximum(each, RESOLUTION * tolerance) for each in found.errors]
    return LawAnswer(
        [law.reshape(shape) for law, shape in zip(found.laws, shapes, strict=True)],
        [each.reshape(shape) for each, shape in zip(errors, shapes, strict=True)],
        "passes and moves",
        found.converged,
        found.passes,
        found.effective,
        True,
        warnings,
    )


def draw(law: Law, asked: Conditional, sums: Weights, count: int, seed: int, n_jobs: int) -> None:
    """So many more passes, added to the sums, some at a time: memory does not grow with their number."""
    while count > 0:
        rows = min(count, CHUNK)
        done = law.passes(
            rows, asked.own, variables=asked.variables, seed=seed, first=sums.rows, n_jobs=n_jobs
        )
        sums.add(done.log_weights, [_cells(law, asked, table, done.codes) for table in asked.tables])
        count -= rows


def _cells(
    law: Law, asked: Conditional, table: tuple[int, ...], codes: CodeArray
) -> NDArray[np.int64] | FloatArray:
    """The cell of each row, or theta_i(. | y_i), whose mean varies less, where no weight depends on the target X_i."""
    if len(table) == 1 and table[0] not in asked.known_ancestors:
        return asked.network.nodes[table[0]].probabilities(codes)
    return joint_codes(codes, table, law.cardinalities)


def _told(
    asked: Conditional, sums: Weights, tolerance: float, converged: bool, warnings: tuple[str, ...]
) -> LawAnswer:
    if sums.total == 0:
        raise EvidenceError(
            "no pass came to a state that matches the evidence: its probability under the law is 0 or very small. "
            "Smooth the tables (`smoothing=0.5`), or give other evidence."
        )
    cards = asked.network.domain.cardinalities
    shapes = [tuple(cards[i] for i in table) for table in asked.tables]
    errors = [np.maximum(each, RESOLUTION * tolerance) for each in sums.errors()]
    return LawAnswer(
        [law.reshape(shape) for law, shape in zip(sums.laws(), shapes, strict=True)],
        [each.reshape(shape) for each, shape in zip(errors, shapes, strict=True)],
        "passes",
        converged,
        sums.rows,
        sums.effective,
        warnings=warnings,
    )


def _stopped(error: float, tolerance: float) -> str:
    return f"stopped at a standard error of {error:.2g} where {tolerance:.2g} was asked."


def _over(ends: float | None, stop: Callable[[], bool] | None) -> Callable[[], bool]:
    def over() -> bool:
        return (ends is not None and time.monotonic() >= ends) or (stop is not None and stop())

    return over
