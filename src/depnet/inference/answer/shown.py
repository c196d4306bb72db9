"""A result for people: its tables and notes, as text, in a notebook and on a terminal, and as a tidy frame.

What an answer says of fewer than `LEAST` rows of a table says something of persons, and can be hidden. Of the table's
part of an answer, the smallest cells are hidden until every smaller count is, and, so that none can be had by subtraction,
until at least two are hidden that have at least `LEAST` rows together. Fewer matching rows than that are hidden
altogether, their number too. Where something of a table is hidden, its answer is the model's alone. This
is no guarantee: two questions whose evidence differs by a person still differ by that person (docs/privacy.md).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet import notebook
from depnet.arrays import FloatArray, read_only
from depnet.errors import InferenceError, brief
from depnet.inference.answer.intervals import LEVEL
from depnet.inference.answer.numbers import shown, with_error
from depnet.inference.answer.part import Remark
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.table import Answer, AnswerTable, by_target
from depnet.model.conditions import describe
from depnet.wording import Grid, Line, Part, plural

LEAST = 5
"""Counts of fewer rows are hidden."""

SHOWN = 20
"""States listed of a table."""

SELDOM = 0.005
"""What is missing less often is not spoken of."""

DIGIT = 0.00005
"""The error of computing a probability is shown where it changes one of its four digits."""

INTERVAL = f"{LEVEL * 100:.0f} % sure"
"""What stands above the ends of an interval."""

SURE = (
    f"[low to high]: {INTERVAL} that the true value, in the population the rows come from, is between these"
)
"""What an interval is."""


_OF_EVENTS = ("=", "<", ">", " is ")
"""One of these stands in an event over several columns, and hardly ever in a column's name."""


@dataclass(frozen=True, slots=True)
class ListedStates:
    """A table of a result to be shown: the states of its targets, all or the most probable, and what is said of each."""

    heads: list[str]
    rows: list[list[str]]
    """The labels, then the answer, its interval, and the two that it joins where rows are at hand."""
    labels: int
    """How many of the columns are labels."""
    shares: list[float]
    left: int
    """States that are not listed."""

    @property
    def more(self) -> str:
        """What is said of the others; empty where there are none."""
        return f"... and {self.left:,} less probable" if self.left else ""


def list_states(table: AnswerTable) -> ListedStates:
    flat, labels = table.flat, table.labels
    columns = {"probability": flat.answer}
    if flat.observed is not None:
        columns = {"answer": flat.answer, "model": flat.law, "table": flat.observed}
    order = flat.order(SHOWN)
    computed = any(flat.errors[at] > DIGIT or math.isnan(flat.errors[at]) for at in order)
    rows = []
    for at, (low, high) in zip(order, flat.interval(order).tolist(), strict=True):
        first, *others = (_number(values[at], "hidden", ".4f") for values in columns.values())
        cells = [first, f"[{low:.3f} to {high:.3f}]", *others]
        error = [_number(flat.errors[at], "unknown", ".2g")] if computed else []
        rows.append([*map(str, labels[at]), *cells, *error])
    answer, *parts = columns
    heads = [*table.names, answer, INTERVAL, *parts, *(["± computing"] if computed else [])]
    shares = [float(flat.answer[at]) for at in order]
    return ListedStates(heads, rows, len(table.names), shares, len(labels) - len(rows))


def _number(value: float, unknown: str, digits: str) -> str:
    return unknown if math.isnan(value) else f"{value:{digits}}"


def number_table(result: QueryResult, name: str) -> tuple[list[str], list[list[str]]]:
    """What is said of a number: the heads of a table, and its rows: the answer, and the two that it joins.

    The interval is that of the mean.
    """
    rows: list[list[str]] = []
    for label, of in (("answer", "combined"), ("model", "probabilities"), ("table", "observed")):
        found = result.summary(name, of)  # type: ignore[arg-type]  # one of the three
        if found is None or (rows and result.table(name).share == 1.0):
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


def question_of(result: QueryResult) -> str:
    """P(targets | evidence)."""
    return f"P({', '.join(result.targets)}{facts_of(result, before=' | ')})"


def facts_of(result: QueryResult, before: str = " given ", without: Sequence[str] = ()) -> str:
    """What is known, in words; nothing where that is nothing."""
    given = given_text({name: known for name, known in result.evidence.items() if name not in without})
    given = ", ".join(filter(None, [f"do({given_text(result.do)})" if result.do else "", given]))
    return before + given if given else ""


