"""A variable X_i and its states."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from depnet.data.nearest import nearest
from depnet.errors import DataError, EvidenceError, brief

Label: TypeAlias = str | int | float | bool

MAX_CARDINALITY = 65_535
"""Codes are at most 16 bits wide."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A finite discrete variable: its name and its states, in the order of their codes 0, 1, ...

    Labels are kept as they are, but for numpy scalars, which become plain Python values. Labels that
    Python holds equal (1, 1.0 and True) are one label.

    >>> Variable("class", ("1st", "2nd", "3rd", "Crew")).code("3rd")
    2
    """

    name: str
    states: tuple[Label, ...]
    _codes: dict[Label, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise DataError(f"a variable's name is a non-empty string; got {brief(self.name)}.")
        who = f"variable {brief(self.name)}"
        if not _is_text(self.name):
            raise DataError(f"{who}: the name is not valid Unicode text. Decode it with the right encoding.")
        states = _checked_states(self.states, who)
        object.__setattr__(self, "name", str(self.name))
        object.__setattr__(self, "states", states)
        codes: dict[Label, int] = {}
        for code, state in enumerate(states):
            if codes.setdefault(state, code) != code:
                first = states[codes[state]]
                raise DataError(
                    f"{who}: state {brief(state)} (code {code}) is equal to state {brief(first)} "
                    f"(code {codes[state]}); states must differ."
                )
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
                f"variable {self.name!r} has no state {brief(label)}. {nearest(label, self.states)}"
            ) from None


def _checked_states(states: Iterable[Label], who: str) -> tuple[Label, ...]:
    if isinstance(states, (str, bytes, set, frozenset)) or not isinstance(states, Iterable):
        raise DataError(f"{who}: states are a tuple of labels, in order; got {brief(states)}.")
    if not isinstance(states, (tuple, list, range)):  # these know their length before they are walked
        states = tuple(states)
    if not 1 <= len(states) <= MAX_CARDINALITY:
        raise DataError(
            f"{who} has {len(states):,} states; expected 1 to {MAX_CARDINALITY:,}. "
            "Group rare states, or bin a numeric column."
        )
    plain = tuple(state.item() if isinstance(state, np.generic) else state for state in states)
    for code, state in enumerate(plain):
        if not isinstance(state, (str, int, float)) or (
            isinstance(state, float) and not math.isfinite(state)
        ):
            raise DataError(
                f"{who}, code {code}: a state is a string, a finite number or a boolean; got {brief(state)}."
            )
        if isinstance(state, str) and not _is_text(state):
            raise DataError(
                f"{who}, code {code}: {brief(state)} is not valid Unicode text. Decode it with the right encoding."
            )
    return plain


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair: what is left of bytes in another encoding
        return False
    return True
