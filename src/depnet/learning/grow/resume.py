"""A file that grows node by node, so that a fit that was killed goes on where it stopped.

A journal whose fingerprint is of the data and of all that decides the structure; one line for each node that is complete,
which has left the process before its node counts as done.

`penalty="auto"` makes several fits, and one file holds the nodes of all: a line then says by the fit's own fingerprint which
one it belongs to. A fit that the choice no longer asks for is passed over.
"""

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from depnet.data import Dataset, Domain
from depnet.learning.grow.journal import Journal
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.options import Limits
from depnet.learning.penalty import Penalty, StructuralMdl, per_parameter
from depnet.model import DecisionGraph, Merge, Operation, Split

FORMAT = "depnet resume"
VERSION = 1


def fingerprint(
    digest: "hashlib._Hash",
    domain: Domain,
    rows: int,
    specs: Sequence[NodeSpec],
    penalties: Sequence[Penalty],
    limits: Limits,
) -> str:
    """A digest of all that decides the structure, where `digest` has seen the rows: nodes, penalties, limits."""
    prices = [_price(penalty, rows) for penalty in dict.fromkeys(penalties, None)]
    decides = [
        domain.names,
        domain.cardinalities,
        rows,
        list(dict.fromkeys(spec.readable for spec in specs)),
        [_read(spec) for spec in specs],
        prices,
        [list(dict.fromkeys(penalties, None)).index(penalty) for penalty in penalties],
        limits.max_leaves,
        limits.min_leaf_rows,
    ]
    digest.update(json.dumps(decides).encode())
    return digest.hexdigest()


def hashed_table(dataset: Dataset) -> "hashlib._Hash":
    """A digest of the rows of a table."""
    digest = hashlib.sha256(np.ascontiguousarray(dataset.codes.T).view(np.uint8).data)
    if dataset.weights is not None:
        digest.update(dataset.weights.view(np.uint8).data)
    return digest


def _read(spec: NodeSpec) -> list[Any]:
    """What tells one node from another of the same `readable`."""
    read: list[Any] = [[spec.target], sorted(spec.barred), bool(spec.readable)]
    return read if spec.first is None else [*read, spec.first]


def _price(penalty: Penalty, rows: int) -> list[Any]:
    """What tells one penalty from another: its price, or some values of a user's own R(k, N)."""
    names = (
        [penalty.split_factor, penalty.merge_factor] if isinstance(penalty, StructuralMdl) else [None, None]
    )
    one = per_parameter(penalty, rows)
    if one is not None:
        return [*names, one]
    values = []
    for k in (1, 2, 3, 4, 6, 8, 12, 16, 32, 64):
        try:
            values.append(repr(float(penalty(k, rows))))
        except Exception as error:  # a user's function may fail at a k that learning never reaches
            values.append(type(error).__name__)
    return [*names, values]


class Fit:
    """The nodes of one fit in a resume file: `done` is what an earlier run left behind."""

    def __init__(self, file: Journal, name: str, done: dict[int, DecisionGraph]) -> None:
        self.done = done
        self._file, self._name = file, name

    def add(self, number: int, source: DecisionGraph) -> None:
        """Node `number` is complete."""
        operations = [[int(isinstance(o, Merge)), *o] for o in source.operations]
        line: dict[str, Any] = {"node": number, "operations": operations}
        self._file.write({"fit": self._name, **line} if self._name else line)


class ResumeFile:
    """The operations of the nodes that are complete: read when opened, written one by one; to be closed."""

    def __init__(
        self, path: str | os.PathLike[str], key: str, specs: Sequence[NodeSpec], cardinalities: Sequence[int]
    ) -> None:
        self.path = Path(path)
        self._done: defaultdict[str, dict[int, DecisionGraph]] = defaultdict(dict)
        self._tasks = specs
        self._cardinalities = tuple(cardinalities)
        header = {"format": FORMAT, "version": VERSION, "fingerprint": key, "nodes": len(specs)}
        self._journal = Journal(self.path, header, self._read)

    def fit(self, fingerprint: str = "") -> Fit:
        """The fit of this fingerprint, where there are several; else the one fit."""
        name = fingerprint[:16]
        return Fit(self._journal, name, dict(self._done[name]))

    def close(self) -> None:
        """All lines are on the disk then."""
        self._journal.close()

    def _read(self, entry: dict[str, Any]) -> None:
        operations: list[Operation] = [
            Merge(int(a), int(b)) if kind else Split(int(a), int(b)) for kind, a, b in entry["operations"]
        ]
        node = int(entry["node"])
        allowed = set(self._tasks[node].inputs)
        if node < 0 or any(isinstance(o, Split) and o.variable not in allowed for o in operations):
            raise ValueError("an impossible split")
        self._done[str(entry.get("fit", ""))][node] = DecisionGraph(tuple(operations), self._cardinalities)
