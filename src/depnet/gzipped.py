"""Gzip files read as one stream, whatever was put together in them.

A gzip file is members one after the other, which Python's reader takes one by one: two million empty ones, 40 MB of file,
keep it busy for most of a minute and give nothing. Here they may be many, as block-compressed files have, but not empty for
ever; the reader is zlib's own, which compares length and checksum of every member.
"""

import gzip
import io
import zlib
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MOST_EMPTY = 1_000
"""Empty members, at most."""

_CHUNK = 2**16
_GZIP = 31  # what zlib calls a gzip member


class _Members(io.RawIOBase):
    """The content of all members of a file, which is left open."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._rest = file, b""
        self._member: zlib._Decompress | None = None
        self._members = self._empty = self._given = 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """As much as there is, up to the buffer's size; 0 at the end."""
        view = memoryview(buffer).cast("B")
        while True:
            self._rest = self._rest or self._file.read(_CHUNK)
            ended = not self._rest
            if self._member is None:
                self._rest = self._rest.lstrip(b"\0") if self._members else self._rest  # what fills up a tape
                if not self._rest:
                    if ended:
                        return 0
                    continue
                self._member, self._given = zlib.decompressobj(_GZIP), 0
                self._members += 1
            count = self._step(view)
            if count:
                return count
            if ended and self._member is not None:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")

    def _step(self, view: memoryview) -> int:
        """One piece of the present member, whose end is taken notice of."""
        assert self._member is not None
        try:
            piece = self._member.decompress(self._rest, len(view))
        except zlib.error as error:
            raise gzip.BadGzipFile(str(error)) from None
        view[: len(piece)] = piece
        self._given += len(piece)
        self._rest = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
        if self._member.eof:
            self._empty += self._given == 0
            if self._empty > MOST_EMPTY:
                raise gzip.BadGzipFile(f"it has more than {MOST_EMPTY:,} empty members")
            self._member = None
        return len(piece)


def unpacked(file: IO[bytes]) -> io.BufferedReader:
    """The content of a gzip file, open for reading; errors are those of Python's own reader.

    >>> packed = gzip.compress(b"one, ") + gzip.compress(b"") + gzip.compress(b"two")
    >>> unpacked(io.BytesIO(packed)).read()
    b'one, two'
    """
    return io.BufferedReader(_Members(file), _CHUNK)
