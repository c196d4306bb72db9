"""A mixture of ordered networks, learned from the same rows in different orders.

An order is a choice that the table does not make: laws of different orders are about as likely, and err in different
places. So their mean is nearer to the truth than any of them: log of the mean of Q_k(x) is at least the mean of log Q_k(x),
by as much as they differ on x. All components learn from all rows, and count alike: nothing but chance tells them apart.
The first has the order "auto", the second its reverse, which shares the fewest inputs with it, all others are random.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Domain
from depnet.errors import LearningError, brief, is_whole
from depnet.learning import limits
from depnet.learning.auto import Choice
from depnet.learning.grow import TrainingRows
from depnet.learning.options import LearnOptions
from depnet.model.mixture import Mixture
from depnet.model.network import Network
from depnet.model.score import score_samples
from depnet.threads import Work

MixtureLike: TypeAlias = int | Literal["auto"]
Learner: TypeAlias = Callable[[TrainingRows, LearnOptions, Work], tuple[Network, Choice | None]]
MOST_COMPONENTS = 8
"""Where held-out rows say how many: by eight orders most of what more of them gain is there (likelihood)."""


def checked_components(mixture: object) -> int | None:
    """How many components are asked for; None: held-out rows say it."""
    if mixture == "auto":
        return None
    if not is_whole(mixture) or mixture < 1:
        raise LearningError(
            f'mixture is None, "auto", or how many components: 1 or more; got {brief(mixture)}.'
        )
    return int(mixture)


def learn_mixture(
    learner: Learner, rows: TrainingRows, options: LearnOptions, count: int | None, work: Work
) -> Mixture:
    """A mixture of `count` orders; None: as many as rows held out gain from, `MOST_COMPONENTS` at most.

    `learner` learns each component. One is added while the mean log-likelihood of held-out rows grows by more than two
    standard errors.
    """
    if options.order not in (None, "auto"):
        raise LearningError(
            "a mixture has an order for each component, chosen by depnet: leave out the order, or the mixture."
        )
    if count is None and options.auto is None:
        raise LearningError('mixture="auto" asks held-out rows, which needs penalty="auto".')
    most = MOST_COMPONENTS if count is None else count
    components: list[Network] = []
    logs: list[FloatArray] = []
    before: FloatArray | None = None
    for k in range(most):
        order = "auto" if k == 0 else _order(rows.domain, options, components[0], k)
        network, choice = learner(
            rows, replace(options, order=order), work.stage(len(rows.domain), k, most).share(1 / (most - k))
        )
        if count is None:
            assert choice is not None  # the penalty is chosen
            logs.append(_held_out_logs(rows, choice))
            mean = np.logaddexp.reduce(np.stack(logs)) - np.log(len(logs))
            if before is not None and not _gains(mean - before):
                break
            before = mean
        components.append(network)
    return Mixture(components)


def _order(domain: Domain, options: LearnOptions, first: Network, k: int) -> list[str]:
    """The names of all variables in the order of component k: inputs first and targets last, as roles say."""
    assert first.order is not None
    backward = first.order[::-1]
    found = backward if k == 1 else tuple(np.random.default_rng(k).permutation(len(domain)).tolist())
    roles, places = options.roles or {}, {"input": 0, "target": 2}
    names = [domain.names[i] for i in found]
    return sorted(names, key=lambda name: places.get(roles.get(name, ""), 1))


def _held_out_logs(rows: TrainingRows, choice: Choice) -> FloatArray:
    """The log-likelihood of all rows held out, by networks that have not seen them; weights are repetitions."""
    return np.concatenate(
        [
            np.repeat(
                score_samples(network, held),
                1 if held.weights is None else np.round(held.weights).astype(int),
            )
            for network, (_, held) in zip(choice.tried, rows.held_out, strict=True)
        ]
    )


def _gains(more: FloatArray) -> bool:
    return float(more.mean()) > limits.SURE * float(more.std(ddof=1)) / math.sqrt(len(more))
