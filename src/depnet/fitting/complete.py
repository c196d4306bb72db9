r"""Learning from a table with holes: rounds of learning and of redrawing the holes (`missing="complete"`).

The holes h are filled at first with draws from the marginals of what was observed. Each round then learns a
network from the completed table and redraws every row's holes from that network's chain, clamped at what the row
knows:

.. math:: \theta^{(t)} = learn(o, h^{(t)}), \qquad h^{(t+1)} \sim \pi_{\theta^{(t)}}(h \mid o)

the stochastic version of expectation maximisation, and what "multiple imputation by chained equations" does, with
one network in the place of the equations. Chains start where the last round left them. Two things are assumed: that
cells are *missing at random* (given what is observed, whether a cell is missing does not depend on its value),
and that enough rounds were made, which the report of the rounds shows.

Of a large table the rounds complete `ROUND_ROWS` rows, drawn without replacement: what a network from that many says of a
hole differs little from what one from all rows would. The holes of all rows are then drawn from the last round's network,
from the marginals on, until those of the drawn rows look again as the rounds have left them; `learn` sees all rows.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, read_only
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain
from depnet.errors import DataError, Hint, whole_number
from depnet.inference.clamped.chains import ClampedChains
from depnet.learning.rows import codes_of, row_order, some_rows
from depnet.model.network import Network
from depnet.model.scan import RandomScan
from depnet.model.score import score_samples
from depnet.sampling.chains import ChainProgram, Order
from depnet.wording import plural

ROUNDS = 20

ROUND_ROWS = 100_000
ROUND_VALUES = 10_000
"""The rounds complete this many rows, or more: until each column has this many observed values in them, or all rows."""

SETTLED_SCORE = 3.0
SETTLED_MARGINALS = 4.0
SETTLED_ROUNDS = 2
"""Rounds in a row that must be settled before the rounds end early."""

Learner = Callable[[Dataset], Network]
Redraw = Callable[[Network, Dataset, NDArray[np.bool_]], Dataset]
"""The rows with their holes moved on by the network's chains."""


@dataclass(frozen=True, slots=True)
class CompletionRound:
    """What one round of completion changed. The first round has nothing to be compared with: its changes are nan."""

    score: float
    """The completed rows' mean pseudo-log-likelihood under the round's network, in nats per row."""
    score_change: float
    """Its change since the round before, in standard errors over the rows with holes."""
    marginal_change: float
    """How far the drawn states' counts moved: a pooled chi-square of old against new counts, less its degrees
    of freedom, over its standard deviation; near or below 0 where only chance moved them."""
    seconds: float

    @property
    def settled(self) -> bool:
        """No more than chance moved the scores and the marginals of the holes."""
        return abs(self.score_change) < SETTLED_SCORE and self.marginal_change < SETTLED_MARGINALS


@dataclass(frozen=True, slots=True, eq=False)
class Completion:
    """A network learned from a completed table. Its `certificate` speaks of the completed rows, not of the holes."""

    network: Network
    dataset: Dataset
    """The completed rows that the network was learned from; those with holes come once for each unit of weight."""
    hidden: NDArray[np.bool_]
    """Which of its cells were drawn."""
    rounds: tuple[CompletionRound, ...]

    @property
    def converged(self) -> bool:
        """Was the last round settled? True, too, where there were no holes."""
        return not self.rounds or self.rounds[-1].settled

    def __str__(self) -> str:
        share = self.hidden.mean() if self.hidden.size else 0.0
        how = "settled" if self.converged else "NOT settled: give more rounds"
        lines = [
            (
                f"{plural(int(self.hidden.sum()), 'hole')} ({share:.1%} of all cells) completed in "
                f"{plural(len(self.rounds), 'round')}, {how}"
            ),
            "assumed: cells are missing at random; what is proven is about the completed rows",
            "  round  score (nats a row)  change of score (s.e.)  change of marginals (s.d.)",
        ]
        lines += [
            f"  {number:5}  {r.score:18.4f}  {r.score_change:22.2f}  {r.marginal_change:26.2f}"
            for number, r in enumerate(self.rounds, start=1)
        ]
        return "\n".join(lines)


