"""Rows on the workers of a Dask cluster."""

from collections.abc import Sequence
from typing import Any

from depnet.cluster.columns import describe_parts, part_columns
from depnet.cluster.dask_parts import Client, DaskParts, Future, WorkerPart
from depnet.cluster.place import TablePart, coded
from depnet.cluster.source import ParquetPart
from depnet.data.frames.describe import BinChoice, Missing
from depnet.data.table.domain import Domain
from depnet.learning.grow.part_rows import PartRows
from depnet.learning.options import Task

LIVE = 64
"""Nodes that grow at once, each with 4 bytes for every row."""


class DaskPlace:
    """The workers behind a `distributed.Client`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def describe(
        self, parts: Sequence[TablePart], *, bins: BinChoice, max_bins: int, missing: Missing
    ) -> tuple[Domain, int]:
        """The first pass: numbers are sorted on the workers, and let go of afterwards."""
        columns = [self._run(part, part_columns) for part in parts]
        return describe_parts(self._client, columns, bins=bins, max_bins=max_bins, missing=missing)

    def parts(
        self, parts: Sequence[TablePart], domain: Domain, tasks: Sequence[Task], total: int
    ) -> DaskParts:
        """The second pass: each part is coded where it is loaded, and stays there."""
        made = [self._run(part, _worker_part, number, domain, tasks) for number, part in enumerate(parts)]
        states = [domain.cardinalities[task.target] for task in tasks]
        return DaskParts(self._client, made, states, total)

    def live(self, total: int) -> int:
        """As many as keep a round's counts worth their way."""
        return LIVE

    def _run(self, part: TablePart, function: Any, *arguments: Any) -> Future:
        if isinstance(part, ParquetPart):
            return self._client.submit(_loaded, part, function, *arguments, pure=False)
        from dask.delayed import delayed

        return self._client.compute(
            delayed(_chosen, pure=False)(part.partition, part.columns, function, *arguments)
        )


def _loaded(part: ParquetPart, function: Any, *arguments: Any) -> Any:
    return function(part.load(), *arguments)


def _chosen(frame: Any, columns: tuple[str, ...] | None, function: Any, *arguments: Any) -> Any:
    return function(frame if columns is None else frame[list(columns)], *arguments)


def _worker_part(frame: Any, number: int, domain: Domain, tasks: Sequence[Task]) -> WorkerPart:
    return WorkerPart(number, PartRows(coded(frame, domain).codes, domain.cardinalities, tasks))
