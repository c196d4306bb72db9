"""The model file: the paper's network, the ordered law, or both, as JSON (gzip where the name ends in .gz).
docs/model-file.md has every field.

    save:  networks -> fields -> bytes -> disk, in one atomic step
    load:  disk -> bytes -> fields -> networks, nothing believed until it is checked

A file holds no code and no rows. What it says about itself (sizes, leaves) is compared with what it holds before anything
of that size is made, and a file has a largest size, unpacked: a damaged or hostile one costs time and memory in proportion
to its size, and no more.

- `disk`: bytes, read up to a limit and written in one step
- `fields`: the fields of a file as types, JSON as values of these
- `read`: fields as networks, every one checked; `write`: networks as bytes; `layout`: both ways of the frame's layout
"""

import os
import re
from dataclasses import replace

from msgspec import UNSET

from depnet.data.table.layout import Layout
from depnet.errors import ModelError, ModelFileAccessError, ModelFileError, brief
from depnet.model.file.disk import read_bounded, write_atomically
from depnet.model.file.fields import CHANGED, FORMAT, VERSION, Document, Head, decode, fault
from depnet.model.file.layout import layout_of
from depnet.model.file.read import model_of
from depnet.model.file.write import checksum_of, encode
from depnet.model.model import Model
from depnet.model.network import Network

__all__ = ["MAX_BYTES", "encode", "load", "load_model", "save"]

MAX_BYTES = 64 * 2**20
"""Larger files are loaded only on request; unpacked, for one in gzip."""

AGAIN = "Fit again from the table: depnet fit TABLE -o MODEL, or depnet.learn and depnet.save."
"""What to do with a file that this depnet cannot use, or that lacks something."""

_CHECKSUM = re.compile(rb'"checksum"\s*:\s*"([^"]*)"\s*\}\s*')


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
        layout: what the frame was that they were learned from (`depnet.model.file.load_model` reads it).

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
        write_atomically(name, encode(Model(network, law, layout), compressed=name.endswith(".gz")))
    except ModelFileAccessError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{brief(name, 200)} was not written: {error}") from error.__cause__


def load(
    path: str | os.PathLike[str],
    *,
    law: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Network:
    """Read a network from a model file, compressed or not, and check all of the file.

    A `ModelFileError` says where in the file something is wrong, and what.

    Args:
        path: the file's name.
        law: whether the law is wanted: an error where the file has none. Else it is the paper's network where the file
            has one, and the law where not.
        max_bytes: larger files are refused: raise this for a file that you trust.

    Returns:
        The network, equal to the one that was saved.

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
        _check_head(data)
        document = decode(data, Document)
        model = model_of(document)
        if with_layout and document.layout is not UNSET:
            model = replace(model, layout=layout_of(document.layout, model.domain))
        if document.checksum is not UNSET:  # said last: an error with a place says more
            _check_checksum(data)
        return model
    except ModelFileAccessError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{brief(name, 200)}: {error}") from error.__cause__


def _check_head(data: bytearray) -> None:
    """Is this a model file, of the version that is read?"""
    start = data[:200].lstrip()
    if not start and not data.strip():
        raise ModelFileError(f"the file is empty. {CHANGED}")
    if not start.startswith(b"{"):
        shown = brief(start.decode(errors="replace"), 40)
        raise ModelFileError(f"this is no model file: it starts with {shown}, not with an object.")
    head = decode(data, Head)
    if head.format != FORMAT:
        raise fault("format", f"expected {FORMAT!r}; got {brief(head.format)}. This is no model file.")
    if type(head.version) is int and head.version > VERSION:
        raise fault(
            "version",
            f"the file has version {brief(head.version)} and comes from a newer depnet; this one reads version {VERSION}. "
            "Upgrade depnet: pip install --upgrade depnet.",
        )
    if type(head.version) is not int or head.version != VERSION:
        raise fault("version", f"expected {VERSION}; got {brief(head.version)}. {AGAIN}")


def _check_checksum(data: bytearray) -> None:
    start = data.rindex(b'"checksum"')
    field = _CHECKSUM.fullmatch(data, start)
    if field is None:
        raise fault("checksum", "expected it to be the last field of the file.")
    checksum = checksum_of(memoryview(data)[:start])
    if field[1] != checksum.encode():
        raise fault(
            "checksum",
            f"{brief(field[1].decode(errors='replace'))} is not that of the content, {checksum}. {CHANGED} If you changed "
            "it on purpose, remove the field 'checksum' or correct it.",
        )


def _name_of(path: object, call: str) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ModelFileError(f"{call}: the path is a string or a Path; got {brief(path)}.")
    return os.fsdecode(path)