def complete_and_learn(
    holed: Holed,
    learn: Learner,
    *,
    rounds: int = ROUNDS,
    rng: np.random.Generator | None = None,
    between: Learner | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    order: IntArray | None = None,
) -> Completion:
    """Learn from a table with holes: at most `rounds` rounds, then `learn` from the table they completed.

    `between` is the learner of the rounds, where a quicker one than the last will do (None: `learn`). Rounds end
    early once two in a row were settled. `progress(done, rounds)` is called after each. A table without
    holes is learned from as it is. `order` is that of the table's rows by what they say, where it is known already.

    >>> from depnet import Dataset, learn
    >>> from depnet.data.table.dataset import Holed
    >>> whole = Dataset.from_codes([[0, 0], [1, 1]] * 200, cardinalities=[2, 2])
    >>> hidden = np.random.default_rng(0).random((400, 2)) < 0.2
    >>> seen = Dataset.from_codes(np.where(hidden, 0, whole.codes), cardinalities=[2, 2]).codes
    >>> done = complete_and_learn(Holed(whole.domain, seen, hidden), lambda rows: learn(rows, smoothing=0.5),
    ...     rng=np.random.default_rng(1))
    >>> bool((done.dataset.codes == whole.codes)[hidden].mean() > 0.7)
    True
    """
    whole_number("rounds", rounds, at_least=1)
    rng = np.random.default_rng() if rng is None else rng
    domain = holed.domain
    if holed.complete:
        dataset = Dataset.of_checked(domain, holed.codes, holed.weights)
        return Completion(learn(dataset), dataset, holed.hidden, ())
    which, weights = _single(holed, row_order(holed) if order is None else order)
    codes, hidden = codes_of(holed.codes, which), holed.hidden[which]
    filled = Dataset.of_checked(domain, marginal_fill(domain, codes, hidden, weights, rng), weights)
    some = _rows_of_rounds(filled, hidden, rng)
    rows, holes = (filled, hidden) if some is None else (_single_rows(filled, some), hidden[some])

    def redraw_rows(network: Network, rows: Dataset, hidden: NDArray[np.bool_]) -> Dataset:
        moved = redraw(network, rows.codes, hidden, rng=rng, n_jobs=n_jobs)
        return Dataset.of_checked(domain, moved, rows.weights)

    network, dataset, report = _rounds(rows, holes, between or learn, rounds, redraw_rows, progress)
    if some is not None:
        dataset = _all_rows(network, filled, hidden, some, dataset, rounds, redraw_rows)
    back = np.argsort(which, kind="stable")
    dataset = some_rows(dataset, back)
    return Completion(learn(dataset), dataset, read_only(hidden[back]), tuple(report))


def _rounds(
    rows: Dataset,
    hidden: NDArray[np.bool_],
    learn: Learner,
    rounds: int,
    redraw: Redraw,
    progress: Callable[[int, int], object] | None,
) -> tuple[Network, Dataset, list[CompletionRound]]:
    """The last round's network, the rows as it has completed them, and what each round changed."""
    report: list[CompletionRound] = []
    scores: FloatArray | None = None
    open_rows = np.flatnonzero(hidden.any(axis=1))
    for number in range(rounds):
        started = time.monotonic()
        network = learn(rows)
        drawn = redraw(network, rows, hidden)
        now = score_samples(network, drawn)
        change = math.nan if scores is None else _standardise((now - scores)[open_rows])
        moved = math.nan if scores is None else _measure_move(rows, drawn, hidden)
        mean = float(np.average(now, weights=rows.weights))
        report.append(CompletionRound(mean, change, moved, time.monotonic() - started))
        rows, scores = drawn, now
        if progress is not None:
            progress(number + 1, rounds)
        if len(report) > SETTLED_ROUNDS and all(r.settled for r in report[-SETTLED_ROUNDS:]):
            break
    return network, rows, report


def _rows_of_rounds(
    rows: Dataset, hidden: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.intp] | None:
    """The rows that the rounds complete, one with weight w as often as drawn among w equal rows; None: all of them."""
    fewest = max(rows.total - int(hidden.sum(axis=0).max()), 1)  # rows with holes weigh 1
    count = max(ROUND_ROWS, math.ceil(rows.total * min(ROUND_VALUES / fewest, 1.0)))
    if count >= rows.total:
        return None
    drawn = np.sort(rng.choice(rows.total, size=count, replace=False, shuffle=False))
    if rows.weights is None:
        return drawn
    return np.minimum(np.searchsorted(np.cumsum(rows.weights), drawn, side="right"), rows.rows - 1)


def _single_rows(rows: Dataset, some: NDArray[np.intp]) -> Dataset:
    return some_rows(Dataset.of_checked(rows.domain, rows.codes), some)


