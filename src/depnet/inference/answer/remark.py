"""What a person should know of an answer: a sentence, and what kind of thing it says."""

from typing import Literal, TypeAlias

RemarkKind: TypeAlias = Literal["note", "rare", "difference", "stopped"]
"""About the question; the evidence matches few rows; model and table differ; the answer is not as sharp as was asked."""


class Remark(str):
    """A warning of an answer. It is the sentence itself; who hides or orders warnings asks for its `kind`.

    >>> remark = Remark("only 3 training rows match the evidence.", "rare")
    >>> remark.kind, remark.endswith("the evidence.")
    ('rare', True)
    """

    __slots__ = ("kind",)
    kind: RemarkKind

    def __new__(cls, text: str, kind: RemarkKind = "note") -> "Remark":
        """A sentence of a kind; one that has a kind keeps it."""
        made = super().__new__(cls, text)
        made.kind = text.kind if isinstance(text, Remark) else kind
        return made

    def __reduce__(self) -> tuple[type["Remark"], tuple[str, RemarkKind]]:
        return Remark, (str(self), self.kind)
