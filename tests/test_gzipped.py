"""Gzip files of any members are read as Python's own reader reads them, but empty ones not for ever."""

import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.gzipped import MOST_EMPTY, unpacked


@given(st.lists(st.binary(max_size=3000), min_size=1), st.integers(0, 40), st.integers(1, 500))
def test_it_reads_what_pythons_reader_reads(parts: list[bytes], padding: int, size: int) -> None:
    packed = b"".join(gzip.compress(part) + b"\0" * padding for part in parts)
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as theirs:
        whole = theirs.read()
    ours = unpacked(io.BytesIO(packed))
    assert b"".join(iter(lambda: ours.read(size), b"")) == whole == b"".join(parts)


@given(st.binary(min_size=1, max_size=2000), st.integers(0, 10_000), st.binary(min_size=1, max_size=3))
def test_damage_is_an_error_as_it_is_there(content: bytes, at: int, other: bytes) -> None:
    packed = gzip.compress(content, mtime=0)
    at %= len(packed)
    for damaged in (packed[:at], packed[:at] + other + packed[at + len(other) :], packed + other):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(damaged)) as file:
                theirs: bytes | None = file.read()
        except (EOFError, OSError, zlib.error):
            theirs = None
        try:
            ours: bytes | None = unpacked(io.BytesIO(damaged)).read()
        except (EOFError, OSError, zlib.error):
            ours = None
        if theirs is None:
            assert ours is None
        else:  # zlib is the stricter one of the two, of what a header may hold
            assert ours in (None, theirs)


def test_empty_members_come_to_an_end() -> None:
    one = gzip.compress(b"")
    assert unpacked(io.BytesIO(one * MOST_EMPTY + gzip.compress(b"x"))).read() == b"x"
    with pytest.raises(gzip.BadGzipFile, match="empty members"):
        unpacked(io.BytesIO(one * (MOST_EMPTY + 1) + gzip.compress(b"x"))).read()


def test_a_bomb_is_unpacked_a_piece_at_a_time() -> None:
    class Counted(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1, /) -> bytes:
            part = super().read(size)
            self.taken += len(part)
            return part

    file = Counted(gzip.compress(bytes(50_000_000)))
    assert unpacked(file).read(100) == bytes(100)
    assert file.taken <= 2**16