def given_text(evidence: Mapping[str, Any]) -> str:
    """What is known, in words."""
    return ", ".join(_given(name, known) for name, known in evidence.items())


def _given(name: str, known: object) -> str:
    if isinstance(known, Mapping):
        weights = ", ".join(f"{state}: {float(weight):.3g}" for state, weight in known.items())
        return f"{name} ~ {{{weights}}}"
    if isinstance(known, bool) and any(sign in name for sign in _OF_EVENTS):
        return name if known else f"not ({name})"
    return describe(name, known)


def notes_of(result: QueryResult, *, theory: bool) -> list[tuple[str, str]]:
    """What a result says of itself, each note with a word of what it is about; `theory`: also how it was computed."""
    notes = [("interval", SURE), *(("known", line) for line in known_lines(result))]
    notes += _computing_notes(result) if theory else []
    if result.matching:
        joined = f"combines the table's {result.rows_said} with the model, which counts as {result.worth:,.3g} rows"
        hidden = any(table.observed is not None and np.isnan(table.observed).any() for table in result.tables)
        notes.append(("answer", joined + ("; the model's alone where counts are hidden" if hidden else "")))
    if result.evidence and result.support is not None:
        notes.append(("rows", str(result.support)))
    if result.evidence_ignored:
        notes.append(
            ("ignored", f"{', '.join(result.evidence_ignored)}: in the model it makes no difference here")
        )
    return notes


def _computing_notes(result: QueryResult) -> list[tuple[str, str]]:
    relevant = plural(len(result.closure), "relevant variable")
    ways = [way.removeprefix("exact, ") for way in result.method.split(" and ") if way != "exact"]
    how = ", ".join([*([" and ".join(ways)] if ways else []), result.scan_name])
    notes = [("method", f"{how}, {relevant}, {result.seconds:.2g} s")]
    if result.diagnostics is not None:
        largest = (
            f"error of computing up to {result.diagnostics.largest_error:.2g} (asked: {result.tolerance:.2g})"
        )
        notes.append(("sampled", f"{largest}, {result.diagnostics}"))
    return notes


def known_lines(result: QueryResult) -> list[str]:
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


def parts_of(result: QueryResult, *, bins: bool = False, theory: bool = False) -> Iterator[Part]:
    """The answer for `print` and the command; it lists the states of a number only where `bins` are wanted."""
    yield Line(question_of(result), "bold")
    for table in result.tables:
        for name in table.numbers:
            yield Grid(*number_table(result, name))
        if bins or not table.is_number:
            states = list_states(table)
            yield Grid(states.heads, states.rows, states.labels, states.shares)
            if states.left:
                yield Line(f"  {states.more}", "dim")
    yield from (f"{about:<8}  {said}" for about, said in notes_of(result, theory=theory))
    yield from (Line(f"warning: {text}", "yellow") for text in result.warnings)


def html_of(result: QueryResult) -> str:
    """The answer in a notebook: its tables, its notes, and its warnings; the bins of a number are folded."""
    tables = []
    for table in result.tables:
        numbers = "".join(notebook.table(*number_table(result, name)) for name in table.numbers)
        states = _html_states(list_states(table))
        tables.append(numbers + (notebook.fold("bins", states) if table.is_number else states))
    notes = "; ".join(f"{about}: {said}" for about, said in notes_of(result, theory=False))
    warnings = map(notebook.warning, result.warnings)
    return notebook.card(question_of(result), notebook.beside(*tables), notebook.note(notes), *warnings)


def _html_states(states: ListedStates) -> str:
    at, top = states.labels, max(states.shares, default=1.0) or 1.0
    rows: list[list[notebook.Cell]] = [
        [*row[:at], notebook.Bar(share / top), *row[at:]]
        for row, share in zip(states.rows, states.shares, strict=True)
    ]
    heads = [*states.heads[:at], "", *states.heads[at:]]
    return notebook.table(heads, rows, left=at) + (notebook.note(states.more) if states.left else "")


