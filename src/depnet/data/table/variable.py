"""A variable X_i and its states, and all variables: the joint domain X = X_0 x ... x X_{n-1}.

States stand in the order that a frame declares for its categories (a pandas category, a polars Enum, an Arrow
dictionary; unused ones stay), and False before True. Otherwise they are sorted: numbers by size, text by the code
points of its characters, so that neither the order of rows nor the language of the machine matters.
"""

import contextlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from depnet.arrays import set_fields
from depnet.data.binning.bins import Bins
from depnet.data.binning.levels import Levels
from depnet.errors import DataError, EvidenceError, brief, whole_number
from depnet.wording import nearest

Label: TypeAlias = str | int | float | bool

Scale: TypeAlias = Literal["category", "ordered", "number"]
"""What can be said of states beside which is which: nothing, their order, or how far apart they are."""

MAX_CARDINALITY = 65_535
"""Codes are at most 16 bits wide."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A finite discrete variable: its name and its states, in the order of their codes 0, 1, ...

    Labels are kept as they are, but for numpy scalars, which become plain Python values. Labels that
    Python holds equal (1, 1.0 and True) are one label.

    Args:
        name: its name, not empty.
        states: the labels of its states, no two equal.
        bins: of a numeric column its bins, one a state.
        missing: the label of a state, the last, that stands for "not there" in a table: a state like any other in the
            model, a hole in the frames it comes from and goes to.
        ordered: whether labels stand in an order of their own, such as small, medium, large; numbers and bins have theirs
            anyway. A variable is the same without it.
        other: the label of a state, the last but for that of missing ones, of all values of a table that are no state of
            their own.

    Attributes:
        scale: "number" where states are bins, or numbers that ascend; else "ordered" where labels are said to stand in an
            order; else "category". Whatever compares states asks this: evidence, cuts of sources, stages, answers.

    >>> rooms, size = Variable("rooms", (1, 2, 5)), Variable("size", ("S", "M", "L"), ordered=True)
    >>> rooms.scale, size.scale, Variable("sex", ("f", "m")).scale
    ('number', 'ordered', 'category')
    >>> Variable("class", ("1st", "2nd", "3rd", "Crew")).code("3rd")
    2
    >>> ages = Bins((0, 18, 99), ((3, 9, 17), (30, 40)), "integer")
    >>> Variable("age", ages.labels, ages).code(20)
    1
    """

    name: str
    states: tuple[Label, ...]
    bins: Bins | None = None
    missing: Label | None = None
    ordered: bool = field(default=False, compare=False)
    other: Label | None = None
    scale: Scale = field(init=False, repr=False, compare=False)
    _codes: dict[Label, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise DataError(f"a variable's name is a non-empty string; got {brief(self.name)}.")
        who = f"variable {brief(self.name)}"
        if not _is_text(self.name):
            raise DataError(f"{who}: the name is not valid Unicode text. Decode it with the right encoding.")
        states = _checked_states(self.states, who)
        set_fields(self, name=str(self.name), states=states)
        codes: dict[Label, int] = {}
        for code, state in enumerate(states):
            if codes.setdefault(state, code) != code:
                first = states[codes[state]]
                raise DataError(
                    f"{who}: state {brief(state)} (code {code}) is equal to state {brief(first)} "
                    f"(code {codes[state]}); states must differ."
                )
        object.__setattr__(self, "_codes", codes)
        self._check_bins_and_missing(who)
        object.__setattr__(self, "scale", self._find_scale())

    def _check_bins_and_missing(self, who: str) -> None:
        if self.missing is not None and (
            type(self.missing) is not type(self.states[-1]) or self.missing != self.states[-1]
        ):
            raise DataError(
                f"{who}: the state for missing values is the last one, {brief(self.states[-1])}; "
                f"got {brief(self.missing)}."
            )
        if self.other is not None and self.other not in self.present_states[-1:]:
            raise DataError(
                f"{who}: the state of all other values is the last one, {brief(self.present_states[-1:])}; "
                f"got {brief(self.other)}."
            )
        if self.bins is None:
            return
        if not isinstance(self.bins, Bins):
            raise DataError(f"{who}: bins are a Bins, or None; got {brief(self.bins)}.")
        states = len(self.states) - (self.missing is not None)
        if len(self.bins) != states:
            raise DataError(f"{who} has {states} states for its {len(self.bins)} bins; expected one a bin.")

    def _find_scale(self) -> Scale:
        states = self.present_states
        if self.bins is not None:
            return "number"
        if states and all(type(state) in (int, float) for state in states):
            numbers: tuple[float, ...] = states  # type: ignore[assignment]  # all are
            if all(low < high for low, high in pairwise(numbers)):
                return "number"
        return "ordered" if self.ordered else "category"

    @property
    def has_order(self) -> bool:
        """Do its states, but for that of missing values, stand in an order? Those of numbers do, and of ordered labels."""
        return self.scale != "category"

    @property
    def has_cuts(self) -> bool:
        """Has it an order that learning cuts? Two states that are no bins, such as 0 and 1, are no and yes."""
        return self.has_order and (self.bins is not None or len(self.present_states) > 2)

    @property
    def cardinality(self) -> int:
        """|X_i|, the number of states."""
        return len(self.states)

    @property
    def present_states(self) -> tuple[Label, ...]:
        """The states but for the one that stands for missing values."""
        return self.states if self.missing is None else self.states[:-1]

    def levels(self) -> Levels | None:
        """The numbers that its states stand for; None where they are no numbers.

        >>> Variable("rooms", (1, 2, 5)).levels().values.tolist(), Variable("sex", ("f", "m")).levels()
        ([1, 2, 5], None)
        """
        if self.bins is not None:
            return Levels.of(self.bins)
        return Levels.of_states(self.present_states) if self.scale == "number" else None  # type: ignore[arg-type]

    def code(self, label: object) -> int:
        """The code of a state's label, or of the bin of a number or date.

        An unknown label is an error that offers the nearest ones.

        Args:
            label: the label of a state; of a binned variable also a number or a date.

        Returns:
            The code, from 0 on.
        """
        try:
            return self._codes[label]  # type: ignore[index]  # what is no label is not among them
        except (KeyError, TypeError):
            if self.bins is None:
                if not isinstance(label, str) and text_of(label) in self._codes:
                    return self._codes[text_of(label)]  # of numbers that are categories: 3 is "3"
                raise EvidenceError(
                    f"variable {self.name!r} has no state {brief(label)}. {nearest(label, self.states)}"
                ) from None
        try:
            return self.bins.code(label)
        except DataError as error:
            raise EvidenceError(
                f"variable {self.name!r} has no state {brief(label)}, and as a value of its bins, {error} "
                f"{nearest(label, self.states)}"
            ) from None

    def find(self, value: object) -> int | None:
        """As `code`, but None where there is no such state, and forgiving of types: 1, 1.0 and "1" are one.

        A label that is equal comes first; else the only one with the same text, where True is "True"; else the state of
        all other values, where there is one.

        Args:
            value: what a table has.

        Returns:
            The code, or None.

        >>> Variable("x", ("1", "2", "many")).find(2.0), Variable("x", (1, 2)).find("2"), Variable("x", (1, 2)).find(3)
        (1, 1, None)
        """
        return self.finder()(value)

    def finder(self) -> Callable[[object], int | None]:
        """`find` for many values: the states' texts are looked up once."""
        by_text: dict[str, int | None] = {}
        rest = None if self.other is None else self._codes[self.other]
        for code, state in enumerate(self.states):
            text = text_of(state)
            by_text[text] = None if text in by_text else code

        def find(value: object) -> int | None:
            try:
                code = self._codes.get(value)  # type: ignore[call-overload]  # what is no label is not there
            except TypeError:
                return None
            if code is not None:
                return int(code)
            if self.bins is not None:
                with contextlib.suppress(DataError):
                    return self.bins.code(value)
            return by_text.get(text_of(value), rest)

        return find


@dataclass(frozen=True, slots=True)
class Domain:
    """The variables of a table, in order.

    Args:
        variables: the variables, no two of one name.

    Attributes:
        cardinalities: how many states each variable has.

    >>> domain = Domain.from_cardinalities([2, 3])
    >>> domain.size, domain.index("X1")
    (6, 1)
    """

    variables: tuple[Variable, ...]
    cardinalities: tuple[int, ...] = field(init=False, repr=False, compare=False, hash=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False, hash=False)
    """The variables' names, in order."""
    _indices: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.variables, Iterable) or isinstance(self.variables, str):
            raise DataError(f"a domain is made of Variables; got {brief(self.variables)}.")
        object.__setattr__(self, "variables", tuple(self.variables))
        if not self.variables:
            raise DataError("a domain needs at least one variable; got none.")
        indices: dict[str, int] = {}
        for i, variable in enumerate(self.variables):
            if not isinstance(variable, Variable):
                raise DataError(f"a domain is made of Variables; number {i} is {brief(variable)}.")
            if indices.setdefault(variable.name, i) != i:
                raise DataError(
                    f"variables {indices[variable.name]} and {i} are both named {brief(variable.name)}; "
                    "names must differ."
                )
        set_fields(
            self,
            cardinalities=tuple(v.cardinality for v in self.variables),
            names=tuple(indices),
            _indices=indices,
        )

    @classmethod
    def from_cardinalities(cls, cardinalities: Sequence[int]) -> "Domain":
        """Variables X0, X1, ... whose states are their codes 0, 1, ...

        Args:
            cardinalities: how many states each has.

        Returns:
            The domain.
        """
        if not isinstance(cardinalities, Iterable) or isinstance(cardinalities, (str, bytes)):
            raise DataError(f"cardinalities are whole numbers, one a variable; got {brief(cardinalities)}.")
        variables = []
        for i, given in enumerate(cardinalities):
            k = whole_number(f"the cardinality of column {i}", given, at_least=1, error=DataError)
            if k > MAX_CARDINALITY:
                raise DataError(
                    f"column {i} would have {k:,} states; at most {MAX_CARDINALITY:,} are possible. "
                    "Group rare states, or bin a numeric column."
                )
            variables.append(Variable(f"X{i}", tuple(range(k))))
        return cls(tuple(variables))

    def __len__(self) -> int:
        return len(self.variables)

    @property
    def size(self) -> int:
        """|X|, the number of joint states (exact, however large)."""
        return math.prod(self.cardinalities)

    def index(self, name: str) -> int:
        """The place of a variable; an unknown name is an error that offers the nearest.

        Args:
            name: the variable's name.

        Returns:
            Its number, from 0 on.
        """
        try:
            return self._indices[name]
        except (KeyError, TypeError):
            raise EvidenceError(f"there is no variable {brief(name)}. {nearest(name, self.names)}") from None


