"""Why a text file cannot be read: the line, what is there, what to do. Slow and careful, after the fact."""

import contextlib
import csv
import io
import itertools
import json
from collections.abc import Iterator, Sequence

from depnet.data.files.source import MAX_LINE, Source, find_bad_bytes
from depnet.errors import DataError, Hint, brief


def _records(source: Source, delimiter: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """The records of a CSV file in UTF-8, empty lines left out, each with the line on which it begins.

    A `csv.Error` has the line on which a record begins that is none, and why.
    """
    with source.open() as raw:
        text = io.TextIOWrapper(raw, "utf-8-sig", newline="")
        begins = 1
        reader = csv.reader(_lines(text), delimiter=delimiter, strict=strict)
        try:
            for record in reader:
                if record:
                    yield begins, record
                begins = reader.line_num + 1
        except csv.Error as error:
            raise csv.Error(begins, str(error)) from None


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a text, none of which is kept that is longer than a row may be."""
    while line := text.readline(MAX_LINE):
        if len(line) == MAX_LINE and not line.endswith(("\n", "\r")):
            raise csv.Error(f"the line is longer than {MAX_LINE:,} characters, too long for a row of a table")
        yield line


def diagnose_csv(source: Source, fields: int, delimiter: str) -> DataError | None:
    """The first thing wrong with a CSV file in UTF-8, or None."""
    wrong = find_bad_bytes(source, "utf-8")
    if wrong is not None:
        return wrong
    try:
        for begins, record in _records(source, delimiter, strict=True):
            if len(record) != fields:
                return _ragged_error(source, begins, record, fields, delimiter)
    except csv.Error as error:
        begins, said = error.args
        if "field limit" in said:
            return None
        if "unexpected end of data" in said:
            said = 'a quote (") opens here and never closes. Close it, or double a quote that is part of the text'
        return DataError(f"{source.name}, line {begins:,}: {said}.")
    return None


def _ragged_error(source: Source, line: int, record: Sequence[str], fields: int, delimiter: str) -> DataError:
    what_to_do = "Put fields that hold it in quotes" if len(record) > fields else "Complete the line"
    return DataError(
        f"{source.name}, line {line:,} has {len(record):,} field{'s' * (len(record) != 1)}; expected {fields:,}, as in "
        f"the first line, with {_DELIMITER_NAMES.get(delimiter, brief(delimiter))} between them. It begins with "
        f"{brief(delimiter.join(record), 60)}. {what_to_do}",
        Hint("delimiter", ..., lead=", or say what is between them with "),
        ".",
    )


_DELIMITER_NAMES = {"\t": "a tab", ",": "a comma", ";": "a semicolon"}


def diagnose_json(source: Source) -> DataError | None:
    """The first line that is no JSON object, or None."""
    wrong = find_bad_bytes(source, "utf-8")
    if wrong is not None:
        return wrong
    with source.open() as raw:
        text = io.TextIOWrapper(raw, "utf-8-sig")
        try:
            for number, line in enumerate(_lines(text), 1):
                if number == 1 and line.lstrip().startswith("["):
                    return None  # one array: not by lines
                said = _not_an_object(line) if line.strip() else None
                if said is not None:
                    return DataError(f"{source.name}, line {number:,}{said}")
        except csv.Error as error:
            return DataError(f"{source.name}: {error}.")
    return None


def _not_an_object(line: str) -> str | None:
    try:
        value = json.loads(line, object_pairs_hook=_once)
    except DataError as error:
        return f": {error}"
    except (ValueError, RecursionError) as error:
        return f" is not JSON ({error}). JSON lines have one object a line."
    if isinstance(value, dict):
        return None
    return f": expected an object, {{...}}, as JSON lines have; got {brief(value)}."


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the field {brief(twice)} occurs twice. Names must differ.")
    return fields


def line_of_row(source: Source, delimiter: str, row: int, *, header: bool) -> int | None:
    """The line on which row `row` (from 0) of a CSV file begins; None where that is not known."""
    lines = (begins for begins, _ in _records(source, delimiter))
    with contextlib.suppress(csv.Error):
        return next(itertools.islice(lines, row + header, None), None)
    return None
