"""How much memory the reading of a text can take, known before anything is read.

JSON is small where Python's values are not: the three bytes `[],` become a list of 88. So the signs that make values
are counted first, each charged with the most that one of them was seen to cost in all that reading does (the values of
the JSON reader, the text of the checksum, the parts of a network), and a piece of text that could take more than the
limit is refused unread. What a node takes once it is read is measured. tests/model/file/test_memory.py measures files
made to cost as much as they can.
"""

import sys

from depnet.errors import ModelFileError
from depnet.model.file.packed import PackedOperations

MAX_MEMORY = 200_000_000
"""A file that could take more bytes of memory is loaded only on request."""

_NODE = 4_500  # a Node with its source, its table and their arrays' heads
_OPERATION = 80  # a split or merge, and its vertex with its children in the compiled graph
_MADE = 3  # counts become counts and probabilities before they are forgotten; other values take less


def most_to_read(text: str) -> int:
    """No more bytes than these are in use at once while `text` is read and made into parts of a network."""
    return (
        (6 if text.isascii() else 48)
        * len(text)  # strings, and the text of the checksum, in ASCII: \\ud83d\\ude00
        + 90 * text.count(",")
        + 130 * text.count("[")
        + 600 * text.count("{")
        + 60 * text.count('"')
    )


def most_to_keep(node: object) -> int:
    """No more bytes than these are kept of a node's values, and of what is made of them."""
    total, left = _NODE, [node]
    while left:
        value = left.pop()
        if isinstance(value, PackedOperations):
            total += _OPERATION * len(value.kinds)
            continue
        total += _MADE * sys.getsizeof(value)
        if isinstance(value, (dict, list)):
            left.extend(value)
        if isinstance(value, dict):
            left.extend(value.values())
    return total


def width_of(text: str) -> int:
    """Bytes that Python takes for each character of a text, at most: it is as wide as its widest."""
    return 1 if text.isascii() else 4


class Budget:
    """Bytes of memory that may be used, and those that are."""

    def __init__(self, most: int) -> None:
        self.most, self.used = most, 0

    def check(self, more: int) -> None:
        """Refuse what would take `more` bytes beside what is used."""
        if self.used + more > self.most:
            raise ModelFileError(
                f"to read this file could take {(self.used + more) / 1e6:,.0f} MB of memory, more than "
                f"{self.most / 1e6:,.0f} MB. If you trust it, load it with depnet.load(path, max_memory=...), in bytes."
            )

    def take(self, more: int) -> None:
        """Count what is used from now on."""
        self.check(more)
        self.used += more
