"""Nodes read one at a time, where each stands on a line of its own, as `save` writes them.

All but the nodes is read first; a node's line is read when the node is made, and forgotten. So a large model takes little
more memory than its networks. A file in another layout, edited by hand or written by another program, is read in one piece.
"""

import itertools
import secrets
from collections.abc import Iterator
from typing import Any

from depnet.errors import ModelFileError
from depnet.model.file.checksum import Checksum, checksum_of
from depnet.model.file.document import VERSION
from depnet.model.file.memory import Budget, most_to_keep, most_to_read, width_of
from depnet.model.file.text import NotJsonError, parse, parse_document

_OPENED = '\n"nodes": [\n'
_CLOSED = "\n]"
_MOST_LISTS = 2
"""Those of the network and those of the law."""


class OtherLayoutError(Exception):
    """The nodes do not stand on lines of their own."""


class NodeLines:
    """The nodes that a document has at one place, read as they are asked for, once."""

    def __init__(self, text: str, begin: int, end: int, budget: Budget) -> None:
        self._text, self._begin, self._end, self._budget = text, begin, end, budget
        self.at = "nodes"
        self.checksum: Checksum | None = None

    def __iter__(self) -> Iterator[Any]:
        if self.checksum is not None:
            self.checksum.opened()
        begin = self._begin
        for number in itertools.count():
            end = self._text.find("\n", begin, self._end)
            last = end < 0
            if not last and not self._text.endswith(",", begin, end):
                raise OtherLayoutError
            yield self._node(begin, self._end if last else end - 1, number)
            if last:
                break
            begin = end + 1
        if self.checksum is not None:
            self.checksum.closed()

    def _node(self, begin: int, end: int, number: int) -> Any:
        self._budget.check(width_of(self._text) * (end - begin))
        line = self._text[begin:end]
        self._budget.check(most_to_read(line))
        self._budget.take(most_to_keep(line))
        try:
            node = parse(line, f"{self.at}[{number}]")
        except NotJsonError:
            raise OtherLayoutError from None
        if self.checksum is not None:
            self.checksum.add(node)
        return node


def document_by_lines(text: str, budget: Budget) -> dict[str, Any]:
    """The document with `NodeLines` for its nodes and those of its law."""
    found: dict[str, NodeLines] = {}  # by the string by which they are known to stand where nodes do
    spans, end = [], 0  # of all but the nodes
    while (opened := text.find(_OPENED, end)) >= 0:
        begin = opened + len(_OPENED)
        closed = text.find(_CLOSED, begin)  # no string of JSON has a line break in it
        if closed < 0 or len(found) == _MOST_LISTS:
            raise OtherLayoutError
        found[secrets.token_hex()] = NodeLines(text, begin, closed, budget)
        spans.append((end, opened))
        end = closed + len(_CLOSED)
    if not found:
        raise OtherLayoutError
    spans.append((end, len(text)))
    budget.check(2 * width_of(text) * sum(last - first for first, last in spans))
    around = (text[first:last] for first, last in spans)
    rest = "".join(next(around) + f'\n"nodes": "{stand_in}"' for stand_in in found) + next(around)
    budget.take(most_to_read(rest) + width_of(rest) * len(rest))
    try:
        document = parse_document(rest)
    except ModelFileError:
        raise OtherLayoutError from None  # in one piece, its error has the right place
    return _joined(document, found)


def _joined(document: dict[str, Any], found: dict[str, NodeLines]) -> dict[str, Any]:
    """The document with the nodes where their stand-ins are, all of which must be where nodes are read."""
    # Before version 3 any field may be called law.
    law = document.get("law") if document.get("version") == VERSION else None
    places: list[tuple[dict[str, Any], str]] = []
    for holder, at in ((law, "law.nodes"), (document, "nodes")):  # sorted, as in the checksum
        stand_in = holder.get("nodes") if isinstance(holder, dict) else None
        if isinstance(holder, dict) and isinstance(stand_in, str) and stand_in in found:
            found[stand_in].at = at
            places.append((holder, stand_in))
    if len(places) < len(found):
        raise OtherLayoutError
    if "checksum" in document:
        checksum = Checksum(document, [stand_in for _, stand_in in places])
        for nodes in found.values():
            nodes.checksum = checksum
    for holder, stand_in in places:
        holder["nodes"] = found[stand_in]
    return document


def document_in_one_piece(text: str, budget: Budget) -> dict[str, Any]:
    """The document with lists of nodes, or what stands in their place."""
    budget.take(most_to_read(text))
    return parse_document(text)


def verify_checksum(document: dict[str, Any]) -> None:
    """Where nodes are read by lines, all must have been."""
    for holder in (document.get("law"), document):
        nodes = holder.get("nodes") if isinstance(holder, dict) else None
        if isinstance(nodes, NodeLines) and nodes.checksum is not None:
            nodes.checksum.verify()
            return
    checksum_of(document).verify()
