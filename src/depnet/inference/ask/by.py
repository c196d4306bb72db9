"""The same question for every group of a table: all combinations of some columns.

Each group has the answer, interval and warnings of a question of its own, with the group's states as further evidence. The
model answers all groups together (`depnet.inference.ordered.groups`), and the rows of all groups are found in one go.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from depnet.arrays import IntArray, new_seeds
from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import EvidenceError
from depnet.inference.answer.intervals import ends
from depnet.inference.answer.numbers import intervals_of, value_of
from depnet.inference.answer.observed import MatchingRows, support
from depnet.inference.answer.part import Part
from depnet.inference.answer.plot import plot_groups
from depnet.inference.answer.question import TOLERANCE, Question, checked_ordered
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.shown import frame_of_columns
from depnet.inference.answer.table import AnswerTable, Of, TargetAnswers
from depnet.inference.ordered.answer import find_part
from depnet.inference.ordered.events import event_part
from depnet.inference.ordered.groups import COARSER, answer_groups
from depnet.model.evidence import Evidence, Given
from depnet.model.mixture import AnyNetwork
from depnet.model.network import Network

MOST_GROUPS = 10_000


@dataclass(frozen=True, eq=False)
class GroupAnswers:
    """The answers of `depnet.query_by` for all groups.

    Attributes:
        by: the columns whose combinations are the groups.
        labels: their states in each group.
        said: what model and table say of the target in each group; `frame` shows it.
        result_of: gives the answer in a group, by its place, as `depnet.query` does, with warnings.

    >>> import depnet
    >>> found = depnet.query_by(depnet.learn(depnet.titanic(), order="auto"), "survived", "class")
    >>> found.labels[0], found.results[0].probabilities.round(2).tolist()
    (('1st',), [0.38, 0.62])
    """

    by: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    said: tuple[TargetAnswers, ...] = field(repr=False)
    result_of: Callable[[int], QueryResult] = field(repr=False)

    @cached_property
    def results(self) -> tuple[QueryResult, ...]:
        """The answers in all groups, as `depnet.query` gives them, with warnings; made when they are first read."""
        return tuple(map(self.result_of, range(len(self.labels))))

    def columns(self) -> dict[str, list[Any]]:
        """The columns of `frame`, as lists."""
        tables = [said.table(said.targets[0]) for said in self.said]
        said = _numbers(tables) if tables[0].is_number else _shares(tables)
        each = len(said["low"]) // len(tables)
        labels = zip(*(group for group in self.labels for _ in range(each)), strict=True)
        return {name: [*column] for name, column in zip(self.by, labels, strict=True)} | said

    def frame(self, backend: Any = "pandas") -> Any:
        """A tidy frame: a row a group, of a category a row for each group and state.

        Args:
            backend: "pandas", "polars", "pyarrow", or any other that narwhals makes frames with.

        Returns:
            The columns of `by`; of a number `mean`, `low`, `high` (the interval of the mean), `median`, of all else the
            state and its `share`, `low`, `high`; the matching `rows`; and what `model` and `table` alone say (without a
            table, only what the model says).
        """
        return frame_of_columns(self.columns(), backend)

    def plot(self, ax: Any = None) -> Any:
        """A picture of all groups, one below the other, with their intervals: shares as bars, means as points.

        The table's own answers are outlines, or circles. Needs matplotlib (`pip install 'depnet[plot]'`).

        Args:
            ax: the Axes to draw on; None: new ones.

        Returns:
            The Axes.
        """
        return plot_groups(self.result_of(0), self.by, self.labels, self.columns(), ax)


def query_by(
    network: AnyNetwork,
    target: str,
    by: str | Sequence[str],
    evidence: Given | str | Evidence | None = None,
    *,
    tolerance: float = TOLERANCE,
    data: Dataset | Holed | None = None,
    rng: np.random.Generator | None = None,
) -> GroupAnswers:
    """What is likely of a target in every group, given evidence: a group-by that the model takes part in.

    Args:
        network: an ordered network.
        target: a column by its name, or a condition as text.
        by: the columns whose combinations are the groups; numbers by their bins.
        evidence: what is known of all groups, as in `depnet.query`.
        tolerance: what is drawn is drawn until every standard error is under ten times this: what is known of a group is
            seldom surer than five times that. An answer says its error, and its interval is wider by it.
        data: the rows of a table, whose own answers join those of the model.
        rng: the generator of what is drawn; None: the same rows each time.

    Returns:
        `GroupAnswers`; its `frame` is a tidy one.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> law = depnet.learn(people, order="auto", smoothing=0.5)
    >>> frame = depnet.query_by(law, "survived = Yes", ["class", "sex"], data=people).frame()
    >>> frame.columns.tolist(), len(frame), round(float(frame["share"][0]), 2), int(frame["rows"][0])
    (['class', 'sex', 'share', 'low', 'high', 'rows', 'model', 'table'], 8, 0.97, 145)
    """
    names = (by,) if isinstance(by, str) else tuple(by)
    checked_ordered("by", network)
    base = Question(network, target, evidence, tolerance=min(COARSER * tolerance, 0.5), data=data)
    columns = _columns(base, names)
    domain = network.domain
    sizes = [len(domain.variables[i].present_states) for i in columns]
    states = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=1)
    (seed,) = new_seeds(np.random.default_rng(0) if rng is None else rng, 1)
    each = [dict(zip(columns, codes, strict=True)) for codes in states.tolist()]
    if base.event is None and base.evidence.event is None and isinstance(network, Network):
        parts = answer_groups(base, columns, states, seed)
    else:
        parts = [_group_part(base.of_group(of_group), seed) for of_group in each]
    known = [_all_alike(base) if part is None else part for part in parts]
    rows = None if data is None else _GroupedRows.of(base, columns, sizes, data)
    seen = None if rows is None else rows.matching.seen_by(base.targets, rows.group, len(each))

    def said_of(at: int) -> TargetAnswers:
        answered = [(base.free, known[at])]
        if seen is not None:
            return TargetAnswers(**base.of_targets(answered, [seen[at]], None))
        question = base.of_group(each[at])
        return TargetAnswers(**question.of_targets(answered, None, support(network, question.evidence)))

    def result_of(at: int) -> QueryResult:
        return _result(base.of_group(each[at], None if rows is None else rows.of_group(at)), known[at])

    labels = (tuple(domain.variables[i].states[code] for i, code in of_group.items()) for of_group in each)
    return GroupAnswers(names, tuple(labels), tuple(map(said_of, range(len(each)))), result_of)


def _group_part(question: Question, seed: int) -> Part | None:
    """What is said in a group alone; None where the law has no such group."""
    rng = np.random.default_rng(seed)
    try:
        if question.event is None and question.evidence.event is None:
            return find_part(question, rng, None)[0]
        return event_part(question, rng, None)
    except EvidenceError:
        return None


def _all_alike(question: Question) -> Part:
    """Where the law has no such group nothing is known of the target."""
    cards = (*question.network.domain.cardinalities, 2)  # the last is that of an event
    tables = [np.full(k, 1 / k) for k in (cards[i] for i in question.free)]
    return Part(tables, [np.zeros_like(table) for table in tables], "exact")


def _result(question: Question, part: Part) -> QueryResult:
    """A group's answer, with all that is to be known of it."""
    used = question.evidence.variables
    found = question.result([(question.free, part)], method=part.method, scan=None, closure=(), used=used)
    sharp = question.condition_error(found) <= question.tolerance
    return found if sharp or not found.converged else replace(found, converged=False)


