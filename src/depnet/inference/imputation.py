r"""The holes of a table filled, by mode or by draws; what was observed stays untouched.

The mode is that of each hole's own marginal given what its row knows. Draws are joint: a row's holes are filled with one
draw of its clamped law or one state of its clamped chain, so that they fit together; several imputations are independent.
Under a sequential scan each chain ends at a uniformly random place of the sweep (Eq. ordered). An ordered network draws from
its law instead (`depnet.inference.ordered.rows`).

The holes of a long table are filled a chunk of rows at a time: memory holds the laws of one chunk, whatever the table. What
is exact of a row does not depend on its chunk. What is sampled or drawn goes on with one generator from chunk to chunk,
and the length of a chunk follows from the model alone: the same rows and seed are filled alike.

Where missing is a state of a column, a hole is a fact, and mostly one with a reason: a cause of death of the living is not
unknown, there is none. To fill it is to ask what would be there, theta(X_j | known, rest). That is done where X_j is known
often enough beside what the row knows; where P(X_j is known | what the row knows) is under `LEAST_KNOWN`, the hole stays,
and is a fact for the row's other holes.

The law that fills has the same sources, and in the node of X_j

.. math:: \theta'(x \mid y) = \theta(x \mid y, \text{known}) (1 - \epsilon\,\theta(\text{missing} \mid y)), \qquad
          \theta'(\text{missing} \mid y) = \epsilon\,\theta(\text{missing} \mid y):

a hole that is asked for is never filled with "missing", and one that stays weighs as it did, but for a factor that is the
same for all fillings of its row. That X_j *would be known* says nothing of the row's other cells: in fact it is not.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, generator, read_only
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain
from depnet.errors import DataError, InferenceError, outside, whole_number
from depnet.inference.answer.question import Effort, check_method
from depnet.inference.answer.rows import RowsResult, checked_rows
from depnet.inference.holes import BYTES_A_STATE, answer_rows, query_rows
from depnet.model.boosted import BoostedNode
from depnet.model.mixture import AnyNetwork, Mixture, checked_any
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.scan import Scan
from depnet.model.stages import UNIT
from depnet.model.table import ConditionalTable
from depnet.threads import Progress, show_progress
from depnet.wording import plural

Bools = NDArray[np.bool_]

LEAST_KNOWN = 0.02

TINY = 1e-9
"""The epsilon above."""

CHUNK_BYTES = 1 << 26
"""Of the probabilities of a chunk: those of its distinct rows, and those of all its rows."""

MOST_ROWS = 1 << 16
"""Of a chunk, where states are few: more are not quicker."""


@dataclass(frozen=True, slots=True, eq=False)
class Imputation:
    """Completed rows, as `depnet.impute` gives them.

    Attributes:
        codes: [row, variable], without holes.
        imputations: all of them, the first being `codes`.
        cells: every hole's probabilities, standard errors and R-hat.
        method: "mode" or "draw".

    >>> from depnet import Network
    >>> found = impute(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), [[0, -1]], method="draw", n_imputations=3)
    >>> len(found.imputations), found.cells.probabilities["X1"].round(3).tolist()
    (3, [[0.8, 0.2]])
    """

    codes: IntArray
    imputations: tuple[IntArray, ...]
    cells: RowsResult
    method: str

    @property
    def converged(self) -> bool:
        """Every hole's standard errors are small enough."""
        return bool(self.cells.converged.all())

    def __str__(self) -> str:
        holes, rows = plural(int(self.cells.hidden.sum()), "hole"), plural(len(self.codes), "row")
        how = (
            "by their modes"
            if self.method == "mode"
            else f"by draws, {plural(len(self.imputations), 'imputation')}"
        )
        ended = "converged" if self.converged else "not converged: see .cells"
        return f"{holes} of {rows} filled {how}; {ended}"


