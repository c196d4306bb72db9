"""A spreadsheet of Excel's (.xlsx): its first sheet as a CSV file, values as they were last computed (extra `excel`).

A workbook is a zip archive of XML, so a small file may unpack to a very large one: what is unpacked is bounded before
anything is read, and cells as they come.
"""

import csv
import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

from depnet.errors import DataError

MOST_BYTES = 500 * 10**6
"""The largest size of all parts of a workbook together, unpacked."""

MOST_CELLS = 100 * 10**6

ERRORS = frozenset(("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"))
"""What a cell says whose formula has no value: it is missing."""


def is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False


def write_sheet(path: Path, name: str, target: Path) -> None:
    """Write the first sheet to `target` as CSV. Its first line that has a value names the columns."""
    try:
        import openpyxl
    except ImportError:
        raise DataError(
            f"{name}: spreadsheets are read with openpyxl: pip install 'depnet[excel]'. Or save the sheet as CSV."
        ) from None
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > MOST_BYTES:
        raise DataError(
            f"{name}: the workbook has {unpacked:,} bytes when it is unpacked; {MOST_BYTES:,} at most are read. Save the "
            "sheet as CSV."
        )
    try:
        with path.open("rb") as raw, target.open("w", encoding="utf-8", newline="") as file:
            sheet = openpyxl.load_workbook(raw, read_only=True, data_only=True).worksheets[0]
            sheet.reset_dimensions()  # a file may claim any
            _copy(sheet.iter_rows(values_only=True), csv.writer(file), name)
    except DataError:
        raise
    except Exception as error:  # whatever a damaged archive makes of the library
        raise DataError(
            f"{name}: this workbook cannot be read ({type(error).__name__}). Save the sheet as CSV, and read that."
        ) from error


def _copy(rows: Any, writer: Any, name: str) -> None:
    """The rows that have a value, as wide as the line of names."""
    width = cells = 0
    for row in rows:
        if width == 0:
            width = max((place for place, value in enumerate(row, 1) if value is not None), default=0)
        cells += max(width, len(row))
        if cells > MOST_CELLS:
            raise DataError(f"{name}: the sheet has more than {MOST_CELLS:,} cells. Save it as CSV.")
        if any(value is not None for value in row):
            cut = [cell_text(value) for value in row[:width]]
            writer.writerow([*cut, *[""] * (width - len(cut))])


def cell_text(value: Any) -> str:
    """A value as a CSV file has it.

    >>> cell_text(None), cell_text(True), cell_text(2.5), cell_text(dt.datetime(2024, 5, 1)), cell_text("#N/A")
    ('', 'true', '2.5', '2024-05-01', '')
    """
    if value is None or value in ERRORS:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return value.date().isoformat() if midnight else value.isoformat(" ")
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return str(value)
