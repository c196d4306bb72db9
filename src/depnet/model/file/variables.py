"""Variables in a model file: names, states, bins, and the states for missing and for all other values."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

from depnet.data.binning.bins import MAX_QUANTILES, Bins
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Variable
from depnet.errors import brief
from depnet.model.file.fields import fault, fields_of, items_of, located, number_of

_OPTIONAL: dict[int, tuple[str, ...]] = {
    1: (),
    **dict.fromkeys((2, 3, 4), ("bins", "missing")),
    5: ("bins", "missing", "other"),
}
"""What a file of a version may say of a variable beside its name and states."""

MAX_LABEL_BITS = 4096
"""Whole numbers as labels: JSON sets no limit, but Python reads no more than 4,300 digits."""

MAX_OF_ONE_HASH = 1000
"""Labels that may fall together in a dictionary."""


def document_of_variable(variable: Variable, at: str) -> dict[str, Any]:
    """What a file says of a variable."""
    for code, label in enumerate(variable.states):
        _check_label(label, f"{at}.states[{code}]")
    document: dict[str, Any] = {"name": variable.name, "states": list(variable.states)}
    if variable.bins is not None:
        document["bins"] = {
            "kind": variable.bins.kind,
            "edges": [None if edge in (-math.inf, math.inf) else edge for edge in variable.bins.edges],
            "quantiles": [list(values) for values in variable.bins.quantiles],
            **({} if variable.bins.form is None else {"form": variable.bins.form}),
        }
    if variable.missing is not None:
        document["missing"] = True
    if variable.other is not None:
        document["other"] = True
    return document


def variable_of(value: object, at: str, version: int) -> Variable:
    """The variable that a document describes."""
    fields = fields_of(value, at, ("name", "states"), optional=_OPTIONAL[min(version, 5)])
    states = items_of(fields["states"], f"{at}.states")
    for code, label in enumerate(states):
        _check_label(label, f"{at}.states[{code}]")
    _check_hashes(states, f"{at}.states")
    missing, other = (_flag(fields, name, at) for name in ("missing", "other"))
    bins = _bins(fields["bins"], len(states) - missing, f"{at}.bins") if "bins" in fields else None
    with located(at):
        return Variable(
            fields["name"],
            tuple(states),
            bins,
            states[-1] if missing and states else None,
            other=states[-1 - missing] if other and len(states) > missing else None,
        )


def _flag(fields: dict[str, Any], name: str, at: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise fault(f"{at}.{name}", f"expected true or false; got {brief(value)}.")
    return value


def with_order(domain: Domain, value: object) -> Domain:
    """The domain, in which the variables with these numbers have states in an order."""
    variables = list(domain.variables)
    for k, number in enumerate(items_of(value, "ordered")):
        if type(number) is not int or not 0 <= number < len(variables):
            raise fault(
                f"ordered[{k}]", f"expected a variable's number, below {len(variables)}; got {brief(number)}."
            )
        variables[number] = replace(variables[number], ordered=True)
    return Domain(tuple(variables))


def _bins(value: object, number: int, at: str) -> Bins:
    fields = fields_of(value, at, ("kind", "edges", "quantiles"), optional=("form",))
    edges = items_of(fields["edges"], f"{at}.edges", number + 1)
    ends = {0: -math.inf, number: math.inf}
    read = [
        ends[k] if edge is None and k in ends else number_of(edge, f"{at}.edges[{k}]")
        for k, edge in enumerate(edges)
    ]
    quantiles = []
    for k, values in enumerate(items_of(fields["quantiles"], f"{at}.quantiles", number)):
        place = f"{at}.quantiles[{k}]"
        kept = items_of(values, place)
        if len(kept) > MAX_QUANTILES:
            raise fault(place, f"a bin keeps at most {MAX_QUANTILES} values; got {len(kept):,}.")
        quantiles.append(tuple(number_of(each, f"{place}[{q}]") for q, each in enumerate(kept)))
    with located(at):
        return Bins(tuple(read), tuple(quantiles), fields["kind"], fields.get("form"))


def _check_label(label: object, at: str) -> None:
    """A whole number as a label must be of a size that every reader can take."""
    if isinstance(label, int) and label.bit_length() > MAX_LABEL_BITS:
        raise fault(at, "this whole number is too long for a label. Make it a string.")


def _check_hashes(labels: list[Any], at: str) -> None:
    """Whole numbers can be chosen so that a dictionary of them takes quadratic time; those of a table never are."""
    if len(labels) <= MAX_OF_ONE_HASH:
        return
    (_, most), *_ = Counter(
        hash(label) for label in labels if isinstance(label, (str, int, float))
    ).most_common(1)
    if most > MAX_OF_ONE_HASH:
        raise fault(
            at, f"{most:,} of the labels have one hash: they were made to take time. Make them strings."
        )
