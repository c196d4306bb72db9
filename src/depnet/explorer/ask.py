"""One question asked of a model: an answer at once, and a sharper one where that was not within the tolerance."""

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from depnet.errors import EvidenceError
from depnet.explorer.known import Known, given
from depnet.explorer.loaded import Loaded
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.answer.part import Diagnostics
from depnet.inference.answer.result import QueryResult
from depnet.inference.ask.query import log_probability
from depnet.inference.judge.shifts import Missing, Shift, largest_error, shifts_between
from depnet.model.evidence import Evidence
from depnet.wording import plural

FIRST_SECONDS = (0.1, 0.5)
"""Sampling times before something is shown, pale, and better; most answers are exact, or within the tolerance, before."""

FIRST_CHAIN_SECONDS = (0.2,)
"""The same of chains, which take longer to agree than a reader waits."""

MAX_SECONDS = 20.0
"""Sampling time in all, where the first answer was not within the tolerance."""

MAX_CELLS = 4096
"""States of all variables up to which chains, that keep what they sum, go on: about 100 MB."""

REST: Literal["rest"] = "rest"
"""What does not meet what is known, to compare with."""

Versus = Known | Literal["rest"]

Work = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Computes in a thread: `await work(function)`."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """All shifts, the largest change first; a `last` answer is not followed by a sharper one.

    `sharp`: it is within the tolerance.
    """

    shifts: tuple[Shift, ...]
    result: QueryResult
    sharp: bool
    last: bool
    before: QueryResult | None = None
    """What it is compared with, where that is not the answer without evidence."""
    prior: QueryResult | None = None

    @property
    def base(self) -> QueryResult:
        """What it is compared with."""
        base = self.before or self.prior
        return self.result if base is None else base

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
    versus: Versus | None = None,
    max_seconds: float = MAX_SECONDS,
) -> AsyncIterator[Answer]:
    """The answer, and a sharper one where it was not within the tolerance, until `max_seconds` or `stop()`.

    Each is found by a piece of `work` of its own, so that others have their turn between them. What is known is
    answered, too: its state has all of the probability. Shifts are from the answer without evidence, from that to
    `versus`, or from that of the rest: what does not meet what is known.
    """
    law = loaded.asked
    names = law.domain.names

    def ask(**bounds: Any) -> Answer:
        def find(held: Known) -> QueryResult:
            if not held:
                return loaded.prior(**bounds)
            return loaded.answer(names, given(held), **bounds)

        if versus == REST:
            prior, found = find({}), find(known)
            before = answer_of_rest(loaded, prior, found, known) if known else prior
        else:
            prior = before = find(versus or {})
            found = before if known == (versus or {}) else find(known)
        sharp, other = prior.converged and found.converged, before if versus else None
        return Answer(shifts_between(before, found), found, sharp, sharp, other, prior)

    chained = not law.ordered
    too_many = chained and sum(law.domain.cardinalities) > MAX_CELLS
    for seconds in FIRST_CHAIN_SECONDS if chained else FIRST_SECONDS:
        first = await work(partial(ask, max_seconds=seconds))
        yield replace(first, last=first.sharp or too_many)
        if first.sharp or too_many or stop():
            return
    seconds = max(max_seconds / 2, 0.05)  # of the prior, and of the posterior
    later = await work(lambda: ask(max_seconds=seconds, stop=stop))
    if stop() and largest_error(later.result) > largest_error(first.result):
        return  # half an answer is worse than the one before
    yield replace(later, last=True)


def answer_of_rest(loaded: Loaded, every: QueryResult, some: QueryResult, known: Known) -> QueryResult:
    """The answer about the rows that do not meet what is known: what all say, less what those say that meet it.

    With w the share of those that do, P(x | rest) = (P(x) - w P(x | known)) / (1 - w); of the table by its counts.
    """
    met = share_of(loaded, known)
    if met >= 1:
        raise EvidenceError("every row matches what is given: there are no others to compare with.")
    probabilities, observed, matching, missing, gone, seen = {}, {}, {}, {}, {}, {}
    for name in every.targets:
        a, b = every.table(name), some.table(name)
        there = [1 - each.missing.get(name, 0.0) for each in (every, some)]
        left = np.maximum(there[0] * a.law - met * there[1] * b.law, 0.0)
        probabilities[name] = left / max(float(left.sum()), 1e-12)
        missing[name] = 1 - min(max((there[0] - met * there[1]) / (1 - met), 0.0), 1.0)
        n, m = every.rows_of(name), some.rows_of(name)
        matching[name] = n - m
        if a.observed is not None and n > m:
            observed[name] = (n * a.observed - (m * b.observed if b.observed is not None else 0.0)) / (n - m)
            all_seen, own = every.seen.get(name), some.seen.get(name)
            if all_seen is not None and own is not None:
                values = np.concatenate([all_seen.values, own.values])
                weights = np.concatenate([n * all_seen.weights, -m * own.weights]) / (n - m)
                seen[name] = replace(all_seen, values=values, weights=weights)
            elif all_seen is not None:
                seen[name] = all_seen
        holes = [Missing.of(each, name).observed for each in (every, some)]
        rows = [0 if each.support is None else each.support.rows for each in (every, some)]
        if rows[0] > rows[1] and not math.isnan(holes[0]):
            held = 0.0 if math.isnan(holes[1]) else rows[1] * holes[1]
            gone[name] = (rows[0] * holes[0] - held) / (rows[0] - rows[1])
    support = every.support and replace(
        every.support, rows=every.support.rows - (some.support or every.support).rows
    )
    has_rows = len(observed) == len(every.targets)
    return replace(
        every,
        probabilities=probabilities,
        observed=observed if has_rows else None,
        matching=matching if has_rows else None,
        missing=missing,
        missing_observed=gone if len(gone) == len(every.targets) else None,
        support=support,
        seen=seen if has_rows else {},
        levels={},
    )


def share_of(loaded: Loaded, known: Known) -> float:
    """The share of rows that meet what is known: the table's own, or by the law."""
    evidence = Evidence.parse(loaded.asked.domain, given(known))
    if loaded.data is not None:
        rows = MatchingRows.of(loaded.asked.domain, evidence, loaded.data)
        return float(rows.times.sum()) / max(loaded.data.total, 1)
    if loaded.law is None:
        raise EvidenceError("how common such rows are is not known without the table or a joint model.")
    return float(np.exp(log_probability(loaded.law, evidence, tolerance=0.02).values[0]))


