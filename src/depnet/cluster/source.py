"""Tables in chunks: Parquet files by their row groups, or the partitions of a Dask data frame.

What files say of themselves, rows and columns, is known before any row is read, and before any worker is asked
(`open_table`). How large a chunk is depends on how many there are to read it (`OpenedTable.chunks`).
"""

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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

    def delay(self) -> Any:
        """The frame as a value that Dask computes."""
        from dask.delayed import delayed

        return delayed(self.load, pure=False)()


@dataclass(frozen=True, slots=True)
class FrameChunk:
    """A partition of a Dask data frame, as a delayed value."""

    partition: Any
    columns: tuple[str, ...] | None

    def load(self) -> Any:
        return self.delay().compute()

    def delay(self) -> Any:
        return self.partition if self.columns is None else self.partition[list(self.columns)]


Chunk = ParquetChunk | FrameChunk


@dataclass(frozen=True, slots=True, eq=False)
class OpenedTable:
    """What is known of a table before any row is read."""

    names: tuple[str, ...]
    """The names of the columns that are read."""
    rows: int | None
    """None of a Dask data frame."""
    _files: Sequence[tuple[ParquetChunk, Sequence[int]]] = ()
    """All row groups of each file, and the rows of each of these."""
    _frame: Sequence[FrameChunk] = ()

    def chunks(self, rows: int | None = None, threads: int = 1) -> Sequence[Chunk]:
        """Its chunks, of about `rows` rows each; None: as many as give each of the `threads` some."""
        if self.rows is None:
            return self._frame
        if rows is None:
            rows = min(max(self.rows // (CHUNKS * threads), FEWEST_ROWS), MOST_ROWS)
        chunks: list[Chunk] = []
        for file, sizes in self._files:
            groups, filled = [], 0
            for group, size in zip(file.groups, sizes, strict=True):
                groups.append(group)
                filled += size
                if filled >= rows or group == file.groups[-1]:
                    chunks.append(replace(file, groups=tuple(groups)))
                    groups, filled = [], 0
        return chunks


def open_table(source: Any, columns: Sequence[str] | None, without: Sequence[str] = ()) -> OpenedTable:
    """Parquet files (a path, a pattern, a directory, or a list of them), or a Dask data frame."""
    if hasattr(source, "to_delayed"):
        everyone = tuple(str(name) for name in source.columns)
        chosen = _choose_columns(columns, without, everyone)
        chunks = [FrameChunk(partition, chosen) for partition in source.to_delayed()]
        return OpenedTable(everyone if chosen is None else chosen, None, (), chunks)
    files: list[tuple[ParquetChunk, list[int]]] = []
    names: tuple[str, ...] = ()
    for path in files_of(source):
        all_names, sizes = _head_of(path)
        chosen = _choose_columns(columns, without, all_names)
        own = tuple(name for name in all_names if chosen is None or name in chosen)
        if files and own != names:
            raise DataError(
                f"{path} has the columns {list(own)}, {files[0][0].path} {list(names)}. "
                "All files need the same columns, in the same order."
            )
        names = own
        files.append((ParquetChunk(path, tuple(range(len(sizes))), chosen), sizes))
    total = sum(sum(sizes) for _, sizes in files)
    if total == 0:
        raise DataError(f"learning a network needs at least one row; there are none in {brief(source)}.")
    return OpenedTable(names, total, files)


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
                f"{text}: there is no such file, and no Parquet file in or like it. Name a file, a directory that has "
                "some, or a pattern such as 'rows/*.parquet'."
            )
        return found
    if isinstance(source, Sequence) and source:
        return [path for each in source for path in files_of(each)]
    raise DataError(
        f"rows for a cluster come as Parquet files (a path, a pattern, a directory, a list) or as a Dask data frame; "
        f"got {brief(source)}. Other files: depnet.read, or convert them to Parquet."
    )


def _head_of(path: str) -> tuple[list[str], list[int]]:
    """What a Parquet file says of itself: its columns, and the rows of its row groups."""
    from pyarrow import ArrowInvalid, parquet

    try:
        with parquet.ParquetFile(path) as file:
            groups = range(file.metadata.num_row_groups)
            rows = [file.metadata.row_group(k).num_rows for k in groups]
            return [str(name) for name in file.schema_arrow.names], rows
    except (ArrowInvalid, OSError) as error:
        said = str(error).rstrip(".")
        raise DataError(
            f"{path} cannot be read as Parquet, the only format that is read in chunks ({said}). Convert it to Parquet "
            "first, or learn from it in one process: depnet fit without a cluster, or depnet.read."
        ) from None


def _choose_columns(
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