def _all_rows(
    network: Network,
    rows: Dataset,
    hidden: NDArray[np.bool_],
    some: NDArray[np.intp],
    settled: Dataset,
    rounds: int,
    redraw: Redraw,
) -> Dataset:
    """The holes of all rows drawn from the network, until `some` of them look as they do where they have `settled`."""
    holes = hidden[some]
    open_rows = holes.any(axis=1)
    scores = score_samples(network, settled)[open_rows]
    for _ in range(rounds):
        rows = redraw(network, rows, hidden)
        again = _single_rows(rows, some)
        change = _standardise(score_samples(network, again)[open_rows] - scores)
        if abs(change) < SETTLED_SCORE and _measure_move(settled, again, holes) < SETTLED_MARGINALS:
            break
    return rows


def _single(holed: Holed, order: IntArray) -> tuple[IntArray, IntArray | FloatArray | None]:
    """Rows with holes once for each unit of weight, each completed on its own: the row that each is of, and its weight.

    Those with survey weights once.
    Draws go to rows one after the other: in this `order`, which is theirs wherever they stand in the table.
    """
    if holed.weights is None or holed.surveyed:
        return order, None if holed.weights is None else read_only(holed.weights[order])
    open_rows = holed.hidden.any(axis=1)
    which = np.repeat(order, np.where(open_rows, holed.weights, 1)[order])
    return which, read_only(np.where(open_rows, 1, holed.weights)[which].astype(np.int64))


def _standardise(differences: FloatArray) -> float:
    """The mean over rows in its standard errors."""
    error = differences.std() / math.sqrt(len(differences)) if len(differences) else 0.0
    return float(differences.mean() / error) if error > 0 else 0.0


def _measure_move(old: Dataset, new: Dataset, hidden: NDArray[np.bool_]) -> float:
    """Two multinomial samples of equal size: sum (a - b)^2 / (a + b) is about chi-square where the laws are equal.

    Chains that go on are correlated, which only makes it smaller.
    """
    statistic, freedom = 0.0, 0
    for i, k in enumerate(old.domain.cardinalities):
        holes = hidden[:, i]
        a, b = (np.bincount(rows.column(i)[holes], minlength=k).astype(float) for rows in (old, new))
        drawn = a + b > 0
        statistic += float(((a - b)[drawn] ** 2 / (a + b)[drawn]).sum())
        freedom += max(int(drawn.sum()) - 1, 0)
    return (statistic - freedom) / math.sqrt(2 * freedom) if freedom else 0.0


SWEEPS = 10
"""Sweeps of each row's chain at a time; it starts where the last have left it."""

CHUNK_CODES = 20_000_000


def marginal_fill(
    domain: Domain,
    codes: CodeArray,
    hidden: NDArray[np.bool_],
    weights: IntArray | FloatArray | None,
    rng: np.random.Generator,
) -> CodeArray:
    """The codes with every hole drawn from what was observed of its variable, whatever its row knows."""
    filled = codes.copy(order="F")
    for i, variable in enumerate(domain.variables):
        holes = hidden[:, i]
        if not holes.any():
            continue
        seen = np.bincount(
            codes[~holes, i],
            weights=None if weights is None else weights[~holes],
            minlength=variable.cardinality,
        )
        if not seen.sum() > 0:
            raise DataError(
                f"column {variable.name!r} has no values, so there is nothing to learn from. Leave it out, or make "
                "missing a state of its own (",
                Hint("missing", "state"),
                ").",
            )
        filled[holes, i] = rng.choice(variable.cardinality, size=int(holes.sum()), p=seen / seen.sum())
    return read_only(filled)


def redraw(
    network: Network,
    codes: CodeArray,
    hidden: NDArray[np.bool_],
    *,
    sweeps: int = SWEEPS,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> CodeArray:
    """The codes with their holes moved on: each row's chain, clamped at what it knows, for `sweeps` sweeps.

    The holes' codes are where the chains start. They depend on `rng` alone, not on the number of threads.
    """
    rng = np.random.default_rng() if rng is None else rng
    program = ChainProgram(network)
    out = codes.copy(order="F")
    open_rows = np.flatnonzero(hidden.any(axis=1))
    size = max(1, CHUNK_CODES // codes.shape[1])
    for start in range(0, len(open_rows), size):
        rows = open_rows[start : start + size]
        order = Order.of(RandomScan(), hidden[rows])
        chains = ClampedChains(program, order, codes[rows].astype(np.uint16), rng, n_jobs)
        chains.run(sweeps, record=False)
        out[rows] = chains.codes
    return read_only(out)
