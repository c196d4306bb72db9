"""Tables as CSV to download, safe to open in a spreadsheet.

A spreadsheet takes a cell that begins with =, +, -, @, a tab or a carriage return for a formula, and labels are
whatever a table held. Such text gets an apostrophe before it; numbers, negative ones too, stay as they are.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The table, missing values as empty cells."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_guarded(name) for name in header])
    writer.writerows([_guarded(value) for value in row] for row in rows)
    return file.getvalue()


def _guarded(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(FORMULA) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
