"""What to read of a file: which columns, which rows, and how its text is to be taken."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from depnet.data.files.source import Source
from depnet.data.files.text import Dialect
from depnet.errors import DataError, brief
from depnet.wording import nearest

_INDEX = re.compile(r"__index_level_\d+__")  # a frame's row names, as pandas puts them in Parquet files


@dataclass(frozen=True, slots=True)
class Request:
    """What to read of a file."""

    columns: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    where: str | None = None
    text: tuple[str, ...] = ()
    dialect: Dialect = field(default_factory=Dialect)

    def __post_init__(self) -> None:
        for option in ("columns", "without", "text"):
            names = getattr(self, option)
            if names is not None:
                object.__setattr__(self, option, _names_given(option, names))
        if self.columns is not None and not self.columns:
            raise DataError("columns is empty; a table has at least one column.")
        if self.columns is not None and self.without:
            raise DataError("columns names what is read, without what is not: give one of them.")
        if self.where is not None and (not isinstance(self.where, str) or not self.where.strip()):
            raise DataError(
                f'where is a condition on the columns in SQL, such as "age >= 18"; got {brief(self.where)}.'
            )

    def wants(self, name: str) -> bool:
        """Is a column of that name to be read?"""
        return name not in self.without if self.columns is None else name in self.columns


def _names_given(option: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise DataError(f"{option} is a list of names; got {brief(names)}.")
    given = tuple(names)
    for name, count in Counter(given).items():
        if count > 1:
            raise DataError(f"{option} names {brief(name)} twice.")
    return given


def check_names(names: Sequence[str], source: Source) -> None:
    """Refuse names that no name can be: with a NUL character, which ends a name for most that read it."""
    for place, name in enumerate(names):
        if "\0" in name:
            raise DataError(
                f"{source.name}: the name of column {place + 1:,}, {brief(name)}, has a NUL character. Rename it; if the "
                'file is UTF-16, read it with `encoding="utf-16"`.'
            )


def places_of(names: Sequence[str], request: Request, source: Source) -> list[int]:
    """The places of the columns asked for; names that are empty or not unique are an error where they matter."""
    there = set(names)
    for name in (*(request.columns or ()), *request.without, *request.text):
        if name not in there:
            raise DataError(
                f"{source.name} has no column {brief(name)}. {nearest(name, [n for n in names if n])}"
            )
    wanted = [place for place, name in enumerate(names) if request.wants(name)]
    first = _first_places(names, wanted if request.where is None else range(len(names)), source)
    if request.columns is not None:
        return [first[name] for name in request.columns]
    if not wanted:
        raise DataError(f"{source.name}: no column is left; a table has at least one.")
    return [place for place in wanted if not _INDEX.fullmatch(names[place])] or wanted


def _first_places(names: Sequence[str], used: Iterable[int], source: Source) -> dict[str, int]:
    """Where each name stands, of the columns that are used; each has a name of its own."""
    first: dict[str, int] = {}
    for place in used:
        name = names[place]
        if not name.strip():
            by_pandas = " (pandas writes its row numbers so, but for to_csv(..., index=False))"
            raise DataError(
                f"{source.name}: column {place + 1} of {len(names)} has no name{by_pandas if place == 0 else ''}. "
                "Name it, choose others with `columns=[...]`, or, where line 1 is no header, say `header=False`."
            )
        if first.setdefault(name, place) != place:
            raise DataError(
                f"{source.name}: columns {first[name] + 1} and {place + 1} are both named {brief(name)}. Rename one, "
                "or choose others with `columns=[...]`."
            )
    return first
