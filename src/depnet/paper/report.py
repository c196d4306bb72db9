"""What an experiment gives: rows of one table, claims that were checked, and notes, as one value."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from depnet.errors import DepnetError
from depnet.wording import json_value

Row: TypeAlias = Mapping[str, Any]
ROUNDING = 1e-9


class ExperimentError(DepnetError, ValueError):
    """An experiment that was asked for with options it cannot be run with."""


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """How one key of the rows is shown: its heading, and a format such as '.2e' (numbers only)."""

    key: str
    title: str
    format: str = ""

    def text(self, value: Any) -> str:
        """`value` as it is shown; None, where there is nothing to show, is a dash."""
        if value is None:
            return "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float) and math.isinf(value):
            return "infinite"
        return format(value, self.format) if isinstance(value, (int, float)) else str(value)


def columns(table: str) -> tuple[ReportColumn, ...]:
    """Columns from lines of text: key, heading, and the format where there is one, with two spaces or more between.

    >>> columns("rows  N  ,d")
    (ReportColumn(key='rows', title='N', format=',d'),)
    """
    return tuple(ReportColumn(*re.split(r"\s{2,}", line.strip())) for line in table.strip().splitlines())


def within_limit(fc: float, limit: float) -> bool:
    return fc <= limit * (1 + ROUNDING) + ROUNDING


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the theory, and whether it held in this run."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Report:
    """One experiment's outcome.

    `rows` are what `columns` show; `records` are what is written as JSON, the rows unless given.
    """

    title: str
    columns: tuple[ReportColumn, ...]
    rows: Sequence[Row]
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = ()
    records: Sequence[Row] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", self.records or self.rows)

    @property
    def holds(self) -> bool:
        return all(claim.holds for claim in self.claims)

    def series(self, key: str, **where: Any) -> list[Any]:
        """The values of `key` in the records that agree with `where`, in order."""
        return [r[key] for r in self.records if all(r[k] == v for k, v in where.items())]

    def json(self) -> str:
        """The records as a JSON list of objects. What is infinite is null, since JSON has no infinity."""
        return json.dumps(json_value(self.records), indent=1, allow_nan=False) + "\n"