def impute(
    network: AnyNetwork,
    rows: ArrayLike | Dataset,
    hidden: ArrayLike | None = None,
    *,
    method: Literal["mode", "draw"] = "mode",
    n_imputations: int = 1,
    scan: Scan | None = None,
    tolerance: float = 0.01,
    max_seconds: float | None = None,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: Progress | bool = False,
) -> Imputation:
    """Fill the holes of rows of codes.

    An ordered network draws from its law, any other, or with a `scan`, from its clamped law: exactly where that can be
    solved, and else by passes or by chains that have settled.

    Args:
        network: the network.
        rows: codes [row, variable], or a `Dataset`.
        hidden: marks the holes, [row, variable]; None: negative codes are holes.
        method: "mode" takes each hole's most probable state, "draw" draws each row's holes together.
        n_imputations: how many independent draws of all holes.
        scan: of which chain; None: the law of an ordered network, the random scan of any other.
        tolerance: what is sampled is sampled until every standard error is under this.
        max_seconds: stops what has not converged by then.
        rng: the generator of what is drawn; None: fresh entropy.
        n_jobs: threads; results do not depend on it.
        progress: as in `query_rows`.

    Returns:
        An `Imputation`.

    >>> from depnet import Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> impute(network, [[0, -1], [1, -1]]).codes.tolist()
    [[0, 0], [1, 1]]
    """
    check_method(method, ("mode", "draw"))
    n_imputations = whole_number("n_imputations", n_imputations, at_least=1)
    if method == "mode" and n_imputations > 1:
        raise InferenceError(
            f'the mode is one imputation; got n_imputations={n_imputations}. Several need the method "draw".'
        )
    effort = Effort.of(tolerance, max_seconds, rng, n_jobs)
    checked_any(network)
    codes, holes = checked_rows(network.domain, rows, hidden)
    if not len(codes):
        raise DataError("there are no rows to complete.")
    draws = n_imputations if method == "draw" else 0
    with show_progress("filling", progress) as tell:
        effort = replace(effort, progress=tell)
        cells, drawn = answer_rows(network, codes, holes, scan, effort, imputations=draws)
    if method == "mode":
        completed = read_only(np.where(holes, cells.mode(), codes).astype(np.int64))
        return Imputation(completed, (completed,), cells, method)
    imputations = tuple(read_only(each) for each in drawn)
    return Imputation(imputations[0], imputations, cells, method)


def draw_whole(
    network: AnyNetwork, holed: Holed, *, rng: np.random.Generator | None = None, n_jobs: int | None = None
) -> Dataset:
    """The rows of `holed`, each row's holes drawn together given what it knows; rows without holes as they are."""
    if holed.complete:
        return holed.dataset()
    done = impute(network, holed.codes, holed.hidden, method="draw", rng=rng, n_jobs=n_jobs)
    return Dataset.of_checked(
        holed.domain, Dataset.from_codes(done.codes, domain=holed.domain).codes, holed.weights
    )


