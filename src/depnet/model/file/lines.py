"""Nodes read one at a time, where each stands on a line of its own, as `save` writes them.

All but the nodes is read first; a node's line is read when the node is made, and forgotten. So a large model takes little
more memory than its network. A file in another layout, edited by hand or written by another program, is read in one piece.
"""

import itertools
import secrets
from collections.abc import Iterator
from typing import Any

from depnet.errors import ModelFileError
from depnet.model.file.checksum import Checksum, checksum_of
from depnet.model.file.memory import Budget, most_to_keep, most_to_read, width_of
from depnet.model.file.text import NotJsonError, parse, parse_document

_OPENED = '\n"nodes": [\n'
_CLOSED = "\n]"


class OtherLayoutError(Exception):
    """The nodes do not stand on lines of their own."""


class NodeLines:
    """The nodes of a document, read as they are asked for, once."""

    def __init__(self, text: str, begin: int, end: int, budget: Budget) -> None:
        self._text, self._begin, self._end, self._budget = text, begin, end, budget
        self.checksum: Checksum | None = None

    def __iter__(self) -> Iterator[Any]:
        begin = self._begin
        for number in itertools.count():
            end = self._text.find("\n", begin, self._end)
            last = end < 0
            line = self._text[begin : self._end if last else end]
            if not last and not line.endswith(","):
                raise OtherLayoutError
            yield self._node(line if last else line[:-1], number)
            if last:
                return
            begin = end + 1

    def _node(self, line: str, number: int) -> Any:
        self._budget.check(most_to_read(line))
        self._budget.take(most_to_keep(line))
        try:
            node = parse(line, f"nodes[{number}]")
        except NotJsonError:
            raise OtherLayoutError from None
        if self.checksum is not None:
            self.checksum.add(node)
        return node


def document_by_lines(text: str, budget: Budget) -> dict[str, Any]:
    """The document with `NodeLines` for its nodes."""
    opened = text.find(_OPENED)
    begin = opened + len(_OPENED)
    closed = text.find(_CLOSED, begin)  # no string of JSON has a line break in it
    if opened < 0 or closed < 0:
        raise OtherLayoutError
    stand_in = (
        secrets.token_hex()
    )  # by which they are known to be those of the document, not of a field in it
    rest = f'{text[:opened]}\n"nodes": "{stand_in}"{text[closed + len(_CLOSED) :]}'
    budget.take(most_to_read(rest) + width_of(rest) * len(rest))
    try:
        document = parse_document(rest)
    except ModelFileError:
        raise OtherLayoutError from None  # in one piece, its error has the right place
    if document.get("nodes") != stand_in:
        raise OtherLayoutError
    nodes = NodeLines(text, begin, closed, budget)
    if "checksum" in document:
        nodes.checksum = Checksum(document)
    return {**document, "nodes": nodes}


def document_in_one_piece(text: str, budget: Budget) -> dict[str, Any]:
    """The document with a list of nodes, or what stands in their place."""
    budget.take(most_to_read(text))
    return parse_document(text)


def verify_checksum(document: dict[str, Any]) -> None:
    """Where nodes are read by lines, all must have been."""
    nodes = document["nodes"]
    made = checksum_of(document) if isinstance(nodes, list) else nodes.checksum
    made.verify()
