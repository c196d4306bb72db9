"""How sharp an answer is and how it was found, in plain words."""

import math

from depnet.explorer.ask import Answer
from depnet.inference.answer.result import Diagnostics, QueryResult
from depnet.wording import counted

STOPPED = "stopped"
"""How warnings of an answer that is not sharp begin; the page says that in its own place."""


def sharpness(answer: Answer) -> str:
    """How sharp: "computed in full", "± 0.01", or what it is so far.

    The largest standard error of any probability that is shown; nothing is called sharp that did not come within the
    tolerance.
    """
    if answer.sharp:
        return "computed in full" if answer.error == 0 else f"± {digit(answer.error)}"
    if not math.isfinite(answer.error):
        return "not yet sharp"
    return f"not yet sharp: ± {digit(answer.error)} at most"


def digit(error: float) -> str:
    """One digit of an error, rounded up: what is told is not less than what there is.

    >>> digit(0.0091), digit(0.01), digit(0.031), digit(0.00234)
    ('0.01', '0.01', '0.04', '0.003')
    """
    if error <= 0:
        return "0"
    place = math.floor(math.log10(error))
    told = math.ceil(round(error / 10.0**place, 6)) * 10.0**place
    return f"{told:.{max(-math.floor(math.log10(told) + 1e-9), 0)}f}"


def took(seconds: float) -> str:
    """A time as people say it.

    >>> took(1.7e-05), took(0.042), took(12.34)
    ('at once', 'in 0.04 s', 'in 12 s')
    """
    if seconds < 0.01:
        return "at once"
    return f"in {seconds:.2f} s" if seconds < 10 else f"in {seconds:.0f} s"


def found_by(result: QueryResult) -> str:
    """The method in a sentence."""
    parts = []
    if "look-up" in result.method or "exact" in result.method:
        parts.append("by adding up all cases, without any error of chance")
    if isinstance(result.diagnostics, Diagnostics):
        chains = counted(result.diagnostics.chains, "chain")
        parts.append(f"from {chains} of draws in which what is known stays as it is")
    elif result.diagnostics is not None:
        draws = counted(result.diagnostics.passes, "draw")
        moved = ", the likelier ones moved on" if result.diagnostics.moved else ""
        parts.append(f"from {draws} of the model, weighted by what is known{moved}")
    return "Found " + (" and ".join(parts) or "in what is known") + "."
