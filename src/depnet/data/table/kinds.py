"""What a column is said to be (`kinds={"price": "number"}`), in words that frames, files and the command share.

- "number": numbers; text is read as such, plain or as people write it ($1,234.50);
- "category": every value is a state, and they have no order; also numbers that are codes, such as 1, 2, 3 for regions;
- "ordered": as "category", but in an order: that of numbers, or the one that a frame declares, else of the alphabet. A list
  of the values, such as ["low", "medium", "high"], is an order of one's own;
- "date": dates, with or without a time;
- "time": durations and times of day;
- "skip": the column is left out.

A column that is named here is never left out for looking like an identifier. A value that is none of the kind is an error.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from depnet.data.binning.bins import TIME_NUMBERS, TIMES
from depnet.data.binning.forms import likely_form, number_in
from depnet.data.binning.times import form_of
from depnet.data.table.columns import ColumnKind, is_kind
from depnet.data.table.variable import Variable
from depnet.errors import DataError, Hint, brief
from depnet.wording import nearest

KindWord: TypeAlias = Literal["number", "category", "ordered", "date", "time", "skip"]
ChosenKind: TypeAlias = KindWord | Sequence[Any]
"""A word, or all values of a column in their order."""
Kinds: TypeAlias = Mapping[str, ChosenKind]

WORDS: tuple[KindWord, ...] = get_args(KindWord)

HELD: dict[Any, tuple[ColumnKind, ...]] = {
    "number": ("integer", "float"),
    "date": ("date", "datetime"),
    "time": ("duration",),
}
"""What columns of these kinds hold; all others hold labels."""

NOUNS: dict[Any, str] = {"number": "a number", "date": "a date", "time": "a time or duration"}


class KindError(DataError):
    """A value that is none of the kind that its column was said to be."""

    def __init__(
        self, name: str, kind: ChosenKind, row: int | None, cell: object, line: int | None = None
    ) -> None:
        self.row, self._made_of = row, (name, kind, row, cell)
        where = "" if row is None else f", row {row:,}" if line is None else f", row {row:,} (line {line:,})"
        what = NOUNS[kind] if isinstance(kind, str) else f"one of {', '.join(map(brief, kind[:5]))}"
        more = ", ..." if not isinstance(kind, str) and len(kind) > 5 else ""
        super().__init__(
            f"column {name!r}{where}: {brief(cell)} is not {what}{more}, as was asked for by ",
            Hint("kinds", {name: kind}),
            ". Correct it, make it a missing value, or choose another kind.",
        )

    def at(self, line: int | None) -> "KindError":
        """The same, with the line of the file."""
        return KindError(*self._made_of, line)


def check_kinds(kinds: object) -> None:
    """`kinds` has a word, or a list of values, for each of some columns."""
    if not isinstance(kinds, Mapping):
        raise DataError(f'kinds is a dict by column, such as {{"price": "number"}}; got {brief(kinds)}.')
    for name, kind in kinds.items():
        if isinstance(kind, str) and kind not in WORDS:
            raise DataError(
                f"kinds: column {brief(name)} is {', '.join(WORDS)}, or a list of its values in order; got "
                f"{brief(kind)}. {nearest(kind, WORDS)}"
            )
        if not isinstance(kind, str) and (not isinstance(kind, Sequence) or not kind):
            raise DataError(f"kinds: the order of {brief(name)} is a list of its values; got {brief(kind)}.")


def has_labels(kind: ChosenKind | None) -> bool:
    """Is a column that is said to be this to be read as text is?"""
    return kind is not None and (not isinstance(kind, str) or kind not in HELD)


def word_of(variable: Variable) -> KindWord:
    """The word for what a variable was found to be.

    >>> word_of(Variable("rooms", (1, 2, 5))), word_of(Variable("sex", ("f", "m")))
    ('number', 'category')
    """
    if variable.bins is None:
        return "ordered" if variable.scale == "ordered" else "number" if variable.has_cuts else "category"
    return {"date": "date", "datetime": "date", "duration": "time"}.get(variable.bins.kind, "number")  # type: ignore[return-value]


class TextNumbers(NamedTuple):
    """What texts say: of what kind, in which form, and the number of each, None of those that say none."""

    kind: ColumnKind
    form: str | None
    numbers: list[Any]


def numbers_in(texts: Sequence[str], counts: Sequence[int], kind: str) -> TextNumbers:
    """The numbers of different texts that are said to be numbers, dates or times.

    >>> numbers_in(("$5", "7.50", "many"), (1, 1, 1), "number")
    TextNumbers(kind='float', form='$0.00', numbers=[5, 7.5, None])
    """
    for held in HELD[kind]:
        if held in TIMES and all(is_kind(held, text) for text in texts):
            form = form_of(texts, counts) if held == "datetime" else None
            return TextNumbers(held, form, [*map(TIME_NUMBERS[held], texts)])
    found = likely_form(texts, HELD[kind])
    if found is None and kind != "number":  # most are as ISO has them, if any is
        held = max(HELD[kind], key=lambda each: sum(is_kind(each, text) for text in texts))
        each = [TIME_NUMBERS[held](text) if is_kind(held, text) else None for text in texts]
        return TextNumbers(held, None, each)
    read: Callable[[str], Any] = float if found is None else partial(number_in, form=found.text)
    numbers = [_number_or_none(text, read, kind) for text in texts]
    held = HELD[kind][-1] if found is None else found.kind
    if held == "integer" and any(
        isinstance(number, float) or abs(number or 0) >= 2**63 for number in numbers
    ):
        held = "float"
    return TextNumbers(held, None if found is None else found.text, numbers)


def _number_or_none(text: str, read: Callable[[str], Any], kind: str) -> Any:
    try:
        return read(text)
    except ValueError:
        return float(text) if kind == "number" and is_kind("float", text) else None
