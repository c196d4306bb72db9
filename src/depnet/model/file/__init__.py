"""The model file: the paper's network, the ordered law, or both, as JSON (gzip where the name ends in .gz).
docs/model-file.md has every field.

    save:  networks -> fields -> bytes -> disk, in one atomic step
    load:  disk -> bytes -> fields -> networks, nothing believed until it is checked

A file holds no code and no rows. What it says about itself (sizes, leaves) is compared with what it holds before anything
of that size is made, and a file has a largest size, unpacked: a damaged or hostile one costs time and memory in proportion
to its size, and no more.

- `document`: the whole file as a type, in and out; `nodes`: what it says of nodes
- `bif`: the law alone as other programs read it, in files that are called .bif
- `fields`: what it says of the table; JSON as values of such types, and errors that say their place
"""

import errno
import gzip
import os
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Literal, overload

from depnet.data.table.columns import Layout
from depnet.errors import ModelError, ModelFileAccessError, ModelFileError, ModelFileNotFoundError, brief
from depnet.files import named_stream, new_file, not_written
from depnet.model.file.document import AGAIN, encode_json, read_json
from depnet.model.mixture import AnyNetwork, Mixture
from depnet.model.model import Model
from depnet.model.network import Network

__all__ = ["MAX_BYTES", "encode", "load", "load_model", "save"]

MAX_BYTES = 64 * 2**20
"""Larger files are loaded only on request; unpacked, for one in gzip."""

CHUNK = 2**16


def save(
    network: AnyNetwork,
    path: str | os.PathLike[str],
    law: AnyNetwork | None = None,
    *,
    layout: Layout | None = None,
) -> None:
    """Write a network, and the ordered `law` beside it, to a model file, compressed where the name ends in .gz.

    Where it ends in .bif or .bif.gz, the law alone is written, for other programs (docs/model-file.md).

    The file is written whole or not at all: should anything fail, an old file of that name is as it was.
    The same networks give the same bytes. A user's own source (`FunctionSource`) is written out as the
    leaf of every joint state of its inputs, where these are at most 2^20, and loads as a `TabulatedSource`.

    Args:
        network: the paper's network; or a law (an ordered network, or a mixture), which is then given alone.
        path: the file's name.
        law: the ordered network beside it, of the same domain and rows: 1- and 2-way counts are kept once, and both have
            them when they are loaded.
        layout: what the frame was that they were learned from (`depnet.model.file.load_model` reads it).

    >>> import tempfile, depnet
    >>> network = depnet.Network.from_joint([[0.4, 0.1], [0.2, 0.3]])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     depnet.save(network, f"{directory}/model.json.gz")
    ...     depnet.load(f"{directory}/model.json.gz") == network
    True
    """
    if not isinstance(network, (Network, Mixture)):
        raise ModelError(
            f"depnet.save(network, path) takes a Network first; got {brief(network)}. "
            "A fitted estimator has one in its network_."
        )
    name = _name_of(path, "depnet.save(network, path)")
    try:
        write_atomically(name, encode(Model.of(network, law, layout), name))
    except ModelFileAccessError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{brief(name, 200)} was not written: {error}") from error.__cause__


@overload
def load(
    path: str | os.PathLike[str], *, law: Literal[False] = False, max_bytes: int = MAX_BYTES
) -> Network: ...
@overload
def load(
    path: str | os.PathLike[str], *, law: bool, max_bytes: int = MAX_BYTES
) -> Any: ...  # a network, or a mixture
def load(
    path: str | os.PathLike[str],
    *,
    law: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Any:
    """Read a network from a model file, or a law from a BIF file, compressed or not, and check all of the file.

    A `ModelFileError` says where in the file something is wrong, and what.

    Args:
        path: the file's name.
        law: whether the law is wanted: an error where the file has none. Else it is the paper's network where the file
            has one, and the law where not (of a mixture the first component).
        max_bytes: larger files are refused: raise this for a file that you trust.

    Returns:
        The network, equal to the one that was saved; with `law`, a network or a `Mixture`.

    >>> import tempfile, depnet
    >>> people = depnet.titanic()
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     depnet.save(depnet.learn(people), f"{directory}/model.json", depnet.learn(people, order="auto"))
    ...     depnet.load(f"{directory}/model.json", law=True).order
    (1, 3, 0, 2)
    """
    model = _load(path, max_bytes, "depnet.load(path)", with_layout=False)
    if not law:
        return model.network
    if model.law is None:
        raise ModelFileError(
            f"{brief(os.fsdecode(path), 200)}: the file has no ordered law. {AGAIN} From Python: "
            'depnet.save(network, path, law=depnet.learn(dataset, order="auto")).'
        )
    return model.law


def load_model(path: str | os.PathLike[str], *, layout: bool = True) -> Model:
    """The paper's network, the law and the layout of the frame, in one read; see `load`.

    Without the `layout`, which only those need who write the file again or make frames, its library is not imported.
    """
    return _load(path, MAX_BYTES, "load_model(path)", with_layout=layout)


def _load(path: str | os.PathLike[str], max_bytes: int, call: str, *, with_layout: bool) -> Model:
    name = _name_of(path, call)
    try:
        data = read_bounded(name, max_bytes)
        if not is_bif(name):
            return read_json(data, layout=with_layout)
        from depnet.model.file.bif import read_bif

        return read_bif(data)
    except ModelFileAccessError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{brief(name, 200)}: {error}") from error.__cause__


def encode(model: Model, name: str) -> bytes:
    """The bytes of a file of this name: BIF or JSON, compressed or not."""
    if is_bif(name):
        from depnet.model.file.bif import encode_bif

        data = encode_bif(model)
    else:
        data = encode_json(model)
    return gzip.compress(data, 6, mtime=0) if name.endswith(".gz") else data


def is_bif(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(".bif")


def _name_of(path: object, call: str) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ModelFileError(f"{call}: the path is a string or a Path; got {brief(path)}.")
    return os.fsdecode(path)


def read_bounded(name: str, max_bytes: int) -> bytearray:
    """The content of a file, unpacked if it is gzip; more than `max_bytes` of it is an error."""
    try:
        if (kind := named_stream(name)) is not None:
            raise ModelFileError(f"this is {kind}, not a model file. Read a pipe as standard input.")
        with Path(name).open("rb") as file:
            if file.peek(2).startswith(b"\x1f\x8b"):
                return _read(gzip.GzipFile(fileobj=file), max_bytes, "the content, unpacked,")
            return _read(file, max_bytes, "the file")
    except FileNotFoundError:
        raise ModelFileNotFoundError(errno.ENOENT, "there is no such model file", name) from None
    except IsADirectoryError:
        raise ModelFileError("this is a directory, not a model file.") from None
    except ModelFileError:
        raise
    except EOFError:
        what = "the compressed file ends too early: it is not complete. Get it again."
        raise ModelFileError(what) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ModelFileError(f"the compressed file is damaged ({error}). Get it again.") from None
    except OSError as error:
        raise ModelFileAccessError(
            error.errno, f"the model file cannot be read ({error.strerror})", name
        ) from error
    except ValueError as error:  # a name that no file can have
        raise ModelFileError(f"{error}.") from None


def _read(file: BinaryIO | gzip.GzipFile, max_bytes: int, what: str) -> bytearray:
    data = bytearray()
    while chunk := file.read(CHUNK):  # to ask for all at once would take memory for the largest file
        data += chunk
        if len(data) > max_bytes:
            raise ModelFileError(
                f"{what} is larger than {max_bytes:,} bytes. If you trust it, load it with "
                "depnet.load(path, max_bytes=...)."
            )
    return data


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
