"""Bytes on disk: read up to a limit, written in one atomic step."""

import contextlib
import errno
import gzip
import io
import os
import secrets
import stat
import zlib
from pathlib import Path
from typing import BinaryIO

from depnet.errors import ModelFileAccessError, ModelFileError, ModelFileNotFoundError
from depnet.files import WHAT_TO_DO, keep_permissions, sync_directory

_CHUNK = 2**20


def read_bounded(name: str, max_bytes: int) -> bytearray:
    """The content of a file, unpacked if it is gzip; more than `max_bytes` of it is an error."""
    try:
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
    while chunk := file.read(_CHUNK):
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
    """Make `data` the content of the file: all of it, or nothing changes.

    Written to a new file in the same directory, forced to disk, and renamed. A symbolic link stays one and
    its target is replaced; the permissions of an old file are kept. What is not a file (a pipe, a
    terminal) is simply written to.
    """
    try:
        if name.endswith(os.sep):  # which a Path would drop
            raise ModelFileError("this names a directory. Name a file in it.")
        old = _status(Path(name))
        if old is None or stat.S_ISREG(old.st_mode):
            _replace(Path(name).resolve(), data, old)
        elif stat.S_ISDIR(old.st_mode):
            raise ModelFileError("this is a directory. Name a file in it.")
        else:
            Path(name).write_bytes(data)
    except ModelFileError:
        raise
    except FileNotFoundError as error:
        raise ModelFileNotFoundError(
            error.errno, "there is no such directory to write a model file in; make it first", name
        ) from error
    except OSError as error:
        what_to_do = WHAT_TO_DO.get(error.errno or 0, "Save elsewhere.")
        raise ModelFileAccessError(
            error.errno,
            f"the model file was not written ({error.strerror}), and what was there is as it was. {what_to_do}",
            name,
        ) from error
    except ValueError as error:
        raise ModelFileError(f"{error}.") from None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _replace(target: Path, data: bytes, old: os.stat_result | None) -> None:
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file that is there is read-only")
    temporary = target.parent / f".depnet-{secrets.token_hex(8)}.tmp"
    # Not tempfile: it makes files that only their owner may read, where the umask should decide.
    with temporary.open("xb") as file:
        try:
            if old is not None:
                keep_permissions(file.fileno(), old)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    sync_directory(target.parent)
