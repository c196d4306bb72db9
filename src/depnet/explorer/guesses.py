"""What a reader most likely wants to know of a table: its target, and which columns say the same as another."""

import re
from collections.abc import Collection

import numpy as np

from depnet.arrays import IntArray
from depnet.data import Domain, Holed, Variable
from depnet.geometry.joint import entropy
from depnet.pictures import DependencyGraph

WORDS = re.compile(
    r"\b(target|label|outcome|result|class|churn|churned|price|cost|survived|diagnosis|default|income|salary|fraud|delay"
    r"|quality|score|rating|species|response|status|sales|revenue|risk|grade|amount)\b"
)
"""Names of what people want to know."""

FEW_STATES = 10
"""A target that is no number has at most so many."""

COPY = 0.95
"""The share of its uncertainty that a column takes from one that repeats it."""

COPY_RANK = 0.999
"""The rank correlation of two numbers of which one repeats the other."""

MOST_ROWS = 20_000
"""Rows from which copies are told."""


def guess_target(domain: Domain, copies: Collection[str]) -> str | None:
    """The variable that is probably to be known: by its name, else the last column or the first; None: none can be.

    It has few states or is a number, and it is none of the `copies` of other columns.
    """
    fits = [v.name for v in domain.variables if _fits(v) and v.name not in copies]
    named = [name for name in fits if WORDS.search(re.sub(r"[\W_]+", " ", name.lower()))]
    ends = [name for name in (domain.names[-1], domain.names[0]) if name in fits]
    return next(iter(named[-1:] or ends or fits), None)


def _fits(variable: Variable) -> bool:
    return variable.scale == "number" or 2 <= len(variable.present_states) <= FEW_STATES


def near_copies(data: Holed | None, graph: DependencyGraph) -> dict[str, str]:
    """By the name of a column the earlier one that it repeats: a link between them that leaves nearly nothing open."""
    if data is None or not data.rows:
        return {}
    rows = np.linspace(0, data.rows - 1, min(data.rows, MOST_ROWS)).astype(np.int64)
    found: dict[str, str] = {}
    names = graph.names
    for tie in graph.ties:
        first, second = sorted(tie.ends)
        if names[second] not in found and names[first] not in found and _repeats(data, first, second, rows):
            found[names[second]] = names[first]
    return found


def _repeats(data: Holed, first: int, second: int, rows: IntArray) -> bool:
    for i in (first, second):
        known = data.known(i)
        rows = rows if known is None else rows[known[rows]]
    if len(rows) < 2:
        return False
    numbers = [data.numbers(i) for i in (first, second)]
    if numbers[0] is not None and numbers[1] is not None:
        ranks = np.stack([np.unique(n[rows], return_inverse=True)[1] for n in numbers if n is not None])
        if (
            np.ptp(ranks, axis=1).min() > FEW_STATES
            and abs(np.corrcoef(ranks[0], ranks[1])[0, 1]) >= COPY_RANK
        ):
            return True
    sizes = [data.domain.variables[i].cardinality for i in (first, second)]
    if min(sizes) < 3:
        return False
    cells = data.column(first)[rows].astype(np.int64) * sizes[1] + data.column(second)[rows]
    joint = np.bincount(cells, minlength=sizes[0] * sizes[1]).reshape(sizes) / len(rows)
    each = [entropy(joint.sum(axis=axis)) for axis in (1, 0)]
    return min(each) > 0 and sum(each) - entropy(joint) >= COPY * max(each)
