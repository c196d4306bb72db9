"""SQL: a model's functions in a DuckDB connection.

DuckDB hands over vectors of up to 2,048 rows as Arrow arrays, so that a thousand rows are one call, and its functions of
Python know no names of arguments: each is called through a macro, which does. Macros are temporary, so nothing is written
into the caller's database. `given` is a row, which to DuckDB is a struct, or evidence as text.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.data.files.fill import reader_sql
from depnet.data.files.source import Dialect, find_source
from depnet.data.files.table import identifier
from depnet.data.files.write import ARROW_TYPES, SQL_TYPES
from depnet.data.table.encode import HandleUnknown
from depnet.data.table.variable import Domain, Variable
from depnet.doors.rows import RowModel, model_of, plain_layout
from depnet.errors import DataError, InferenceError, brief
from depnet.learning.links import links
from depnet.model.evidence import Given
from depnet.model.given_text import names_of, read_given
from depnet.model.model import Model
from depnet.wording import pick

if TYPE_CHECKING:
    import duckdb

FIRST = itertools.count()
"""Functions of Python belong to the whole database, where no two may have one name; macros are a connection's own."""

TYPES = {**SQL_TYPES, "duration": "INTERVAL"}
"""The types of a row's cells in SQL, by their kinds; of all others text."""

WORDS_OF_TRUE, WORDS_OF_FALSE = frozenset({"yes", "y", "true", "t"}), frozenset({"no", "n", "false", "f"})
"""What DuckDB takes for truth values where it reads a file itself."""

WHY = 'STRUCT("column" VARCHAR, "value" VARCHAR, expected VARCHAR, odd DOUBLE)'
LINKS = "STRUCT(source VARCHAR, target VARCHAR, strength DOUBLE)[]"
COLUMNS = (
    "STRUCT(name VARCHAR, kind VARCHAR, states BIGINT, least VARCHAR, greatest VARCHAR, missing DOUBLE)[]"
)


def register(
    connection: "duckdb.DuckDBPyConnection",
    model: Any,
    name: str = "depnet",
    *,
    handle_unknown: HandleUnknown = "error",
    tolerance: float = 0.01,
) -> None:
    """Make a model's answers functions of a DuckDB connection (docs/sql.md has each of them).

    `NAME_probability`, `NAME_expected`, `NAME_quantile` and `NAME_most_likely` answer a question for each row of any table,
    `NAME_odd` and `NAME_why` say how unusual a row is, `NAME_fill` fills its holes; `NAME_sample`, `NAME_links` and
    `NAME_columns` are tables. A NULL is unknown.

    Args:
        connection: the connection; its functions are there until it is closed.
        model: a fitted `DependencyNetwork`, a `Network`, or the name of a model file.
        name: what the functions' names begin with, so that several models stand side by side.
        handle_unknown: values that the model has never seen are an "error", or taken for "missing" ones.
        tolerance: what is sampled is sampled until every standard error is under this.

    >>> import duckdb, depnet
    >>> model = depnet.DependencyNetwork(random_state=0).fit(depnet.titanic())
    >>> with duckdb.connect() as connection:
    ...     depnet.register(connection, model, "titanic")
    ...     asked = "SELECT round(titanic_probability('survived = Yes', {'sex': 'female', 'class': '1st'}), 2)"
    ...     connection.sql(asked).fetchall()
    [(0.97,)]
    """
    from duckdb.func import ARROW, SPECIAL

    if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)):
        raise DataError(f"name is letters, digits and underscores, as SQL has them; got {brief(name)}.")
    rows = RowModel(model_of(model), handle_unknown=handle_unknown, tolerance=tolerance)
    row_type = f"STRUCT({', '.join(_cells(rows.domain))})"
    functions = Functions(rows)
    given, default = "given, without", "given := NULL, without := NULL"
    for function, arguments, parameters, returned, volatile in (
        ("probability", f"target, {given}", f"target, {default}", "DOUBLE", False),
        ("expected", f"target, {given}", f"target, {default}", "DOUBLE", False),
        ("most_likely", f"target, {given}", f"target, {default}", "VARCHAR", False),
        ("quantile", f"target, {given}, level::DOUBLE", f"target, level, {default}", "DOUBLE", False),
        ("odd", "given", "given", "DOUBLE", False),
        ("why", "given", "given", WHY, False),
        ("fill", "given", "given", row_type, False),
        ("sample", "i, given, seed::BIGINT", "n, given := NULL, seed := NULL", row_type, True),
        ("links", "0", "", LINKS, False),
        ("columns", "0", "", COLUMNS, False),
    ):  # fmt: skip
        own = f"__depnet_{next(FIRST)}_{function}"
        connection.create_function(
            own,
            _without_places(getattr(functions, function, None) or partial(functions.ask, function)),
            None,
            returned,
            type=ARROW,
            null_handling=SPECIAL,
            side_effects=volatile,
        )
        called = f"{own}({arguments})"
        if function == "sample":  # drawn once, not once for each column that is looked at
            drawn = f"SELECT {called} AS one FROM range(n) numbers(i)"
            called = f"TABLE WITH drawn AS MATERIALIZED ({drawn}) SELECT unnest(one) FROM drawn"
        elif returned.endswith("[]"):
            called = f"TABLE SELECT unnest(one) FROM (SELECT unnest({called}) AS one)"
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {name}_{function}({parameters}) AS {called}")


