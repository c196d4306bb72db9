"""The errors depnet raises on purpose, and the checks of arguments that raise them.

An error says who, what was expected, what came, what to do. A check raises one that names the argument, of the class that
its caller gives: `check_x` gives nothing back, here and elsewhere, and `checked_x` the value in its plain type.

What to do is often an argument to give. A message, of an error or of a warning, has it as a `Hint` among its parts, which
reads as in a call; a face that nobody calls (the command, the page) names it its own way (`Message.render`).
"""

import math
import operator
import reprlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import TypeGuard


def outside() -> int:
    """The `stacklevel` of a warning that shows the user's own line: the first one that is not depnet's."""
    level, frame = 0, sys._getframe(1)  # noqa: SLF001  # what `warnings` itself does
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "depnet":
        level, frame = level + 1, frame.f_back
    return level + 1


STEADY_SEED = 0
"""Of what nobody asked to be drawn (holes of a fit, estimated answers): a model is a function of its table, an answer of
its model and question."""


@dataclass(frozen=True, slots=True)
class Hint:
    """An argument of the library with its value, as part of a message; `...` stands for a value of the user's own.

    `lead` is what comes before it (", or say "); a face that does not offer the argument leaves out both.

    >>> print(Hint("encoding", "utf-16"), Hint("columns", [...]))
    `encoding="utf-16"` `columns=[...]`
    """

    argument: str
    value: object = ...
    lead: str = ""

    def __str__(self) -> str:
        shown = brief(self.value).replace("Ellipsis", "...")
        if isinstance(self.value, str) and '"' not in shown and shown.endswith("'"):
            shown = f'"{shown[1:-1]}"'
        return f"`{self.argument}={shown}`"


class Message(Exception):  # noqa: N818  # what errors and warnings have in common
    """What is raised or warned of with a message in parts: texts and hints.

    >>> error = DataError("this text is UTF-16. Read it with ", Hint("encoding", "utf-16"), ".")
    >>> error.render(lambda hint: f"--{hint.argument} {hint.value}")
    'this text is UTF-16. Read it with --encoding utf-16.'
    """

    def __str__(self) -> str:
        return self.render(str) if any(isinstance(part, Hint) for part in self.args) else super().__str__()

    def render(self, say: Callable[[Hint], str | None]) -> str:
        """The message with each hint as `say` words it; None stands for an argument that the face does not offer."""
        if not any(isinstance(part, Hint) for part in self.args):
            return str(self)
        return "".join(_say(part, say) if isinstance(part, Hint) else str(part) for part in self.args)


def _say(hint: Hint, say: Callable[[Hint], str | None]) -> str:
    said = say(hint)
    if said is None:
        return "" if hint.lead else str(hint)
    return hint.lead + said


class DepnetError(Message):
    """Base of every error that depnet raises on purpose."""


class DataError(DepnetError, ValueError):
    """A table, a domain or a code that is not what it claims to be."""


class DataFileError(OSError, DataError):  # OSError first: it sets errno and filename
    """A table that the system would not let depnet read or write (no space, no permission, ...)."""


class DataFileNotFoundError(DataFileError, FileNotFoundError):
    """There is no such table, or no directory to write it in."""


class DataFileExistsError(DataFileError, FileExistsError):
    """There is a file of that name already, and no leave to replace it."""


class DistributionError(DepnetError, ValueError):
    """A tensor that is no distribution, or not one on the joint domain it is used on."""


class ModelError(DepnetError, ValueError):
    """Parts of a network that do not fit together."""


class ModelFileError(ModelError):
    """A model file that cannot be trusted: the message says where in the file, and what is wrong."""


class ModelFileAccessError(OSError, ModelFileError):  # OSError first: it sets errno and filename
    """A model file that the system would not let depnet read or write (no space, no permission, ...)."""


class ModelFileNotFoundError(ModelFileAccessError, FileNotFoundError):
    """There is no such model file, or no directory to write it in."""


class EvidenceError(DepnetError, ValueError):
    """Evidence that names an unknown variable or state, or that leaves nothing possible."""


class ScanError(DepnetError, ValueError):
    """A scan that does not fit the network: weights or an order over other nodes."""


