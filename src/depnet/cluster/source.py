"""Tables in parts: Parquet files by their row groups, or the partitions of a Dask data frame.

What files say of themselves, rows and columns, is known before any row is read (`Parts`).
"""

import glob
import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from depnet.arrays import IntArray
from depnet.data.frames.encode import encode
from depnet.data.table.domain import Domain
from depnet.errors import DataError, brief
from depnet.learning.grow.cuts import CutDomain
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.rows.part import Keep, Part, in_memory
from depnet.wording import nearest

MOST_ROWS = 1 << 20
FEWEST_ROWS = 1 << 15
"""Rows of a part, as far as row groups allow: many enough that a part is cheap to ask for, and some for every thread."""

PARTS = 2
"""Parts for each thread of the workers, where the rows are enough."""


@dataclass(frozen=True, slots=True)
class ParquetPart:
    """Some row groups of a file, of which every worker has a copy or sees the same."""

    path: str
    groups: tuple[int, ...]
    columns: tuple[str, ...] | None

    def load(self) -> Any:
        """A pyarrow table."""
        from pyarrow import parquet

        columns = None if self.columns is None else list(self.columns)
        return parquet.ParquetFile(self.path).read_row_groups(list(self.groups), columns=columns)


@dataclass(frozen=True, slots=True)
class FramePart:
    """A partition of a Dask data frame, as a delayed value."""

    partition: Any
    columns: tuple[str, ...] | None


TablePart = ParquetPart | FramePart


class Parts(NamedTuple):
    """The parts of a table, and what is known of it before any row is read."""

    parts: Sequence[TablePart]
    columns: int
    rows: int | None
    """None of a Dask data frame."""
    nulls: int
    """Cells that the files say are missing; numbers may be missing in other ways, too."""


def parts_of(
    source: Any,
    columns: Sequence[str] | None,
    without: Sequence[str] = (),
    rows: int | None = None,
    threads: int = 1,
) -> Parts:
    """The parts of Parquet files (a path, a pattern, a directory, or a list of them) or of a Dask data frame.

    About `rows` rows are one part; None: as many as give each of the `threads` some parts.
    """
    if hasattr(source, "to_delayed"):
        names = [str(name) for name in source.columns]
        chosen = _chosen(columns, without, names)
        parts: list[TablePart] = [FramePart(partition, chosen) for partition in source.to_delayed()]
        return Parts(parts, len(names if chosen is None else chosen), None, 0)
    groups = [group for path in _files(source) for group in _row_groups(path, columns, without)]
    total = sum(group.rows for group in groups)
    if rows is None:
        rows = min(max(total // (PARTS * threads), FEWEST_ROWS), MOST_ROWS)
    found: list[TablePart] = []
    for _, own in itertools.groupby(groups, key=lambda group: group.path):
        found += _packed(list(own), rows)
    return Parts(
        found, max((group.width for group in groups), default=0), total, sum(group.nulls for group in groups)
    )


def _files(source: Any) -> list[str]:
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        path = Path(text)
        if path.is_dir():
            found = sorted(str(each) for each in path.rglob("*.parquet"))
        elif path.exists():
            found = [text]
        else:
            found = sorted(glob.glob(text))  # noqa: PTH207  # a pattern may be absolute
        if not found:
            raise DataError(f"{text}: there is no such file, and no Parquet file in it or like it.")
        return found
    if isinstance(source, Sequence) and source:
        return [path for each in source for path in _files(each)]
    raise DataError(
        f"rows for a cluster come as Parquet files (a path, a pattern, a directory, a list) or as a Dask data frame; "
        f"got {brief(source)}. Other files: depnet.read, or convert them to Parquet."
    )


class _Group(NamedTuple):
    """A row group of a file, and its chosen columns."""

    path: str
    number: int
    rows: int
    columns: tuple[str, ...] | None
    width: int
    nulls: int


def _row_groups(path: str, columns: Sequence[str] | None, without: Sequence[str]) -> list[_Group]:
    from pyarrow import ArrowInvalid, parquet

    try:
        with parquet.ParquetFile(path) as file:
            names = [str(name) for name in file.schema_arrow.names]
            chosen = _chosen(columns, without, names)
            own = set(names if chosen is None else chosen)
            return [
                _Group(path, number, group.num_rows, chosen, len(own), _nulls(group, own))
                for number in range(file.metadata.num_row_groups)
                for group in [file.metadata.row_group(number)]
            ]
    except (ArrowInvalid, OSError) as error:
        said = str(error).rstrip(".")
        raise DataError(f"{path} is not read as Parquet: {said}. Convert it to Parquet first.") from None


def _nulls(group: Any, names: set[str]) -> int:
    """The missing cells that a row group's statistics tell of."""
    found = 0
    for place in range(group.num_columns):
        column = group.column(place)
        known = column.statistics if column.path_in_schema in names else None
        found += known.null_count or 0 if known is not None and known.has_null_count else 0
    return found


def _packed(groups: Sequence[_Group], rows: int) -> list[ParquetPart]:
    """The row groups of one file in parts of about `rows` rows."""
    parts: list[ParquetPart] = []
    numbers: list[int] = []
    filled = 0
    for group in groups:
        numbers.append(group.number)
        filled += group.rows
        if filled >= rows or group is groups[-1]:
            parts.append(ParquetPart(group.path, tuple(numbers), group.columns))
            numbers, filled = [], 0
    return parts


def _chosen(
    columns: Sequence[str] | None, without: Sequence[str], names: Sequence[str]
) -> tuple[str, ...] | None:
    """The columns to read; None: all of them."""
    for argument, given in (("columns", columns or ()), ("without", without)):
        for name in given:
            if name not in names:
                raise DataError(f"{argument}: there is no column {brief(name)}. {nearest(name, names)}")
    if columns is not None:
        return tuple(columns)
    return tuple(name for name in names if name not in without) if without else None


class Coding(NamedTuple):
    """How the rows of parts are coded that stay where they are."""

    domain: Domain
    specs: Sequence[NodeSpec]
    """The nodes that are to be grown first."""
    cuts: CutDomain | None
    """What sources may read beside the variables."""
    some: Sequence[IntArray]
    """Of each part, the rows whose levels are kept."""


def coded_part(
    frame: Any,
    number: int,
    coding: "Coding",
    in_bits: bool = True,
    keep: Keep = in_memory,
) -> Part:
    """A part whose rows are in `frame`; values are missing only where the domain has a state for that."""
    table = encode(frame, coding.domain, levels=coding.some[number])
    dataset = table.dataset()
    if keep is not in_memory:
        dataset = type(dataset)(coding.domain, keep(dataset.codes))
    return Part(dataset, coding.specs, number, in_bits, keep, coding.cuts, table.levels)
