"""Documents as text: strict JSON, in a layout that people and line-by-line tools can read.

Python's JSON reader is lenient where a model file must not be: it takes NaN and Infinity, keeps the last
of two fields of one name, and fails in three ways of its own on deep nesting, long numbers and broken text.
Here each is a `ModelFileError`.
"""

import gzip
import io
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from depnet.errors import ModelFileError, brief
from depnet.model.file.checksum import checksum_of, plain
from depnet.model.file.fields import CHANGED, fault
from depnet.model.file.memory import Budget, width_of


class _Constant:
    """Stands where the text had NaN or Infinity."""

    def __init__(self, name: str) -> None:
        self.name = name


class _Twice(dict[str, Any]):
    """An object in which the field `name` stands twice."""

    def __init__(self, fields: dict[str, Any], name: str) -> None:
        super().__init__(fields)
        self.name = name


def encode(document: dict[str, Any], *, compressed: bool) -> bytes:
    """The bytes of a file, with the checksum: one variable and one node a line."""
    parts = []
    for name, value in {**document, "checksum": checksum_of(document).finished()}.items():
        if name == "domain":
            parts.append(f'"domain": {{"variables": {_lines(value["variables"])}}}')
        elif name == "nodes":
            parts.append(f'"nodes": {_lines(value)}')
        elif name == "law":
            beside = _compact({field: each for field, each in value.items() if field != "nodes"})
            parts.append(f'"law": {beside[:-1]},\n"nodes": {_lines(value["nodes"])}}}')
        else:
            parts.append(f"{json.dumps(name)}: {_compact(value)}")
    data = ("{\n" + ",\n".join(parts) + "\n}\n").encode()
    return _gzip(data) if compressed else data


class NotJsonError(ModelFileError):
    """A text that is no JSON."""


def parse_document(text: str) -> dict[str, Any]:
    """The document in the text of a file."""
    document = parse(text)
    assert isinstance(document, dict)  # the text starts with a brace
    return document


def parse(text: str, at: str = "") -> Any:
    """The value in a text, which stands at `at`. Tables of numbers become arrays as they are met."""
    constants: dict[str, _Constant] = {}  # one of each name: a file may be full of them
    twice = False

    def read_constant(name: str) -> _Constant:
        return constants.setdefault(name, _Constant(name))

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        fields = dict(pairs)
        if len(fields) < len(pairs):
            fields = _Twice(fields, Counter(name for name, _ in pairs).most_common(1)[0][0])
            twice = True
        for name in ("counts", "probabilities"):
            if name in fields:
                fields[name] = _packed(fields[name])
        return fields

    try:
        value = json.loads(text, parse_constant=read_constant, object_pairs_hook=read_object)
    except json.JSONDecodeError as error:
        raise NotJsonError(_syntax(error, text)) from None
    except RecursionError:
        raise ModelFileError(f"lists and objects are nested too deeply. {CHANGED}") from None
    except ValueError:
        raise ModelFileError(f"a whole number has thousands of digits. {CHANGED}") from None
    if constants or twice:  # somewhere
        raise _located(value, at)
    return value


def decoded(data: bytes | bytearray, budget: Budget) -> str:
    """The text of a file, which begins as an object does."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise ModelFileError("the file starts with a byte order mark. Save it as UTF-8 without one.")
    # Decoding widens a text where it meets a wider character: two and four bytes each, while it is copied.
    budget.check(len(data) * (1 + (1 if data.isascii() else 6)))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"byte {error.start:,} is not UTF-8 text. This is no model file, or it is damaged."
        ) from None
    start = text[:200].lstrip(" \t\r\n")
    if not start and not text.strip(" \t\r\n"):
        raise ModelFileError(f"the file is empty. {CHANGED}")
    if not start.startswith("{"):
        raise ModelFileError(f"this is no model file: it starts with {brief(start, 40)}, not with an object.")
    budget.take(width_of(text) * len(text))
    return text


def _syntax(error: json.JSONDecodeError, text: str) -> str:
    at_end = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    what = "the file ends too early: it is not complete" if at_end else f"this is not JSON ({error.msg})"
    return f"line {error.lineno:,}, column {error.colno:,}: {what}. {CHANGED}"


def _packed(rows: object) -> object:
    """Rows of equal length, all whole numbers or all floats, as an array; anything else as it is."""
    if not isinstance(rows, list) or set(map(type, rows)) != {list} or len(set(map(len, rows))) != 1:
        return rows
    kinds = set(map(type, itertools.chain.from_iterable(rows)))
    if kinds not in ({int}, {float}):
        return rows
    try:
        return np.array(rows, dtype=np.int64 if kinds == {int} else np.float64)
    except OverflowError:  # whole numbers past 64 bits: the reader says where
        return rows


def _located(document: object, inside: str) -> ModelFileError:
    at, first = next(
        (at, value) for at, value in _walk(inside, document) if isinstance(value, (_Constant, _Twice))
    )
    if isinstance(first, _Constant):
        return fault(at, f"{first.name} is not a number that a model file can hold.")
    return fault(at or "the file", f"the field {brief(first.name)} stands twice. {CHANGED}")


def _walk(place: str, document: object) -> Iterator[tuple[str, object]]:
    """Every value with its place, in order, without recursion."""
    steps: list[Iterator[tuple[str, object]]] = [iter([(place, document)])]
    while steps:
        for at, value in steps[-1]:
            yield at, value
            if isinstance(value, (dict, list)):
                steps.append(_inside(at, value))
                break
        else:
            steps.pop()


def _inside(at: str, value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, object]]:
    if isinstance(value, list):
        return ((f"{at}[{k}]", inner) for k, inner in enumerate(value))
    return ((f"{at}.{name}" if at else name, inner) for name, inner in value.items())


def _lines(values: list[Any]) -> str:
    return "[\n" + ",\n".join(map(_compact, values)) + "\n]"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain)


def _gzip(data: bytes) -> bytes:
    """Compressed without a name or a time: the same network, the same bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=6, mtime=0) as file:
        file.write(data)
    return packed.getvalue()
