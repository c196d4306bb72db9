r"""Constraints that a table keeps (`depnet.model.constraints`), found in its rows.

A constraint is found where every row of the table keeps it, and where rows would not by chance. With any one of its columns
dealt anew among the rows, a row would keep it with a probability p, found from all pairs of a row and a value; n rows would,
all of them, with the probability p^n. That times the number of constraints that were tried is at most
e^-`CHANCE`, for each of the columns: so columns that have nothing to do with each other have no constraint, nor has one that
would hold anyway, because of the ranges of its columns, or a part that is almost always 0.

Orders are between two numbers, dates or durations. Sums are of up to `MOST_PARTS` numbers, a copy being a sum of one. What
follows from other constraints, whichever cells of a row are known, is left out.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Variable
from depnet.errors import outside
from depnet.model.constraints import (
    MOST_DIGITS,
    ROUNDING,
    Before,
    Constraint,
    Total,
    is_number,
    keeps,
    read_constraint,
)
from depnet.model.event import compared_values
from depnet.wording import plural

CHANCE = 14.0
"""Chance finds a constraint with a probability of at most e^-14, which is below 10^-6."""
SOME_ROWS = 20_000
"""Rows, at equal distances, that constraints are tried on first, and that say what chance would do."""
FIRST_ROWS = 256
"""Of these, the ones that sums are tried on first."""
MOST_PARTS = 4
MOST_SUMS = 200_000
"""Sums of so many parts that are tried for a total, at most, the first of them; and columns that pairs are tried of:"""
MOST_COLUMNS = 200


def find_constraints(table: Holed, asked: str | Iterable[object] | None = "auto") -> tuple[Constraint, ...]:
    """What the rows of a table keep ("auto"), or what is `asked`, as text or values, in which "auto" may be; None: nothing.

    >>> from depnet import Dataset
    >>> rows = [(a, b, a + b) for a in range(5) for b in range(9)]
    >>> [*map(str, find_constraints(Dataset.from_codes(rows, [5, 9, 13])))]
    ['X2 = X0 + X1']
    """
    wanted = [] if asked is None else [asked] if isinstance(asked, str) else list(asked)
    given = [_given(each, table) for each in wanted if each != "auto"]
    if "auto" not in wanted:
        return tuple(given)
    numbers = _Numbers.of(table)
    totals = [*(each for each in given if isinstance(each, Total)), *_find_totals(numbers, table)]
    orders = [*(each for each in given if isinstance(each, Before)), *_find_orders(numbers, table)]
    return (*_needed_orders(orders, totals, numbers, table), *dict.fromkeys(totals))


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """The columns of a table that have numbers, of some of its rows: [row, place], NaN where they are not known."""

    columns: tuple[int, ...]
    values: FloatArray
    kinds: tuple[str, ...]
    digits: tuple[int | None, ...]
    lowest: FloatArray
    """Of each column, in all rows."""
    whole: tuple[bool, ...]
    """Is it known in all rows?"""

    @classmethod
    def of(cls, table: Holed) -> "_Numbers":
        rows = np.arange(0, table.rows, -(-table.rows // SOME_ROWS) or 1)
        columns, values, kinds, digits, lowest, whole = [], [], [], [], [], []
        for i, variable in enumerate(table.domain.variables):
            if not is_number(variable) or (variable.bins is None and len(variable.present_states) < 3):
                continue  # two numbers are a category
            if variable.bins is not None and table.numbers(i) is None:
                continue
            known = table.known(i)
            every = np.asarray(compared_values(table, i), dtype=np.float64)
            own = every if known is None else every[known]
            if not len(own) or own.min() == own.max():
                continue
            columns.append(i)
            values.append(every[rows] if known is None else np.where(known[rows], every[rows], np.nan))
            kinds.append(_kind(variable))
            digits.append(_digits(own))
            lowest.append(own.min())
            whole.append(known is None)
        stacked = np.stack(values, axis=1) if values else np.zeros((len(rows), 0))
        return cls(tuple(columns), stacked, tuple(kinds), tuple(digits), np.array(lowest), tuple(whole))


def _kind(variable: Variable) -> str:
    kind = "integer" if variable.bins is None else variable.bins.kind
    return {"integer": "number", "float": "number", "date": "time", "datetime": "time"}.get(kind, kind)


def _digits(values: FloatArray) -> int | None:
    """The decimals of numbers; None where they are more than `MOST_DIGITS`. Numbers beyond 2^53 are whole."""
    values = values[np.abs(values) < 2.0**53]
    for digits in range(MOST_DIGITS + 1):
        if (np.abs(values - np.round(values, digits)) <= 1e-12 * np.abs(values)).all():
            return digits
    return None


def _given(asked: object, table: Holed) -> Constraint:
    """A constraint that somebody gave, its sums with the decimals of the table; a warning where rows break it."""
    found = read_constraint(table.domain, asked)
    if isinstance(found, Total):
        i = table.domain.index(found.total)
        values, known = np.asarray(compared_values(table, i), dtype=np.float64), table.known(i)
        found = replace(found, digits=_digits(values if known is None else values[known]))
    broken = int((~keeps(found, table)).sum())
    if broken:
        said = f"{str(found)!r} does not hold in {plural(broken, 'row')} of the table; it will in all that are drawn."
        warnings.warn(said, UserWarning, stacklevel=outside())
    return found


def _find_orders(numbers: _Numbers, table: Holed) -> list[Before]:
    values, m, found = numbers.values, len(numbers.columns), []
    if m < 2:
        return []
    tried = np.log(m * (m - 1))
    highest = np.nanmax(values, axis=0, initial=-np.inf)
    for low in range(m):
        with np.errstate(invalid="ignore"):
            broken = (values[:, low, None] > values).any(axis=0)
        for high in np.flatnonzero(~broken).tolist():
            alike = numbers.kinds[low] == numbers.kinds[high] and low != high
            if (
                not alike
                or highest[low] < numbers.lowest[high]
                or not _order_tells(values[:, [low, high]], tried)
            ):
                continue
            first, second = (table.domain.names[numbers.columns[k]] for k in (low, high))
            loose, strict = Before(first, second), Before(first, second, strict=True)
            if keeps(loose, table).all():
                found.append(strict if keeps(strict, table).all() else loose)
    return found


def _order_tells(pairs: FloatArray, tried: float) -> bool:
    """Would chance break the order of two columns [row, 2]?"""
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if len(pairs) < 2:
        return False
    above = np.sort(pairs[:, 1])
    share = 1 - np.searchsorted(above, pairs[:, 0], side="left").mean() / len(above)
    return _tells(share, pairs, tried)


def _tells(share: float, rows: FloatArray, tried: float) -> bool:
    """Is a constraint, which a row would keep with this probability by chance, kept by more rows than chance explains?"""
    log = np.log(max(share, 1 / len(rows) ** 2)) if share < 1 else 0.0
    return bool(len(rows) * log + tried <= -CHANCE)


def _find_totals(numbers: _Numbers, table: Holed) -> list[Total]:
    """The sums of other columns that columns are, the shortest first, each one that does not follow from those before it."""
    places = [k for k, kind in enumerate(numbers.kinds) if kind == "number"][:MOST_COLUMNS]
    values = numbers.values
    full = np.argsort(-np.count_nonzero(np.nan_to_num(values), axis=1), kind="stable")[:FIRST_ROWS]
    first = values[full]
    found: list[Total] = []
    known = np.zeros((0, len(numbers.columns)))
    for size in range(1, MOST_PARTS + 1):
        for total in places:
            for parts in _sums(first, numbers, places, total, size):
                factors = np.zeros(len(numbers.columns))
                factors[list(parts)] = -1
                factors[total] = 1
                more = np.vstack([known, factors])
                if np.linalg.matrix_rank(more) < len(more):
                    continue
                names = [table.domain.names[numbers.columns[k]] for k in (total, *parts)]
                sum_ = Total(names[0], tuple(names[1:]), numbers.digits[total])
                tried = np.log(len(places)) * (size + 1)
                if _sum_tells(values[:, [total, *parts]], sum_.digits, tried) and keeps(sum_, table).all():
                    found.append(sum_)
                    known = more
    return found


def _sums(
    first: FloatArray, numbers: _Numbers, places: Sequence[int], total: int, size: int
) -> Iterator[tuple[int, ...]]:
    """The parts whose sum a column may be, by the first rows."""
    others = [k for k in places if k != total]
    if size > 2 or len(others) > MOST_COLUMNS:
        # Parts that are never negative are at most the total.
        with np.errstate(invalid="ignore"):
            below = ~np.any(first > first[:, [total]] * (1 + ROUNDING) + ROUNDING, axis=0)
        others = [k for k in others if numbers.lowest[k] >= 0 and below[k]]
    if size == 1:
        others = [k for k in others if k > total]
    sums = np.array(list(islice(combinations(others, size), MOST_SUMS)), dtype=np.int64).reshape(-1, size)
    digits = numbers.digits[total]
    half = 0.0 if digits is None else 0.5 * 10.0**-digits
    for row in first:
        if not len(sums) or np.isnan(row[total]):
            continue
        largest = np.maximum(np.abs(row[sums]).max(axis=1), max(abs(row[total]), 1.0))
        off = np.abs(row[sums].sum(axis=1) - row[total]) > half + ROUNDING * largest
        sums = sums[~off]  # what is not known is not off
    yield from map(tuple, sums.tolist())


def _sum_tells(cells: FloatArray, digits: int | None, tried: float) -> bool:
    """Would chance break a sum [row, total and parts], whichever of its columns were dealt anew?"""
    cells = cells[~np.isnan(cells).any(axis=1)]
    if len(cells) < 2:
        return False
    signs = np.array([1.0] + [-1.0] * (cells.shape[1] - 1))
    scale = np.abs(cells).max() or 1.0
    for k in range(cells.shape[1]):
        needed = -(np.delete(cells * signs, k, axis=1).sum(axis=1)) * signs[k]
        own, wanted = (
            np.round(each / scale, MOST_DIGITS) if digits is None else np.round(each, digits) + 0.0
            for each in (cells[:, k], needed)
        )
        if not _tells(_equal_share(own, wanted), cells, tried):
            return False
    return True


def _equal_share(some: FloatArray, others: FloatArray) -> float:
    """The share of the pairs of one of these and one of those that are equal."""
    ordered = np.sort(others)
    equal = np.searchsorted(ordered, some, side="right") - np.searchsorted(ordered, some, side="left")
    return float(equal.mean() / len(ordered))


def _needed_orders(
    orders: Sequence[Before], totals: Sequence[Total], numbers: _Numbers, table: Holed
) -> list[Before]:
    """The orders that follow from no others, and from no sum."""
    place = {table.domain.names[i]: k for k, i in enumerate(numbers.columns)}
    every = {(each.low, each.high): each for each in reversed(orders)}
    summed = {
        pair
        for pair, each in every.items()
        if any(_follows_from(each, total, place, numbers) for total in totals)
    }
    strict = {pair: each.strict for pair, each in every.items()}
    for low, high in [pair for pair in reversed(every) if pair not in summed]:
        own = strict.pop((low, high))  # what it follows from has not been left out itself
        for middle in [b for a, b in strict if a == low and b in place and numbers.whole[place[b]]]:
            if (middle, high) in strict and (strict[low, middle] or strict[middle, high] or not own):
                break
        else:
            strict[low, high] = own
    return [every[pair] for pair in reversed(every) if pair in strict and pair not in summed]


def _follows_from(order: Before, total: Total, place: dict[str, int], numbers: _Numbers) -> bool:
    """Is it the order of a total and one of its parts, all others being known and not negative?"""
    if set(total.names) == {order.low, order.high}:
        return not order.strict  # a copy
    if order.high != total.total or order.low not in total.parts:
        return False
    others = [place.get(name) for name in total.parts if name != order.low]
    lows = [numbers.lowest[k] for k in others if k is not None and numbers.whole[k]]
    return len(lows) == len(others) and min(lows) >= 0 and (not order.strict or max(lows) > 0)
