r"""`penalty="auto"`: the penalty and the smoothing chosen on held-out rows.

No one penalty is best everywhere. Every candidate, a penalty of the ladder with one of its smoothings, is
learned and scored by the pseudo-log-likelihood of rows it has not seen (of an ordered network the log-likelihood), node by
node (`trials` says how the choice follows).
The ladder goes from strict to generous and is left where the pooled score has not improved for some rungs, since generous
penalties cost the most time. Held out are the rows given as `validation`, else parts of the data (`held_out`). Then the
chosen penalties learn from all rows. What the held-out rows said of the choice stays with the network (`held_out`), and the
choice has the network that was learned without the first part of them.
"""

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.choose.ladder import Auto
from depnet.learning.choose.order import TablePairs
from depnet.learning.choose.trials import Choice, Trials, Tuning
from depnet.learning.grow.nodes import Progress
from depnet.learning.grow.resume import Fit, ResumeFile
from depnet.learning.options import Limits, Order, Role, Task, checked_seconds, order_of, plan
from depnet.learning.rows.trial_rows import TableRows, TrialRows
from depnet.model.counting import check_same_domain
from depnet.model.network import Network
from depnet.model.table import checked_smoothing

Fits = Callable[[str], Fit]
"""The place of a fit, by its fingerprint, in the resume file."""

Rows = TypeVar("Rows", bound=TrialRows)


def learn_auto(
    dataset: Dataset,
    tasks: Sequence[Task],
    auto: Auto,
    *,
    smoothing: float,
    validation: Dataset | None = None,
    n_jobs: int | None = 1,
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    cuts: bool = False,
) -> tuple[Network, Choice]:
    """`learn_tasks` with chosen penalties and smoothings; see the module.

    Of `max_seconds`, trials take at most three quarters. `resume` is a file that keeps the nodes of the trials and of the
    last fit.
    """
    rows = TableRows.of(dataset, tasks, limits, n_jobs, cuts=cuts)
    return learn_chosen(
        rows,
        auto,
        smoothing=smoothing,
        validation=_checked(validation, rows),
        max_seconds=max_seconds,
        progress=progress,
        resume=resume,
    )


def learn_chosen(
    rows: Rows,
    auto: Auto,
    *,
    smoothing: float,
    validation: Rows | None = None,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
) -> tuple[Network, Choice]:
    """`learn_auto` from rows wherever they lie."""
    budget = checked_seconds(max_seconds)
    with contextlib.ExitStack() as stack:
        fits: Fits | None = None
        if resume is not None:
            fits = stack.enter_context(_resume_file(resume, rows, auto, validation)).fit
        trials, stages = _tried(
            rows,
            auto,
            smoothing=smoothing,
            validation=validation,
            max_seconds=None if budget is None else 0.75 * budget,
            progress=progress,
            fits=fits,
        )
        choice = trials.choice()
        del trials  # and with them the rows held out, before all rows are learned from
        network = rows.learn(
            choice.penalties,
            max_seconds=None if budget is None else 0.25 * budget,
            progress=_part_of(progress, len(rows.tasks), stages - 1, stages),
            resume=fits and fits(rows.fingerprint(choice.penalties)),
        )
    return replace(network.smoothed(choice.smoothings), held_out=choice.held_out), choice


def tune(
    dataset: Dataset,
    *,
    auto: Auto = Auto(),  # noqa: B008  # a frozen value
    smoothing: float = 0.5,
    validation: Dataset | None = None,
    order: Order = None,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    cuts: bool = False,
) -> Tuning:
    """The ladder that `penalty="auto"` climbs, with the held-out score of every rung and smoothing, and the choice.

    `smoothing` is the unit of the smoothings tried; the other options are those of `learn`.

    >>> from depnet import titanic
    >>> tuning = tune(titanic(), auto=Auto(penalties=("mdl", "aic"), smoothings=(1.0, 2.0)))
    >>> tuning.scores.shape
    (2, 2)
    """
    tasks = table_tasks(dataset, order, roles=roles, forbidden=forbidden)
    rows = TableRows.of(dataset, tasks, Limits(max_leaves, min_leaf_rows), n_jobs, cuts=cuts)
    trials, _ = _tried(
        rows,
        auto,
        smoothing=smoothing,
        validation=_checked(validation, rows),
        max_seconds=checked_seconds(max_seconds),
        progress=progress,
    )
    return trials.tuning()


