"""One question asked of a model: the answer before the evidence beside the one after it, and the table's own.

How much a variable's marginal was moved by the evidence is measured by the total variation distance between its prior
and its posterior, TV = 1/2 sum over states of |posterior - prior|: the largest change in the probability of any event.
With rows at hand, both are what the model and the rows say together (`QueryResult.combined`).
"""

import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Dataset, Label
from depnet.errors import DepnetError
from depnet.explorer.evidence_link import Chosen, given
from depnet.geometry import total_variation
from depnet.inference.answer.query import query
from depnet.inference.answer.result import Answer as Arrays
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.small_counts import without_small_counts
from depnet.model.network import Network

TOLERANCE = 0.01
"""Standard errors to ask for: of a bar on a page, half a pixel or two."""

FIRST_SECONDS = 0.2
"""Of sampling before something is shown; most answers are exact, or within the tolerance, before that."""

MAX_SECONDS = 20.0
"""Of sampling in all, where the first answer was not within the tolerance."""

MAX_CELLS = 4096
"""Chains go on for variables with at most so many states together, about 100 MB; those that moved most."""

Work = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Computes in a thread: `await work(function)`."""

MEASURE = "total variation between prior and posterior: the largest change in the probability of any event"


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """A variable's marginal before and after the evidence; `change` is their total variation distance.

    `posterior` joins the two parts beside it: what the model says, and the frequencies `observed` among the `rows` of the
    table that match (None without a table, or where none matches; nan where counts are hidden).
    """

    name: str
    states: tuple[Label, ...]
    prior: FloatArray
    posterior: FloatArray
    error: FloatArray
    change: float
    model: FloatArray
    observed: FloatArray | None = None
    rows: int = 0


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


class Priors:
    """The marginals without evidence, kept for the models asked last: the best that were found."""

    def __init__(self, most: int = 16) -> None:
        self._kept: OrderedDict[tuple[int, int, tuple[str, ...]], tuple[Any, QueryResult]] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()

    def of(
        self, network: Network, targets: tuple[str, ...], data: Dataset | None, **bounds: Any
    ) -> QueryResult:
        """The marginals with standard errors of at most `TOLERANCE`, if the bounds allow."""
        key = (id(network), id(data), targets)
        with self._lock:
            _, known = self._kept.get(key, (None, None))
        if known is not None and known.converged:
            return known
        found = query(network, targets, tolerance=TOLERANCE, data=data, **bounds)
        if known is not None and _largest_error(known) <= _largest_error(found):
            return known
        with self._lock:
            self._kept[key] = ((network, data), found)  # which keeps the ids their own
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found


PRIORS = Priors()


async def answers(
    network: Network,
    chosen: Chosen,
    work: Work,
    stop: Callable[[], bool],
    *,
    data: Dataset | None = None,
    hide: bool = False,
    max_seconds: float = MAX_SECONDS,
) -> AsyncIterator[Answer]:
    """The answer, and a sharper one where it was not within `TOLERANCE`, until `max_seconds` or `stop()`.

    Each is found by a piece of `work` of its own, so that others have their turn between them. `hide`: without counts of
    few rows of the table.
    """
    names = network.domain.names
    evidence = given(chosen)
    free = tuple(name for name in names if len(chosen.get(name, ())) != 1)
    if not free:
        raise DepnetError("every variable is clamped: nothing is left to ask. Take one state back.")

    def ask(
        targets: tuple[str, ...], before: tuple[str, ...], **bounds: Any
    ) -> tuple[tuple[Shift, ...], QueryResult, bool, float]:
        began = time.monotonic()  # here: waiting for a turn does not count
        prior = PRIORS.of(network, before, data, **bounds)
        found = (
            query(network, targets, evidence, tolerance=TOLERANCE, data=data, **bounds) if evidence else prior
        )
        sharp = prior.converged and found.converged
        if hide:
            prior, found = without_small_counts(prior), without_small_counts(found)
        return shifts_between(prior, found), found, sharp, time.monotonic() - began

    shifts, found, sharp, spent = await work(lambda: ask(free, names, max_seconds=FIRST_SECONDS))
    yield Answer(shifts, found, sharp, spent)
    if sharp or stop():
        return
    # Passes of a law are summed as they come; chains keep what they sum.
    targets = free if network.order is not None else most_moved(network, shifts, MAX_CELLS)
    before = names if len(targets) == len(free) else targets
    seconds = max(max_seconds / 2, 0.05)  # of the prior, and of the posterior
    sharper, found_later, _, more = await work(lambda: ask(targets, before, max_seconds=seconds, stop=stop))
    if stop() and _largest_error(found_later) > _largest_error(found):
        return  # half an answer is worse than the one before
    done = {shift.name for shift in sharper}
    rest = tuple(shift for shift in shifts if shift.name not in done)  # still as at first
    yield Answer(_ordered((*sharper, *rest)), found_later, True, spent + more, len(sharper) if rest else None)


def shifts_between(prior: QueryResult, posterior: QueryResult) -> tuple[Shift, ...]:
    """The shift of every variable that the posterior is about, the largest change first."""
    before, after = _each(prior, prior.combined), _each(posterior, posterior.combined)
    model, errors = _each(posterior, posterior.probabilities), _each(posterior, posterior.standard_errors)
    rows = posterior.matching or 0
    seen = _each(posterior, posterior.observed) if rows and posterior.observed is not None else {}
    found = []
    for name, states in zip(posterior.targets, posterior.states, strict=True):
        if name not in before:
            continue
        observed = seen.get(name)
        joined = observed is not None and not np.isnan(observed).any()
        # The model's part of the answer has s / (n + s) of it, and of its error.
        share = posterior.worth / (rows + posterior.worth) if joined else 1.0
        change = total_variation(before[name], after[name])
        found.append(
            Shift(
                name,
                states,
                before[name],
                after[name],
                share * errors[name],
                change,
                model[name],
                observed,
                rows,
            )
        )
    return _ordered(found)


def most_moved(network: Network, shifts: Sequence[Shift], cells: int) -> tuple[str, ...]:
    """The variables that moved most, as many as have at most so many states together, in the model's order."""
    chosen: set[str] = set()
    used = 0
    for shift in shifts:
        if used + len(shift.states) <= cells or not chosen:
            chosen.add(shift.name)
            used += len(shift.states)
    return tuple(name for name in network.domain.names if name in chosen)


def _ordered(shifts: Sequence[Shift]) -> tuple[Shift, ...]:
    return tuple(sorted(shifts, key=lambda shift: -shift.change))


def _each(result: QueryResult, arrays: Arrays) -> dict[str, FloatArray]:
    return arrays if isinstance(arrays, dict) else {result.targets[0]: arrays}


def _largest_error(result: QueryResult) -> float:
    """The largest standard error of the model's part; infinite where it is not known."""
    errors = _each(result, result.standard_errors).values()
    largest = max(float(np.max(error)) for error in errors)
    return float("inf") if np.isnan(largest) else largest
