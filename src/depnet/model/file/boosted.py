"""Boosted nodes in a model file: the arrays of their stages, flat lists of whole numbers.

Each list is compared with the ones before it, with the domain and with the first source before anything is made of it.
"""

import sys
from dataclasses import fields as fields_in
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.errors import brief
from depnet.model.boosted import BoostedNode
from depnet.model.file.fields import (
    check_each,
    fault,
    fields_of,
    items_of,
    located,
    number_of,
    whole_array,
)
from depnet.model.sources.source import InformationSource
from depnet.model.stages import MOST_LEAVES, MOST_SCORE, Stages

_STAGES = tuple(each.name for each in fields_in(Stages))


def document_of_boosted(node: BoostedNode) -> dict[str, Any]:
    """All of a boosted node but its variable and its first source."""
    stages = {name: getattr(node.stages, name).ravel() for name in _STAGES}
    return {"start_scores": node.start_scores.ravel(), "gains": node.gains, **stages}


def boosted_of(
    value: object, variable: int, start: InformationSource, cardinalities: tuple[int, ...], at: str
) -> BoostedNode:
    """The boosted node that a document describes, whose first source is `start`."""
    fields = fields_of(value, at, ("start_scores", "gains", *_STAGES))
    states = cardinalities[variable]
    first = _scores(fields["start_scores"], start.size * states, f"{at}.start_scores")
    stages = _stages(fields, states, cardinalities, at)
    inputs = {*start.inputs, *stages.inputs}
    gains = _gains(fields["gains"], len(inputs), f"{at}.gains")
    with located(at):
        return BoostedNode((variable,), start, first.reshape(-1, states), stages, gains)


def _stages(fields: dict[str, Any], states: int, cardinalities: tuple[int, ...], at: str) -> Stages:
    tested = whole_array(fields["variable"], 0, len(cardinalities) - 1, None, f"{at}.variable")
    low, high = (
        whole_array(fields[name], 0, 2**16 - 1, len(tested), f"{at}.{name}") for name in ("low", "high")
    )
    check_each(
        high < np.array(cardinalities, dtype=np.int64)[tested],
        f"{at}.high",
        "the variable of this test has fewer states.",
    )
    check_each(low <= high, f"{at}.low", "the lowest state of this test is above its highest.")
    leaf = whole_array(fields["leaf"], 0, MOST_LEAVES - 2, None, f"{at}.leaf")
    test = whole_array(fields["test"], 0, len(tested) - 1, len(leaf), f"{at}.test")
    begin = whole_array(fields["begin"], 0, len(leaf), None, f"{at}.begin")
    if not len(begin) or begin[0] != 0 or begin[-1] != len(leaf):
        raise fault(
            f"{at}.begin", f"expected numbers from 0 to {len(leaf):,}, that of splits; got {_ends(begin)}."
        )
    sizes = np.diff(begin)
    check_each(sizes >= 0, f"{at}.begin", "this stage ends before it begins.")
    check_each(sizes < MOST_LEAVES, f"{at}.begin", f"this stage has more than {MOST_LEAVES} leaves.")
    leaves = np.arange(len(leaf)) - np.repeat(begin[:-1], sizes)
    check_each(leaf <= leaves, f"{at}.leaf", "the stage of this split has fewer leaves by then.")
    cells = (len(leaf) + len(sizes)) * states
    scores = _scores(fields["scores"], cells, f"{at}.scores").reshape(-1, states)
    with located(f"{at}.scores"):
        return Stages(tested, low, high, begin, leaf, test, scores)  # type: ignore[arg-type]  # it narrows them


def _scores(value: object, length: int, at: str) -> NDArray[np.int32]:
    return whole_array(value, 1 - MOST_SCORE, MOST_SCORE - 1, length, at)


def _gains(value: object, length: int, at: str) -> FloatArray:
    numbers = value.tolist() if isinstance(value, np.ndarray) else value
    for k, number in enumerate(items_of(numbers, at, length)):
        if not abs(number_of(number, f"{at}[{k}]")) <= sys.float_info.max:
            raise fault(f"{at}[{k}]", f"expected a finite number; got {brief(number)}.")
    return np.array(numbers, dtype=np.float64)


def _ends(numbers: NDArray[np.int32]) -> str:
    return f"{numbers[0]:,} to {numbers[-1]:,}" if len(numbers) else "none"