def table_tasks(
    dataset: Dataset,
    order: Order,
    *,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
) -> tuple[Task, ...]:
    """The nodes to learn from a dataset, in the order that is given, or that its pairs of columns choose."""
    links = tuple(forbidden)
    found = order_of(dataset.domain, order, lambda: TablePairs(dataset), roles=roles, forbidden=links)
    return plan(dataset.domain, roles=roles, forbidden=links, order=found)


def _tried(
    rows: Rows,
    auto: Auto,
    *,
    smoothing: float,
    validation: Rows | None,
    max_seconds: float | None,
    progress: Progress | None,
    fits: Fits | None = None,
) -> tuple[Trials, int]:
    """The ladder climbed; and the stages that `progress` was told of, the last fit being one more."""
    smoothing = smoothing_unit(smoothing)
    if rows.total == 0:
        raise LearningError('`penalty="auto"`: the dataset has no rows; there is nothing to learn from.')
    parts = [(rows, validation)] if validation is not None else rows.held_out()
    ends = math.inf if max_seconds is None else time.monotonic() + max_seconds
    stages = len(auto.penalties) * len(parts) + 1
    trials = Trials([held for _, held in parts], auto, smoothing)
    while not trials.over and (time.monotonic() < ends or not trials.networks):
        penalty = auto.penalties[len(trials.networks)]
        rung = [penalty] * len(rows.tasks)
        networks = []
        for number, (learned, _) in enumerate(parts):
            before = len(trials.networks) * len(parts) + number
            networks.append(
                learned.learn(
                    rung,
                    max_seconds=None if max_seconds is None else max(ends - time.monotonic(), 0.0),
                    progress=_part_of(progress, len(rows.tasks), before, stages),
                    resume=fits and fits(learned.fingerprint(rung)),
                )
            )
        trials.add(networks)
    return trials, stages


def smoothing_unit(smoothing: float) -> float:
    """The unit of the smoothings tried, which is above 0."""
    smoothing = checked_smoothing(smoothing)
    if smoothing == 0:
        raise LearningError(
            '`penalty="auto"` scores held-out rows, which `smoothing=0` may give the probability 0. Give a smoothing '
            "above 0, such as `smoothing=0.5`."
        )
    return smoothing


def _checked(validation: Dataset | None, rows: TableRows) -> TableRows | None:
    """Rows to score on, of the same domain."""
    if validation is None:
        return None
    check_same_domain("validation", rows.domain, validation)
    if validation.total == 0:
        raise LearningError("validation has no rows to score on; leave it out to hold out rows of the data.")
    return TableRows(validation, rows.tasks, rows.limits, rows.n_jobs)


def _resume_file(path: str | os.PathLike[str], rows: Rows, auto: Auto, validation: Rows | None) -> ResumeFile:
    """One file for all fits. Its own fingerprint is of the rows, those held out, and the whole ladder."""
    ladder = [penalty for penalty in auto.penalties for _ in rows.tasks]
    keys = [each.fingerprint(ladder) for each in (rows, validation) if each is not None]
    return ResumeFile(path, " ".join(keys), rows.tasks, rows.domain.cardinalities)


def _part_of(progress: Progress | None, nodes: int, before: int, stages: int) -> Progress | None:
    """A progress callback for some of all stages that still counts to the number of nodes."""
    if progress is None:
        return None

    def told(done: int, total: int) -> None:
        progress((before * nodes + done) // stages, nodes)

    return told
