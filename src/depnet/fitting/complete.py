r"""Learning from a table with holes: rounds of learning and of redrawing the holes (`missing="complete"`).

The holes h are filled at first with draws from the marginals of what was observed. Each round then learns a
network from the completed table and redraws every row's holes from that network's chain, clamped at what the row
knows:

.. math:: \theta^{(t)} = learn(o, h^{(t)}), \qquad h^{(t+1)} \sim \pi_{\theta^{(t)}}(h \mid o)

the stochastic version of expectation maximisation, and what "multiple imputation by chained equations" does, with
one network in the place of the equations. Chains start where the last round left them. Two things are assumed: that
cells are *missing at random* (given what is observed, whether a cell is missing does not depend on its value),
and that enough rounds were made, which the report of the rounds shows.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.checks import whole_number
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.errors import DataError
from depnet.inference.clamped.chains import Chains, Order
from depnet.inference.clamped.program import ChainProgram
from depnet.model.network import Network
from depnet.model.scan import RandomScan
from depnet.model.score import score_samples
from depnet.wording import counted

ROUNDS = 20
SWEEPS = 10
"""Sweeps of each row's chain in a round; it starts where the last round left it."""

SETTLED_SCORE = 3.0
SETTLED_MARGINALS = 4.0
SETTLED_ROUNDS = 2
"""Rounds in a row that must be settled before the rounds end early."""

CHUNK_CODES = 20_000_000

Learner = Callable[[Dataset], Network]


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
                f"{counted(int(self.hidden.sum()), 'hole')} ({share:.1%} of all cells) completed in "
                f"{counted(len(self.rounds), 'round')}, {how}"
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
) -> Completion:
    """Learn from a table with holes: at most `rounds` rounds, then `learn` from the table they completed.

    `between` is the learner of the rounds, where a quicker one than the last will do (None: `learn`). Rounds end
    early once two in a row were settled. `progress(done, rounds)` is called after each. A table without
    holes is learned from as it is.

    >>> from depnet import Dataset, learn
    >>> from depnet.data.table.holed import Holed
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
    codes, hidden, weights = _single(holed)
    domain = holed.domain
    if not hidden.any():
        dataset = Dataset.from_codes(codes, domain=domain, weights=weights)
        return Completion(learn(dataset), dataset, read_only(hidden), ())
    codes = marginal_fill(domain, codes, hidden, weights, rng)
    between = learn if between is None else between
    report: list[CompletionRound] = []
    scores: FloatArray | None = None
    open_rows = np.flatnonzero(hidden.any(axis=1))
    for number in range(rounds):
        started = time.monotonic()
        network = between(Dataset.from_codes(codes, domain=domain, weights=weights))
        drawn = redrawn(network, codes, hidden, rng=rng, n_jobs=n_jobs)
        dataset = Dataset.from_codes(drawn, domain=domain, weights=weights)
        now = score_samples(network, dataset)
        change = math.nan if scores is None else _standardised((now - scores)[open_rows])
        moved = math.nan if scores is None else _moved(domain, codes, drawn, hidden)
        mean = float(np.average(now, weights=weights))
        report.append(CompletionRound(mean, change, moved, time.monotonic() - started))
        codes, scores = drawn, now
        if progress is not None:
            progress(number + 1, rounds)
        if len(report) > SETTLED_ROUNDS and all(r.settled for r in report[-SETTLED_ROUNDS:]):
            break
    return Completion(learn(dataset), dataset, read_only(hidden), tuple(report))


def redrawn(
    network: Network,
    codes: NDArray[np.integer],
    hidden: NDArray[np.bool_],
    *,
    sweeps: int = SWEEPS,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> IntArray:
    """The codes with their holes moved on: each row's chain, clamped at what it knows, for `sweeps` sweeps.

    The holes' codes are where the chains start. They depend on `rng` alone, not on the number of threads.
    """
    rng = np.random.default_rng() if rng is None else rng
    program = ChainProgram(network)
    out = np.array(codes, dtype=np.int64)
    open_rows = np.flatnonzero(hidden.any(axis=1))
    size = max(1, CHUNK_CODES // codes.shape[1])
    for start in range(0, len(open_rows), size):
        rows = open_rows[start : start + size]
        order = Order.of(RandomScan(), hidden[rows])
        chains = Chains(program, order, codes[rows].astype(np.uint16), rng, n_jobs)
        chains.run(sweeps, record=False)
        out[rows] = chains.codes
    return out


def marginal_fill(
    domain: Domain,
    codes: NDArray[np.integer],
    hidden: NDArray[np.bool_],
    weights: IntArray | None,
    rng: np.random.Generator,
) -> IntArray:
    """The codes with every hole drawn from what was observed of its variable, whatever its row knows."""
    filled = np.array(codes, dtype=np.int64)
    for i, variable in enumerate(domain.variables):
        holes = hidden[:, i]
        if not holes.any():
            continue
        seen = np.bincount(
            codes[~holes, i].astype(np.int64),
            weights=None if weights is None else weights[~holes],
            minlength=variable.cardinality,
        )
        if not seen.sum() > 0:
            raise DataError(
                f"column {variable.name!r} has no observed value: nothing can be completed. Leave it out, or make "
                'missing a state of its own (`missing="state"`).'
            )
        filled[holes, i] = rng.choice(variable.cardinality, size=int(holes.sum()), p=seen / seen.sum())
    return filled


def _single(holed: Holed) -> tuple[NDArray[np.integer], NDArray[np.bool_], IntArray | None]:
    """Rows with holes once for each unit of weight: each stands for rows that are completed on their own."""
    codes: NDArray[np.integer] = holed.codes
    hidden = holed.hidden
    if holed.weights is None:
        return codes, hidden, None
    times = np.where(hidden.any(axis=1), holed.weights, 1)
    which = np.repeat(np.arange(len(codes)), times)
    weights = np.where(hidden.any(axis=1), 1, holed.weights)[which]
    return codes[which], hidden[which], weights.astype(np.int64)


def _standardised(differences: FloatArray) -> float:
    """The mean over rows in its standard errors."""
    error = differences.std() / math.sqrt(len(differences))
    return float(differences.mean() / error) if error > 0 else 0.0


def _moved(domain: Domain, old: IntArray, new: IntArray, hidden: NDArray[np.bool_]) -> float:
    """Two multinomial samples of equal size: sum (a - b)^2 / (a + b) is about chi-square where the laws are equal.

    Chains that go on are correlated, which only makes it smaller.
    """
    statistic, freedom = 0.0, 0
    for i, k in enumerate(domain.cardinalities):
        holes = hidden[:, i]
        a, b = (np.bincount(codes[holes, i], minlength=k).astype(float) for codes in (old, new))
        drawn = a + b > 0
        statistic += float(((a - b)[drawn] ** 2 / (a + b)[drawn]).sum())
        freedom += max(int(drawn.sum()) - 1, 0)
    return (statistic - freedom) / math.sqrt(2 * freedom) if freedom else 0.0
