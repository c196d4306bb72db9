"""The checksum: SHA-256 of the content, all fields but itself, names sorted, no spaces, in ASCII.

It is made of what stands around the lists of nodes and of the nodes one by one, so that no more than one node need be
in memory as plain values.
"""

import hashlib
import json
import secrets
from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from depnet.errors import ModelFileError, brief
from depnet.model.file.fields import CHANGED, fault


class Checksum:
    """The checksum of a document in which strings that stand nowhere else take the place of its lists of nodes.

    The lists are added in their order in the sorted content, `law.nodes` before `nodes`: `opened`, every node, `closed`.
    """

    def __init__(self, document: dict[str, Any], stand_ins: Iterable[str]) -> None:
        self._given = document.get("checksum")
        text = canonical({name: value for name, value in document.items() if name != "checksum"})
        self._around: list[str] = []  # backwards
        for stand_in in stand_ins:
            before, _, text = text.partition(f'"{stand_in}"')
            self._around.insert(0, before)
        self._around.insert(0, text)
        self._digest = hashlib.sha256()
        self._sign = ""

    def opened(self) -> None:
        """Go on with the next list of nodes."""
        self._digest.update(f"{self._around.pop()}[".encode())
        self._sign = ""

    def add(self, node: object) -> None:
        """Go on with the next node."""
        self._digest.update(f"{self._sign}{canonical(node)}".encode())
        self._sign = ","

    def closed(self) -> None:
        """The list has no more nodes."""
        self._digest.update(b"]")

    def finished(self) -> str:
        """The checksum, when all lists were added."""
        self._digest.update(self._around.pop().encode())
        return f"sha256:{self._digest.hexdigest()}"

    def verify(self) -> None:
        """It must be the one that the document gives."""
        found = self.finished()
        if self._given != found:
            raise fault(
                "checksum",
                f"{brief(self._given)} is not that of the content, {found}. {CHANGED} If you changed it "
                "on purpose, remove the field 'checksum' or correct it.",
            )


def checksum_of(document: dict[str, Any]) -> Checksum:
    """The checksum of a whole document."""
    law, lists, rest = document.get("law"), {}, dict(document)
    if isinstance(law, dict) and isinstance(law.get("nodes"), list):
        stand_in = secrets.token_hex()
        lists[stand_in], rest["law"] = law["nodes"], {**law, "nodes": stand_in}
    if isinstance(document.get("nodes"), list):
        stand_in = secrets.token_hex()
        lists[stand_in] = document["nodes"]
        rest["nodes"] = stand_in
    made = Checksum(rest, lists)
    for nodes in lists.values():
        made.opened()
        for node in nodes:
            made.add(node)
        made.closed()
    return made


def canonical(value: object) -> str:
    """A value as the checksum knows it."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=plain)
    except (ValueError, RecursionError) as error:  # a number past float64 in a field that is not read
        raise ModelFileError(f"the content has no checksum: {error}. {CHANGED}") from None


def plain(array: NDArray[Any]) -> list[Any]:
    """A table of numbers as lists, which JSON knows."""
    return array.tolist()  # type: ignore[no-any-return]  # a list, since tables have two axes
