"""The model file: a network as versioned JSON (gzip where the name ends in .gz). docs/model-file.md has
every field.

    save:  Network -> document (plain values) -> text -> disk, in one atomic step
    load:  disk -> text -> document -> Network, nothing believed until it is checked

A file holds no code and no rows. What it says about itself (sizes, leaves, versions) is compared with
what it holds before anything of that size is made, so a damaged or hostile file costs no more time and
memory than its own size allows, and never more than a limit.
"""

import contextlib
import os
from typing import Any

from depnet.data.dtypes import available
from depnet.data.layout import Layout
from depnet.errors import ModelError, ModelFileAccessError, ModelFileError, brief
from depnet.model.file.disk import read_bounded, write_atomically
from depnet.model.file.document import document_of
from depnet.model.file.layout import frame_of, layout_of
from depnet.model.file.lines import (
    OtherLayoutError,
    document_by_lines,
    document_in_one_piece,
    verify_checksum,
)
from depnet.model.file.memory import MAX_MEMORY, Budget
from depnet.model.file.reading import network_of
from depnet.model.file.text import decoded, encode
from depnet.model.network import Network

MAX_BYTES = 64 * 2**20
"""Larger files are loaded only on request; unpacked, for one in gzip."""


def save(network: Network, path: str | os.PathLike[str], *, layout: Layout | None = None) -> None:
    """Write a network to a model file, compressed where the name ends in .gz.

    `layout` is kept beside it: what the frame was that it was learned from (`load_with_layout` reads it).

    The file is written whole or not at all: should anything fail, an old file of that name is as it was.
    The same network gives the same bytes. A user's own source (`FunctionSource`) is written out as the
    leaf of every joint state of its inputs, where these are at most 2^20, and loads as a `TabulatedSource`.

    >>> import tempfile, depnet
    >>> network = depnet.Network.from_joint([[0.4, 0.1], [0.2, 0.3]])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     depnet.save(network, f"{directory}/model.json.gz")
    ...     depnet.load(f"{directory}/model.json.gz") == network
    True
    """
    if not isinstance(network, Network):
        raise ModelError(
            f"depnet.save(network, path) takes a Network first; got {brief(network)}. "
            "A fitted estimator has one in its network_."
        )
    name = _name_of(path, "depnet.save(network, path)")
    try:
        write_atomically(name, encode(document_of(network, layout), compressed=name.endswith(".gz")))
    except ModelFileAccessError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{brief(name, 200)} was not written: {error}") from error.__cause__


def load(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, max_memory: int = MAX_MEMORY
) -> Network:
    """Read a network from a model file, compressed or not, and check all of it.

    A `ModelFileError` says where in the file something is wrong, and what. Files larger than `max_bytes`, and
    those that could take more than `max_memory` bytes of memory to read, are refused: raise these for a file
    that you trust.
    """
    return _loaded(path, max_bytes, max_memory, "depnet.load(path)")[0]


def load_with_layout(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, max_memory: int = MAX_MEMORY
) -> tuple[Network, Layout | None]:
    """The network, and the layout of the frame that it was learned from.

    None where the file has none, or where the library of that kind of frame is not installed.
    """
    network, document = _loaded(path, max_bytes, max_memory, "load_with_layout(path)")
    if "layout" not in document:
        return network, None
    try:
        usable = available(frame_of(document["layout"]))
        return network, layout_of(document["layout"], network.domain) if usable else None
    except ModelFileError as error:
        raise ModelFileError(f"{brief(os.fsdecode(path), 200)}: {error}") from error.__cause__


def _loaded(
    path: str | os.PathLike[str], max_bytes: int, max_memory: int, call: str
) -> tuple[Network, dict[str, Any]]:
    name = _name_of(path, call)
    try:
        return _network_in(read_bounded(name, max_bytes), max_memory)
    except ModelFileAccessError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{brief(name, 200)}: {error}") from error.__cause__


def _network_in(data: bytearray, max_memory: int) -> tuple[Network, dict[str, Any]]:
    budget = Budget(max_memory)
    text = decoded(data, budget)
    data.clear()
    with contextlib.suppress(OtherLayoutError):
        return _checked(document_by_lines(text, budget.copy()))
    return _checked(document_in_one_piece(text, budget))


def _checked(document: dict[str, Any]) -> tuple[Network, dict[str, Any]]:
    network = network_of(document)
    if "checksum" in document:
        verify_checksum(document)
    return network, document


def _name_of(path: object, call: str) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ModelFileError(f"{call}: the path is a string or a Path; got {brief(path)}.")
    return os.fsdecode(path)
