"""Documents as text: JSON in a layout that people and line-by-line tools can read, with a checksum of the content."""

import gzip
import hashlib
import io
import json
from collections.abc import Iterator
from typing import Any

from depnet.errors import ModelFileError
from depnet.model.file.fields import CHANGED
from depnet.model.file.packed import plain


def encode(document: dict[str, Any], *, compressed: bool) -> bytes:
    """The bytes of a file, with the checksum: one variable, one node and the trees of one variable a line."""
    document = {name: _NodeTexts(value) if name == "nodes" else value for name, value in document.items()}
    if "law" in document:
        document["law"] = {**document["law"], "nodes": _NodeTexts(document["law"]["nodes"])}
    parts = []
    for name, value in {**document, "checksum": checksum_of(document)}.items():
        if name == "domain":
            parts.append(f'"domain": {{"variables": {_lines(map(_compact, value["variables"]))}}}')
        elif name == "within":
            parts.append(f'"within": {_lines(map(_compact, value))}')
        elif name == "nodes":
            parts.append(f'"nodes": {_lines(value.written)}')
        elif name == "law":
            beside = _compact({field: each for field, each in value.items() if field != "nodes"})
            parts.append(f'"law": {beside[:-1]},\n"nodes": {_lines(value["nodes"].written)}}}')
        else:
            parts.append(f"{json.dumps(name)}: {_compact(value)}")
    data = ("{\n" + ",\n".join(parts) + "\n}\n").encode()
    return _gzip(data) if compressed else data


def checksum_of(document: dict[str, Any]) -> str:
    """SHA-256 of the content: all fields but the checksum, names sorted, no spaces, in ASCII."""
    digest = hashlib.sha256()
    for part in _canonical_parts({name: value for name, value in document.items() if name != "checksum"}):
        digest.update(part.encode())
    return f"sha256:{digest.hexdigest()}"


def _canonical_parts(fields: dict[str, Any]) -> Iterator[str]:
    """An object as the checksum knows it, its nodes one by one: no more than one is in memory as plain values."""
    yield "{"
    for place, name in enumerate(sorted(fields)):
        value = fields[name]
        yield f"{',' if place else ''}{_canonical(name)}:"
        if name == "law" and isinstance(value, dict):
            yield from _canonical_parts(value)
        elif name == "nodes" and isinstance(value, (list, _NodeTexts)):
            texts = value.canonical if isinstance(value, _NodeTexts) else map(_canonical, value)
            yield "["
            for number, text in enumerate(texts):
                yield f",{text}" if number else text
            yield "]"
        else:
            yield _canonical(value)
    yield "}"


class _NodeTexts:
    """Nodes as the file has them and as the checksum knows them: each is made into text once."""

    def __init__(self, nodes: list[Any]) -> None:
        pairs = [_node_texts(node) for node in nodes]
        self.written = [written for written, _ in pairs]
        self.canonical = [canonical for _, canonical in pairs]


def _node_texts(value: object) -> tuple[str, str]:
    """A part of a node in both forms. No string in it has a comma, so that only the blanks after commas differ."""
    if not isinstance(value, dict):
        written = _compact(value)
        return written, written.replace(", ", ",")
    texts = {name: _node_texts(inner) for name, inner in value.items()}
    written = ", ".join(f'"{name}": {text}' for name, (text, _) in texts.items())
    canonical = ",".join(f'"{name}":{texts[name][1]}' for name in sorted(texts))
    return f"{{{written}}}", f"{{{canonical}}}"


def _canonical(value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=plain)
    except (ValueError, RecursionError) as error:  # a number past float64 in a field that is not read
        raise ModelFileError(f"the content has no checksum: {error}. {CHANGED}") from None


def _lines(texts: Iterator[str] | list[str]) -> str:
    return "[\n" + ",\n".join(texts) + "\n]"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain)


def _gzip(data: bytes) -> bytes:
    """Compressed without a name or a time: the same network, the same bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=6, mtime=0) as file:
        file.write(data)
    return packed.getvalue()
