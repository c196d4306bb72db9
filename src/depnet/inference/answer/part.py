"""What was found of tables of variables, whoever found it, and the tables of a question from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from depnet.arrays import FloatArray
from depnet.inference.answer.remark import Remark
from depnet.inference.answer.result import Diagnostics, PassDiagnostics
from depnet.inference.answer.spread import Spread


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The answers of some of the tables asked for: their values and standard errors, and how they were found.

    `deviations` has, of each table, of each of its variables, [batch, state]: what each batch adds to the errors of its
    states (`depnet.inference.answer.spread`); it is empty of what is exact. `levels` has, of some numbers, the weights of
    their levels (`depnet.data.binning.levels`), 1 in all where the number is there, and `level_spreads` their errors; of a
    number without, all levels of a bin are as likely.
    """

    values: list[FloatArray]
    errors: list[FloatArray]
    method: str
    converged: bool = True
    diagnostics: Diagnostics | PassDiagnostics | None = None
    warnings: tuple[Remark, ...] = ()
    deviations: Sequence[Sequence[FloatArray]] = ()
    levels: Mapping[int, FloatArray] = field(default_factory=dict)
    level_spreads: Mapping[int, Spread] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The joint law of some `variables`, with the spread of each one's own."""

    variables: tuple[int, ...]
    values: FloatArray
    errors: FloatArray
    spreads: Mapping[int, Spread]

    def margin(self, i: int) -> FloatArray:
        return _sum_but(self.values, self.variables.index(i))

    @classmethod
    def of(
        cls,
        variables: tuple[int, ...],
        cards: Sequence[int],
        clamped: Mapping[int, int],
        found: tuple[FloatArray, FloatArray, Sequence[FloatArray]] | None,
    ) -> "Table":
        """From (values, errors, deviations) of the variables that are not `clamped`, None where all are.

        A variable whose state is known has it with certainty.
        """
        free = tuple(i for i in variables if i not in clamped)
        values, errors = np.zeros((2, *(cards[i] for i in variables)))
        where = tuple(clamped[i] if i in clamped else slice(None) for i in variables)
        spreads = {i: Spread(np.zeros(cards[i])) for i in variables if i in clamped}
        if found is None:
            values[where] = 1.0
            return cls(variables, values, errors, spreads)
        values[where], errors[where], deviations = found
        for at, i in enumerate(free):
            spreads[i] = _margin(found[1], at, deviations[at] if deviations else None)
        return cls(variables, values, errors, spreads)


def _sum_but(table: FloatArray, axis: int) -> FloatArray:
    return np.asarray(table.sum(axis=tuple(a for a in range(table.ndim) if a != axis)))


def tables_of(
    asked: Sequence[tuple[int, ...]],
    parts: Sequence[tuple[tuple[int, ...], Part]],
    cards: Sequence[int],
    clamped: Mapping[int, int],
) -> list[Table]:
    """The tables asked for; each part has the variables that it answers, those of one table, or of a table each."""
    found: dict[tuple[int, ...], tuple[FloatArray, FloatArray, Sequence[FloatArray]]] = {}
    for variables, part in parts:
        names = [variables] if len(part.values) < len(variables) else [(i,) for i in variables]
        deviations = part.deviations or [()] * len(names)
        of_table = zip(part.values, part.errors, deviations, strict=True)
        found |= dict(zip(names, of_table, strict=True))
    return [
        Table.of(table, cards, clamped, found.get(tuple(i for i in table if i not in clamped)))
        for table in asked
    ]


def _margin(errors: FloatArray, axis: int, deviations: FloatArray | None) -> Spread:
    """The spread of one variable of a table: a state's error is that of a sum of cells."""
    if errors.ndim == 1 or deviations is None:
        others = tuple(a for a in range(errors.ndim) if a != axis)
        return Spread.of(errors.sum(axis=others), deviations)
    # No smaller than that of the surest cell: what no draw has met counts there.
    return Spread.of(np.maximum(np.sqrt((deviations**2).sum(axis=0)), errors.min()), deviations)
