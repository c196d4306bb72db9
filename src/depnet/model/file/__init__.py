"""The model file: the paper's network, the ordered law, or both, as versioned JSON (gzip where the name ends in .gz).
docs/model-file.md has every field.

    save:  Networks -> document (plain values) -> text -> disk, in one atomic step
    load:  disk -> text -> document -> Networks, nothing believed until it is checked

A file holds no code and no rows. What it says about itself (sizes, leaves, versions) is compared with
what it holds before anything of that size is made, so a damaged or hostile file costs no more time and
memory than its own size allows, and never more than a limit.

- `disk`: bytes, read up to a limit and written in one step
- `document`: networks as plain values; `packed`: the long lists among them as arrays
- `text`: plain values as text, and the checksum
- `memory`, `parse`: text as plain values, within a limit of memory
- `fields`, `reading`: plain values as networks, every field checked; `variables`, `boosted`, `counts`, `held_out`, `within`,
  `layout`: both ways of a part of a file
"""

import os
from dataclasses import replace
from typing import Any

from depnet.data.frames.dtypes import available
from depnet.data.table.layout import Layout
from depnet.errors import ModelError, ModelFileAccessError, ModelFileError, brief
from depnet.model.file.disk import read_bounded, write_atomically
from depnet.model.file.document import document_of
from depnet.model.file.fields import CHANGED, fault
from depnet.model.file.layout import frame_of, layout_of
from depnet.model.file.memory import MAX_MEMORY, Budget
from depnet.model.file.parse import decoded, document_in
from depnet.model.file.reading import AGAIN, EARLIER, NO_LAW, Loaded, networks_of
from depnet.model.file.text import checksum_of, encode
from depnet.model.network import Network

__all__ = ["EARLIER", "MAX_BYTES", "MAX_MEMORY", "NO_LAW", "Loaded", "load", "load_both", "save"]

MAX_BYTES = 64 * 2**20
"""Larger files are loaded only on request; unpacked, for one in gzip."""


def save(
    network: Network,
    path: str | os.PathLike[str],
    law: Network | None = None,
    *,
    layout: Layout | None = None,
) -> None:
    """Write a network, and the ordered `law` beside it, to a model file, compressed where the name ends in .gz.

    The file is written whole or not at all: should anything fail, an old file of that name is as it was.
    The same networks give the same bytes. A user's own source (`FunctionSource`) is written out as the
    leaf of every joint state of its inputs, where these are at most 2^20, and loads as a `TabulatedSource`.

    Args:
        network: the paper's network; or a law, which is then given alone.
        path: the file's name.
        law: the ordered network beside it, of the same domain and rows: 1- and 2-way counts are kept once, and both have
            them when they are loaded.
        layout: what the frame was that they were learned from (`depnet.model.file.load_both` reads it).

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
        write_atomically(name, encode(document_of(network, layout, law), compressed=name.endswith(".gz")))
    except ModelFileAccessError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{brief(name, 200)} was not written: {error}") from error.__cause__


def load(
    path: str | os.PathLike[str],
    *,
    law: bool = False,
    max_bytes: int = MAX_BYTES,
    max_memory: int = MAX_MEMORY,
) -> Network:
    """Read a network from a model file, compressed or not, and check all of the file.

    A `ModelFileError` says where in the file something is wrong, and what.

    Args:
        path: the file's name.
        law: whether the law is wanted: an error where the file has none. Else it is the paper's network where the file
            has one, and the law where not.
        max_bytes: larger files are refused: raise this for a file that you trust.
        max_memory: so are files that could take more bytes of memory than this to read.

    Returns:
        The network, equal to the one that was saved.

    >>> import tempfile, depnet
    >>> people = depnet.titanic()
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     depnet.save(depnet.learn(people), f"{directory}/model.json", depnet.learn(people, order="auto"))
    ...     depnet.load(f"{directory}/model.json", law=True).order
    (1, 3, 0, 2)
    """
    loaded = _loaded(path, max_bytes, max_memory, "depnet.load(path)", with_layout=False)
    if not law:
        return loaded.first
    if loaded.law is None:
        raise ModelFileError(
            f"{brief(os.fsdecode(path), 200)}: the file has no ordered law. {AGAIN} From Python: "
            'depnet.save(network, path, law=depnet.learn(dataset, order="auto")).'
        )
    return loaded.law


def load_both(path: str | os.PathLike[str], *, layout: bool = True) -> Loaded:
    """The paper's network, the law and the layout of the frame, in one read; see `load`.

    Without the `layout`, which only those need who write the file again or make frames, its library is not imported.
    """
    return _loaded(path, MAX_BYTES, MAX_MEMORY, "load_both(path)", with_layout=layout)


def _loaded(
    path: str | os.PathLike[str], max_bytes: int, max_memory: int, call: str, *, with_layout: bool
) -> Loaded:
    name = _name_of(path, call)
    try:
        loaded, document = _networks_in(read_bounded(name, max_bytes), max_memory)
        if not with_layout or "layout" not in document or not available(frame_of(document["layout"])):
            return loaded
        return replace(loaded, layout=layout_of(document["layout"], loaded.first.domain))
    except ModelFileAccessError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{brief(name, 200)}: {error}") from error.__cause__


def _networks_in(data: bytearray, max_memory: int) -> tuple[Loaded, dict[str, Any]]:
    budget = Budget(max_memory)
    text = decoded(data, budget)
    data.clear()
    document = document_in(text, budget)
    del text
    checksum = checksum_of(document) if "checksum" in document else None
    found = networks_of(document)
    if (
        checksum is not None and document["checksum"] != checksum
    ):  # said last: an error with a place says more
        raise fault(
            "checksum",
            f"{brief(document['checksum'])} is not that of the content, {checksum}. {CHANGED} If you changed it "
            "on purpose, remove the field 'checksum' or correct it.",
        )
    return found, document


def _name_of(path: object, call: str) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ModelFileError(f"{call}: the path is a string or a Path; got {brief(path)}.")
    return os.fsdecode(path)
