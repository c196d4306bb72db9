"""The 1-way marginals of data against those of rows drawn from a network."""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Label
from depnet.errors import DataError
from depnet.model.marginals import MarginalCounts


@dataclass(frozen=True, slots=True, eq=False)
class Marginal:
    """p(X_i) in the data and among drawn rows."""

    name: str
    states: tuple[Label, ...]
    data: FloatArray
    drawn: FloatArray

    @property
    def apart(self) -> float:
        """Their total variation distance."""
        return float(np.abs(self.data - self.drawn).sum()) / 2

    def shown(self, most: int) -> list[tuple[str, float, float]]:
        """(state, data, drawn) of the most frequent states in their own order, and of the rest together."""
        order = np.argsort(-np.maximum(self.data, self.drawn), kind="stable")
        if len(order) <= most:
            order, rest = np.arange(len(order)), order[:0]
        else:
            order, rest = np.sort(order[: most - 1]), order[most - 1 :]
        rows = [(str(self.states[s]), float(self.data[s]), float(self.drawn[s])) for s in order]
        if len(rest):
            rows.append(
                (f"{len(rest)} other states", float(self.data[rest].sum()), float(self.drawn[rest].sum()))
            )
        return rows


def marginals(data: Holed | MarginalCounts, drawn: Dataset) -> tuple[Marginal, ...]:
    """The marginals of every variable, those furthest apart first.

    Args:
        data: rows, of which known cells count, or the 1-way counts that a network keeps of them.
        drawn: rows drawn from a model.

    Returns:
        A `Marginal` a variable: its `states`, their shares in `data` and among the `drawn`.

    >>> from depnet import learn, sample, titanic
    >>> found = marginals(titanic(), sample(learn(titanic(), order="auto"), 1000))
    >>> sorted(each.name for each in found)
    ['age', 'class', 'sex', 'survived']
    """
    counts = data.singles if isinstance(data, MarginalCounts) else MarginalCounts.of(data, 0).singles
    theirs = MarginalCounts.of(drawn, 0).singles
    if len(counts) != len(theirs) or any(a.shape != b.shape for a, b in zip(counts, theirs, strict=True)):
        raise DataError(
            "marginals: the data and the drawn rows have other variables. Draw from the data's network."
        )
    if counts[0].sum() == 0 or drawn.total == 0:
        raise DataError("marginals: there are no rows to compare.")
    found = [
        Marginal(v.name, v.states, ours / ours.sum(), other / other.sum())
        for v, ours, other in zip(drawn.domain.variables, counts, theirs, strict=True)
    ]
    return tuple(sorted(found, key=lambda m: -m.apart))
