"""Tables as CSV to download, safe to open in a spreadsheet (`depnet.data.files.spreadsheet`)."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from depnet.data.files.spreadsheet import guarded


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The table, missing values as empty cells."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([guarded(name) for name in header])
    writer.writerows([guarded(value) for value in row] for row in rows)
    return file.getvalue()