class DomainTooLargeError(DepnetError, ValueError):
    """A joint domain with too many states for a dense computation; says its size and the way out."""


class ReducibleError(DepnetError, ValueError):
    """A chain with several recurrent classes where one law was asked for; names the classes."""


class ConvergenceError(DepnetError, ArithmeticError):
    """An iteration that did not reach its promised accuracy; says how far it came."""


class LearningError(DepnetError, ValueError):
    """A penalty, a candidate strategy or an option that learning cannot work with."""


class NoSuchBoundError(LearningError, AttributeError):
    """A number that a certificate of this kind does not have; names the one that it has."""


class SamplingError(DepnetError, ValueError):
    """A draw that cannot be made as asked: a number of rows, sweeps or chains out of range."""


class InferenceError(DepnetError, ValueError):
    """A question that cannot be asked so: a method that does not exist, a tolerance out of range."""


class PictureError(DepnetError, ValueError):
    """A picture that cannot be drawn or exported as asked."""


class ReducibleWarning(Message, UserWarning):
    """Tables with zeros on a domain too large to check: the chain may have several recurrent classes."""


class MixingWarning(Message, UserWarning):
    """The pilot run did not settle: burn-in and thinning chosen from it may be too short."""


class BeyondDataWarning(Message, UserWarning):
    """A number or a date of the evidence beyond those of the data, taken for the first or the last bin."""


class UnknownStatesWarning(Message, UserWarning):
    """Rows with values that no training row had, taken for missing ones."""


class ManyStatesWarning(Message, UserWarning):
    """A column that looks like an identifier: about as many states as rows."""


class MixedColumnWarning(Message, UserWarning):
    """A column is read as text because a few of its values are not the numbers, dates or times that all others are."""


class LeftOutWarning(Message, UserWarning):
    """Columns of a table that were left out: nothing can be learned from them."""


def brief(value: object, limit: int = 80) -> str:
    """`repr(value)` for a message, cut where it is long, whatever the value is.

    >>> brief("abc"), brief("a" * 1000, limit=10)
    ("'abc'", "'aaaaaaaaa...")
    """
    if isinstance(value, str) and len(value) > limit:
        return repr(value[:limit])[:limit] + "..."
    if isinstance(value, int) and value.bit_length() > 256:
        return how_many(value)
    try:
        text = reprlib.repr(value) if isinstance(value, (list, tuple, dict, set, frozenset)) else repr(value)
    except Exception:  # a message must come out even for an object that cannot show itself
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else text[:limit] + "..."


def how_many(number: int) -> str:
    """A whole number for a message; past 10^15 only its size, which is all that a reader can use.

    >>> how_many(65536), how_many(7**1000)
    ('65,536', 'about 10^845')
    """
    if abs(number) < 10**15:
        return f"{number:,}"
    return f"about {'-' if number < 0 else ''}10^{round(math.log10(abs(number)))}"


def is_whole(value: object) -> TypeGuard[int]:
    """Is it an integer of Python or numpy? A boolean is not, nor is a float with nothing after the point.

    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole_number(name: str, value: object, *, at_least: int, error: type[DepnetError] = SamplingError) -> int:
    """`value` as an int that is not less than `at_least`; anything else is an error that names the argument.

    >>> whole_number("chains", 3, at_least=1)
    3
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # what has no index is the error below
    except TypeError:
        number = at_least - 1
    if isinstance(value, bool) or number < at_least:
        raise error(f"{name} is a whole number of at least {at_least}; got {brief(value)}.")
    return number


def checked_seconds(
    max_seconds: object, *, zero: bool = False, error: type[DepnetError] = SamplingError
) -> float | None:
    """A positive number of seconds, or with `zero` 0 too; None, or infinity, where there is no limit."""
    if max_seconds is None:
        return None
    if isinstance(max_seconds, (int, float)) and not isinstance(max_seconds, bool):
        seconds = float(max_seconds)
        if seconds > 0 or (zero and seconds == 0):
            return None if math.isinf(seconds) else seconds
    expected = "a number of seconds of at least 0" if zero else "a positive number of seconds"
    raise error(f"max_seconds is {expected}, or None; got {brief(max_seconds)}.")
