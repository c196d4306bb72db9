"""Files that appear whole or not at all: written beside their place, forced to disk, then given their name.

`new_file` is the one way in which depnet writes a file: a table, a model, a command's output. It raises errors of the
system; whoever writes says in its own words what was not written, with `advice` on what to do.
"""

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
import time
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
SCRATCH = "depnet-scratch-"
"""How the names of temporary folders begin."""
PATIENCE = 3.0
"""Seconds that a named pipe may wait for its reader."""


def advice(error: OSError) -> str:
    """What to do about an error of the system, where a file could not be written."""
    return ADVICE.get(error.errno or 0, "Save elsewhere.")


def not_written(what: str, error: OSError, name: str) -> tuple[int | None, str, str]:
    """What an error says, for a table or a model that could not be written to a file: its number, message and file.

    >>> not_written("table", OSError(errno.EIO, "Input/output error"), "rows.csv")[1]
    'the table was not written (Input/output error), and what was there is as it was. Save elsewhere.'
    """
    said = f"there is no such directory to write a {what} in; make it first"
    if not isinstance(error, FileNotFoundError):
        reason = error.strerror or error
        said = f"the {what} was not written ({reason}), and what was there is as it was. {advice(error)}"
    return error.errno, said, name


def named_stream(name: str) -> str | None:
    """What a path names that is no file, and might never end or never begin: "a pipe", "a device"; None of all else.

    What is open already, such as /dev/stdin or the /dev/fd/63 that a shell gives for <(...), has somebody at its other end.
    """
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return None
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode)):
        return None
    if name.startswith(("/dev/fd/", "/proc/self/fd/")) or name in ("/dev/stdin", "/dev/null"):
        return None
    return "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


Stamp: TypeAlias = tuple[int, ...]
"""What a file's status says of who wrote it last: every file that depnet writes is a new one."""


def stamp_of(name: str) -> Stamp | None:
    try:
        status = Path(name).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def checked_place(name: str, *, force: bool = False) -> os.stat_result | None:
    """Can a file of this name be written, and may it? The status of what is there, or None; what forbids it is raised."""
    given = Path(name)
    try:
        old = given.stat()
    except FileNotFoundError:
        old = None
    except ValueError as error:  # a name that no file can have
        raise OSError(errno.EINVAL, str(error)) from None
    is_directory = old is not None and stat.S_ISDIR(old.st_mode)
    if is_directory or name.endswith(os.sep):
        verb = "is" if is_directory else "names"
        raise IsADirectoryError(errno.EISDIR, f"this {verb} a directory. Name a file in it", name)
    if old is not None and not stat.S_ISREG(old.st_mode):
        return old
    if old is not None and not force:
        raise _already_there(name)
    target = given.resolve()
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file that is there is read-only", name)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no directory {target.parent}. Make it first", name)
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(errno.EACCES, f"{target.parent} cannot be written to: permission denied", name)
    return old


@contextlib.contextmanager
def new_file(name: str, *, force: bool = False, since: Stamp | None = None) -> Iterator[Path]:
    """A path to write to; when the block ends without an error, what was written has the name `name`.

    An existing file is replaced only with `force`, and is as it was should anything fail. A symbolic link stays
    one; the permissions of a file that is replaced are kept. What is no file (a pipe, /dev/stdout) is written to.
    With `since`, the stamp of the file when it was read, one that another has written meanwhile is not replaced: of
    several that read, change and write the same file, each either builds on what the one before wrote, or says so.
    """
    given = Path(name)
    old = checked_place(name, force=force)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with _read_by_somebody(name) if named_stream(name) == "a pipe" else contextlib.nullcontext():
            yield given
        return
    target = given.resolve()
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


@contextlib.contextmanager
def _read_by_somebody(name: str) -> Iterator[None]:
    """Wait a little for somebody to read a named pipe: to open it without would wait for ever.

    It stays open until all is written: a reader takes the last writer's leaving for the end.
    """
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = os.open(name, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > ends:
                raise OSError(errno.ENXIO, "nobody reads this pipe", name) from None
        time.sleep(0.01)
    try:
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def scratch_folder(under: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """A temporary folder that only this user reads, under `under` or TMPDIR: locked while it is used, removed at the end.

    A process that is killed cannot remove its own, which may hold rows of a table: the next one to come here does. It has
    its name only once it is locked, so a folder of that name that nobody holds is abandoned.
    """
    place = Path(tempfile.gettempdir() if under is None else under).resolve()
    _remove_abandoned(place)
    made = Path(tempfile.mkdtemp(prefix="depnet-new-", dir=place))
    folder = made.with_name(SCRATCH + made.name.removeprefix("depnet-new-"))
    descriptor = _lock(made)
    try:
        made.rename(folder)
        yield folder
    finally:
        shutil.rmtree(
            folder, ignore_errors=True
        )  # what is mapped into memory may stay, by the system's rules
        if descriptor is not None:
            os.close(descriptor)


def _remove_abandoned(place: Path) -> None:
    if not hasattr(os, "geteuid"):
        return
    for folder in place.glob(f"{SCRATCH}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            if ours and (descriptor := _lock(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(descriptor)


def _lock(folder: Path, *, wait: bool = False) -> int | None:
    """A descriptor that holds the folder's lock; None where another holds it, or there are no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


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
    descriptor = _lock(
        target.parent, wait=True
    )  # one at a time compares and replaces; locks end with a process
    try:
        if stamp_of(str(target)) != since:
            raise OSError(errno.ESTALE, "another program has written it since it was read", name)
        temporary.replace(target)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _keep_permissions(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the owner and mode of the one that it replaces, where the system has these."""
    if not hasattr(os, "fchown"):
        return
    with contextlib.suppress(OSError):  # another's file in a shared directory: the new one is ours
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)


def _sync_directory(directory: Path) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
