"""How sharp an answer is and how it was found, in plain words."""

import math

from depnet.explorer.ask import Answer
from depnet.inference.answer.part import Diagnostics
from depnet.inference.answer.result import QueryResult
from depnet.wording import counted


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


def how_often(log_probability: float) -> str:
    """How often something of this log-probability (nats) comes, for people.

    >>> [how_often(math.log(p)) for p in (1.0, 0.34, 0.00294, 3e-8)]
    ['every row', 'about 34 in 100 rows', 'about 1 in 340 rows', 'about 1 in 33 million rows']
    >>> how_often(-90.0), how_often(-12.0)
    ('about 1 in 10^39 rows', 'about 1 in 160,000 rows')
    """
    if log_probability > math.log(0.9995):
        return "every row"
    if log_probability > math.log(0.095):
        share = 100 * math.exp(log_probability)
        return f"about {share:.1f} in 100 rows" if share > 99 else f"about {share:.0f} in 100 rows"
    tens = -log_probability / math.log(10)
    if tens >= 15:
        return f"about 1 in 10^{tens:.0f} rows"
    rows = float(f"{math.exp(-log_probability):.2g}")
    for size, name in ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"), (1.0, "")):
        if rows >= size:
            count = rows / size
            return f"about 1 in {f'{count:,.0f}' if count >= 10 else f'{count:g}'}{name} rows"
    return "about every row"
