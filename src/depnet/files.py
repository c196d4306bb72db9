"""Files that appear whole or not at all: written beside their place, forced to disk, then given their name.

`new_file` is the one way in which depnet writes a file: a table, a model, a command's output. It raises errors of the
system; whoever writes says in its own words what was not written, with `advice` on what to do.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

ADVICE = {
    errno.ENOSPC: "Free some space, or save elsewhere.",
    errno.EDQUOT: "Free some of your quota, or save elsewhere.",
    errno.EFBIG: "Raise the limit on the size of files (ulimit -f), or save elsewhere.",
    errno.EACCES: "Choose a place that you may write to, or change the permissions.",
    errno.EPERM: "Choose a place that you may write to, or change the permissions.",
    errno.EROFS: "Choose a place that can be written to.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.EINVAL: "Choose another name.",
    errno.ELOOP: "Choose another name.",
    errno.ESTALE: "Run the command again: it then begins with what is there now.",
}
_LONGEST_ENDING = 40


def advice(error: OSError) -> str:
    """What to do about an error of the system, where a file could not be written."""
    return ADVICE.get(error.errno or 0, "Save elsewhere.")


def not_written(what: str, error: OSError) -> str:
    """The message for a table or a model that could not be written to a file.

    >>> not_written("table", OSError(errno.EIO, "Input/output error"))
    'the table was not written (Input/output error), and what was there is as it was. Save elsewhere.'
    """
    reason = error.strerror or error
    return f"the {what} was not written ({reason}), and what was there is as it was. {advice(error)}"


Stamp: TypeAlias = tuple[int, ...]
"""What a file's status says of who wrote it last: every file that depnet writes is a new one."""


def stamp_of(name: str) -> Stamp | None:
    """The stamp of a file; None where there is none."""
    try:
        status = Path(name).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@contextlib.contextmanager
def new_file(name: str, *, force: bool = False, since: Stamp | None = None) -> Iterator[Path]:
    """A path to write to; when the block ends without an error, what was written has the name `name`.

    An existing file is replaced only with `force`, and is as it was should anything fail. A symbolic link stays
    one; the permissions of a file that is replaced are kept. What is no file (a pipe, /dev/stdout) is written to.
    With `since`, the stamp of the file when it was read, one that another has written meanwhile is not replaced: of
    several that read, change and write the same file, each either builds on what the one before wrote, or says so.
    """
    given = Path(name)
    old = _status(given)
    is_directory = old is not None and stat.S_ISDIR(old.st_mode)
    if is_directory or name.endswith(os.sep):
        verb = "is" if is_directory else "names"
        raise IsADirectoryError(errno.EISDIR, f"this {verb} a directory. Name a file in it", name)
    if old is not None and not stat.S_ISREG(old.st_mode):
        yield given
        return
    if old is not None and not force:
        raise _already_there(name)
    target = given.resolve()
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file that is there is read-only", name)
    # Not tempfile: it makes files that only their owner may read, where the umask should decide.
    ending = "".join(target.suffixes[-2:])
    temporary = (
        target.parent / f".depnet-{secrets.token_hex(8)}{ending if len(ending) <= _LONGEST_ENDING else ''}"
    )
    try:
        temporary.open("xb").close()
        yield temporary
        with temporary.open("rb+") as file:
            if old is not None:
                _keep_permissions(file.fileno(), old)
            os.fsync(file.fileno())
        if since is not None:
            _replace_unchanged(temporary, target, name, since)
        elif force:
            temporary.replace(target)
        else:
            _name_once(temporary, target, name)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    _sync_directory(target.parent)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None
    except ValueError as error:  # a name that no file can have
        raise OSError(errno.EINVAL, str(error)) from None


def _already_there(name: str) -> FileExistsError:
    return FileExistsError(errno.EEXIST, "there is a file of that name already", name)


def _name_once(temporary: Path, target: Path, name: str) -> None:
    """Give the file its name unless another has taken it in the meantime."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise _already_there(name) from None
    except OSError:  # a file system without links
        if target.exists():
            raise _already_there(name) from None
        temporary.replace(target)


def _replace_unchanged(temporary: Path, target: Path, name: str, since: Stamp) -> None:
    """Give the file its name unless the one that has it is another than when it was read."""
    with _alone_in(target.parent):
        if stamp_of(str(target)) != since:
            raise OSError(errno.ESTALE, "another program has written it since it was read", name)
        temporary.replace(target)


@contextlib.contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """One at a time compares and replaces a file of this directory, where the system has locks; they end with a process."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _keep_permissions(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the owner and mode of the one that it replaces."""
    with contextlib.suppress(OSError):  # another's file in a shared directory: the new one is ours
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)


def _sync_directory(directory: Path) -> None:
    """Make a new name durable, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
