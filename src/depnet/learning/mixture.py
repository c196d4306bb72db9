"""A mixture of ordered networks, learned from the same rows in different orders.

An order is a choice that the table does not make: laws of different orders are about as likely, and err in different
places. So their mean is nearer to the truth than any of them: log of the mean of Q_k(x) is at least the mean of log Q_k(x),
by as much as they differ on x. All components learn from all rows, and count alike: nothing but chance tells them apart.
The first has the order "auto", the second its reverse, which shares the fewest inputs with it, all others are random.

Each order has a hidden class (`depnet.learning.classes`) of as many states as held-out rows gain from in the first one,
often none. It starts from random shares of its own in each order, and so is one more thing that differs between them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Domain
from depnet.errors import LearningError, brief, is_whole
from depnet.learning import limits
from depnet.learning.auto import Choice
from depnet.learning.classes import draw_classes, product_mixture, with_class, without_class
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
MOST_CLASSES = 8
"""Of an order: more of them have too few rows each (likelihood)."""
ROUNDS = 3
"""How often classes are drawn: from a product mixture, and then from the law that was learned last (likelihood)."""
ROUND_STEP = 2**20
"""Between the seeds of two rounds: more than there are orders."""


def checked_components(mixture: object) -> int | None:
    """How many orders are asked for; None: held-out rows say it."""
    if mixture == "auto":
        return None
    if not is_whole(mixture) or mixture < 1:
        raise LearningError(f'mixture is None, "auto", or how many orders: 1 or more; got {brief(mixture)}.')
    return int(mixture)


def check_mixture(mixture: object, options: LearnOptions) -> None:
    """Errors of a mixture that these options cannot learn."""
    count = checked_components(mixture)
    if options.order not in (None, "auto"):
        raise LearningError(
            "each component of a mixture has its own order, which depnet chooses: leave out the order, or the mixture."
        )
    if count is None and options.auto is None:
        raise LearningError('mixture="auto" holds rows out: it needs penalty="auto", too.')


@dataclass(frozen=True, slots=True, eq=False)
class _Component:
    """The law of one order, its hidden class summed out; and of rows held out, where there are any, what it says of them."""

    law: Mixture
    logs: FloatArray | None


def learn_mixture(
    learner: Learner,
    rows: TrainingRows,
    options: LearnOptions,
    count: int | None,
    work: Work,
    most_classes: int = MOST_CLASSES,
) -> Mixture:
    """A mixture of `count` orders; None: as many as rows held out gain from, `MOST_COMPONENTS` at most.

    `learner` learns each of them, with as many hidden classes as gain in the first one (`most_classes` at most). Something
    is added while the mean log-likelihood of held-out rows grows by more than two standard errors.
    """
    check_mixture("auto" if count is None else count, options)
    most = MOST_COMPONENTS if count is None else count
    found: list[_Component] = []
    classes, before = 1, None
    for k in range(most):
        own = work.stage(len(rows.domain), k, most).share(1 / (most - k))
        if k == 0:
            first, classes = _first(learner, rows, replace(options, order="auto"), own, most_classes)
            found.append(first)
        else:
            order = _order(rows.domain, options, found[0].law.components[0], k)
            found.append(_learn(learner, rows, replace(options, order=order), classes, k, own))
        if count is None:
            logs = [each.logs for each in found if each.logs is not None]
            least = min(map(len, logs))  # a taught law is judged on some of the parts held out
            mean = np.logaddexp.reduce([log[:least] for log in logs]) - math.log(len(logs))
            if before is not None and not _gains(mean - before[:least]):
                found.pop()
                break
            before = mean
    weights = [weight for each in found for weight in each.law.weights]
    return Mixture([network for each in found for network in each.law.components], weights)


def _first(
    learner: Learner, rows: TrainingRows, options: LearnOptions, work: Work, most: int
) -> tuple[_Component, int]:
    """The law of the first order, and how many hidden classes it has: twice as many while held-out rows gain."""
    steps = most.bit_length()
    found, classes = _learn(learner, rows, options, 1, 0, work.stage(len(rows.domain), 0, steps)), 1
    network = found.law.components[0]
    ordered = replace(options, order=[rows.domain.names[i] for i in network.order or ()])
    while found.logs is not None and classes < most and not rows.dataset.surveyed:
        own = work.stage(len(rows.domain), classes.bit_length(), steps)
        more = _learn(learner, rows, ordered, 2 * classes, 0, own)
        assert more.logs is not None
        if not _gains(more.logs - found.logs):
            break
        found, classes = more, 2 * classes
    if classes > 1 and network.held_out is not None and found.logs is not None:
        judged = replace(network.held_out, score=float(found.logs.mean()))
        parts = [replace(part, held_out=judged) for part in found.law.components]
        found = replace(found, law=Mixture(parts, found.law.weights))
    return found, classes


def _learn(
    learner: Learner, rows: TrainingRows, options: LearnOptions, classes: int, seed: int, work: Work
) -> _Component:
    """The law of one order, and what rows held out say of it: with hidden classes, drawn `ROUNDS` times."""
    if classes == 1:
        network, choice = learner(rows, options, work)
        tried = None if choice is None else [Mixture([each]) for each in choice.tried]
        return _component(rows, Mixture([network]), tried)
    hidden = with_class(rows.domain, classes).names[-1]
    order: list[Any] = [hidden, *(options.order or ())]
    options = replace(options, order=order, roles={**(options.roles or {}), hidden: "input"})
    law = product_mixture(rows.dataset, classes, seed)
    of_parts = [
        law if learned is rows else product_mixture(learned.dataset, classes, seed)
        for learned, _ in rows.held_out
    ]
    for r in range(ROUNDS):
        drawn = _with_classes(rows, law, of_parts, seed + r * ROUND_STEP)
        network, choice = learner(drawn, options, work.stage(len(rows.domain), r, ROUNDS))
        assert choice is not None  # the penalty is chosen
        law, of_parts = without_class(network), [without_class(each) for each in choice.tried]
    return _component(rows, law, of_parts)


def _component(rows: TrainingRows, law: Mixture, of_parts: Sequence[Mixture] | None) -> _Component:
    """With the log-likelihood of all rows held out, by laws that have not seen them; weights are repetitions."""
    if of_parts is None:
        return _Component(law, None)
    logs = [
        np.repeat(
            score_samples(part, held), 1 if held.weights is None else np.round(held.weights).astype(int)
        )
        for part, (_, held) in zip(of_parts, rows.held_out, strict=False)
    ]
    return _Component(law, np.concatenate(logs))


def _with_classes(rows: TrainingRows, law: Mixture, of_parts: Sequence[Mixture], seed: int) -> TrainingRows:
    """The rows, with classes drawn by `law`; and those without each part, and the part, by one that has not seen it."""
    whole = TrainingRows(draw_classes(rows.dataset, law, seed))
    parts = []
    for (learned, held), part in zip(rows.held_out, of_parts, strict=True):
        again = whole
        if learned is not rows:
            again = TrainingRows(draw_classes(learned.dataset, part, seed), whole.with_cuts)
        parts.append((again, draw_classes(held, part, seed + 1)))
    whole.held_out = tuple(parts)
    return whole


def _order(domain: Domain, options: LearnOptions, first: Network, k: int) -> list[str]:
    """The names of all variables in the order of component k: inputs first and targets last, as roles say."""
    assert first.order is not None
    backward = first.order[::-1]
    found = backward if k == 1 else tuple(np.random.default_rng(k).permutation(len(domain)).tolist())
    roles, places = options.roles or {}, {"input": 0, "target": 2}
    names = [domain.names[i] for i in found]
    return sorted(names, key=lambda name: places.get(roles.get(name, ""), 1))


def _gains(more: FloatArray) -> bool:
    return len(more) > 1 and float(more.mean()) > limits.SURE * float(more.std(ddof=1)) / math.sqrt(len(more))
