"""A result as text: the question, what it says of numbers, its states, and how it was found."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.binning.mixture import Mixture
from depnet.data.table.variable import Label, Variable
from depnet.inference.answer.interval import LEVEL, ends
from depnet.inference.answer.numbers import shown, with_error
from depnet.model.condition_words import said_of
from depnet.wording import counted, printable

if TYPE_CHECKING:  # a result shows itself
    from depnet.inference.answer.result import QueryResult

SHOWN = 20
"""States listed in the text of a result."""

SELDOM = 0.005
"""What is missing less often is not spoken of."""

PLUS_MINUS = "±"

INTERVAL = f"{LEVEL * 100:.0f} % sure"
"""What stands above the ends of an interval."""

SURE = f"[low to high]: {INTERVAL} to be between these in the population the rows come from"
"""What an interval is."""

FEWEST_STATES = 3
"""A number with fewer states is shown by these alone: the mean of 0 and 1 is the probability of 1."""


@dataclass(frozen=True, slots=True, eq=False)
class ShownTable:
    """A table of a result to be shown: of one target, or of all of a joint. All arrays are flat."""

    names: tuple[str, ...]
    labels: list[tuple[Label, ...]]
    answer: FloatArray
    law: FloatArray
    errors: FloatArray
    share: float
    """What the law has of the answer."""
    rows: float
    """What intervals rest on."""
    observed: FloatArray | None
    """None where no rows take part; nan where they are hidden."""
    numbers: tuple[str, ...]
    """The targets that are numbers of several states."""
    ordered: bool

    @property
    def on_request(self) -> bool:
        """Are the states bins, or values, of one number, of which its mean and quantiles say more?"""
        return self.names == self.numbers

    def said_interval(self, at: int) -> str:
        """The ends of a state's interval, for people."""
        low, high = self.interval(slice(at, at + 1))[0]
        return f"[{low:.3f} to {high:.3f}]"

    def interval(self, some: slice = slice(None)) -> FloatArray:
        """[state, 2]: of the answer, for the population that the rows come from; of all states, or some."""
        return ends(self.answer[some], self.share * self.errors[some], self.rows)

    def order(self, most: int) -> Sequence[int]:
        """The states to list: all, or the most probable; those that have an order of their own in that."""
        if len(self.labels) <= most:
            return range(len(self.labels))
        chosen = np.argsort(-self.answer, kind="stable")[:most]
        return [int(at) for at in (np.sort(chosen) if self.ordered else chosen)]


def tables_of(result: "QueryResult") -> Iterator[ShownTable]:
    """The tables of a result in the order of its targets, or its one joint table."""
    rows = result.observed is not None and bool(result.matching)
    numbers = {v.name for v in result.variables if len(v.present_states) >= FEWEST_STATES} & set(
        result.numbers
    )
    tables = [result.targets] if result.joint else [(name,) for name in result.targets]
    states = dict(zip(result.targets, result.states, strict=True))
    for names in tables:
        arrays = [result.combined, result.probabilities, result.standard_errors]
        answer, law, errors = (_flat(each, names[0]) for each in arrays)
        yield ShownTable(
            names,
            list(itertools.product(*(states[name] for name in names))),
            answer,
            law,
            errors,
            result.law_share(names[0]),
            result.rows_known(names[0]) + result.sure_shares,
            _flat(result.observed, names[0]) if rows else None,
            tuple(name for name in names if name in numbers),
            len(names) == 1 and _has_order(result.variables[result.targets.index(names[0])]),
        )


def number_table(result: "QueryResult", name: str) -> tuple[list[str], list[list[str]]]:
    """What is said of a number: the heads of a table, and its rows: the answer, and the two that it joins.

    The interval is that of the mean.
    """
    rows: list[list[str]] = []
    for label, of in (("answer", "combined"), ("model", "probabilities"), ("table", "observed")):
        found = result.summary(name, of)  # type: ignore[arg-type]  # one of the three
        if found is None or (rows and result.law_share(name) == 1.0):
            continue
        low, high = shown(found.quantiles[0.05]), shown(found.quantiles[0.95])
        rows.append(
            [
                label,
                with_error(found.mean, found.mean_error),
                f"[{found.said_interval}]" if found.interval else "",
                with_error(found.median, found.median_error),
                f"{low} to {high}",
            ]
        )
    return [name, "mean", INTERVAL, "median", "5 % to 95 %"], rows


