"""One question asked of a model: an answer at once, and a sharper one where that was not within the tolerance."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from depnet.errors import DepnetError
from depnet.explorer.known import Known, given, is_clamped
from depnet.explorer.loaded import Loaded
from depnet.inference.answer.query import query
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.small_counts import without_small_counts
from depnet.inference.judge.shifts import Shift, largest_error, largest_first, most_moved, shifts_between

TOLERANCE = 0.01
"""Standard errors to ask for: of a bar on a page, half a pixel or two."""

FIRST_SECONDS = 0.2
"""Of sampling before something is shown; most answers are exact, or within the tolerance, before that."""

MAX_SECONDS = 20.0
"""Of sampling in all, where the first answer was not within the tolerance."""

MAX_CELLS = 4096
"""Chains go on for variables with at most these states together, about 100 MB; those that moved most."""

MOST_PRIORS = 16
"""Answers without evidence that are kept for each model."""

Work = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Computes in a thread: `await work(function)`."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """All shifts, the largest change first; a `last` answer is not followed by a sharper one.

    `sharpened` says of how many variables a sharper answer is, where it is not of all.
    """

    shifts: tuple[Shift, ...]
    result: QueryResult
    last: bool
    seconds: float
    sharpened: int | None = None


async def answers(
    loaded: Loaded,
    known: Known,
    work: Work,
    stop: Callable[[], bool],
    *,
    hide: bool = False,
    max_seconds: float = MAX_SECONDS,
) -> AsyncIterator[Answer]:
    """The answer, and a sharper one where it was not within `TOLERANCE`, until `max_seconds` or `stop()`.

    Each is found by a piece of `work` of its own, so that others have their turn between them. `hide`: without counts of
    few rows of the table.
    """
    law = loaded.asked
    names = law.domain.names
    free = tuple(name for name in names if name not in known or not is_clamped(known[name]))
    if not free:
        raise DepnetError("every variable is clamped: nothing is left to ask. Take one state back.")

    def ask(targets: tuple[str, ...], before: tuple[str, ...], **bounds: Any) -> tuple[Answer, bool]:
        """An answer, and whether it is within the tolerance."""
        began = time.monotonic()  # here: waiting for a turn does not count
        prior = found = _prior(loaded, before, **bounds)
        if known:
            found = query(law, targets, given(known), tolerance=TOLERANCE, data=loaded.data, **bounds)
        sharp = prior.converged and found.converged
        if hide:
            prior, found = without_small_counts(prior), without_small_counts(found)
        return Answer(shifts_between(prior, found), found, sharp, time.monotonic() - began), sharp

    first, sharp = await work(lambda: ask(free, names, max_seconds=FIRST_SECONDS))
    yield first
    if sharp or stop():
        return
    targets = free
    if law.order is None:  # Passes of a law are summed as they come; chains keep what they sum.
        moved = most_moved(first.shifts, MAX_CELLS)
        targets = tuple(name for name in free if name in moved)
    before = names if targets == free else targets
    seconds = max(max_seconds / 2, 0.05)  # of the prior, and of the posterior
    later, _ = await work(lambda: ask(targets, before, max_seconds=seconds, stop=stop))
    if stop() and largest_error(later.result) > largest_error(first.result):
        return  # half an answer is worse than the one before
    rest = tuple(shift for shift in first.shifts if shift.name not in targets)  # still as at first
    yield Answer(
        largest_first((*later.shifts, *rest)),
        later.result,
        True,
        first.seconds + later.seconds,
        len(later.shifts) if rest else None,
    )


def _prior(loaded: Loaded, targets: tuple[str, ...], **bounds: Any) -> QueryResult:
    """The marginals without evidence: the best that were found so far, which are kept with the model."""
    kept = loaded.priors.get(targets)
    if kept is not None and kept.converged:
        return kept
    found = query(loaded.asked, targets, tolerance=TOLERANCE, data=loaded.data, **bounds)
    if kept is not None and largest_error(kept) <= largest_error(found):
        return kept
    loaded.priors[targets] = found
    for oldest in list(loaded.priors)[:-MOST_PRIORS]:
        loaded.priors.pop(oldest, None)
    return found
