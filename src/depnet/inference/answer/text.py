"""A result as text: the question, its states, what it says of numbers, and how it was found."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.binning.mixture import Mixture
from depnet.data.table.variable import Label, Variable
from depnet.inference.answer.interval import ends
from depnet.inference.answer.numbers import NumberSummary
from depnet.model.condition_words import said_of
from depnet.wording import counted, printable

if TYPE_CHECKING:  # a result shows itself
    from depnet.inference.answer.result import QueryResult

SHOWN = 20
"""States listed in the text of a result."""

SURE = "90 % sure to be between these in the population the rows come from"
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
    numbers: tuple[NumberSummary, ...]
    ordered: bool

    def said_interval(self, at: int) -> str:
        """The ends of a state's interval, for people."""
        low, high = self.interval(slice(at, at + 1))[0]
        return f"{low:.3f} to {high:.3f}"

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
    numbers = {v.name: s for v in result.variables if (s := result.numbers.get(v.name)) is not None}
    several = {v.name for v in result.variables if len(v.present_states) >= FEWEST_STATES}
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
            tuple(numbers[name] for name in names if name in numbers and name in several),
            len(names) == 1 and _has_order(result.variables[result.targets.index(names[0])]),
        )


def _has_order(variable: Variable) -> bool:
    """A number, or words that stand in an order of their own."""
    return variable.ordered or Mixture.of(variable) is not None


def question_of(result: "QueryResult") -> str:
    """P(targets | evidence)."""
    given = ", ".join(_shown(name, known) for name, known in result.evidence.items())
    return f"P({', '.join(result.targets)}{' | ' + given if given else ''})"


def text_of(result: "QueryResult") -> str:
    """The whole of it."""
    lines = [question_of(result)]
    several = not result.joint and len(result.targets) > 1
    for table in tables_of(result):
        indent = "    " if several else "  "
        if several:
            lines.append(f"  {table.names[0]}")
        lines += [f"{indent}{line}" for line in _lines(table)]
        lines += [f"{indent}{number_line(number, named=result.joint)}" for number in table.numbers]
    lines.append(f"[low to high]: {SURE}")
    relevant = counted(len(result.closure), "relevant variable")
    lines.append(f"{result.method}, {result.scan_name}, {relevant}, {result.seconds:.3g} s")
    if result.diagnostics is not None:
        error = f"{result.diagnostics.largest_error:.2g} (asked: {result.tolerance:.2g})"
        lines.append(f"standard errors up to {error}, {result.diagnostics}")
    if result.evidence_ignored:
        lines.append(f"evidence without effect: {', '.join(result.evidence_ignored)}")
    if result.support is not None and result.evidence:
        lines.append(str(result.support))
    lines += [f"warning: {text}" for text in result.warnings]
    return "\n".join(map(printable, lines))


def number_line(number: NumberSummary, *, named: bool) -> str:
    """What is said of a number, on one line; with its name where the line does not stand below it."""
    return f"{number.name}: {number}" if named else str(number)


def _lines(table: ShownTable) -> list[str]:
    """A line a state; the combined answer comes first where rows are at hand."""
    rows = [printable(", ".join(map(str, labels))) for labels in table.labels]
    order = table.order(SHOWN)
    width = max(len(rows[at]) for at in order)
    lines = []
    for at in order:
        error = table.errors[at]
        answer = f"{table.law[at]:.4f}{'' if error == 0 or np.isnan(error) else f' ± {error:.2g}'}"
        if table.observed is not None and not np.isnan(table.observed[at]):
            answer = f"{table.answer[at]:.4f}  (model {answer}, table {table.observed[at]:.4f})"
        lines.append(f"{rows[at]:<{width}}  {answer}  [{table.said_interval(at)}]")
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
