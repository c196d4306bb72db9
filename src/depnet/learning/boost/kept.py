"""Stages in a file that grows node by node, so that boosting that was killed goes on where it stopped.

JSON lines beside the resume file of the decision graphs: a header with a fingerprint of all that decides the stages, then a
line for each node that was boosted, tried or for good. A line torn by the end of the process is dropped when the file
is opened again; a damaged file is an error, and is left as it is.
"""

import contextlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.errors import LearningError

FORMAT = "depnet resume stages"
VERSION = 1
Arrays = tuple[NDArray[Any], ...]
"""begin, leaf, test, scores, gains, held_scores, as the native booster gives them."""
TYPES = (np.int32, np.uint16, np.int32, np.int32, np.float64, np.float64)


class KeptStages:
    """What was boosted, by a name that says of which rows, node and settings; safe to use from many threads."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self._found: dict[str, Arrays] = {}
        self._lock = threading.Lock()
        header = {"format": FORMAT, "version": VERSION, "fingerprint": fingerprint}
        try:
            text = path.read_bytes() if path.exists() else b""
            whole = text[: text.rfind(b"\n") + 1]
            if whole:
                self._read(whole.decode(errors="replace").splitlines(), header)
            elif text and not json.dumps({"format": FORMAT})[:-1].encode().startswith(text[:16]):
                raise LearningError(f"{path} is not a resume file of depnet; it is left as it is.")
            self._file = path.open("r+b" if text else "wb")
            self._file.truncate(len(whole))
            self._file.seek(len(whole))
            if not whole:
                self._write(header)
        except OSError as error:
            raise LearningError(f"the resume file {path} cannot be used: {error}.") from None

    def get(self, name: str) -> Arrays | None:
        """What an earlier run has left behind."""
        return self._found.get(name)

    def put(self, name: str, arrays: Arrays) -> None:
        """It is done."""
        with self._lock:
            self._write({"name": name, "arrays": [array.tolist() for array in arrays]})

    def close(self) -> None:
        """All lines are on the disk then."""
        os.fsync(self._file.fileno())
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()

    def _read(self, lines: list[str], header: dict[str, Any]) -> None:
        try:
            theirs = json.loads(lines[0])
            if not isinstance(theirs, dict) or theirs.get("format") != FORMAT:
                raise ValueError("another format")
        except ValueError:
            raise LearningError(f"{self.path} is not a resume file of depnet; it is left as it is.") from None
        if theirs != header:
            raise LearningError(
                f"{self.path} was begun with other data or other options, and cannot be continued with these. "
                "Give the same ones, or another path."
            )
        for number, line in enumerate(lines[1:], start=2):
            try:
                entry = json.loads(line)
                given = zip(entry["arrays"], TYPES, strict=True)
                self._found[str(entry["name"])] = tuple(
                    np.array(values, dtype=kind) for values, kind in given
                )
            except (ValueError, TypeError, KeyError, OverflowError) as error:
                raise LearningError(
                    f"{self.path}, line {number}: damaged ({error}). Delete the file to begin anew."
                ) from None


@contextlib.contextmanager
def kept_stages(resume: str | os.PathLike[str] | None, fingerprint: str) -> Iterator[KeptStages | None]:
    """The file beside the resume file `resume`, of the same name with ".stages" after it; None where there is none."""
    if resume is None:
        yield None
        return
    with contextlib.closing(KeptStages(Path(f"{os.fspath(resume)}.stages"), fingerprint)) as kept:
        yield kept