def view_file(
    connection: "duckdb.DuckDBPyConnection", name: str, path: str, dialect: Dialect, scratch: Path
) -> None:
    """Make a file a view of the connection, read as depnet reads files: cells such as NA are missing."""
    rows = reader_sql(find_source(path, scratch), dialect, scratch)
    connection.execute(f"CREATE TEMP VIEW {identifier(name)} AS SELECT * FROM {rows}")


class Functions:
    """What DuckDB calls, with Arrow arrays of one length; each gives an array of it back."""

    def __init__(self, rows: RowModel) -> None:
        try:
            import pyarrow as pa  # noqa: F401
        except ModuleNotFoundError as error:
            raise DataError(
                "SQL needs the extra `sql` (pyarrow). Install it: pip install 'depnet[sql]'"
            ) from error
        self.rows = rows
        self.layout = plain_layout(rows.domain, "pyarrow")

    def ask(self, what: str, *question: Any) -> Any:
        import pyarrow as pa

        found = self._answers(what, *question)
        if what == "most_likely":
            return pa.array([None if label is None else str(label) for label in found], pa.string())
        return pa.array(np.array(found, dtype=np.float64), from_pandas=True)  # None is NaN, and no number

    def odd(self, given: Any) -> Any:
        import pyarrow as pa

        return pa.array(self.rows.odd(self._frame("odd", given)))

    def why(self, given: Any) -> Any:
        import pyarrow as pa

        cells = [pa.field(name, pa.string()) for name in ("column", "value", "expected")]
        of_cell = pa.struct([*cells, pa.field("odd", pa.float64())])
        return pa.array(self.rows.why(self._frame("why", given)), of_cell)

    def fill(self, given: Any) -> Any:
        import pyarrow as pa

        frame, schema = self._frame("fill", given), self._schema()
        columns = [
            frame.column(field.name) if field.name in frame.column_names else pa.nulls(len(frame), field.type)
            for field in schema
        ]
        whole = pa.table(columns, names=schema.names)
        return self._structs(self.rows.fill(whole, self.layout))

    def sample(self, number: Any, given: Any, seed: Any) -> Any:
        known, chosen = self._evidence(given), seed[0].as_py()
        # Each vector has draws of its own, which are those of the seed and of its place.
        rng = np.random.default_rng(None if chosen is None else [int(chosen), number[0].as_py()])
        return self._structs(self.rows.draw(len(number), known, self.layout, rng))

    def links(self, _: Any) -> Any:
        import pyarrow as pa

        each = [pick(link, "source", "target", "strength") for link in links(self.rows.model.network)]
        return pa.array([each], _listed(pa, source="string", target="string", strength="float64"))

    def columns(self, _: Any) -> Any:
        import pyarrow as pa

        texts = dict.fromkeys(("name", "kind", "states", "least", "greatest"), "string")
        types = _listed(pa, **texts | {"states": "int64", "missing": "float64"})
        return pa.array([describe_columns(self.rows.model)], types)

    def _answers(self, what: str, target: Any, given: Any, without: Any, *level: Any) -> Sequence[Any]:
        """An answer for each row; the rows of one question, which mostly are all, are answered together."""
        import pyarrow as pa

        as_text = pa.types.is_string(given.type)
        frame = None if as_text or pa.types.is_null(given.type) else self._frame(what, given)
        texts = given.to_pylist() if as_text else [None] * len(target)
        asked = zip(
            target.to_pylist(), _names(without), texts, *(one.to_pylist() for one in level), strict=True
        )
        questions: dict[Any, list[int]] = {}
        for place, question in enumerate(asked):
            questions.setdefault(question, []).append(place)
        found: list[Any] = [None] * len(target)
        for (text, left, known, *levels), places in questions.items():
            answers: Sequence[Any] = [None] * len(places)
            if text is not None and known is not None:
                evidence = read_given(known, self.rows.domain)
                answers = [self.rows.answer(what, text, evidence, left, *levels)] * len(places)
            elif text is not None:
                some = frame if frame is None or len(places) == len(target) else frame.take(places)
                answers = self.rows.ask(what, text, some, len(places), left, *levels)
            for place, answer in zip(places, answers, strict=True):
                found[place] = answer
        return found

    def _frame(self, who: str, given: Any) -> Any:
        """A table of the rows of a struct; names of columns are the model's own, whatever their case is in SQL."""
        import pyarrow as pa
        import pyarrow.compute

        if not pa.types.is_struct(given.type):
            raise InferenceError(
                f"{who} takes a row, by the name of its table (`FROM people` has the row `people`) or as "
                f"{{'column': value}}; got {given.type}."
            )
        own = {name.casefold(): name for name in self.rows.domain.names}
        names = [own.get(field.name.casefold(), field.name) for field in given.type]
        columns = dict(zip(names, given.flatten(), strict=True))
        known = {name: column for name, column in columns.items() if name in own.values()}
        for name, column in known.items():
            if pa.types.is_decimal(column.type):  # as SQL reads 1.5
                known[name] = column.cast(pa.float64())
            elif pa.types.is_boolean(column.type):  # as DuckDB reads a CSV file's Yes and No
                variable = self.rows.domain.variables[self.rows.domain.index(name)]
                words = [_word(variable, WORDS_OF_TRUE), _word(variable, WORDS_OF_FALSE)]
                if None not in words:
                    known[name] = pa.compute.if_else(column, *words)
        return pa.table(known or columns)

    def _evidence(self, given: Any) -> Given | None:
        import pyarrow as pa

        first = given[0].as_py()
        if first is None:
            return None
        if pa.types.is_string(given.type):
            return read_given(first, self.rows.domain)
        row = self._frame("sample", given).slice(0, 1).to_pylist()[0]
        return {name: value for name, value in row.items() if value is not None}

    def _schema(self) -> Any:
        import pyarrow as pa

        types = [(str(c.key), ARROW_TYPES.get(c.kind, "string")) for c in self.layout.columns]
        return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in types])

    def _structs(self, table: Any) -> Any:
        import pyarrow as pa

        cast = table.cast(self._schema())
        return pa.StructArray.from_arrays(
            [column.combine_chunks() for column in cast.columns], fields=list(cast.schema)
        )


