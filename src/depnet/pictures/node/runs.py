"""States that stand beside each other in an order, said by their ends."""

from collections.abc import Sequence

from depnet.data.table.variable import Variable
from depnet.pictures.labels import short

LETTERS = 24


def run_said(variable: Variable, codes: Sequence[int]) -> str:
    """A run of neighbours by its ends; nothing where they are none, or one word, or all there are.

    >>> run_said(Variable("children", (0, 1, 2, 3)), [0, 1]), run_said(Variable("class", ("1st", "2nd", "3rd")), [0, 1])
    ('at most 1', '')
    """
    last = len(variable.present_states) - (1 if variable.other is None else 2)
    if last < 2 or not codes or not variable.has_order or codes[-1] > last:
        return ""
    low, high = codes[0], codes[-1]
    if high - low != len(codes) - 1 or (low, high) == (0, last):
        return ""
    if low == high and (
        variable.bins is None
        or str(variable.states[low]) == variable.bins.text(variable.bins.quantiles[low][0])
    ):
        return ""
    if variable.bins is not None:
        least, below = (variable.bins.text(variable.bins.edges[k]) for k in (low, high + 1))
        if low == 0:
            return f"below {below}"
        return f"at least {least}" if high == last else f"at least {least} and below {below}"
    first, end = (short(variable.states[code], LETTERS) for code in (low, high))
    if low == 0:
        return f"at most {end}"
    return f"at least {first}" if high == last else f"from {first} to {end}"