def _columns(question: Question, names: Sequence[str]) -> list[int]:
    """The columns whose combinations are the groups, checked."""
    domain = question.network.domain
    columns = [domain.index(name) for name in names]
    if not columns or len(set(columns)) < len(columns):
        raise EvidenceError("`by` needs the names of columns, each once.")
    for name, i in zip(names, columns, strict=True):
        if i in question.wanted or name in question.given:
            raise EvidenceError(f"{name!r} cannot be in `by`: it is the target, or already known.")
    groups = math.prod(len(domain.variables[i].present_states) for i in columns)
    if groups > MOST_GROUPS:
        raise EvidenceError(
            f"there are {groups:,} combinations of {', '.join(names)}, more than {MOST_GROUPS:,}. Take fewer columns."
        )
    return columns


class _GroupedRows(NamedTuple):
    """The rows that match the evidence and know the columns of groups, and the group of each."""

    matching: MatchingRows
    group: IntArray

    @classmethod
    def of(
        cls, question: Question, columns: Sequence[int], sizes: Sequence[int], data: Dataset | Holed
    ) -> "_GroupedRows":
        """All groups' rows are found in one go."""
        every = MatchingRows.of(question.network.domain, question.evidence, data)
        there = np.ones(len(every.rows), dtype=bool)
        for i, size in zip(columns, sizes, strict=True):
            known = data.known(i)
            there &= data.column(i)[every.rows] < size  # the state of missing values comes last
            there &= True if known is None else known[every.rows]
        found = every.some(there)
        return cls(found, np.ravel_multi_index(tuple(data.column(i)[found.rows] for i in columns), sizes))

    def of_group(self, at: int) -> MatchingRows:
        return self.matching.some(self.group == at)