def _word(variable: Variable, words: frozenset[str]) -> str | None:
    """The only state of text that is one of some words."""
    found = [state for state in variable.states if isinstance(state, str) and state.casefold() in words]
    return found[0] if len(found) == 1 else None


def _without_places(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose errors name no row: what it counts are rows of a vector, which nobody sees."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except DataError as error:
            raise DataError(re.sub(r", row \d+:", ":", str(error))) from None

    return call


def describe_columns(model: Model) -> list[dict[str, Any]]:
    counts, variables = model.counts, model.domain.variables
    missing: list[float | None] = [None] * len(variables)
    if counts is not None and counts.total:
        states = [0 if v.missing is None else int(counts.singles[i][-1]) for i, v in enumerate(variables)]
        missing = [(int(holes) + own) / counts.total for holes, own in zip(counts.holes, states, strict=True)]
    return [_describe(variable, share) for variable, share in zip(variables, missing, strict=True)]


def _describe(variable: Variable, missing: float | None) -> dict[str, Any]:
    states, bins = variable.present_states, variable.bins
    kind = (
        variable.scale if bins is None else {"integer": "number", "float": "number"}.get(bins.kind, bins.kind)
    )
    ends: tuple[Any, Any] = (None, None)
    if bins is not None:
        ends = bins.text(bins.quantiles[0][0]), bins.text(bins.quantiles[-1][-1])
    elif variable.scale == "number":
        ends = str(states[0]), str(states[-1])
    return {
        "name": variable.name,
        "kind": kind,
        "states": len(states),
        "least": ends[0],
        "greatest": ends[1],
        "missing": missing,
    }


def _cells(domain: Domain) -> list[str]:
    """The cells of a row in SQL, whose names know no case."""
    folded: dict[str, str] = {}
    for name in domain.names:
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            raise DataError(f"the columns {other!r} and {name!r} are one name in SQL. Rename one of them.")
    columns = plain_layout(domain, "pyarrow").columns
    return [f"{identifier(str(c.key))} {TYPES.get(c.kind, 'VARCHAR')}" for c in columns]


def _listed(pa: Any, **types: str) -> Any:
    return pa.list_(pa.struct([(name, getattr(pa, kind)()) for name, kind in types.items()]))


def _names(without: Any) -> list[tuple[str, ...]]:
    """The names of columns in each row: a text with commas, a list, or none."""
    read: dict[Any, tuple[str, ...]] = {None: ()}
    found = []
    for value in without.to_pylist():
        key = tuple(value) if isinstance(value, list) else value
        if key not in read:
            read[key] = key if isinstance(key, tuple) else tuple(names_of(str(key)))
        found.append(read[key])
    return found