def chunk_rows(network: AnyNetwork) -> int:
    each = 2 * BYTES_A_STATE * sum(network.domain.cardinalities)
    return max(1, min(MOST_ROWS, CHUNK_BYTES // each))


class ChunkedImputation:
    """Imputation of a table by chunks, each as `depnet.impute` fills it; `converged` is said of those that were filled.

    Holes that do not apply stay, but with `everything`.
    """

    def __init__(
        self,
        network: AnyNetwork,
        *,
        method: Literal["mode", "draw"] = "mode",
        everything: bool = False,
        scan: Scan | None = None,
        rng: np.random.Generator | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.network, self.method, self.scan, self.n_jobs = network, method, scan, n_jobs
        self._rng = generator(rng)
        self._everything, self._law = everything, present_law(network)
        self.converged = True
        """Is every hole's standard error small enough?"""

    def chunks(
        self, codes: CodeArray, hidden: Bools, wanted: Bools | None = None
    ) -> Iterator[tuple[IntArray, Imputation]]:
        """The rows that have a hole, in their order: their numbers, and what they are filled with (`cells.hidden`: where).

        `wanted` marks the holes that matter (None: all): a row without one of these is passed over.
        """
        rows = np.flatnonzero((hidden if wanted is None else hidden & wanted).any(axis=1))
        size = chunk_rows(self.network)
        for start in range(0, len(rows), size):
            at = rows[start : start + size]
            effort: dict[str, Any] = {"scan": self.scan, "rng": self._rng, "n_jobs": self.n_jobs}
            filled, fill = split_holes(
                self.network, codes[at], hidden[at], everything=self._everything, **effort
            )
            found = impute(self._law, filled, fill, method=self.method, **effort)
            self.converged = self.converged and found.converged
            yield at, found


def open_holes(table: Holed) -> Bools:
    """[row, variable]: the holes, whether they are hidden or states of their columns."""
    holes = np.array(table.hidden)
    for i, variable in enumerate(table.domain.variables):
        if variable.missing is not None:
            holes[:, i] |= table.codes[:, i] == variable.cardinality - 1
    return holes


def split_holes(
    network: AnyNetwork, codes: CodeArray, holes: Bools, *, everything: bool = False, **effort: Any
) -> tuple[CodeArray, Bools]:
    """The codes, and which holes are filled: those that stay have the code of their state.

    `everything`: none stays. `effort` is that of `query_rows`.
    """
    states = _missing_states(network.domain)
    fill = np.array(holes)
    plain = codes.copy(order="F")
    plain[holes] = 0
    rows = np.flatnonzero(holes[:, list(states)].any(axis=1))
    if everything or not len(rows):
        return plain, fill
    found = query_rows(network, plain[rows], holes[rows], **effort)
    for i, state in states.items():
        gone = found.probabilities[network.domain.names[i]][:, state]
        stays = rows[holes[rows, i] & (1 - gone < LEAST_KNOWN)]
        plain[stays, i] = state
        fill[stays, i] = False
    return plain, fill


def warn_left(holes: int, way: str) -> None:
    """Say how many holes stay, and the way to fill them."""
    if holes:
        warnings.warn(
            f"{plural(holes, 'missing value')} left empty: rows like these almost never have a value there (a probability "
            f"under {LEAST_KNOWN}), so it seems not to apply. {way} fills them in, too.",
            UserWarning,
            stacklevel=outside(),
        )


def present_law(network: AnyNetwork) -> AnyNetwork:
    """The network that fills holes: see the module. One without such states is itself."""
    states = _missing_states(network.domain)
    if not states:
        return network
    if isinstance(network, Mixture):
        return Mixture([_present_law(part, states) for part in network.components], network.weights)
    return _present_law(network, states)


def _present_law(network: Network, states: Mapping[int, int]) -> Network:
    nodes = tuple(_present(node) if node.variable in states else node for node in network.nodes)
    return replace(network, nodes=nodes)


def _missing_states(domain: Domain) -> dict[int, int]:
    """The code of the missing state of each variable that has one, and others."""
    return {
        i: variable.cardinality - 1
        for i, variable in enumerate(domain.variables)
        if variable.missing is not None and variable.cardinality > 1
    }


def _present(node: Node) -> Node:
    if isinstance(node, BoostedNode):  # odds in the place of probabilities, which scores cannot say
        scores = np.array(node.start_scores)
        missing = -1 if node.digits is None else 0  # the first digit
        scores[:, missing] += round(np.log(TINY) / UNIT)
        return BoostedNode(node.variable, node.start, scores, node.stages, node.gains, node.digits)
    theta = node.table.probabilities
    gone = TINY * theta[:, -1:]
    return TableNode(
        node.variable,
        node.source,
        ConditionalTable.from_probabilities(np.hstack([_given_known(node.table) * (1 - gone), gone])),
    )


def _given_known(table: ConditionalTable) -> FloatArray:
    """[leaf, state]: theta(x | y, known); a leaf that knows nothing of X_j says what all leaves say together."""
    if table.counts is None or table.smoothing is None or table.prior is not None:
        present = table.probabilities[:, :-1] + np.finfo(float).tiny
        return np.asarray(present / present.sum(axis=1, keepdims=True))
    counts: IntArray = table.counts[:, :-1]
    alike = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])
    present = counts + max(table.smoothing, TINY) * counts.shape[1] * alike
    return np.asarray(present / present.sum(axis=1, keepdims=True))
