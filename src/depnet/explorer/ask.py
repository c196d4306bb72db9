"""One question asked of a model: the prior beside the posterior, an answer at once and then sharper ones.

How much a variable's marginal was moved by the evidence is measured by the total variation distance between its prior
and its posterior, TV = 1/2 sum over states of |posterior - prior|: the largest change in the probability of any event.
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
from depnet.inference.at_once import LADDER, at_once, is_exact
from depnet.inference.query import query
from depnet.inference.result import QueryResult
from depnet.model.network import Network

MAX_SECONDS = 20.0
"""The computing time of one question's sharper answers."""

MAX_CELLS = 4096
"""Chains are run for variables with at most so many states together, about 100 MB; those that moved most."""

Work = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Computes in a thread: `await work(function)`."""

MEASURE = "total variation between prior and posterior: the largest change in the probability of any event"


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """A variable's marginal before and after the evidence; `change` is their total variation distance."""

    name: str
    states: tuple[Label, ...]
    prior: FloatArray
    prior_error: FloatArray
    posterior: FloatArray
    error: FloatArray
    change: float


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """All shifts, the largest change first; `done` is the share of the work, 1.0 for the last answer."""

    shifts: tuple[Shift, ...]
    result: QueryResult
    sampled: int
    done: float
    seconds: float


class Priors:
    """The marginals without evidence, kept for the models asked last: the best that were found."""

    def __init__(self, most: int = 16) -> None:
        self._kept: OrderedDict[tuple[int, tuple[str, ...]], tuple[Network, QueryResult]] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()

    def first(self, network: Network, targets: tuple[str, ...]) -> QueryResult:
        """What can be said at once, or better."""
        known = self._find(network, targets)
        return known or self._keep(network, targets, at_once(network, targets))

    def within(
        self, network: Network, targets: tuple[str, ...], tolerance: float, **bounds: Any
    ) -> QueryResult:
        """The marginals with standard errors of at most `tolerance`, if the bounds allow."""
        known = self._find(network, targets)
        if known is not None and (is_exact(known) or _error(known) <= tolerance):
            return known
        found = query(network, targets, method="sample", tolerance=tolerance, **bounds)
        return (
            known
            if known is not None and _error(known) <= _error(found)
            else self._keep(network, targets, found)
        )

    def _find(self, network: Network, targets: tuple[str, ...]) -> QueryResult | None:
        with self._lock:
            kept = self._kept.get((id(network), targets))
            return None if kept is None else kept[1]

    def _keep(self, network: Network, targets: tuple[str, ...], result: QueryResult) -> QueryResult:
        with self._lock:
            self._kept[id(network), targets] = (network, result)  # which keeps the id its own
            self._kept.move_to_end((id(network), targets))
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return result


PRIORS = Priors()


async def answers(
    network: Network,
    chosen: Chosen,
    work: Work,
    stop: Callable[[], bool],
    *,
    data: Dataset | None = None,
    max_seconds: float = MAX_SECONDS,
) -> AsyncIterator[Answer]:
    """The answer at once, then sharper ones, until the last rung of the ladder, `max_seconds` or `stop()`.

    Each is found by a piece of `work` of its own, so that others have their turn between them.
    """
    names = network.domain.names
    evidence = given(chosen)
    free = tuple(name for name in names if len(chosen.get(name, ())) != 1)
    if not free:
        raise DepnetError("every variable is clamped: nothing is left to ask. Take one state back.")

    def first() -> tuple[QueryResult, QueryResult, float]:
        began = time.monotonic()  # here: waiting for a turn does not count
        prior = PRIORS.first(network, names)
        found = at_once(network, free, evidence, data=data) if evidence else prior
        return prior, found, time.monotonic() - began

    prior, posterior, spent = await work(first)
    shifts = shifts_between(prior, posterior)
    exact = is_exact(posterior) and is_exact(prior)
    yield Answer(shifts, posterior, 0, 1.0 if exact else 0.02, spent)
    max_seconds += spent  # the time is that of sharpening: at once is at once
    if exact:
        return
    settled = posterior if is_exact(posterior) else None  # then only the prior is to be sharpened
    targets = most_moved(network, shifts, MAX_CELLS)
    before = names if len(targets) == len(free) else targets
    for rung, tolerance in enumerate(LADDER, 1):
        left = max_seconds - spent
        if stop() or left <= 0:
            return

        def sharper(
            tolerance: float = tolerance, left: float = left
        ) -> tuple[QueryResult, QueryResult, float]:
            started = time.monotonic()
            bounds: dict[str, Any] = {"max_seconds": max(left / 2, 0.05), "stop": stop}
            prior = PRIORS.within(network, before, tolerance, **bounds)
            if not evidence:
                found = prior
            elif settled is not None:
                found = settled
            else:
                found = query(
                    network, targets, evidence, method="sample", tolerance=tolerance, data=data, **bounds
                )
            return prior, found, time.monotonic() - started

        prior, found, seconds = await work(sharper)
        spent += seconds
        if stop() and _error(found) > _error(posterior):
            return  # half an answer is worse than the one before
        posterior = found
        last = rung == len(LADDER) or not found.converged or spent >= max_seconds
        sharp = shifts_between(prior, posterior)
        done = {shift.name for shift in sharp}
        rest = tuple(shift for shift in shifts if shift.name not in done)  # still as at first
        yield Answer(
            _ordered((*sharp, *rest)), posterior, len(sharp), 1.0 if last else rung / len(LADDER), spent
        )
        if last:
            return


def shifts_between(prior: QueryResult, posterior: QueryResult) -> tuple[Shift, ...]:
    """The shift of every variable that the posterior is about, the largest change first."""
    before, before_errors = _each(prior)
    after, after_errors = _each(posterior)
    found = []
    for name, states in zip(posterior.targets, posterior.states, strict=True):
        if name in before:
            change = total_variation(before[name], after[name])
            found.append(
                Shift(
                    name, states, before[name], before_errors[name], after[name], after_errors[name], change
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


def _each(result: QueryResult) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    if isinstance(result.probabilities, dict):
        assert isinstance(result.standard_errors, dict)
        return result.probabilities, result.standard_errors
    assert not isinstance(result.standard_errors, dict)
    return {result.targets[0]: result.probabilities}, {result.targets[0]: result.standard_errors}


def _error(result: QueryResult) -> float:
    """The largest standard error; infinite where it is not known."""
    _, errors = _each(result)
    largest = max(float(np.max(error)) for error in errors.values())
    return float("inf") if np.isnan(largest) else largest