def _numbers(tables: Sequence[AnswerTable]) -> dict[str, list[Any]]:
    """The columns of a number; of rows and table only where there is one."""
    laws = [table.number_law(table.variable, "combined") for table in tables]
    rows = [table.sure_rows_of_mean for table, law in zip(tables, laws, strict=True) if law is not None]
    limits = iter(intervals_of([law for law in laws if law is not None], rows) if rows else ())
    said: dict[str, list[Any]] = {"mean": [], "low": [], "high": [], "median": []}
    for law in laws:
        if law is None:
            values: list[Any] = [None] * 4
        else:
            numbers = (law.centre[0], *next(limits), law.at_levels([0.5])[0])
            values = [value_of(number, law.kind) for number in numbers]
        for column, value in zip(said.values(), values, strict=True):
            column.append(value)
    counted = tables[0].result.matching is not None
    said |= {"rows": [table.rows for table in tables]} if counted else {}
    said |= {"model": [_mean(table, "probabilities") for table in tables]}
    return said | ({"table": [_mean(table, "observed") for table in tables]} if counted else {})


def _mean(table: AnswerTable, of: Of) -> Any:
    law = table.number_law(table.variable, of)
    return None if law is None else value_of(law.centre[0], law.kind)


def _shares(tables: Sequence[AnswerTable]) -> dict[str, list[Any]]:
    """The same of shares: an element for each group and state; of a condition for each group."""
    variable, k = tables[0].variable, len(tables[0].answer)
    answers, errors, law = (
        np.stack(s) for s in zip(*((t.answer, t.error, t.law) for t in tables), strict=True)
    )
    limits = ends(answers, errors, np.array([[table.sure_rows] for table in tables]))
    condition = variable.states == (False, True) and variable.states[0] is False  # not the numbers 0 and 1
    some = slice(1, 2) if condition else slice(None)
    said: dict[str, list[Any]] = {} if condition else {variable.name: [*variable.states] * len(tables)}
    of_states = {"share": answers, "low": limits[..., 0], "high": limits[..., 1]}
    said |= {name: values[:, some].ravel().tolist() for name, values in of_states.items()}
    if tables[0].result.matching is not None:
        said["rows"] = [table.rows for table in tables for _ in range(k)[some]]
    said["model"] = law[:, some].ravel().tolist()
    if "rows" in said:
        none = [None] * k
        said["table"] = [
            x for t in tables for x in (none if t.observed is None else t.observed.tolist())[some]
        ]
    return said