def text_of(value: object) -> str:
    """A label as text, the same for 1 and 1.0.

    >>> text_of(1.0), text_of("1"), text_of(True), text_of(0.5)
    ('1', '1', 'True', '0.5')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


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


MISSING_LABEL = "(missing)"
OTHER_LABEL = "other"


def ordered_states(values: Iterable[Label], declared: Iterable[Label] | None = None) -> tuple[Label, ...]:
    """The states of a column with these values, each once.

    >>> ordered_states(["b", "a", "b"]), ordered_states([10, 9]), ordered_states(["b"], declared=["b", "a"])
    (('a', 'b'), (9, 10), ('b', 'a'))
    """
    if declared is not None:
        return tuple(dict.fromkeys(declared))
    once = set(values)
    try:
        return tuple(sorted(once))
    except TypeError:
        first, second = sorted(once, key=lambda value: type(value).__name__)[:: len(once) - 1]
        raise DataError(
            f"the values mix {type(first).__name__} ({brief(first)}) and {type(second).__name__} "
            f"({brief(second)}). Make them one type."
        ) from None


def with_missing_state(variable: Variable) -> Variable:
    """The variable with one more state, the last, for missing values, under a label that no other state has.

    >>> with_missing_state(Variable("x", ("a", "(missing)"))).states
    ('a', '(missing)', '(missing 2)')
    """
    label = _free_label(MISSING_LABEL, "(missing {})", variable.states)
    return replace(variable, states=(*variable.states, label), missing=label)


def with_other_state(name: str, states: tuple[Label, ...]) -> Variable:
    """A variable with these states, and one more, the last, for all other values, under a label that no other state has.

    >>> with_other_state("x", ("a", "other")).states
    ('a', 'other', 'other 2')
    """
    label = _free_label(OTHER_LABEL, "other {}", states)
    return Variable(name, (*states, label), other=label)


def _free_label(label: str, more: str, states: tuple[Label, ...]) -> str:
    return next(text for text in (label, *map(more.format, range(2, len(states) + 3))) if text not in states)
