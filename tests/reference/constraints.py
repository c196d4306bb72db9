"""Constraints that a table keeps, by trying all of them: rows are tuples of numbers, None where one is not known."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

Row = Sequence[float | None]
Order = tuple[int, int, bool]
"""The lower column, the higher one, and whether they are never equal."""
Sum = tuple[int, tuple[int, ...]]
"""The total, and its parts."""

CHANCE = 14.0


def known_rows(rows: Sequence[Row], columns: Sequence[int]) -> list[tuple[float, ...]]:
    return [tuple(row[i] for i in columns) for row in rows if all(row[i] is not None for i in columns)]  # type: ignore[misc]


def tells(share: float, rows: int, tried: float) -> bool:
    """Would so many rows, each with this probability, keep a constraint by chance, and one of those that were tried?"""
    return share < 1 and rows * math.log(max(share, 1 / rows**2)) + math.log(tried) <= -CHANCE


def varies(rows: Sequence[Row], i: int) -> bool:
    return len({row[i] for row in rows if row[i] is not None}) > 1


def kept_orders(rows: Sequence[Row], numbers: Sequence[int]) -> list[Order]:
    """Of every pair of columns, whether one is never above the other, and chance would break that."""
    columns = [i for i in numbers if varies(rows, i)]
    found = []
    for low in columns:
        for high in columns:
            pairs = known_rows(rows, (low, high))
            if low == high or not pairs or any(a > b for a, b in pairs):
                continue
            share = sum(a <= b for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
            if tells(share, len(pairs), len(columns) * (len(columns) - 1)):
                found.append((low, high, all(a < b for a, b in pairs)))
    return found


def kept_sums(rows: Sequence[Row], numbers: Sequence[int], most_parts: int = 3) -> list[Sum]:
    """Every column that is the sum of others, the shortest sums first, if it does not follow from those before."""
    columns = [i for i in numbers if varies(rows, i)]
    found: list[Sum] = []
    factors: list[list[int]] = []
    for size in range(1, most_parts + 1):
        for total in columns:
            for parts in combinations([i for i in columns if i != total], size):
                cells = known_rows(rows, (total, *parts))
                if (
                    (size == 1 and parts[0] < total)
                    or not cells
                    or any(row[0] != sum(row[1:]) for row in cells)
                ):
                    continue
                own = [1 if i == total else -1 if i in parts else 0 for i in range(max(numbers) + 1)]
                if np.linalg.matrix_rank([*factors, own]) <= len(factors):
                    continue
                if all(tells(share, len(cells), len(columns) ** (size + 1)) for share in _shares(cells)):
                    found.append((total, parts))
                    factors.append(own)
    return found


def _shares(cells: list[tuple[float, ...]]) -> Iterator[float]:
    """Of each column the share of all pairs of rows where its number of one row is what the other row needs."""
    for k in range(len(cells[0])):
        needed = [sum(row[1:]) if k == 0 else row[0] - sum(row[1:]) + row[k] for row in cells]
        yield sum(row[k] == need for row in cells for need in needed) / len(cells) ** 2


def needed_orders(rows: Sequence[Row], orders: Sequence[Order], sums: Sequence[Sum]) -> list[Order]:
    """The orders that are not the sum of two others, and not those of a total and its parts."""

    def whole(i: int) -> bool:
        return all(row[i] is not None for row in rows)

    def by_middle(order: Order, others: Sequence[Order]) -> bool:
        low, high, strict = order
        firsts = {b: s for a, b, s in others if a == low}
        lasts = {a: s for a, b, s in others if b == high}
        return any(whole(i) and (firsts[i] or lasts[i] or not strict) for i in firsts.keys() & lasts.keys())

    def by_sum(order: Order) -> bool:
        low, high, strict = order
        for total, parts in sums:
            if {total, *parts} == {low, high} and not strict:
                return True
            others = [i for i in parts if i != low]
            if total == high and low in parts and others and all(map(whole, others)):
                lowest = [min(cell for row in rows if (cell := row[i]) is not None) for i in others]
                if min(lowest) >= 0 and (not strict or max(lowest) > 0):
                    return True
        return False

    left = list(orders)
    for order in orders:
        others = [each for each in left if each != order]
        if not by_sum(order) and by_middle(order, others):
            left = others
    return [order for order in left if not by_sum(order)]


def broken(rows: Sequence[Row], orders: Sequence[Order], sums: Sequence[Sum], slack: float = 1e-9) -> int:
    """How many rows break any of them."""
    wrong = set()
    for r, row in enumerate(rows):
        for low, high, strict in orders:
            a, b = row[low], row[high]
            if a is not None and b is not None and (a > b or (strict and a == b)):
                wrong.add(r)
        for total, parts in sums:
            cells = [row[i] for i in (total, *parts)]
            if None not in cells and abs(cells[0] - sum(cells[1:])) > slack * max(1, *map(abs, cells)):  # type: ignore[arg-type,operator]
                wrong.add(r)
    return len(wrong)
