"""The same question for every group of a table: all combinations of some columns.

Each group has the answer, interval and warnings of a question of its own, with the group's states as further evidence. What
the table says of a group comes from the group's rows, which are found for all groups at once.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet.arrays import IntArray, new_seeds
from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import EvidenceError
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.answer.part import Part
from depnet.inference.answer.plot import plot_groups
from depnet.inference.answer.question import TOLERANCE, Question, check_ordered
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.shown import frame_of_columns
from depnet.inference.ask.query import query
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network

MOST_GROUPS = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class GroupAnswers:
    """The answers of `depnet.query_by` for all groups.

    Attributes:
        by: the columns whose combinations are the groups.
        labels: their states in each group.
        results: a `QueryResult` for each group.

    >>> import depnet
    >>> found = depnet.query_by(depnet.learn(depnet.titanic(), order="auto"), "survived", "class")
    >>> found.labels[0], found.results[0].probabilities.round(2).tolist()
    (('1st',), [0.38, 0.62])
    """

    by: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    results: tuple[QueryResult, ...]

    def columns(self) -> dict[str, list[Any]]:
        """The columns of `frame`, as lists."""
        rows = [
            dict(zip(self.by, labels, strict=True)) | row
            for labels, result in zip(self.labels, self.results, strict=True)
            for row in _rows(result)
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

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
        return plot_groups(self.results[0], self.by, self.labels, self.columns(), ax)


def query_by(
    network: Network,
    target: str,
    by: str | Sequence[str],
    evidence: Given | Evidence | None = None,
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
        tolerance: as in `depnet.query`.
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
    base = Question(check_ordered("by", network), target, evidence, tolerance=tolerance)
    columns = _columns(base, names)
    groups = list(itertools.product(*(network.domain.variables[i].present_states for i in columns)))
    rows = None if data is None else _rows_by_group(base, columns, len(groups), data)
    seed = new_seeds(np.random.default_rng(0) if rng is None else rng, 1)[0]
    results = []
    for at, states in enumerate(groups):
        given = {**base.given, **dict(zip(names, states, strict=True))}
        own = None if data is None or rows is None else data.rows_at(rows[at])
        try:
            drawn = np.random.default_rng(seed)
            found = query(network, target, given, tolerance=tolerance, data=own, rng=drawn)
        except EvidenceError:  # the law says that there is no such group
            found = _unknown(Question(network, target, given, tolerance=tolerance, data=own))
        results.append(found)
    return GroupAnswers(names, tuple(groups), tuple(results))


def _unknown(question: Question) -> QueryResult:
    """The answer where nothing is known of a target: all states are alike."""
    tables = [np.full(k, 1 / k) for k in (question.network.domain.cardinalities[i] for i in question.free)]
    part = Part(tables, [np.zeros_like(table) for table in tables], "exact")
    used = question.evidence.variables
    return question.result([(question.free, part)], method=part.method, scan=None, closure=(), used=used)


def _columns(question: Question, names: Sequence[str]) -> list[int]:
    """The columns whose combinations are the groups, checked."""
    domain = question.network.domain
    columns = [domain.index(name) for name in names]
    if not columns or len(set(columns)) < len(columns):
        raise EvidenceError("`by` needs the names of columns, each once.")
    for name, i in zip(names, columns, strict=True):
        if i in question.wanted or name in question.given:
            raise EvidenceError(f"{name!r} cannot be a group: it is asked for, or known.")
    groups = math.prod(len(domain.variables[i].present_states) for i in columns)
    if groups > MOST_GROUPS:
        raise EvidenceError(
            f"there are {groups:,} combinations of {', '.join(names)}, more than {MOST_GROUPS:,}. Take fewer columns."
        )
    return columns


def _rows_by_group(
    question: Question, columns: Sequence[int], groups: int, data: Dataset | Holed
) -> list[IntArray]:
    """The rows of each group that match the evidence, of those that know the group."""
    domain = question.network.domain
    rows = MatchingRows.of(domain, question.evidence, data).rows
    for i in columns:
        known = data.known(i)
        rows = rows if known is None else rows[known[rows]]
    group = np.zeros(len(rows), dtype=np.int64)
    for i in columns:
        group = group * len(domain.variables[i].present_states) + data.column(i)[rows]
    order = np.argsort(group, kind="stable")
    return np.split(rows[order], np.searchsorted(group[order], np.arange(1, groups)))


def _rows(result: QueryResult) -> list[dict[str, Any]]:
    """What a frame says of one group: a row, of a category a row a state; of rows and table only where there is one."""
    (name,) = result.targets
    table = result.table(name)
    counted = {} if result.matching is None else {"rows": table.rows}
    number = table.number if table.is_number else None
    if number is not None:
        low, high = number.interval or (None, None)
        said = {"mean": number.mean, "low": low, "high": high, "median": number.median} | counted
        model, own = (result.summary(name, of) for of in ("probabilities", "observed"))
        said |= {"model": model and model.mean}
        return [said | ({"table": own and own.mean} if counted else {})]
    ends = table.interval()
    found = []
    for x, (state,) in enumerate(table.labels):
        said = {
            name: state,
            "share": float(table.answer[x]),
            "low": float(ends[x, 0]),
            "high": float(ends[x, 1]),
        }
        said |= counted | {"model": float(table.law[x])}
        if counted:
            said["table"] = None if table.observed is None else float(table.observed[x])
        found.append(said)
    if table.variable.states == (False, True):
        return [{key: value for key, value in found[1].items() if key != name}]
    return found
