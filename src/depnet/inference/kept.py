"""Filled cells that keep what the rows of a table do (`depnet.model.constraints`), together with what their row knows."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.binning.bins import Numbers
from depnet.data.table.values import Values
from depnet.data.table.variable import Variable
from depnet.law.constraints import Draft, Keeper
from depnet.model.constraints import Total
from depnet.model.mixture import AnyNetwork


def keep_filled(
    law: AnyNetwork,
    codes: IntArray,
    filled: NDArray[np.bool_],
    values: Values | None,
    *,
    laws: Mapping[str, FloatArray] | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[IntArray, dict[int, Numbers]]:
    """The codes [row, variable], and the numbers of the columns that constraints speak of, so that rows keep these.

    Numbers are expected by the `laws` of the cells, or drawn in their bins with `rng`; where they break a constraint, they
    are computed, or moved. `values` are the numbers of the table: where it has none, nothing can be kept. What is not filled
    stays: where a row breaks a constraint by what it knows, it still does.
    """
    if not law.constraints:
        return codes, {}
    variables = law.domain.variables
    columns = sorted({law.domain.index(name) for each in law.constraints for name in each.names})
    if not filled[:, columns].any() or any(variables[i].bins and i not in (values or ()) for i in columns):
        return codes, {}
    totals = [each for each in law.constraints if isinstance(each, Total) and each.digits is not None]
    digits = {name: each.digits or 0 for each in totals for name in each.names}
    draft = Draft(law.domain, np.array(codes, order="F"), {}, ~filled)
    for i in columns:
        own = codes[:, i].clip(0, len(variables[i].present_states) - 1).astype(np.int64)
        numbers = _filled_numbers(variables[i], own, None if laws is None else laws[variables[i].name], rng)
        if laws is not None and variables[i].name in digits:
            numbers = np.round(numbers, digits[variables[i].name])
        if values is not None and i in values:
            draft.values[i] = np.where(filled[:, i], numbers, values[i])
        elif laws is not None and len(variables[i].present_states) > 2:  # two numbers are a category
            _put_nearest(draft, i, np.flatnonzero(filled[:, i]), numbers)
    Keeper(law.domain, law.constraints).settle(draft, rng, leave=True)
    states = {i: np.array(variables[i].present_states) for i in columns if i not in draft.values}
    of_states = {i: own[draft.codes[:, i].clip(0, len(own) - 1)] for i, own in states.items()}
    return draft.codes, draft.values | of_states


def _filled_numbers(
    variable: Variable, codes: IntArray, law: FloatArray | None, rng: np.random.Generator | None
) -> Numbers:
    """One number a row: drawn in its bin, or expected, with as many digits as such a number is worth."""
    if variable.bins is not None and rng is not None:
        return variable.bins.draw(codes, rng)
    levels = variable.levels()
    assert levels is not None
    if law is None:
        return levels.values[levels.first[codes]]
    found = levels.expect(law)
    return np.array([float(f"{each:.6g}") for each in found.tolist()]) if found.dtype.kind == "f" else found


def _put_nearest(draft: Draft, i: int, rows: IntArray, numbers: Numbers) -> None:
    """The states that are nearest to numbers."""
    states = np.array(draft.domain.variables[i].present_states, dtype=np.float64)
    there = draft.codes[rows, i] < len(states)
    draft.codes[rows, i] = np.where(
        there, np.abs(numbers[rows, None] - states).argmin(axis=1), draft.codes[rows, i]
    )
