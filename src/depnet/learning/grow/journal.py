"""A file of JSON lines that grows while something is learned: what is done survives the end of the process.

The first line is a header with a format, a version and a fingerprint of all that decides the result. A line has left the
process before `write` returns, and is on the disk a moment later; one torn by the end of the process is dropped when
the file is opened again. A file of something else, or a damaged one, is an error, and is left as it is.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from depnet.errors import DepnetError, LearningError

TO_DISK = 0.1
"""Seconds after which lines are forced to the disk: each by itself would take longer than many a node."""


class Journal:
    """The lines after the header go to `read` when the file is opened, and `write` adds others; to be closed."""

    def __init__(
        self,
        path: Path,
        header: dict[str, Any],
        read: Callable[[dict[str, Any]], None],
    ) -> None:
        self.path = path
        self._on_disk = 0.0
        try:
            text = path.read_bytes() if path.exists() else b""
            whole = text[: text.rfind(b"\n") + 1]
            magic = json.dumps({"format": header["format"]})[:-1].encode()
            if not whole and not (text.startswith(magic) or magic.startswith(text)):
                raise self._another()
            lines = whole.decode(errors="replace").splitlines()
            if lines:
                self._check(lines[0], header)
                self._read(lines[1:], read)
            self._file = path.open("r+b" if text else "wb")
            self._file.truncate(len(whole))
            self._file.seek(len(whole))
            if not lines:
                self.write(header)
        except OSError as error:
            raise LearningError(f"the resume file {path} cannot be used: {error}.") from None

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

    def _another(self) -> LearningError:
        return LearningError(f"{self.path} is not a resume file of depnet; it is left as it is.")

    def _check(self, line: str, header: dict[str, Any]) -> None:
        try:
            theirs = json.loads(line)
            known, fingerprint = (theirs["format"], theirs["version"]), theirs["fingerprint"]
        except (ValueError, TypeError, KeyError):
            raise self._another() from None
        if known != (header["format"], header["version"]):
            raise LearningError(
                f"{self.path} is a {known[0]!r} of version {known[1]!r}; expected {header['format']!r} of version "
                f"{header['version']}."
            )
        if fingerprint != header["fingerprint"]:
            raise LearningError(
                f"{self.path} was begun with other data or other options, and cannot be continued with these. "
                "Give the same ones, or another path."
            )

    def _read(self, lines: list[str], read: Callable[[dict[str, Any]], None]) -> None:
        for number, line in enumerate(lines, start=2):
            try:
                read(json.loads(line))
            except (ValueError, TypeError, KeyError, IndexError, OverflowError, DepnetError) as error:
                raise LearningError(
                    f"{self.path}, line {number}: damaged ({error}). Delete the file to begin anew."
                ) from None
