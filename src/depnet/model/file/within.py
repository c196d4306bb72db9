"""Trees within bins in a model file: flat lists of whole numbers, an object for each variable that has some.

A tree's node leads to later nodes only, so that every row comes to a leaf; a list is compared with the domain and with the
lists before it before anything is made of it.
"""

from typing import Any

import numpy as np

from depnet.arrays import read_only
from depnet.data.frames.within import WHOLE, PlaceTrees, Within, level_count
from depnet.data.table.domain import Domain
from depnet.errors import brief
from depnet.model.file.fields import check_each, fault, fields_of, items_of, whole_array, whole_of

_MOST = 2**31 - 1
_LISTS = ("roots", "variable", "threshold", "child", "shares")


def document_of_within(within: Within) -> list[dict[str, Any]]:
    """The trees of all variables that have some."""
    return [
        {"column": trees.column, **{name: getattr(trees, name) for name in _LISTS}} for trees in within.trees
    ]


def within_of(value: object, domain: Domain, order: tuple[int, ...]) -> Within:
    """What a document says of numbers within bins."""
    found = [_trees(each, domain, f"within[{k}]") for k, each in enumerate(items_of(value, "within"))]
    columns = [trees.column for trees in found]
    if len(set(columns)) < len(columns):
        raise fault("within", "expected one object for each variable; one stands twice.")
    return Within(domain, order, tuple(found))


def _trees(value: object, domain: Domain, at: str) -> PlaceTrees:
    fields = fields_of(value, at, ("column", *_LISTS))
    column = whole_of(fields["column"], f"{at}.column", 0, len(domain) - 1)
    bins = domain.variables[column].bins
    if bins is None:
        raise fault(f"{at}.column", f"variable {brief(domain.names[column])} has no bins.")
    variable = whole_array(fields["variable"], -1, len(domain) - 1, None, f"{at}.variable")
    nodes = len(variable)
    check_each(variable != column, f"{at}.variable", "a tree does not read the variable that it is of.")
    roots = whole_array(fields["roots"], -1, nodes - 1, len(bins), f"{at}.roots")
    threshold = whole_array(fields["threshold"], 0, _MOST, nodes, f"{at}.threshold")
    levels = np.array([*map(level_count, domain.variables), 1])  # a leaf's is 0
    check_each(
        threshold < levels[variable], f"{at}.threshold", "the variable of this test has no such level."
    )
    shares = whole_array(fields["shares"], 0, WHOLE, None, f"{at}.shares")
    most = max(map(len, bins.quantiles))
    if len(shares) % most:
        raise fault(f"{at}.shares", f"expected {most} numbers for each leaf; got {len(shares):,} in all.")
    totals = np.repeat(shares.reshape(-1, most).sum(axis=1), most)
    check_each(totals == WHOLE, f"{at}.shares", f"the shares of a leaf are {WHOLE} in all.")
    child = whole_array(fields["child"], 0, _MOST, nodes, f"{at}.child")
    leaf, leaves = variable < 0, len(shares) // most
    check_each(~leaf | (child < leaves), f"{at}.child", "there is no such leaf.")
    inner = leaf | ((child > np.arange(nodes)) & (child < nodes - 1))
    check_each(inner, f"{at}.child", "expected the first of two later nodes.")
    lists = (roots, variable, threshold, child, shares)
    return PlaceTrees(column, *(read_only(np.array(each, dtype=np.int32)) for each in lists))
