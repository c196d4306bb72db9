"""Several networks of one completed table, for a mean over them: what one alone fills in would be too sure of it.

Each is learned from rows drawn with replacement (the approximate Bayesian bootstrap of proper multiple imputation), whose
holes the network before has redrawn. A hole's law is the mean over them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.checks import whole_number
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.fitting.complete import Completion, Learner, redrawn
from depnet.fitting.fit import QUICK, FitOptions
from depnet.learning.cuts import CutDomain
from depnet.learning.grow import CutLearner
from depnet.learning.options import node_specs
from depnet.learning.penalty import Mdl, Penalty, StructuralMdl
from depnet.learning.some_rows import drawn_again, some_rows
from depnet.model.network import Network
from depnet.model.score import log_theta

GENEROUS = StructuralMdl(0.25, 1.0, 0.25 * Mdl())
"""Beside `QUICK` for a mean over networks, which evens out what each has learned too much: better on small tables."""

SHARE = 0.6
"""Of the variables, what a category's source may read in one of many networks, in tables with binned columns."""

TRIED_NETWORKS = 5
"""Networks with each penalty by which a node's penalty is chosen."""

MOST_ROWS, TRIED_ROWS = 20_000, 5_000
"""Rows that a network is learned from, and one by which a penalty is chosen."""

ALL_ROWS, FEWEST, MOST = 100_000, 5, 20
"""Rows that all networks are learned from together, and how many networks there are."""


SWEEPS = 4
"""Between one network and the next: chains go on from where the last has left them."""


def networks_for(rows: int) -> int:
    """How many networks the mean is over: fewer of a large table, since each knows more of it.

    >>> networks_for(1_000), networks_for(10_000), networks_for(1_000_000)
    (20, 10, 5)
    """
    return min(max(ALL_ROWS // min(rows, MOST_ROWS), FEWEST), MOST)


def plausible_networks(
    done: Completion,
    learn: Learner,
    count: int,
    *,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> tuple[tuple[Network, ...], tuple[CodeArray, ...]]:
    """`count` networks that the table might as well have given, and the codes of the table as each has completed it."""
    whole_number("the number of networks", count, at_least=1)
    rows, networks, tables = done.dataset, [], []
    for _ in range(count):
        networks.append(learn(_repeated(rows, *drawn_again(rows, rng, MOST_ROWS))))
        if done.hidden.any():
            codes = redrawn(networks[-1], rows.codes, done.hidden, sweeps=SWEEPS, rng=rng, n_jobs=n_jobs)
            rows = Dataset.from_codes(codes, domain=rows.domain, weights=rows.weights)
        tables.append(rows.codes)
    return tuple(networks), tuple(tables)


def _repeated(rows: Dataset, kept: NDArray[np.intp], times: IntArray) -> Dataset:
    """Rows as often as they were drawn: to learn from them is quicker than from weights."""
    return some_rows(Dataset(rows.domain, rows.codes, None), np.repeat(kept, times))


def chosen_learner(
    done: Completion, options: FitOptions, rng: np.random.Generator
) -> tuple[CutLearner, NDArray[np.bool_]]:
    """A learner whose nodes have the better of two penalties, by rows not seen; and which nodes have the generous one.

    `options.smoothing` is what all states of a leaf get together: a mean over networks is smooth by itself.
    """
    domain = done.dataset.domain
    seed = rng.integers(2**63)
    scores = []
    for penalty in (QUICK, GENEROUS):
        same = np.random.default_rng(seed)  # the same rows for both
        learner = _cut_learner(domain, options, [penalty] * len(domain), same)
        scores.append(out_of_bag_scores(done, learner, TRIED_NETWORKS, rng=same))
    generous = scores[1] > scores[0]
    penalties = [GENEROUS if better else QUICK for better in generous]
    return _cut_learner(domain, options, penalties, rng), generous


def _cut_learner(
    domain: Domain, options: FitOptions, penalties: Sequence[Penalty], rng: np.random.Generator
) -> CutLearner:
    return CutLearner(
        node_specs(domain, roles=options.roles, forbidden=options.forbidden),
        penalties,
        [options.smoothing / k for k in domain.cardinalities],
        share=SHARE,
        rng=rng,
        n_jobs=options.n_jobs,
        options=options,
        max_seconds=options.max_seconds,
        with_cuts=CutDomain(domain),
    )


def out_of_bag_scores(
    done: Completion, learn: Learner, count: int, *, rng: np.random.Generator
) -> FloatArray:
    """Of each node, how well a mean over `count` networks predicts rows that they have not seen, in nats a cell.

    A network is learned from rows drawn with replacement, and scores those that were not drawn: log of the mean, over the
    networks that have not seen a row, of theta; the mean over rows, drawn cells left out.
    """
    rows = done.dataset
    weights = np.ones(rows.rows, dtype=np.int64) if rows.weights is None else rows.weights
    sums: FloatArray = np.zeros((rows.rows, len(rows.domain)))
    seen = np.zeros(rows.rows)
    for _ in range(count):
        kept, times = drawn_again(rows, rng, TRIED_ROWS)
        drawn = np.zeros(rows.rows, dtype=bool)
        drawn[kept] = True
        left = np.flatnonzero(~drawn)
        if len(left) > TRIED_ROWS:
            left = rng.choice(left, TRIED_ROWS, replace=False)
        network = learn(_repeated(rows, kept, times))
        held = some_rows(rows, left, np.ones(len(left), dtype=np.int64))
        sums[left] += np.exp(log_theta(network, held))
        seen[left] += 1
    scores = np.zeros(len(rows.domain))
    for i in range(len(rows.domain)):
        judged = (seen > 0) & ~done.hidden[:, i]
        means = sums[judged, i] / seen[judged]
        if len(means):
            scores[i] = np.average(np.log(np.maximum(means, 1e-300)), weights=weights[judged])
    return scores
