"""A table in a file, opened: its columns as DuckDB has them, for `describe` and `encode`.

Numbers, and the text of tables that are not long, are fetched, some columns at a time, as many as fit in memory: they
are columns like those of a frame from then on. Labels of a long table are counted and coded by the engine: its text never
becomes Python's.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.data.files.engine import MAX_COLUMNS, answer, text_literal
from depnet.data.files.kinds import FileColumn
from depnet.data.table.codes import HIDDEN, UNKNOWN, Coded
from depnet.data.table.columns import Column, column_of_numbers, column_of_objects
from depnet.data.table.layout import ColumnLayout, FrameKind
from depnet.data.table.open import Opened
from depnet.data.table.variable import MAX_CARDINALITY, Variable, text_of
from depnet.data.table.variables import StateOptions, Summary
from depnet.errors import DataError, Hint, brief

if TYPE_CHECKING:
    import duckdb

SHORT_ROWS = 20_000
"""Up to here a table is short: to fetch its text takes less time than queries do."""

_SHORT_CELLS = 2_000_000
"""Cells of a short table that are fetched at once."""

_NUMBER_BYTES = 32
"""A number on its way: in the engine, in numpy, without its holes, sorted."""


class FileTable(Opened):
    """Some `columns` of a `relation` of the engine, of the `file` of that name; `width`: how many a query may read."""

    kind: FrameKind = "dicts"

    def __init__(
        self,
        file: str,
        connection: "duckdb.DuckDBPyConnection",
        columns: Sequence[FileColumn],
        relation: str,
        rows: int,
        memory: int,
        width: int,
    ) -> None:
        super().__init__([column.name for column in columns], rows)
        self.file = file
        self.connection, self.columns, self.relation = connection, tuple(columns), relation
        cells = _SHORT_CELLS // rows if rows <= SHORT_ROWS else memory // (2 * rows * _NUMBER_BYTES)
        self._at_once = max(1, min(width, cells))
        self._ahead: dict[int, Any] = {}
        self._counted: dict[int, Any] = {}

    def layout(self, place: int) -> ColumnLayout:  # as `Opened` says
        column = self.columns[place]
        return ColumnLayout(column.name, column.kind, form=column.form)

    def summary(self, place: int, options: StateOptions) -> Summary:
        if not self._is_counted(place):
            return Summary.of(self.column(place))  # what its text says was found in the file
        column, value, source = self.columns[place], f"v{place}", self._of([place])
        present, about = self._counts()[place]
        shown = f"SELECT {value}, count(*) AS times FROM {source} WHERE {value} IS NOT NULL GROUP BY {value}"
        different = None
        if about > 2 * MAX_CARDINALITY:  # more than a variable has states: the most frequent ones
            most = MAX_CARDINALITY if options.as_they_are(column.name) else options.max_states
            ((different,),) = self._ask(f"SELECT count(DISTINCT {value}) FROM {source}")
            shown += f" ORDER BY times DESC, {value} LIMIT {most}"
        times = dict(self._ask(shown))
        self._check_text(place, times)
        first = 0
        if options.missing == "error" and present < self.rows:
            first = self._first_row(place, f"{value} IS NULL")
        labels = tuple(times) if column.categories is None else column.categories
        return Summary(
            column.name,
            column.kind,
            self.rows,
            self.rows - present,
            first,
            labels,
            column.categories is not None,
            counts=tuple(times.get(str(label), 0) for label in labels),
            different=len(times) if different is None else different,
            ordered=column.ordered,
        )

    def _counts(self) -> Mapping[int, tuple[int, int]]:
        """Of each column of labels that is counted, how many values it has, and about how many different ones."""
        if not self._counted:
            places = [place for place in range(len(self.columns)) if self._is_counted(place)]
            for start in range(0, len(places), MAX_COLUMNS):
                some = places[start : start + MAX_COLUMNS]
                asked = ", ".join(f"count(v{place}), approx_count_distinct(v{place})" for place in some)
                (found,) = self._ask(f"SELECT {asked} FROM {self._of(some)}")
                self._counted |= dict(zip(some, zip(found[::2], found[1::2], strict=True), strict=True))
        return self._counted

    def coded(self, place: int, variable: Variable) -> Coded:
        if not self._is_counted(place):
            return super().coded(place, variable)
        codes = self._codes_of_texts(place, variable)
        known, value = list(codes), f"v{place}"
        rest, gone = len(known), len(known) + 1
        code = f"CASE WHEN {value} IS NULL THEN {gone} ELSE {rest} END"
        listed = ", ".join(map(text_literal, known))
        if known:  # to cast what is no member of an enumeration takes very long
            self.connection.execute(f"CREATE OR REPLACE TYPE known AS ENUM ({listed})")
            code = f"coalesce(enum_code(CAST(CASE WHEN {value} IN ({listed}) THEN {value} END AS known)), {code})"
        whole = "UTINYINT" if gone < 2**8 else "USMALLINT" if gone < 2**16 else "UINTEGER"
        found = self.connection.execute(f"SELECT CAST({code} AS {whole}) AS id FROM {self._of([place])}")
        ids = found.fetchnumpy()["id"]
        other = UNKNOWN if variable.other is None else variable.code(variable.other)
        coded = Coded.of([*codes.values(), other, HIDDEN], ids, variable)
        if coded.unknown is not None:
            row = int(coded.unknown[0])
            ((example,),) = self._ask(f"SELECT {value} FROM {self._of([place])} LIMIT 1 OFFSET {row}")
            return coded._replace(example=example)
        if variable.bins is not None:
            return coded._replace(numbers=np.array([*map(variable.bins.number, known), 0, 0])[ids])
        return coded

    def _codes_of_texts(self, place: int, variable: Variable) -> Mapping[str, int]:
        """The codes of the texts that a variable knows: its states, or of bins whatever is there and lies in one."""
        find = variable.finder()
        texts: Iterable[str] = map(text_of, variable.states)
        if variable.bins is not None:
            texts = (
                text for (text,) in self._ask(f"SELECT DISTINCT v{place} FROM {self._of([place])}") if text
            )
        return {text: code for text in texts if (code := find(text)) is not None and "\0" not in text}

    def _is_counted(self, place: int) -> bool:
        """Is it a column of labels that the engine counts and codes?"""
        return self.columns[place].kind == "label" and self.rows > SHORT_ROWS

    def _read(self, place: int) -> Column:
        column, layout = self.columns[place], self.layout(place)
        if column.kind == "empty":
            return Column(layout, np.ones(self.rows, dtype=bool))
        if place not in self._ahead:
            self._fetch(place)
        cells = self._ahead.pop(place)
        if column.kind != "label":
            return column_of_numbers(layout, np.ma.getdata(cells), np.ma.getmaskarray(cells))
        found = column_of_objects(column.name, cells.tolist(), None)
        self._check_text(place, found.labels)
        if column.categories is None or found.ids is None:
            return replace(
                found, declared=column.categories is not None, labels=column.categories or found.labels
            )
        places = {str(label): k for k, label in enumerate(column.categories)}
        ids = np.array([*(places[label] for label in found.labels), -1])[found.ids]
        return replace(found, ids=ids, labels=column.categories, declared=True, ordered=column.ordered)

    def _fetch(self, place: int) -> None:
        """Fetch a column, and those after it for which there is room."""
        wanted = (
            p
            for p in range(place, len(self.columns))
            if not self._is_counted(p) and self.columns[p].kind != "empty"
        )
        places = list(itertools.islice(wanted, self._at_once))
        found = self.connection.execute(f"SELECT * FROM {self._of(places)}").fetchnumpy()
        self._ahead = {p: found.pop(f"v{p}") for p in places}

    def _of(self, places: Iterable[int]) -> str:
        """A relation with the columns v3, v8, ... for the places 3, 8, ...; no more, for there may be very many."""
        values = ", ".join(f"{self.columns[place].value} AS v{place}" for place in places)
        return f"(SELECT {values} FROM {self.relation})"

    def _ask(self, sql: str) -> list[tuple[Any, ...]]:
        return answer(self.connection, sql)

    def _first_row(self, place: int, condition: str) -> int:
        """The number of the first row, from 0, of which this holds."""
        rows = f"SELECT row_number() OVER () - 1 AS row, {condition} AS found FROM {self._of([place])}"
        ((row,),) = self._ask(f"SELECT row FROM ({rows}) WHERE found ORDER BY row LIMIT 1")
        return int(row)

    def _check_text(self, place: int, labels: Iterable[str]) -> None:
        for label in labels:
            if "\0" in label:
                row = self._first_row(place, f"contains(v{place}, chr(0))")
                raise DataError(
                    f"column {self.names[place]!r}, row {row}: {brief(label)} holds a NUL byte, which no text has. "
                    "The file is damaged",
                    Hint("encoding", "utf-16", lead=", or in another encoding: "),
                    " perhaps.",
                )
