"""Events by three-valued logic, and their probabilities by sums over all states.

An event is nested tuples: ("and", a, b), ("or", a, b), ("not", a), or (name, sign, value), the value being a number or a
label, or the name of another column in ("compare", name, sign, name).
"""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from depnet import Network
from depnet.arrays import FloatArray
from tests.reference.ordered import law

Tree = tuple[Any, ...]

SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip


def text_of(tree: Tree) -> str:
    """The event as people write it, with all of its parentheses."""
    if tree[0] == "not":
        return f"not ({text_of(tree[1])})"
    if tree[0] in ("and", "or"):
        return f"({text_of(tree[1])}) {tree[0]} ({text_of(tree[2])})"
    return " ".join(map(str, tree[1:] if tree[0] == "compare" else tree))


def holds(tree: Tree, row: Mapping[str, Any]) -> bool | None:
    """Is a row in the event? None: it is not known, since something is None in the row."""
    if tree[0] == "not":
        inner = holds(tree[1], row)
        return None if inner is None else not inner
    if tree[0] in ("and", "or"):
        both = [holds(part, row) for part in tree[1:]]
        decisive = tree[0] == "or"
        return decisive if decisive in both else None if None in both else not decisive
    name, sign, value = tree[1:] if tree[0] == "compare" else tree
    left, right = row[name], row[value] if tree[0] == "compare" else value
    return None if left is None or right is None else SIGNS[sign](left, right)


def columns_in(tree: Tree) -> set[str]:
    if tree[0] in ("and", "or", "not"):
        return set().union(*map(columns_in, tree[1:]))
    return {tree[1], tree[3]} if tree[0] == "compare" else {tree[0]}


def indicator(network: Network, tree: Tree) -> FloatArray:
    """[joint state]: 1 in the event, 0 outside, nan where that is not known."""
    variables = network.domain.variables
    found = np.zeros(network.domain.cardinalities)
    for state in np.ndindex(found.shape):
        row = {
            v.name: None if v.missing is not None and x == v.cardinality - 1 else v.states[x]
            for v, x in zip(variables, state, strict=True)
        }
        inside = holds(tree, row)
        found[state] = math.nan if inside is None else inside
    return found


def probability(network: Network, tree: Tree, given: Tree | None) -> float:
    """P(event | given, and it is known whether the event is so)."""
    q = law(network)
    if given is not None:
        q = q * (indicator(network, given) == 1)
    inside = indicator(network, tree)
    return float(q[inside == 1].sum() / q[~np.isnan(inside)].sum())


def marginal(network: Network, target: int, given: Tree) -> FloatArray:
    """P(X_target | given)."""
    q = law(network) * (indicator(network, given) == 1)
    found = q.sum(axis=tuple(a for a in range(q.ndim) if a != target))
    return np.asarray(found / found.sum())
