"""`depnet sql`: a model and tables, asked in SQL."""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Run, command, option, output
from depnet.cli.files import UNKNOWN, check_output, check_table, dialect, load_models, text_options
from depnet.wording import Grid, Line, plural

if TYPE_CHECKING:
    import duckdb

LISTED = 100
"""Rows that are printed; all are written."""


@command(
    "depnet sql model.json \"SELECT *, depnet_probability('survived = Yes', t) AS p FROM people t\" --data people.csv",
    "depnet sql model.json \"FROM depnet_sample(1000, given := 'survived = Yes')\" -o rows.parquet",
)
@click.argument("model")
@click.argument("query")
@option(
    "--data tables",
    "A table to ask about, named after its file (without the ending) or by NAME=FILE; may be repeated.",
    multiple=True,
    metavar="[NAME=]TABLE",
)
@option("--name", "The prefix of the model's functions.", default="depnet")
@output("A table of the result.")
@UNKNOWN
@text_options
def sql(run: Run, model: str, query: str, tables: tuple[str, ...], name: str, unknown: str) -> None:
    """Ask a model in SQL about rows of any table (docs/sql.md).

    QUERY is DuckDB's SQL, with depnet_probability, depnet_expected, depnet_quantile, depnet_most_likely, depnet_odd,
    depnet_why and depnet_fill for the rows of a table, and depnet_sample, depnet_links and depnet_columns as tables. It
    may also read files itself: FROM 'people.parquet'.
    """
    import duckdb
    import pyarrow as pa

    from depnet.data.files.table import first_line
    from depnet.doors.sql import register, view_file
    from depnet.files import scratch_folder

    found = load_models(model)
    with scratch_folder() as scratch, duckdb.connect() as connection:
        connection.execute("SET autoinstall_known_extensions = false")
        register(connection, found, name, handle_unknown="missing" if unknown == "missing" else "error")
        for place, each in enumerate(tables):
            given, sign, path = each.partition("=")
            if not sign or Path(each).exists():
                given, path = Path(each).name.split(".")[0], each
            check_table(path)
            check_output(run.output, run.force, [path])
            own = scratch / str(place)
            own.mkdir()
            view_file(connection, given, path, dialect(), own)
        try:
            relation: Any = connection.sql(query)  # None of a statement that has no result
            table = pa.table({}) if relation is None else relation.to_arrow_table()
        except duckdb.Error as error:
            raise click.ClickException(_sentence(first_line(error))) from error
        if run.output is not None:
            _write(connection, table, run)
    rows = table.to_pylist() if run.as_json and run.output is None else table.slice(0, LISTED).to_pylist()
    document = {"rows": table.num_rows, "columns": table.column_names}
    if run.output is not None:
        run.answer(document, f"{plural(table.num_rows, 'row')} written to {run.output}")
        return
    more = [Line(f"and {plural(table.num_rows - LISTED, 'more row')}; -o writes all", "dim")]
    run.answer({**document, "table": rows}, _grid(table, rows), *(more if table.num_rows > LISTED else ()))


def _sentence(said: str) -> str:
    """What is said of an error: the library's own message, where it comes from a function of the model."""
    _, inside, message = said.partition("Python exception occurred while executing the UDF: ")
    text = message.partition(": ")[2] if inside else said
    return text if text.endswith((".", "?")) else f"{text}."


def _write(connection: "duckdb.DuckDBPyConnection", table: Any, run: Run) -> None:
    """Write the result; whatever SQL has, lists and structs too, is written as DuckDB writes it."""
    from depnet.data.files.fill import WRITERS
    from depnet.data.files.table import text_literal
    from depnet.data.files.write import format_of, table_file

    connection.register("result_of_query", table)
    if run.place == "-":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(table.column_names)
        writer.writerows(row.values() for row in table.to_pylist())
        return
    chosen, zipped = format_of(run.place, None if Path(run.place).suffix else "csv")
    packed = ", COMPRESSION gzip" if zipped else ""
    with table_file(run.place, force=run.force) as target:
        connection.execute(f"COPY result_of_query TO {text_literal(str(target))} ({WRITERS[chosen]}{packed})")


def _grid(table: Any, rows: list[dict[str, Any]]) -> Grid:
    numbers = [
        str(kind).startswith(("int", "uint", "float", "double", "decimal", "half"))
        for kind in table.schema.types
    ]
    cells = [[_cell(value) for value in row.values()] for row in rows]
    return Grid(table.column_names, cells, left=[not number for number in numbers])


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_cell(part)}" for name, part in value.items())
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