def sharpness(answer: Answer) -> str:
    """How sharp: "computed in full", "± 0.01", or what it is so far.

    The largest standard error of any probability that is shown; nothing is called sharp that did not come within the
    tolerance.
    """
    if answer.sharp and 0 < answer.error < 0.0005:
        return "± under 0.001"  # no digit that is shown changes
    if answer.sharp:
        return "computed in full" if answer.error == 0 else f"± {digit(answer.error)}"
    if not math.isfinite(answer.error):
        return "not yet sharp"
    return f"not yet sharp: ± {digit(answer.error)} at most"


def digit(error: float) -> str:
    """One digit of an error, rounded up, so that it is never understated.

    >>> digit(0.0091), digit(0.01), digit(0.031), digit(0.00234)
    ('0.01', '0.01', '0.04', '0.003')
    """
    if error <= 0:
        return "0"
    place = math.floor(math.log10(error))
    told = math.ceil(round(error / 10.0**place, 6)) * 10.0**place
    return f"{told:.{max(-math.floor(math.log10(told) + 1e-9), 0)}f}"


def describe_method(result: QueryResult) -> str:
    parts = []
    if "look-up" in result.method or "exact" in result.method:
        parts.append("by adding up all cases, without any error of chance")
    if isinstance(result.diagnostics, Diagnostics):
        chains = plural(result.diagnostics.chains, "chain")
        parts.append(f"from {chains} of draws in which what is given stays as it is")
    elif result.diagnostics is not None:
        draws = plural(result.diagnostics.passes, "draw")
        moved = ", the likelier ones moved on" if result.diagnostics.moved else ""
        parts.append(f"from {draws} of the model, weighted by what is given{moved}")
    return "Found " + (" and ".join(parts) or "in what is given") + "."


def how_often(log_probability: float) -> str:
    """How often something of this log-probability (nats) comes, for people.

    >>> [how_often(math.log(p)) for p in (1.0, 0.34, 0.00294, 3e-8)]
    ['every row', 'about 34 in 100 rows', 'about 1 in 340 rows', 'about 1 in 33 million rows']
    >>> how_often(-90.0), how_often(-12.0)
    ('about 1 in 10^39 rows', 'about 1 in 160,000 rows')
    """
    if log_probability > math.log(0.9995):
        return "every row"
    if log_probability > math.log(0.095):
        share = 100 * math.exp(log_probability)
        return f"about {share:.1f} in 100 rows" if share > 99 else f"about {share:.0f} in 100 rows"
    tens = -log_probability / math.log(10)
    if tens >= 15:
        return f"about 1 in 10^{tens:.0f} rows"
    rows = float(f"{math.exp(-log_probability):.2g}")
    for size, name in ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"), (1.0, "")):
        if rows >= size:
            count = rows / size
            return f"about 1 in {f'{count:,.0f}' if count >= 10 else f'{count:g}'}{name} rows"
    return "about every row"
