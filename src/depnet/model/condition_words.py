"""Conditions in words: how people read them, and what to tell of one that no value meets, or that lies beyond the data."""

import math
import re

from depnet.data.binning.bins import Bins
from depnet.data.table.variable import Variable
from depnet.errors import DataError, brief
from depnet.model.conditions import COMPARISON, KNOWN, MISSING, SIGNS, is_range, members
from depnet.model.spans import extent
from depnet.wording import some_of


def beyond_data(variable: Variable, condition: object) -> str | None:
    """What to say of a value that lies beyond the data, and means the first bin or the last; None: nothing.

    >>> ages = Bins((0, 18, 99), ((3, 9, 10, 17), (30, 40)), "integer")
    >>> beyond_data(Variable("age", ages.labels, ages), 130)
    "'age' = 130 is beyond the data (0 to 98): answered as its last bin, [18, 99)."
    """
    bins = variable.bins
    if bins is None:
        return None
    low, high = extent(bins)
    for value in members(condition):
        if value is None or is_range(value) or value in variable.states:
            continue
        try:
            number = bins.number(value)
        except DataError:  # a comparison
            continue
        if not low <= number <= high:
            end, place = ("first", 0) if number < low else ("last", -1)
            return (
                f"{variable.name!r} = {bins.text(number)} is beyond the data ({_range_of(bins)}): answered as its {end} "
                f"bin, {variable.present_states[place]}."
            )
    return None


def empty_condition(variable: Variable, condition: object) -> str:
    """What to say of a condition that no training value meets."""
    said = said_of(variable.name, condition)
    if variable.bins is not None:
        return f"no value of the data meets {said}: {variable.name!r} goes from {_range_of(variable.bins)}."
    states = some_of(list(map(brief, variable.states)))
    return f"the evidence on {variable.name!r} allows no state at all: {brief(condition)}. Its states are {states}."


def said_of(name: str, condition: object) -> str:
    """A condition as people read it.

    >>> said_of("age", 30), said_of("age", ">30"), said_of("age", slice(30, 40)), said_of("class", {"1st", "2nd"})
    ('age = 30', 'age > 30', '30 <= age < 40', 'class in {1st, 2nd}')
    >>> said_of("age", None)
    'age is missing'
    """
    if isinstance(condition, range) and condition.step == 1:
        condition = slice(condition.start, condition.stop)
    if isinstance(condition, slice):
        low = "" if condition.start is None else f"{condition.start} <= "
        high = "" if condition.stop is None else f" < {condition.stop}"
        return f"{low}{name}{high}"
    if is_range(condition):
        return f"{name} in {condition}"
    if condition is None or condition in (MISSING, KNOWN):
        return f"{name} {MISSING if condition is None else condition}"
    if isinstance(condition, str):
        compared = COMPARISON.fullmatch(condition)
        if compared:
            return f"{name} {SIGNS[compared[1]]} {compared[2].strip()}"
        if re.fullmatch(r"[-+.\d].*\.\.|(.*[-+.\d])?\.\.[-+.\d].*", condition):
            return f"{name} in {condition}"
    values = members(condition)
    if not (len(values) == 1 and values[0] is condition):
        return f"{name} in {{{', '.join(sorted(map(str, values)))}}}"
    return f"{name} = {condition}"


def _range_of(bins: Bins) -> str:
    low, high = extent(bins)
    low, high = (
        kept if math.isinf(end) else end
        for end, kept in ((low, bins.quantiles[0][0]), (high, bins.quantiles[-1][-1]))
    )
    return f"{bins.text(low)} to {bins.text(high)}"
