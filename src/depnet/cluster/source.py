"""Tables in parts: Parquet files by their row groups, or the partitions of a Dask data frame.

Two places load parts, `on_dask.DaskPlace` and `on_disk.DiskPlace`, in two passes: `columns(parts)`, which the states of the
columns are found by, and `load(parts, domain, specs, total)`, which codes the rows and keeps them.
"""

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from depnet.data.frames.encode import encode
from depnet.data.table.domain import Domain
from depnet.errors import DataError, brief
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.rows.part import Keep, Part, in_memory
from depnet.wording import nearest

ROWS = 1 << 20
"""About the number of rows in a part, as far as row groups allow."""


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


def parts_of(source: Any, columns: Sequence[str] | None, rows: int = ROWS) -> list[TablePart]:
    """The parts of Parquet files (a path, a pattern, a directory, or a list of them) or of a Dask data frame."""
    chosen = None if columns is None else tuple(columns)
    if hasattr(source, "to_delayed"):
        _check_columns(chosen, [str(name) for name in source.columns])
        return [FramePart(partition, chosen) for partition in source.to_delayed()]
    return [part for path in _files(source) for part in _row_groups(path, chosen, rows)]


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


def _row_groups(path: str, columns: tuple[str, ...] | None, rows: int) -> list[ParquetPart]:
    from pyarrow import ArrowInvalid, parquet

    try:
        with parquet.ParquetFile(path) as file:
            names = [str(name) for name in file.schema_arrow.names]
            sizes = [file.metadata.row_group(g).num_rows for g in range(file.metadata.num_row_groups)]
    except (ArrowInvalid, OSError) as error:
        raise DataError(f"{path} is not read as Parquet: {error}. Convert it to Parquet first.") from None
    _check_columns(columns, names)
    parts, groups, filled = [], [], 0
    for group, size in enumerate(sizes):
        groups.append(group)
        filled += size
        if filled >= rows:
            parts.append(ParquetPart(path, tuple(groups), columns))
            groups, filled = [], 0
    if filled:
        parts.append(ParquetPart(path, tuple(groups), columns))
    return parts


def _check_columns(columns: tuple[str, ...] | None, names: Sequence[str]) -> None:
    for name in columns or ():
        if name not in names:
            raise DataError(f"columns: there is no column {brief(name)}. {nearest(name, names)}")


def coded_part(
    frame: Any,
    number: int,
    domain: Domain,
    specs: Sequence[NodeSpec],
    in_bits: bool = True,
    keep: Keep = in_memory,
) -> Part:
    """A part whose rows are in `frame`; values are missing only where the domain has a state for that."""
    dataset = encode(frame, domain).dataset()
    if keep is not in_memory:
        dataset = type(dataset)(domain, keep(dataset.codes))
    return Part(dataset, specs, number, in_bits, keep)
