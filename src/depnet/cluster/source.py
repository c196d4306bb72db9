"""Tables in chunks: Parquet files by their row groups, or the partitions of a Dask data frame.

What files say of themselves, rows and columns, is known before any row is read, and before any worker is asked
(`open_table`). How large a chunk is depends on how many there are to read it (`OpenedTable.chunks`).
"""

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from depnet.errors import DataError, brief
from depnet.wording import nearest

MOST_ROWS = 1 << 20
FEWEST_ROWS = 1 << 15
"""Rows of a chunk, as far as row groups allow: many enough that a chunk is cheap to ask for, and some for every thread."""

CHUNKS = 2
"""Chunks for each thread of the workers, where the rows are enough."""


@dataclass(frozen=True, slots=True)
class ParquetChunk:
    """Some row groups of a file, of which every worker has a copy or sees the same."""

    path: str
    groups: tuple[int, ...]
    columns: tuple[str, ...] | None

    def load(self) -> Any:
        """A pyarrow table."""
        from pyarrow import parquet

        columns = None if self.columns is None else list(self.columns)
        return parquet.ParquetFile(self.path).read_row_groups(list(self.groups), columns=columns)

    def delayed(self) -> Any:
        """The frame as a value that Dask computes."""
        from dask.delayed import delayed

        return delayed(self.load, pure=False)()


@dataclass(frozen=True, slots=True)
class FrameChunk:
    """A partition of a Dask data frame, as a delayed value."""

    partition: Any
    columns: tuple[str, ...] | None

    def load(self) -> Any:
        return self.delayed().compute()

    def delayed(self) -> Any:
        return self.partition if self.columns is None else self.partition[list(self.columns)]


Chunk = ParquetChunk | FrameChunk


class _File(NamedTuple):
    """What a Parquet file says of itself: the columns that are read, and the rows of its row groups."""

    path: str
    names: tuple[str, ...]
    columns: tuple[str, ...] | None
    groups: Sequence[int]

    def chunks(self, rows: int) -> list[Chunk]:
        chunks: list[Chunk] = []
        numbers: list[int] = []
        filled = 0
        for number, size in enumerate(self.groups):
            numbers.append(number)
            filled += size
            if filled >= rows or number == len(self.groups) - 1:
                chunks.append(ParquetChunk(self.path, tuple(numbers), self.columns))
                numbers, filled = [], 0
        return chunks


@dataclass(frozen=True, slots=True, eq=False)
class OpenedTable:
    """What is known of a table before any row is read."""

    names: tuple[str, ...]
    """Of the columns that are read."""
    rows: int | None
    """None of a Dask data frame."""
    _files: Sequence[_File] = ()
    _frame: Sequence[FrameChunk] = ()

    def chunks(self, rows: int | None = None, threads: int = 1) -> Sequence[Chunk]:
        """Its chunks, of about `rows` rows each; None: as many as give each of the `threads` some."""
        if self.rows is None:
            return self._frame
        if rows is None:
            rows = min(max(self.rows // (CHUNKS * threads), FEWEST_ROWS), MOST_ROWS)
        return [chunk for file in self._files for chunk in file.chunks(rows)]


def open_table(source: Any, columns: Sequence[str] | None, without: Sequence[str] = ()) -> OpenedTable:
    """Parquet files (a path, a pattern, a directory, or a list of them), or a Dask data frame."""
    if hasattr(source, "to_delayed"):
        names = tuple(str(name) for name in source.columns)
        chosen = _chosen(columns, without, names)
        chunks = [FrameChunk(partition, chosen) for partition in source.to_delayed()]
        return OpenedTable(names if chosen is None else chosen, None, (), chunks)
    files = [_opened_file(path, columns, without) for path in files_of(source)]
    first = files[0]
    for file in files:
        if file.names != first.names:
            raise DataError(
                f"{file.path} has the columns {list(file.names)}, {first.path} {list(first.names)}. "
                "All files need the same columns, in the same order."
            )
    total = sum(sum(file.groups) for file in files)
    if total == 0:
        raise DataError(f"a network is learned from at least one row; there are none in {brief(source)}.")
    return OpenedTable(first.names, total, files)


def files_of(source: Any) -> list[str]:
    """The names of the Parquet files of a path, a pattern, a directory, or a list of them."""
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
            raise DataError(
                f"{text}: there is no such file, and no Parquet file in it or like it. Name a file, a directory that has "
                "some, or a pattern such as 'rows/*.parquet'."
            )
        return found
    if isinstance(source, Sequence) and source:
        return [path for each in source for path in files_of(each)]
    raise DataError(
        f"rows for a cluster come as Parquet files (a path, a pattern, a directory, a list) or as a Dask data frame; "
        f"got {brief(source)}. Other files: depnet.read, or convert them to Parquet."
    )


def _opened_file(path: str, columns: Sequence[str] | None, without: Sequence[str]) -> _File:
    from pyarrow import ArrowInvalid, parquet

    try:
        with parquet.ParquetFile(path) as file:
            names = [str(name) for name in file.schema_arrow.names]
            groups = [file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups)]
    except (ArrowInvalid, OSError) as error:
        said = str(error).rstrip(".")
        raise DataError(
            f"{path} is not read as Parquet, and rows in chunks come in no other format ({said}). Convert it to Parquet "
            "first, or learn from it in one process: depnet fit without a cluster, or depnet.read."
        ) from None
    chosen = _chosen(columns, without, names)
    return _File(path, tuple(name for name in names if chosen is None or name in chosen), chosen, groups)


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
