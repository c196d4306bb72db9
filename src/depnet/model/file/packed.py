"""Long lists of a node as arrays: its table, leaves, operations, stages. Lists of them would take ten times the memory."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.model.sources.source import MAX_LEAVES

KINDS = ("split", "merge")
"""The names of operations, by their kinds in arrays."""

STAGES = ("start_scores", "variable", "low", "high", "begin", "leaf", "test", "scores")
TREES = ("roots", "threshold", "child", "shares")
"""Fields of a boosted node, and of trees within bins, that are lists of whole numbers."""


@dataclass(frozen=True, slots=True)
class PackedOperations:
    """Operations as `DecisionGraph.recorded` takes them."""

    kinds: NDArray[np.uint8]
    first: NDArray[np.int32]
    second: NDArray[np.int32]


def packed(fields: dict[str, Any]) -> dict[str, Any]:
    """An object in which lists that can be are arrays. What cannot be, for the reader to judge, is left as it is."""
    for name in ("counts", "probabilities"):
        if name in fields:
            fields[name] = _rows(fields[name])
    if "leaves" in fields and _all_of(fields["leaves"], int):
        fields["leaves"] = _array(fields["leaves"], int)
    for name in (*STAGES, *TREES):
        if name in fields and _all_of(fields[name], int) and _is_small(fields[name]):
            fields[name] = np.array(fields[name], dtype=np.int32)
    if "gains" in fields and _all_of(fields["gains"], float):
        fields["gains"] = _array(fields["gains"], float)
    if "operations" in fields:
        fields["operations"] = _operations(fields["operations"])
    return fields


def plain(value: object) -> list[Any]:
    """What was packed, as lists, which JSON knows."""
    if isinstance(value, PackedOperations):
        numbers = zip(value.kinds.tolist(), value.first.tolist(), value.second.tolist(), strict=True)
        return [[KINDS[kind], first, second] for kind, first, second in numbers]
    assert isinstance(value, np.ndarray)
    return value.tolist()  # type: ignore[no-any-return]  # a list: it has axes


def _rows(rows: Any) -> object:
    """Rows of equal length, all whole numbers or all floats, as an array."""
    if not _all_of(rows, list) or len(set(map(len, rows))) != 1:
        return rows
    kinds = set(map(type, itertools.chain.from_iterable(rows)))
    return _array(rows, kinds.pop()) if kinds in ({int}, {float}) else rows


def _operations(given: Any) -> object:
    if not _all_of(given, list) or set(map(len, given)) != {3}:
        return given
    names, first, second = map(list, zip(*given, strict=True))
    if not (_all_of(names, str) and set(names) <= set(KINDS) and _all_of(first + second, int)):
        return given
    if min(first + second) < 0 or max(first + second) > MAX_LEAVES:
        return given
    kinds = np.array([name == "merge" for name in names], dtype=np.uint8)
    return PackedOperations(kinds, np.array(first, dtype=np.int32), np.array(second, dtype=np.int32))


def _all_of(value: Any, kind: type) -> bool:
    """A list, not empty, with values of one type only."""
    return isinstance(value, list) and set(map(type, value)) == {kind}


def _is_small(values: list[int]) -> bool:
    return min(values) >= -(2**31) and max(values) < 2**31


def _array(values: Any, kind: type) -> object:
    try:
        return np.array(values, dtype=np.int64 if kind is int else np.float64)
    except OverflowError:  # whole numbers past 64 bits: the reader says where
        return values
