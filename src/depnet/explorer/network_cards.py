"""What the network's page shows of one variable and of two, as plain values: small bars, and the joint table."""

import math
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.explorer.known import Held, weights
from depnet.inference.judge.pair import Pair
from depnet.inference.judge.shifts import Shift

BARS = 16
"""States of a variable that have a bar; with more, the most probable ones and the rest together."""

MOST_CHOICES = 500
"""States that a reader may choose from; of a variable with more, the most probable ones."""

MOST_STATES = 24
"""Rows and columns of a joint table; with more states, the most probable ones."""


def bars(
    variable: Variable, shift: Shift | None, prior: FloatArray | None, held: Held | None
) -> dict[str, Any]:
    """Prior and posterior of each state. Of a variable that is known there is no shift: it is as what is known says."""
    states = len(variable.present_states)
    allowed = np.ones(states) if held is None else weights(variable, held)[:states]
    if shift is None:
        posterior = allowed / max(float(allowed.sum()), 1e-300)
        before = posterior if prior is None else prior
    else:
        before, posterior = shift.prior, shift.posterior
    order = np.argsort(-np.maximum(before, posterior), kind="stable")
    shown = np.sort(order) if len(order) <= BARS else np.sort(order[: BARS - 1])
    rest = order[len(shown) :]
    made = [
        {
            "code": code,
            "label": str(variable.states[code]),
            "prior": _rounded(before[code]),
            "posterior": _rounded(posterior[code]),
            "held": held is not None and bool(allowed[code] > 0),
        }
        for code in shown.tolist()
    ]
    if len(rest):
        others = {"code": -1, "label": f"{len(rest):,} others", "held": False}
        sums = {"prior": _rounded(before[rest].sum()), "posterior": _rounded(posterior[rest].sum())}
        made.append(others | sums)
    choices = np.sort(order[:MOST_CHOICES]).tolist() if len(rest) else []
    return {
        "bars": made,
        "moved": None if shift is None else round(shift.change, 4),
        "choices": [[code, str(variable.states[code])] for code in choices],
    }


def joint_table(found: Pair) -> dict[str, Any]:
    """The joint table and both conditional ones, the table's counts, and what the two tell of each other, in bits."""
    joint, counts = found.joint, found.counts
    rows, columns = (_kept(joint.sum(axis=1 - axis)) for axis in (0, 1))
    at = np.ix_(rows, columns)
    first, second = found.result.states
    hidden = sum(len(states) for states in (first, second)) - len(rows) - len(columns)
    return {
        "rows": [str(first[code]) for code in rows],
        "columns": [str(second[code]) for code in columns],
        "tables": {
            "joint": _cells(joint[at]),
            "second": _cells(found.given_first[at]),
            "first": _cells(found.given_second[at]),
        },
        "counts": None if counts is None else _cells(np.round(counts[at])),
        "left": hidden,
        "uncertainty": [_rounded(bits) for bits in found.uncertainty],
        "information": _rounded(found.information),
        "exact": found.result.diagnostics is None,
        "sharp": found.result.converged,
    }


def _kept(marginal: FloatArray) -> list[int]:
    likely = np.argsort(-marginal, kind="stable")[:MOST_STATES]
    return [int(code) for code in np.sort(likely)]


def _cells(table: FloatArray) -> list[list[float | None]]:
    return [[_rounded(value) for value in row] for row in table.tolist()]


def _rounded(value: float) -> float | None:
    """Six digits are more than a page shows; None where it is hidden, or not defined."""
    return None if math.isnan(value) else float(f"{value:.6g}")
