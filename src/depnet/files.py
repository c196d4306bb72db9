"""Files that appear whole or not at all: written beside their place, forced to disk, then given their name."""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from depnet.errors import DataError, DataFileError, DataFileExistsError, DataFileNotFoundError, brief

WHAT_TO_DO = {
    errno.ENOSPC: "Free some space, or save elsewhere.",
    errno.EDQUOT: "Free some of your quota, or save elsewhere.",
    errno.EFBIG: "Raise the limit on the size of files (ulimit -f), or save elsewhere.",
    errno.EACCES: "Choose a place that you may write to, or change the permissions.",
    errno.EPERM: "Choose a place that you may write to, or change the permissions.",
    errno.EROFS: "Choose a place that can be written to.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
}
"""Advice for an error of the system."""


@contextlib.contextmanager
def new_file(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """A path to write to; when the block ends without an error, what was written has the name `path`.

    An existing file is replaced only with `force`, and is as it was should anything fail. A symbolic link stays
    one; the permissions of a file that is replaced are kept. What is no file (a pipe, /dev/stdout) is written to.
    """
    name = os.fsdecode(path)
    try:
        with _placed(name, force=force) as temporary:
            yield temporary
    except DataError:
        raise
    except FileNotFoundError as error:
        raise DataFileNotFoundError(
            error.errno, "there is no such directory to write a table in; make it first", name
        ) from error
    except OSError as error:
        raise DataFileError(
            error.errno,
            f"the table was not written ({error.strerror or error}), and what was there is as it was. "
            f"{WHAT_TO_DO.get(error.errno or 0, 'Save elsewhere.')}",
            name,
        ) from error
    except ValueError as error:
        if "null" in str(error):  # a name that no file can have
            raise DataError(f"{brief(name)}: {error}.") from None
        raise


@contextlib.contextmanager
def _placed(name: str, *, force: bool) -> Iterator[Path]:
    if name.endswith(os.sep) or Path(name).is_dir():
        raise DataError(f"{name}: this is a directory. Name a file in it.")
    target = Path(name).resolve()
    try:
        old = target.stat()
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        yield target
        return
    if old is not None and not force:
        raise already_there(name)
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file that is there is read-only")
    # Not tempfile: it makes files that only their owner may read, where the umask should decide.
    temporary = target.parent / f".depnet-{secrets.token_hex(8)}{''.join(target.suffixes[-2:])}"
    try:
        temporary.open("xb").close()
        yield temporary
        with temporary.open("rb+") as file:
            if old is not None:
                keep_permissions(file.fileno(), old)
            os.fsync(file.fileno())
        if force:
            temporary.replace(target)
        else:
            _name_once(temporary, target, name)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    sync_directory(target.parent)


def already_there(name: str) -> DataFileExistsError:
    """The error for a file that must not be replaced."""
    return DataFileExistsError(
        errno.EEXIST,
        "there is a file of that name already. Choose another, or replace it with force=True",
        name,
    )


def _name_once(temporary: Path, target: Path, name: str) -> None:
    """Give the file its name unless another has taken it in the meantime."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise already_there(name) from None
    except OSError:  # a file system without links
        if target.exists():
            raise already_there(name) from None
        temporary.replace(target)


def keep_permissions(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the owner and mode of the one that it replaces."""
    with contextlib.suppress(OSError):  # another's file in a shared directory: the new one is ours
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)


def sync_directory(directory: Path) -> None:
    """Make a new name durable, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
