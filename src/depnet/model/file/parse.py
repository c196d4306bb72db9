"""Texts as documents: strict JSON, read in pieces, within a limit of memory.

Python's JSON reader is lenient where a model file must not be: it takes NaN and Infinity, keeps the last
of two fields of one name, and fails in three ways of its own on deep nesting, long numbers and broken text.
Here each is a `ModelFileError`.

A piece is a line, and the nodes (and the trees within bins) of a file that `save` wrote stand one on each: no more than
one is in memory as plain values, since its long lists become arrays as they are met. A value that goes past the end of its
line, in a file in another layout, makes the whole text one piece.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from depnet.errors import ModelFileError, brief
from depnet.model.file.fields import CHANGED, fault
from depnet.model.file.memory import Budget, most_to_keep, most_to_read, width_of
from depnet.model.file.packed import packed

_BLANKS = re.compile(r"[ \t\r\n]*")
_NODES = ("nodes", "law.nodes", "within")
_IN_PARTS = ("", "domain", "domain.variables", "law", *_NODES)
"""Objects and lists whose parts are read one by one."""

_LINE = 500
"""Bytes that every piece is charged with: so a file of very many lines is refused soon."""


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


def document_in(text: str, budget: Budget) -> dict[str, Any]:
    """The document in the text of a file."""
    reader = _Reader(text, budget)
    try:
        document = reader.document()
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        what = "the file ends too early: it is not complete" if at_end else f"this is not JSON ({error.msg})"
        raise ModelFileError(f"line {error.lineno:,}, column {error.colno:,}: {what}. {CHANGED}") from None
    except ModelFileError:
        raise
    except RecursionError:
        raise ModelFileError(f"lists and objects are nested too deeply. {CHANGED}") from None
    except ValueError:
        raise ModelFileError(f"a whole number has thousands of digits. {CHANGED}") from None
    if reader.faulty:
        raise _located(document)
    return document


class _Constant:
    """Stands where the text had NaN or Infinity."""

    def __init__(self, name: str) -> None:
        self.name = name


class _Twice(dict[str, Any]):
    """An object in which the field `name` stands twice."""

    def __init__(self, fields: dict[str, Any], name: str) -> None:
        super().__init__(fields)
        self.name = name


class _Reader:
    """A place in the text, and the piece of it that the place is in."""

    def __init__(self, text: str, budget: Budget) -> None:
        self._text, self._budget = text, budget
        self._piece, self._begin, self._at = "", 0, 0  # _at is a place in the piece, which begins at _begin
        self._in_nodes = False
        self._constants: dict[str, _Constant] = {}  # one of each name: a file may be full of them
        self.faulty = False
        """Somewhere there is a constant, or an object with a field that stands twice."""
        self._decoder = json.JSONDecoder(parse_constant=self._constant, object_pairs_hook=self._object)

    def document(self) -> dict[str, Any]:
        """All of the text, which begins with a brace."""
        document: dict[str, Any] = self._value("")
        if self._next():
            raise self._unexpected("Extra data")
        return document

    def _value(self, at: str) -> Any:
        """The value that comes next."""
        sign = self._next()
        if at in _IN_PARTS and sign == "{":
            return self._fields(at)
        if at in _IN_PARTS and sign == "[" and not self._piece[self._at + 1 :].strip():
            return self._items(at)
        return self._decoded()

    def _fields(self, at: str) -> dict[str, Any]:
        """An object, field by field."""
        pairs: list[tuple[str, Any]] = []
        self._at += 1
        if self._next() == "}":
            self._at += 1
            return {}
        while True:
            if self._next() != '"':
                raise self._unexpected("Expecting property name enclosed in double quotes")
            name = self._decoded()
            if self._next() != ":":
                raise self._unexpected("Expecting ':' delimiter")
            self._at += 1
            pairs.append((name, self._value(f"{at}.{name}" if at else name)))
            if self._ended("}"):
                return self._object(pairs)

    def _items(self, at: str) -> list[Any]:
        """A list of which every item begins on a line of its own, item by item."""
        self._in_nodes = at in _NODES
        items: list[Any] = []
        self._at += 1
        ended = self._next() == "]"
        if ended:
            self._at += 1
        while not ended:
            self._next()
            items.append(self._decoded())
            if self._in_nodes:
                self._budget.take(most_to_keep(items[-1]))
            ended = self._ended("]")
        if self._in_nodes:
            self._budget.take(most_to_read(self._piece))  # what else is on the line that ends the list
        self._in_nodes = False
        return items

    def _ended(self, sign: str) -> bool:
        """Go past a comma, or past the `sign` that ends an object or a list."""
        found = self._next()
        if found not in (",", sign) or not found:
            raise self._unexpected("Expecting ',' delimiter")
        self._at += 1
        return found == sign

    def _next(self) -> str:
        """The next sign that is not blank, on this line or a later one; none at the end."""
        self._at = _end_of_blanks(self._piece, self._at)
        if self._at == len(self._piece):
            self._begin = _end_of_blanks(self._text, self._begin + self._at)
            end = self._text.find("\n", self._begin) + 1 or len(self._text)
            self._load(end)
        return self._piece[self._at : self._at + 1]

    def _load(self, end: int) -> None:
        """Make the text from `_begin` to `end` the piece."""
        copied = width_of(self._text) * (end - self._begin)
        self._budget.check(copied)
        self._at, self._piece = 0, ""
        piece = self._text[self._begin : end]
        (self._budget.check if self._in_nodes else self._budget.take)(_LINE + copied + most_to_read(piece))
        self._piece = piece

    def _decoded(self) -> Any:
        """The value at this place, in one go."""
        try:
            value, self._at = self._decoder.raw_decode(self._piece, self._at)
        except json.JSONDecodeError:
            if len(self._piece) == len(self._text):
                raise
            place, self._in_nodes, self._begin = self._begin + self._at, False, 0
            self._load(len(self._text))
            value, self._at = self._decoder.raw_decode(self._piece, place)
        return value

    def _constant(self, name: str) -> _Constant:
        self.faulty = True
        return self._constants.setdefault(name, _Constant(name))

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            self.faulty = True
            fields = _Twice(fields, Counter(name for name, _ in pairs).most_common(1)[0][0])
        return packed(fields)

    def _unexpected(self, what: str) -> json.JSONDecodeError:
        return json.JSONDecodeError(what, self._text, self._begin + self._at)


def _end_of_blanks(text: str, begin: int) -> int:
    found = _BLANKS.match(text, begin)
    assert found is not None  # if only the empty text
    return found.end()


def _located(document: object) -> ModelFileError:
    at, first = next((at, value) for at, value in _walk(document) if isinstance(value, (_Constant, _Twice)))
    if isinstance(first, _Constant):
        return fault(at, f"{first.name} is not a number that a model file can hold.")
    return fault(at or "the file", f"the field {brief(first.name)} stands twice. {CHANGED}")


def _walk(document: object) -> Iterator[tuple[str, object]]:
    """Every value with its place, in order, without recursion."""
    steps: list[Iterator[tuple[str, object]]] = [iter([("", document)])]
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
