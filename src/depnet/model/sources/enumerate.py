"""All joint states of some variables: rows of codes, and the leaves of a source on them, which write it out."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, LeafArray
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import InformationSource

CELLS_AT_A_TIME = 1 << 22
"""Codes that are made at once while a source is evaluated."""


def code_type(cardinalities: Sequence[int]) -> np.dtype[Any]:
    """What codes are kept in: a byte, or two where a variable has more than 256 states."""
    return np.dtype(np.uint8 if max(cardinalities, default=1) <= 256 else np.uint16)


def input_codes(
    cardinalities: Sequence[int], inputs: Sequence[int], fixed: Mapping[int, int] | None = None
) -> CodeArray:
    """[joint states, n]: a row for each joint state of `inputs`, row-major (the last moves fastest).

    The `fixed` variables have these codes in every row, all others 0.

    >>> input_codes((2, 2, 3), (0, 2), {1: 1})[:, :].tolist()
    [[0, 1, 0], [0, 1, 1], [0, 1, 2], [1, 1, 0], [1, 1, 1], [1, 1, 2]]
    """
    return _codes(cardinalities, [range(cardinalities[j]) for j in inputs], inputs, fixed or {})


def input_leaves(
    source: InformationSource,
    cardinalities: Sequence[int],
    inputs: Sequence[int] | None = None,
    *,
    fixed: Mapping[int, int] | None = None,
    allowed: Mapping[int, NDArray[np.int64]] | None = None,
) -> LeafArray:
    """The leaf of every joint state of `inputs` (all inputs of the source, if not said), row-major.

    Variable j runs through `allowed[j]` where that is given, through all its states otherwise. Inputs of the source
    that do not run have their `fixed` code, or 0. Only a part of the codes is in memory at any time.

    >>> from depnet import FunctionSource
    >>> input_leaves(FunctionSource(lambda x: x.sum(axis=1), (0, 2), 4), (2, 5, 3)).tolist()
    [0, 1, 2, 1, 2, 3]
    """
    inputs = source.inputs if inputs is None else inputs
    sizes = [cardinalities[j] if allowed is None else len(allowed[j]) for j in inputs]
    leaves: LeafArray = np.empty(math.prod(sizes), dtype=np.int32)
    done = 0
    for codes in joint_codes(cardinalities, inputs, fixed=fixed, allowed=allowed):
        leaves[done : done + len(codes)] = (
            source.walked(codes) if isinstance(source, DecisionGraph) else source(codes)
        )
        done += len(codes)
    return leaves


def joint_codes(
    cardinalities: Sequence[int],
    inputs: Sequence[int],
    *,
    fixed: Mapping[int, int] | None = None,
    allowed: Mapping[int, NDArray[np.int64]] | None = None,
) -> Iterator[CodeArray]:
    """The rows of `input_codes` one part after the other, each in the same memory; j runs through `allowed[j]`."""
    runs = [range(cardinalities[j]) if allowed is None else allowed[j] for j in inputs]
    sizes = [len(run) for run in runs]
    inner = len(inputs)  # the last inputs, that run through all their states within one part
    while inner > 0 and math.prod(sizes[inner - 1 :]) * len(cardinalities) <= CELLS_AT_A_TIME:
        inner -= 1
    codes = _codes(cardinalities, runs[inner:], inputs[inner:], fixed or {})
    for values in itertools.product(*runs[:inner]):
        codes[:, list(inputs[:inner])] = values
        yield codes


def _codes(
    cardinalities: Sequence[int],
    runs: Sequence[Iterable[int]],
    inputs: Sequence[int],
    fixed: Mapping[int, int],
) -> CodeArray:
    columns = [np.asarray(run) for run in runs]
    sizes = [len(column) for column in columns]
    codes: CodeArray = np.zeros(
        (math.prod(sizes), len(cardinalities)), dtype=code_type(cardinalities), order="F"
    )
    for j, code in fixed.items():
        codes[:, j] = code
    if not len(codes):
        return codes
    inner = len(codes)
    for j, column in zip(inputs, columns, strict=True):
        outer, inner = len(codes) // inner, inner // len(column)
        codes[:, j].reshape(outer, len(column), inner)[...] = column[
            :, None
        ]  # a view: columns lie in one place
    return codes
