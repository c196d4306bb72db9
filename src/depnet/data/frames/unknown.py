"""Values that are no state of their variable: said once for a whole table, or refused at the first.

`handle_unknown="error"` refuses, with the row and the nearest labels; `"missing"` takes such values for missing ones, and
one `UnknownStatesWarning` for all columns says which, how many and an example.
"""

import warnings
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from depnet.errors import UnknownStatesWarning, brief
from depnet.wording import counted

HandleUnknown: TypeAlias = Literal["error", "missing"]

SHOWN = 3
"""Columns named in a warning."""


@dataclass(slots=True)
class Unknowns:
    """What was found in the columns of one table: for each name how many values, and one of them."""

    found: dict[str, tuple[int, object]] = field(default_factory=dict)

    def add(self, name: str, number: int, example: object) -> None:
        """Column `name` has `number` values that are no state, such as `example`."""
        self.found[name] = number, example

    def warn(self) -> None:
        """Say it, where there is something to say."""
        if not self.found:
            return
        columns = [
            f"{number:,} of {name!r}, such as {brief(example)}"
            for name, (number, example) in list(self.found.items())[:SHOWN]
        ]
        more = len(self.found) - SHOWN
        others = f"; and {counted(more, 'more column')}" if more > 0 else ""
        warnings.warn(
            f"values that the model does not know: {'; '.join(columns)}{others}. They count as missing "
            '(`handle_unknown="missing"`).',
            UnknownStatesWarning,
            stacklevel=3,
        )
