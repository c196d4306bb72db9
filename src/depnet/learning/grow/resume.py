"""A file that grows node by node, so that a fit that was killed goes on where it stopped.

JSON lines: a header with a fingerprint of the data and of all that decides the structure, then one line
for each node that is complete. A line has left the process before its node counts as done, and is on the disk a moment
later; one torn by the end of the process is dropped when the file is opened again.

`penalty="auto"` makes several fits, and one file holds the nodes of all: a line then says by the fit's own fingerprint which
one it belongs to. A fit that the choice no longer asks for is passed over.
"""

import hashlib
import json
import os
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from depnet.data import Dataset, Domain
from depnet.errors import DepnetError, LearningError
from depnet.learning.grow.node_specs import NodeSpec
from depnet.learning.options import Limits
from depnet.learning.penalty import Penalty, StructuralMdl, per_parameter
from depnet.model import DecisionGraph, Merge, Operation, Split

FORMAT = "depnet resume"
VERSION = 1
MAGIC = json.dumps({"format": FORMAT})[:-1].encode()
"""How every such file begins, also one whose header was torn."""
TO_DISK = 0.1
"""Seconds after which lines are forced to the disk: each by itself would take longer than many a node."""


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

    def __init__(self, file: "ResumeFile", name: str, done: dict[int, DecisionGraph]) -> None:
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
        self._on_disk = 0.0
        header = {"format": FORMAT, "version": VERSION, "fingerprint": key, "nodes": len(specs)}
        try:
            text = self.path.read_bytes() if self.path.exists() else b""
            whole = text[: text.rfind(b"\n") + 1]
            if not whole and not (text.startswith(MAGIC) or MAGIC.startswith(text)):
                raise LearningError(f"{self.path} is not a resume file of depnet; it is left as it is.")
            lines = whole.decode(errors="replace").splitlines()
            if lines:
                self._read(lines, key)
            self._file = self.path.open("r+b" if text else "wb")
            self._file.truncate(len(whole))
            self._file.seek(len(whole))
            if not lines:
                self.write(header)
        except OSError as error:
            raise LearningError(f"the resume file {self.path} cannot be used: {error}.") from None

    def fit(self, fingerprint: str = "") -> Fit:
        """The fit of this fingerprint, where there are several; else the one fit."""
        name = fingerprint[:16]
        return Fit(self, name, dict(self._done[name]))

    def write(self, line: dict[str, Any]) -> None:
        """A line more."""
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        if time.monotonic() > self._on_disk + TO_DISK:
            os.fsync(self._file.fileno())
            self._on_disk = time.monotonic()

    def close(self) -> None:
        """All lines are on the disk then."""
        os.fsync(self._file.fileno())
        self._file.close()

    def _read(self, lines: Sequence[str], key: str) -> None:
        try:
            header = json.loads(lines[0])
            known = (header["format"], header["version"])
            theirs = header["fingerprint"]
        except (ValueError, TypeError, KeyError):
            raise LearningError(f"{self.path} is not a resume file of depnet; it is left as it is.") from None
        if known != (FORMAT, VERSION):
            raise LearningError(
                f"{self.path} is a {known[0]!r} of version {known[1]!r}; expected version {VERSION}."
            )
        if theirs != key:
            raise LearningError(
                f"{self.path} was begun with other data or other options, and cannot be continued with these. "
                "Give the same ones, or another path."
            )
        for number, line in enumerate(lines[1:], start=2):
            try:
                entry = json.loads(line)
                operations: list[Operation] = [
                    Merge(int(a), int(b)) if kind else Split(int(a), int(b))
                    for kind, a, b in entry["operations"]
                ]
                node = int(entry["node"])
                allowed = set(self._tasks[node].inputs)
                if node < 0 or any(isinstance(o, Split) and o.variable not in allowed for o in operations):
                    raise ValueError("an impossible split")
                self._done[str(entry.get("fit", ""))][node] = DecisionGraph(
                    tuple(operations), self._cardinalities
                )
            except (ValueError, TypeError, KeyError, IndexError, DepnetError) as error:
                raise LearningError(
                    f"{self.path}, line {number}: damaged ({error}). Delete the file to begin anew."
                ) from None
