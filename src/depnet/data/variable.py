"""A variable X_i and its states."""

import math
from dataclasses import dataclass, field
from typing import TypeAlias

from depnet.data.nearest import nearest
from depnet.errors import DataError, EvidenceError

Label: TypeAlias = str | int | float | bool

MAX_CARDINALITY = 65_535
"""Codes are at most 16 bits wide."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A finite discrete variable: its name and its states, in the order of their codes 0, 1, ...

    >>> Variable("class", ("1st", "2nd", "3rd", "Crew")).code("3rd")
    2
    """

    name: str
    states: tuple[Label, ...]
    _codes: dict[Label, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise DataError(f"a variable's name is a non-empty string; got {self.name!r}.")
        if isinstance(self.states, str):
            raise DataError(
                f"variable {self.name!r}: states are a tuple of labels; got the string {self.states!r}."
            )
        object.__setattr__(self, "states", tuple(self.states))
        if not 1 <= len(self.states) <= MAX_CARDINALITY:
            raise DataError(
                f"variable {self.name!r} has {len(self.states)} states; expected 1 to {MAX_CARDINALITY:,}. "
                "Group rare states, or bin a numeric column."
            )
        for state in self.states:
            if not isinstance(state, (str, int, float)) or (
                isinstance(state, float) and not math.isfinite(state)
            ):
                raise DataError(
                    f"variable {self.name!r}: a state is a string, a finite number or a boolean; got {state!r}."
                )
        codes = {state: code for code, state in enumerate(self.states)}
        if len(codes) < len(self.states):
            twice = next(s for code, s in enumerate(self.states) if codes[s] != code)
            raise DataError(f"variable {self.name!r}: state {twice!r} stands twice; states must differ.")
        object.__setattr__(self, "_codes", codes)

    @property
    def cardinality(self) -> int:
        """|X_i|, the number of states."""
        return len(self.states)

    def code(self, label: Label) -> int:
        """The code of a state's label; an unknown label is an error that offers the nearest ones."""
        try:
            return self._codes[label]
        except (KeyError, TypeError):
            raise EvidenceError(
                f"variable {self.name!r} has no state {label!r}. {nearest(label, self.states)}"
            ) from None