def frame_of(result: QueryResult, backend: Any) -> Any:
    """See `QueryResult.frame`.

    States of several types in one column (those of a yes/no beside those of a word) stay what they are in pandas; in
    frames whose columns have one type they are text.
    """
    keys: dict[str, list[Any]] = {
        name: [] for name in (result.targets if result.joint else ("target", "state"))
    }
    parts: dict[str, list[Any]] = {
        name: [] for name in ("probability", "standard_error", "observed", "combined", "low", "high")
    }
    for table in (each.flat for each in result.tables):
        for labels in table.labels:
            for name, label in zip(keys, labels if result.joint else (*table.names, *labels), strict=True):
                keys[name].append(label)
        seen = np.full(len(table.labels), np.nan) if table.observed is None else table.observed
        found = (table.law, table.errors, seen, table.answer, *table.interval().T)
        for name, values in zip(parts, found, strict=True):
            parts[name].append(values)
    clash = sorted(keys.keys() & parts.keys())
    if clash:
        raise InferenceError(
            f"the target {clash[0]!r} has the name of a column of the result. Ask for targets one by one (joint=False)."
        )
    if backend != "pandas":
        keys = {k: v if len(set(map(type, v))) == 1 else list(map(str, v)) for k, v in keys.items()}
    return frame_of_columns(
        {**keys, **{name: np.concatenate(values) for name, values in parts.items()}}, backend
    )


def frame_of_columns(columns: Mapping[str, Any], backend: Any) -> Any:
    """A frame of these columns, of the library that `backend` names."""
    import narwhals as nw

    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError as error:
        raise InferenceError(
            f"a frame of {brief(backend)} needs {error.name}; install it (pip install {error.name}), or choose another one: "
            'backend="polars".'
        ) from error
    except (TypeError, ValueError, AttributeError, AssertionError) as error:  # narwhals 2.8 asserts
        raise InferenceError(
            f'backend is "pandas", "polars" or "pyarrow"; got {brief(backend)}: {error}'
        ) from error


def hidden_cells(counts: FloatArray) -> NDArray[np.bool_]:
    """Which cells of a table of counts are hidden; see the module.

    >>> hidden_cells(np.array([40.0, 3.0, 20.0])).tolist()
    [False, True, True]
    >>> hidden_cells(np.array([40.0, 6.0])).tolist()
    [False, False]
    """
    flat = counts.ravel()
    small = int((flat < LEAST - 0.5).sum())
    hidden = np.zeros(flat.size, dtype=bool)
    if small:
        order = np.argsort(flat, kind="stable")
        sums = np.cumsum(flat[order])
        enough = int(np.searchsorted(sums, LEAST - 0.5)) + 1  # cells have `LEAST` rows together
        hidden[order[: max(small, enough, 2)]] = True
    return hidden.reshape(counts.shape)


def without_small_counts(result: QueryResult) -> QueryResult:
    """The result without counts of fewer than `LEAST` rows: `observed` is nan in cells that are hidden."""
    kept: Answer | None = None
    few = hidden = False
    if result.observed is not None and result.matching is not None:
        few = hidden = max(map(result.rows_of, result.targets)) < LEAST
        if not hidden:
            tables = {}
            for name, table in by_target(result, result.observed).items():
                hides = hidden_cells(table * result.rows_of(name)) | (result.rows_of(name) < LEAST)
                tables[name] = read_only(np.where(hides, np.nan, table))
            kept = tables if isinstance(result.observed, dict) else tables[result.targets[0]]
            hidden = any(bool(np.isnan(table).any()) for table in tables.values())
    few = few or (result.support is not None and result.support.rows < LEAST)
    dropped = {*(["rare"] if few else []), *(["difference"] if hidden else [])}
    said = [remark for remark in result.warnings if remark.kind not in dropped]
    if few:
        said.append(Remark(f"fewer than {LEAST} rows match the evidence; the number is hidden.", "rare"))
    matching = result.matching
    if isinstance(matching, dict):
        matching = {name: rows if rows >= LEAST else 0 for name, rows in matching.items()}
    missing = None
    if not hidden and result.missing_observed is not None and result.support is not None:
        rows = result.support.rows
        missing = {
            name: np.nan if 0 < share * rows < LEAST - 0.5 else share
            for name, share in result.missing_observed.items()
        }
    return replace(
        result,
        observed=kept,
        matching=None if kept is None else matching,
        missing_observed=missing,
        support=None if few else result.support,
        learned=0 if few else result.learned,
        warnings=tuple(said),
    )
