"""The checksum: SHA-256 of the content, all fields but itself, names sorted, no spaces, in ASCII.

It is made of the fields before `nodes`, of the nodes one by one, and of the fields after them, so that no more than one
node need be in memory as plain values.
"""

import hashlib
import json
from typing import Any

from numpy.typing import NDArray

from depnet.errors import ModelFileError, brief
from depnet.model.file.fields import CHANGED, fault


class Checksum:
    """The checksum of a document whose nodes are added in their order."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._given = document.get("checksum")
        names = sorted(document.keys() - {"checksum", "nodes"})
        fields = {name: f"{canonical(name)}:{canonical(document[name])}" for name in names}
        before = [field for name, field in fields.items() if name < "nodes"]
        self._after = "".join(f",{field}" for name, field in fields.items() if name > "nodes") + "}"
        self._sign = "{" + "".join(f"{field}," for field in before) + '"nodes":['
        self._digest = hashlib.sha256()

    def add(self, node: object) -> None:
        """Go on with the next node."""
        self._digest.update(f"{self._sign}{canonical(node)}".encode())
        self._sign = ","

    def finished(self) -> str:
        """The checksum, when all nodes were added."""
        self._digest.update(f"{'' if self._sign == ',' else self._sign}]{self._after}".encode())
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
    made = Checksum(document)
    for node in document["nodes"]:
        made.add(node)
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
