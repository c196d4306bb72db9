"""Stages in a file that grows node by node, so that boosting that was killed goes on where it stopped.

A journal beside the resume file of the decision graphs, whose fingerprint is of all that decides the stages; a line for
each node that was boosted, tried or for good.
"""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.learning.grow.journal import Journal

FORMAT = "depnet resume stages"
VERSION = 1
Arrays = tuple[NDArray[Any], ...]
"""begin, leaf, test, scores, gains, held_scores, as the native booster gives them."""
TYPES = (np.int32, np.uint16, np.int32, np.int32, np.float64, np.float64)


class KeptStages:
    """What was boosted, by a name that says of which rows, node and settings; safe to use from many threads."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self.found: dict[str, Arrays] = {}
        """By their names."""
        self._lock = threading.Lock()
        header = {"format": FORMAT, "version": VERSION, "fingerprint": fingerprint}
        self._journal = Journal(path, header, self._read)

    def get(self, name: str) -> Arrays | None:
        """What an earlier run has left behind."""
        return self.found.get(name)

    def put(self, name: str, arrays: Arrays) -> None:
        """It is done."""
        with self._lock:
            self._journal.write({"name": name, "arrays": [array.tolist() for array in arrays]})

    def close(self) -> None:
        """All lines are on the disk then."""
        self._journal.close()

    def _read(self, entry: dict[str, Any]) -> None:
        given = zip(entry["arrays"], TYPES, strict=True)
        self.found[str(entry["name"])] = tuple(np.array(values, dtype=kind) for values, kind in given)


class CollectedStages:
    """The same in a process elsewhere: what is done there is collected, to be kept where the file is."""

    def __init__(self, found: dict[str, Arrays]) -> None:
        self._found = found
        self.collected: list[tuple[str, Arrays]] = []

    def get(self, name: str) -> Arrays | None:
        """What an earlier run has left behind."""
        return self._found.get(name)

    def put(self, name: str, arrays: Arrays) -> None:
        """It is done."""
        self.collected.append((name, arrays))


@contextlib.contextmanager
def kept_stages(resume: str | os.PathLike[str] | None, fingerprint: str) -> Iterator[KeptStages | None]:
    """The file beside the resume file `resume`, of the same name with ".stages" after it; None where there is none."""
    if resume is None:
        yield None
        return
    with contextlib.closing(KeptStages(Path(f"{os.fspath(resume)}.stages"), fingerprint)) as kept:
        yield kept
