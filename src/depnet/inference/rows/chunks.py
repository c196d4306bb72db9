"""The holes of a long table filled a chunk of rows at a time: memory holds the laws of one chunk, whatever the table.

What is exact of a row does not depend on its chunk. What is sampled or drawn goes on with one generator from chunk to chunk,
and the length of a chunk follows from the model alone: the same rows and seed are filled alike.
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray
from depnet.inference.rows.impute import Agreement, Imputation, impute
from depnet.inference.rows.query import BYTES_A_STATE
from depnet.inference.rows.to_fill import present_law, split_holes
from depnet.model.network import Network
from depnet.model.scan import Scan

CHUNK_BYTES = 1 << 26
"""Of the probabilities of a chunk: those of its distinct rows, and those of all its rows."""
MOST_ROWS = 1 << 16
"""Of a chunk, where states are few: more are not quicker."""


def chunk_rows(network: Network) -> int:
    """How many rows a chunk has.

    >>> chunk_rows(Network.from_joint(np.full((2, 2), 0.25)))
    65536
    """
    each = 2 * BYTES_A_STATE * sum(network.domain.cardinalities)
    return max(1, min(MOST_ROWS, CHUNK_BYTES // each))


class ChunkedImputation:
    """Imputation of a table by chunks, each as `depnet.impute` fills it; `converged` is said of those that were filled.

    Holes that do not apply stay (`depnet.inference.rows.to_fill`), but with `everything`.

    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> codes, hidden = np.array([[0, 0], [1, 1], [1, 0]]), np.array([[False, True], [False, False], [False, True]])
    >>> filling = ChunkedImputation(network)
    >>> [(rows.tolist(), found.codes.tolist()) for rows, found in filling.chunks(codes, hidden)]
    [([0, 2], [[0, 0], [1, 1]])]
    >>> filling.converged
    True
    """

    def __init__(
        self,
        network: Network,
        *,
        method: Literal["mode", "draw"] = "mode",
        everything: bool = False,
        scan: Scan | None = None,
        rng: np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.network, self.method, self.scan, self.n_jobs = network, method, scan, n_jobs
        self._rng = np.random.default_rng() if rng is None else rng
        self._everything, self._law = everything, present_law(network)
        self._settled = True
        self._agreement = Agreement(network.domain)

    @property
    def converged(self) -> bool:
        """Every hole's standard errors are small enough, and all draws together agree with the probabilities."""
        return self._settled and self._agreement.good

    def chunks(
        self, codes: CodeArray, hidden: NDArray[np.bool_], wanted: NDArray[np.bool_] | None = None
    ) -> Iterator[tuple[IntArray, Imputation]]:
        """The rows that have a hole, in their order: their numbers, and what they are filled with (`cells.hidden`: where).

        `wanted` marks the holes that matter (None: all): a row without one of these is passed over.
        """
        rows = np.flatnonzero((hidden if wanted is None else hidden & wanted).any(axis=1))
        size = chunk_rows(self.network)
        for start in range(0, len(rows), size):
            at = rows[start : start + size]
            yield at, self._filled(codes[at], hidden[at])

    def _filled(self, codes: CodeArray, hidden: NDArray[np.bool_]) -> Imputation:
        effort: dict[str, Any] = {"scan": self.scan, "rng": self._rng, "n_jobs": self.n_jobs}
        rows, fill = split_holes(self.network, codes, hidden, everything=self._everything, **effort)
        found = impute(self._law, rows, fill, method=self.method, **effort)
        self._settled = self._settled and bool(found.cells.converged.all())
        if self.method == "draw":
            self._agreement.add(np.array(found.imputations), found.cells)
        return found
