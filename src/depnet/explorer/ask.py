"""One question asked of a model: an answer at once, and a sharper one where that was not within the tolerance."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.explorer.known import Known, given, is_clamped
from depnet.explorer.loaded import TOLERANCE, Loaded
from depnet.inference.answer.part import Remark, Spread
from depnet.inference.answer.result import QueryResult, by_target
from depnet.inference.answer.small_counts import without_small_counts
from depnet.inference.ask.query import query
from depnet.inference.judge.shifts import (
    Shift,
    largest_error,
    largest_first,
    most_moved,
    shifts_between,
)
from depnet.model.conditions import MISSING
from depnet.model.evidence import Evidence

FIRST_SECONDS = 0.5
"""Of sampling before something is shown; most answers are exact, or within the tolerance, before that."""

FIRST_CHAIN_SECONDS = 0.2
"""The same of chains, which take longer to agree than a reader waits."""

MAX_SECONDS = 20.0
"""Of sampling in all, where the first answer was not within the tolerance."""

MAX_CELLS = 4096
"""Chains go on for variables with at most these states together, about 100 MB; those that moved most."""

FINER = 4.0
"""How much smaller an error is asked for by a reader who wants it sharper."""

ALL_KNOWN = Remark("every variable is known: nothing is left to ask.")

Work = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Computes in a thread: `await work(function)`."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """All shifts, the largest change first; a `last` answer is not followed by a sharper one.

    `sharp`: it is within the tolerance. `sharpened` says of how many variables a sharper answer is, where it is not of all.
    """

    shifts: tuple[Shift, ...]
    result: QueryResult
    sharp: bool
    last: bool
    seconds: float
    sharpened: int | None = None

    def moved(self, known: Known) -> tuple[Shift, ...]:
        """The shifts but of variables whose state is known."""
        return tuple(s for s in self.shifts if s.name not in known or not is_clamped(known[s.name]))

    @property
    def error(self) -> float:
        """The largest standard error of any probability in it; infinite where it is not known."""
        largest = max(float(np.max(shift.now.error)) for shift in self.shifts)
        return float("inf") if np.isnan(largest) else largest


async def answers(
    loaded: Loaded,
    known: Known,
    work: Work,
    stop: Callable[[], bool],
    *,
    hide: bool = False,
    tolerance: float = TOLERANCE,
    max_seconds: float = MAX_SECONDS,
) -> AsyncIterator[Answer]:
    """The answer, and a sharper one where it was not within `tolerance`, until `max_seconds` or `stop()`.

    Each is found by a piece of `work` of its own, so that others have their turn between them. `hide`: without counts of
    few rows of the table. What is known is answered, too: its state has all of the probability.
    """
    law = loaded.asked
    names = law.domain.names
    clamped = Evidence.parse(law.domain, given(known)).clamped
    free = tuple(name for i, name in enumerate(names) if i not in clamped)

    def ask(targets: tuple[str, ...], before: tuple[str, ...], **bounds: Any) -> Answer:
        began = time.monotonic()  # here: waiting for a turn does not count
        prior = found = loaded.prior(before, tolerance=tolerance, **bounds)
        if known and not free:
            found = _all_known(prior, known)
        elif known:
            found = query(law, targets, given(known), tolerance=tolerance, data=loaded.data, **bounds)
        sharp = prior.converged and found.converged
        if hide:
            prior, found = without_small_counts(prior), without_small_counts(found)
        return Answer(shifts_between(prior, found), found, sharp, sharp, time.monotonic() - began)

    soon = FIRST_CHAIN_SECONDS if law.order is None else FIRST_SECONDS
    first = await work(lambda: ask(names, names, max_seconds=soon))
    yield first
    if first.sharp or stop():
        return
    targets = names
    if law.order is None:  # Passes of a law are summed as they come; chains keep what they sum.
        moved = most_moved([shift for shift in first.shifts if shift.name in free], MAX_CELLS)
        targets = tuple(name for name in names if name in moved)
    seconds = max(max_seconds / 2, 0.05)  # of the prior, and of the posterior
    later = await work(lambda: ask(targets, targets, max_seconds=seconds, stop=stop))
    if stop() and largest_error(later.result) > largest_error(first.result):
        return  # half an answer is worse than the one before
    left = tuple(shift for shift in first.shifts if shift.name not in targets)  # still as at first
    blurred = any(shift.name in free for shift in left)
    yield replace(
        later,
        shifts=largest_first((*later.shifts, *left)),
        sharp=later.sharp and not blurred,
        last=True,
        seconds=first.seconds + later.seconds,
        sharpened=len(later.shifts) if blurred else None,
    )


def _all_known(prior: QueryResult, known: Known) -> QueryResult:
    """The answer where every variable has its state."""

    def certain(variable: Any) -> FloatArray:
        held = known[variable.name]
        if isinstance(
            held, str
        ):  # it is missing, or a condition that leaves one state: what was likely of it stays
            return np.asarray(by_target(prior, prior.probabilities)[variable.name])
        return np.array(np.eye(variable.cardinality)[variable.code(held[0])])

    laws = {variable.name: certain(variable) for variable in prior.variables}
    errors = {name: np.zeros_like(law) for name, law in laws.items()}
    alone = len(laws) == 1
    return replace(
        prior,
        probabilities=next(iter(laws.values())) if alone else laws,
        standard_errors=next(iter(errors.values())) if alone else errors,
        method="evidence",
        closure=(),
        evidence_ignored=(),
        support=None,
        converged=True,
        diagnostics=None,
        warnings=(ALL_KNOWN,),
        observed=None,
        matching=None,
        missing={name: float(held == MISSING) for name, held in known.items()},
        missing_observed=None,
        spreads={name: Spread(error) for name, error in errors.items()},
        levels={},
        seen={},
    )
