"""Many rows with holes and their answers: what is the same whoever answers them.

Rows are checked, equal ones are answered once, and their answers are filled in step by step: by an ordered law
(`depnet.inference.ordered.rows`), or by clamped chains (`depnet.inference.clamped.answer`).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Domain
from depnet.errors import DataError
from depnet.inference.answer.question import Effort
from depnet.model.network import Network, check_same_domain
from depnet.model.scan import Scan
from depnet.wording import plural

METHODS = ("observed", "look-up", "exact", "sample")
"""How a row was answered."""
OBSERVED, LOOK_UP, EXACT, SAMPLE = range(len(METHODS))


@dataclass(frozen=True, slots=True, eq=False)
class RowsResult:
    """The answers of `depnet.query_rows`, one row each.

    Attributes:
        domain: the variables.
        probabilities: by name, [row, state]: the marginal of a hole given what its row knows, and certainty for what was
            observed; of the targets alone, where some were named.
        standard_errors: alike.
        hidden: which cells were holes, [row, variable].
        method: of each row, an index into ("observed", "look-up", "exact", "sample").
        r_hat: of each row; nan unless replicas or chains were moved.
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

    def __str__(self) -> str:
        counts = ", ".join(f"{(self.method == m).sum():,} {name}" for m, name in enumerate(METHODS))
        worst = max((float(e.max(initial=0.0)) for e in self.standard_errors.values()), default=0.0)
        return (
            f"{plural(len(self.method), 'row')} ({self.distinct:,} distinct), {plural(int(self.hidden.sum()), 'hole')}: "
            f"{counts}; standard errors up to {worst:.2g} (asked: {self.tolerance:.2g}), "
            f"{plural(int((~self.converged).sum()), 'row')} not converged, "
            f"{self.seconds:.3g} s"
        )


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRows:
    """Each kind of row once, in the order in which they came: its codes and holes; row r is of the kind `which[r]`."""

    codes: NDArray[np.uint16]
    holes: NDArray[np.bool_]
    which: IntArray

    @classmethod
    def of(cls, codes: NDArray[np.uint16], holes: NDArray[np.bool_]) -> "DistinctRows":
        """The kinds of these rows [rows, variables]."""
        if not len(codes):
            return cls(codes, holes, np.zeros(0, dtype=np.int64))
        marked = np.where(holes, np.uint16(0xFFFF), codes)  # no code is so large
        joined = np.ascontiguousarray(marked).view(np.dtype((np.void, marked.shape[1] * 2))).reshape(-1)
        _, first, which = np.unique(joined, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return cls(codes[first[order]], holes[first[order]], rank[which.reshape(-1)])

    @property
    def copies(self) -> IntArray:
        return np.bincount(self.which, minlength=len(self.codes))


class RowAnswers:
    """Distinct rows and their answers: the law of every variable, one after the other, in each row's `values`.

    What is observed is certain from the start. `method`, `r_hat` and `converged` are those of a `RowsResult`. Of holes,
    those of the `targets` have an answer (None: all have).
    """

    def __init__(
        self, network: Network, distinct: DistinctRows, effort: Effort, targets: Sequence[int] | None = None
    ) -> None:
        self.network, self.effort = network, effort
        self.targets = tuple(range(len(network)) if targets is None else targets)
        self.codes, self.holes, self.which = distinct.codes, distinct.holes, distinct.which
        self.cardinalities = network.domain.cardinalities
        self.begin = np.concatenate([[0], np.cumsum(self.cardinalities)])
        rows = len(self.codes)
        self.values = np.zeros((rows, int(self.begin[-1])))
        self.values[np.arange(rows)[:, None], self.begin[:-1] + self.codes] = 1.0
        self.errors = np.zeros_like(self.values)
        self.method = np.full(rows, OBSERVED, dtype=np.int8)
        self.r_hat = np.full(rows, np.nan)
        self.converged = np.ones(rows, dtype=bool)
        self.updates, self._done = 0, 0

    def tell(self, rows: int) -> None:
        """Report this number of rows as done."""
        self._done += rows
        if self.effort.progress is not None:
            self.effort.progress(self._done, len(self.codes))

    def cells_of(self, i: int) -> slice:
        """The places of the states of X_i."""
        return slice(int(self.begin[i]), int(self.begin[i + 1]))

    def by_name(self, table: FloatArray) -> dict[str, FloatArray]:
        """A table of the cells of distinct rows, of each target its own, for all rows."""
        names = self.network.domain.names
        return {names[i]: read_only(table[self.which, self.cells_of(i)]) for i in self.targets}

    def result(self, scan: Scan | None) -> RowsResult:
        which = self.which
        return RowsResult(
            domain=self.network.domain,
            probabilities=self.by_name(self.values),
            standard_errors=self.by_name(self.errors),
            hidden=read_only(self.holes[which]),
            method=read_only(self.method[which]),
            r_hat=read_only(self.r_hat[which]),
            converged=read_only(self.converged[which]),
            scan=scan,
            tolerance=self.effort.tolerance,
            distinct=len(self.codes),
            updates=self.updates,
            seconds=time.monotonic() - self.effort.started,
        )


def checked_rows(
    domain: Domain, rows: ArrayLike | Dataset, hidden: ArrayLike | None
) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
    """Codes and holes; a hole's code is 0."""
    if isinstance(rows, Dataset):
        check_same_domain("rows", domain, rows)
    raw: NDArray[Any] = np.asarray(rows.codes if isinstance(rows, Dataset) else rows)
    if raw.ndim == 1 and raw.size == 0:
        raw = raw.reshape(0, len(domain))
    marked = raw < 0 if hidden is None and raw.dtype.kind in "bui" else hidden
    holes = np.zeros(raw.shape, dtype=bool) if marked is None else np.asarray(marked)
    if holes.dtype != np.bool_ or holes.shape != raw.shape:
        raise DataError(
            f"hidden marks each cell with True or False, in the shape of the rows {raw.shape}; got shape "
            f"{holes.shape} of {holes.dtype}."
        )
    codes = Dataset.from_codes(np.where(holes, 0, raw), domain=domain).codes
    return codes.astype(np.uint16, order="C"), np.array(holes)


def pieces(rows: IntArray, cells_a_row: int, most_cells: int) -> Iterator[IntArray]:
    """The rows in pieces, each of no more cells than that (but of one row at least): memory does not grow with them."""
    size = max(1, most_cells // cells_a_row)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