def _has_order(variable: Variable) -> bool:
    """A number, or words that stand in an order of their own."""
    return variable.ordered or Mixture.of(variable) is not None


def question_of(result: "QueryResult") -> str:
    """P(targets | evidence)."""
    given = ", ".join(_shown(name, known) for name, known in result.evidence.items())
    return f"P({', '.join(result.targets)}{' | ' + given if given else ''})"


def text_of(result: "QueryResult", *, bins: bool) -> str:
    """The answer as text; it lists the states of a number only where `bins` are wanted."""
    lines = [question_of(result)]
    several = not result.joint and len(result.targets) > 1
    for table in tables_of(result):
        for name in table.numbers:
            lines += [f"  {line}" for line in _aligned(*number_table(result, name))]
        if table.on_request and not bins:
            continue
        if several and not table.on_request:
            lines.append(f"  {table.names[0]}")
        lines += [f"{'    ' if several else '  '}{line}" for line in _lines(table)]
    lines += [SURE, *known_lines(result)]
    relevant = counted(len(result.closure), "relevant variable")
    lines.append(f"{how_of(result)}, {relevant}, {result.seconds:.3g} s")
    if any(PLUS_MINUS in line for line in lines):
        lines.append(error_note(result))
    if result.evidence_ignored:
        lines.append(f"evidence without effect: {', '.join(result.evidence_ignored)}")
    if result.support is not None and result.evidence:
        lines.append(str(result.support))
    lines += [f"warning: {text}" for text in result.warnings]
    return "\n".join(map(printable, lines))


def known_lines(result: "QueryResult") -> list[str]:
    """Of what is asked about and often missing: how often it is known, for the answer is of that."""
    lines = []
    for name, missing in result.missing.items():
        asked = any(target in (f"{name} is missing", f"{name} is known") for target in result.targets)
        seen = (result.missing_observed or {}).get(name)
        if not asked and max(missing, seen or 0.0) >= SELDOM:
            table = "" if seen is None or np.isnan(seen) else f" (table {1 - seen:.1%})"
            said = f"{1 - missing:.1%} of such rows{table}".replace("%", " %")
            lines.append(f"{name} is known in {said}; the answer is of these")
    return lines


def how_of(result: "QueryResult") -> str:
    """How it was found, in words: what is computed in full needs none."""
    ways = [way.removeprefix("exact, ") for way in result.method.split(" and ") if way != "exact"]
    return ", ".join([*([" and ".join(ways)] if ways else []), result.scan_name])


def error_note(result: "QueryResult") -> str:
    """What the errors that are shown mean, and how large they are."""
    if result.diagnostics is None:
        return f"{PLUS_MINUS} is the error of computing"
    largest = f"up to {result.diagnostics.largest_error:.2g} of a probability (asked: {result.tolerance:.2g})"
    return f"{PLUS_MINUS} is the error of computing, {largest}, {result.diagnostics}"


def is_seen(error: float) -> bool:
    """Does the error of computing a probability change a digit of it that is shown, one of four?"""
    return error > 0.00005


def _aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of columns, all but the first to the right."""
    cells = [[printable(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in cells
    ]


def _lines(table: ShownTable) -> list[str]:
    """A line a state: the answer, its interval, and the two that it joins where rows are at hand."""
    rows = [printable(", ".join(map(str, labels))) for labels in table.labels]
    order = table.order(SHOWN)
    width = max(len(rows[at]) for at in order)
    lines = []
    for at in order:
        law = f"{table.law[at]:.4f}"
        if is_seen(table.errors[at]):
            law += f" {PLUS_MINUS} {table.errors[at]:.2g}"
        said = law
        if table.observed is not None and not np.isnan(table.observed[at]):
            said = f"{table.answer[at]:.4f}  (model {law}, table {table.observed[at]:.4f})"
        lines.append(f"{rows[at]:<{width}}  {said}  {table.said_interval(at)}")
    if len(rows) > len(order):
        lines.append(f"... and {len(rows) - len(order):,} less probable")
    return lines


def _flat(answer: "FloatArray | dict[str, FloatArray] | None", name: str) -> FloatArray:
    """The table of a target, or the only one, flat."""
    assert answer is not None
    return (answer[name] if isinstance(answer, dict) else answer).ravel()


def _shown(name: str, known: object) -> str:
    if isinstance(known, Mapping):
        weights = ", ".join(f"{state}: {float(weight):.3g}" for state, weight in known.items())
        return f"{name} ~ {{{weights}}}"
    return said_of(name, known)
