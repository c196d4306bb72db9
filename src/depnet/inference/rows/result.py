"""What many rows with holes are answered with."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.domain import Domain
from depnet.data.table.mixture import Mixture
from depnet.errors import InferenceError
from depnet.inference.rows.numbers import RowNumbers
from depnet.model.scan import Scan
from depnet.wording import counted, some_of

METHODS = ("observed", "look-up", "exact", "sample")
"""How a row was answered."""
OBSERVED, LOOK_UP, EXACT, SAMPLE = range(len(METHODS))


@dataclass(frozen=True, slots=True, eq=False)
class RowsResult:
    """The answers of `depnet.query_rows`, one row each.

    Attributes:
        domain: the variables.
        probabilities: by name, [row, state]: the marginal of a hole given what its row knows, and certainty for what was
            observed.
        standard_errors: alike.
        hidden: which cells were holes, [row, variable].
        method: of each row, an index into ("observed", "look-up", "exact", "sample").
        r_hat: of each row; nan unless sampled.
        converged: of each row, whether its standard errors are under `tolerance`.
        scan: None where the answers are those of an ordered network's law.
        tolerance: the standard error that was asked for.
        distinct: how many different rows were answered.
        updates: updates of chains that it took.
        seconds: how long it took.

    >>> from depnet import Network, query_rows
    >>> found = query_rows(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), [[0, -1], [1, -1]])
    >>> found.mode().tolist(), found.converged.tolist()
    ([[0, 0], [1, 1]], [True, True])
    """

    domain: Domain
    probabilities: Mapping[str, FloatArray]
    standard_errors: Mapping[str, FloatArray]
    hidden: NDArray[np.bool_]
    method: NDArray[np.int8]
    r_hat: FloatArray
    converged: NDArray[np.bool_]
    scan: Scan | None
    tolerance: float
    distinct: int
    updates: int
    seconds: float

    def mode(self) -> IntArray:
        """Every hole at its most probable state (the first of equals).

        Returns:
            Codes, [row, variable].
        """
        return np.stack([self.probabilities[name].argmax(axis=1) for name in self.domain.names], axis=1)

    def numbers(self, name: str) -> RowNumbers:
        """Mean, standard deviation and quantiles of a number in each row; the median of what was observed is its bin's.

        Args:
            name: a variable with bins.

        Returns:
            Arrays with an entry a row.
        """
        i = self.domain.index(name)
        mixture = Mixture.of(self.domain.variables[i])
        if mixture is None:
            states = some_of([*map(str, self.domain.variables[i].states)])
            raise InferenceError(f"{name!r} is no number: it has the states {states}.")
        return RowNumbers.of(mixture, self.probabilities[name], self.standard_errors[name])

    def __str__(self) -> str:
        counts = ", ".join(f"{(self.method == m).sum():,} {name}" for m, name in enumerate(METHODS))
        worst = max((float(e.max(initial=0.0)) for e in self.standard_errors.values()), default=0.0)
        return (
            f"{counted(len(self.method), 'row')} ({self.distinct:,} distinct), {counted(int(self.hidden.sum()), 'hole')}: "
            f"{counts}; standard errors up to {worst:.2g} (asked: {self.tolerance:.2g}), "
            f"{counted(int((~self.converged).sum()), 'row')} not converged, "
            f"{self.seconds:.3g} s"
        )
