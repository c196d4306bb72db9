"""Bytes on disk: read up to a limit, written in one atomic step."""

import errno
import gzip
import io
import zlib
from pathlib import Path
from typing import BinaryIO

from depnet.errors import ModelFileAccessError, ModelFileError, ModelFileNotFoundError
from depnet.files import named_stream, new_file, not_written

_CHUNK = 2**16


def read_bounded(name: str, max_bytes: int) -> bytearray:
    """The content of a file, unpacked if it is gzip; more than `max_bytes` of it is an error."""
    try:
        if (kind := named_stream(name)) is not None:
            raise ModelFileError(
                f"this is {kind}, not a model file. What comes through a pipe is read as standard input."
            )
        with Path(name).open("rb") as file:
            data = _read(file, max_bytes, "the file")
    except FileNotFoundError:
        raise ModelFileNotFoundError(errno.ENOENT, "there is no such model file", name) from None
    except IsADirectoryError:
        raise ModelFileError("this is a directory, not a model file.") from None
    except ModelFileError:
        raise
    except OSError as error:
        raise ModelFileAccessError(
            error.errno, f"the model file cannot be read ({error.strerror})", name
        ) from error
    except ValueError as error:  # a name that no file can have
        raise ModelFileError(f"{error}.") from None
    return _unpacked(data, max_bytes) if data.startswith(b"\x1f\x8b") else data


def _read(file: BinaryIO | gzip.GzipFile, max_bytes: int, what: str) -> bytearray:
    data = bytearray()
    while chunk := file.read(_CHUNK):  # to ask for all at once would take memory for the largest file
        data += chunk
        if len(data) > max_bytes:
            raise ModelFileError(
                f"{what} is larger than {max_bytes:,} bytes. If you trust it, load it with "
                "depnet.load(path, max_bytes=...)."
            )
    return data


def _unpacked(data: bytearray, max_bytes: int) -> bytearray:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return _read(file, max_bytes, "the content, unpacked,")
    except EOFError:
        raise ModelFileError(
            "the compressed file ends too early: it is not complete. Get it again."
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ModelFileError(f"the compressed file is damaged ({error}). Get it again.") from None


def write_atomically(name: str, data: bytes) -> None:
    """Make `data` the content of the file: all of it, or nothing changes (`depnet.files.new_file`)."""
    try:
        with new_file(name, force=True) as place:
            place.write_bytes(data)
    except IsADirectoryError as error:
        raise ModelFileError(f"{error.strerror}.") from None
    except OSError as error:
        kind = ModelFileNotFoundError if isinstance(error, FileNotFoundError) else ModelFileAccessError
        raise kind(*not_written("model file", error, name)) from error
