"""Numbers as bars in their order: labels short enough for a card, and a range of bars as what is known."""

import itertools
from collections.abc import Iterator

import numpy as np

from depnet.data import Variable
from depnet.data.binning.bins import Bins
from depnet.explorer.known import Held, held_by
from depnet.inference.answer.result import FEWEST_STATES
from depnet.model.condition_text import EQUALS, split, unquoted
from depnet.model.conditions import condition_weights

LONG = 24
"""A condition with more signs is taken only where no shorter one will do: an edge may be the float next to a number."""


def is_histogram(variable: Variable) -> bool:
    """Is it a number of several states, to be drawn as columns?"""
    return variable.scale == "number" and has_ranges(variable)


def has_ranges(variable: Variable) -> bool:
    """Can a range of several of its states be meant?"""
    return variable.has_order and len(variable.present_states) >= FEWEST_STATES


def short_labels(variable: Variable) -> list[str]:
    """A label a state: outermost bins by their one end, whole numbers from the first to the last.

    >>> ages = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70, 75)), "integer")
    >>> short_labels(Variable("age", ages.labels, ages))
    ['≤ 17', '18–64', '≥ 65']
    """
    labels = list(map(str, variable.states))
    if variable.bins is not None:
        for k in range(len(variable.bins)):
            labels[k] = _short(variable.bins, k) if labels[k].startswith("[") else labels[k]
    return labels


def _short(bins: Bins, k: int) -> str:
    low, high = bins.edges[k], bins.edges[k + 1]
    whole = bins.kind in ("integer", "date")
    if k == 0:
        return f"≤ {bins.text(high - 1)}" if whole else f"< {bins.text(high)}"
    if k == len(bins) - 1:
        return f"≥ {bins.text(low)}"
    return f"{bins.text(low)}–{bins.text(high - 1 if whole else high)}"


def between(variable: Variable, first: int, last: int) -> Held | None:
    """The states with the codes from one end to the other as what is known; None: all are allowed.

    Of a number it is a condition that means just these states, by its edges where these say it, else the states themselves.

    >>> ages = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70, 75)), "integer")
    >>> age = Variable("age", ages.labels, ages)
    >>> between(age, 0, 1), between(age, 2, 1), between(age, 1, 1), between(age, 0, 2)
    ('<65', '>=18', ('[18, 65)',), None)
    """
    first, last = sorted((first, last))
    wanted = np.zeros(variable.cardinality)
    wanted[first : last + 1] = 1.0
    states = variable.states[first : last + 1]
    if wanted.all():
        return None
    if first == last or not is_histogram(variable):
        return states
    labels = set(map(str, variable.states))
    for text in sorted(_conditions(variable, first, last), key=lambda text: len(text) > LONG):
        if text not in labels and np.array_equal(condition_weights(variable, text), wanted):
            return text
    return states


def _conditions(variable: Variable, first: int, last: int) -> Iterator[str]:
    """Conditions that may mean these states: up to an edge, or to the value next to it."""
    end = len(variable.present_states) - 1
    bins = variable.bins
    if bins is None:
        lows, highs = ([str(variable.states[code])] for code in (first, last))
        below = highs
    else:
        lows = [bins.text(bins.edges[first]), bins.text(bins.quantiles[first][0])]
        highs = [bins.text(bins.edges[last + 1]), bins.text(bins.quantiles[last][-1])]
        if first == 0:
            yield f"<{highs[0]}"
        if bins.kind in ("integer", "date"):
            highs.insert(0, bins.text(bins.edges[last + 1] - 1))
        below = highs
    if first == 0:
        yield from (f"<={high}" for high in below)
    if last == end:
        yield from (f">={low}" for low in lows)
    yield from (f"{low}..{high}" for low, high in itertools.product(lows, highs))


def typed(variable: Variable, text: str) -> Held | None:
    """What a reader writes after a name, as `--given` takes it: "> 40", "20..40", "1st|2nd", "!=male"; None: nothing.

    >>> cls = Variable("class", ("1st", "2nd", "3rd"))
    >>> typed(cls, "1st | 2nd"), typed(cls, "= 3rd"), typed(cls, "!=3rd"), typed(cls, " ")
    (('1st', '2nd'), ('3rd',), '!=3rd', None)
    >>> typed(cls, "is missing"), typed(Variable("age", ("[0, 18)", "[18, 99)"), Bins((0, 18, 99), ((3,), (30,)))), "=30.0")
    ('is missing', ('30',))
    """
    text = text.strip()
    if text in ("missing", "known"):
        text = text if text in map(str, variable.states) else f"is {text}"
    if text in map(str, variable.states):
        return held_by(variable, (text,))
    for sign in EQUALS:
        text = text.removeprefix(sign)
    parts = tuple(unquoted(part) for part in split(text, "|"))
    return held_by(variable, parts) if any(parts) else None
