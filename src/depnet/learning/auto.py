r"""`penalty="auto"`: the penalty and the smoothing chosen on held-out rows.

No one penalty is best everywhere. Every candidate, a penalty of the ladder with one of its smoothings, is
learned and scored by the pseudo-log-likelihood of rows it has not seen, node by node (`trials` says how the choice follows).
The ladder goes from strict to generous and is left where the pooled score has not improved for some rungs, since generous
penalties cost the most time. Held out are the rows given as `validation`, else parts of the data (`held_out`). Then the
chosen penalties learn from all rows.
"""

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from depnet.data.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.held_out import held_out
from depnet.learning.ladder import Auto, Share
from depnet.learning.options import Limits, Role, Task, checked_seconds, plan
from depnet.learning.resume import Fit, ResumeFile, fingerprint
from depnet.learning.tasks import Progress, learn_tasks
from depnet.learning.trials import Choice, Trials, Tuning
from depnet.model.counting import check_same_domain
from depnet.model.network import Network
from depnet.model.table import checked_smoothing

Fits = Callable[[str], Fit]
"""The place of a fit, by its fingerprint, in the resume file."""


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
    shares: Sequence[Share] | None = None,
) -> tuple[Network, Choice]:
    """`learn_tasks` with chosen penalties and smoothings; see the module.

    `shares` say for each node what part of a rung's penalty and smoothing is its own (chosen blocks have less).
    Of `max_seconds`, trials take at most three quarters. `resume` is a file that keeps the nodes of the trials and of the
    last fit.
    """
    budget = checked_seconds(max_seconds)
    with contextlib.ExitStack() as stack:
        fits: Fits | None = None
        if resume is not None:
            fits = stack.enter_context(
                _resume_file(resume, dataset, tasks, auto, validation, limits, shares)
            ).fit
        trials, stages = _tried(
            dataset,
            tasks,
            auto,
            smoothing=smoothing,
            validation=validation,
            n_jobs=n_jobs,
            limits=limits,
            max_seconds=None if budget is None else 0.75 * budget,
            progress=progress,
            shares=shares,
            fits=fits,
        )
        choice = trials.choice()
        network = learn_tasks(
            dataset,
            tasks,
            choice.penalties,
            n_jobs=n_jobs,
            limits=limits,
            max_seconds=None if budget is None else 0.25 * budget,
            progress=_part_of(progress, len(tasks), stages - 1, stages),
            resume=fits and fits(fingerprint(dataset, tasks, choice.penalties, limits)),
        )
    nodes = tuple(node.smoothed(s) for node, s in zip(network.nodes, choice.smoothings, strict=True))
    return Network(dataset.domain, nodes), choice


def tune(
    dataset: Dataset,
    *,
    auto: Auto = Auto(),  # noqa: B008  # a frozen value
    smoothing: float = 0.5,
    validation: Dataset | None = None,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """The ladder that `penalty="auto"` climbs, with the held-out score of every rung and smoothing, and the choice.

    `smoothing` is the unit of the smoothings tried; the other options are those of `learn`.

    >>> from depnet import titanic
    >>> tuning = tune(titanic(), auto=Auto(penalties=("mdl", "aic"), smoothings=(1.0, 2.0)))
    >>> tuning.scores.shape
    (2, 2)
    """
    tasks = plan(dataset.domain, roles=roles, forbidden=forbidden)
    trials, _ = _tried(
        dataset,
        tasks,
        auto,
        smoothing=smoothing,
        validation=validation,
        n_jobs=n_jobs,
        limits=Limits(max_leaves, min_leaf_rows),
        max_seconds=checked_seconds(max_seconds),
        progress=progress,
    )
    return trials.tuning()


def _tried(
    dataset: Dataset,
    tasks: Sequence[Task],
    auto: Auto,
    *,
    smoothing: float,
    validation: Dataset | None,
    n_jobs: int | None,
    limits: Limits,
    max_seconds: float | None,
    progress: Progress | None,
    shares: Sequence[Share] | None = None,
    fits: Fits | None = None,
) -> tuple[Trials, int]:
    """The ladder climbed; and the stages that `progress` was told of, the last fit being one more."""
    smoothing = checked_smoothing(smoothing)
    if smoothing == 0:
        raise LearningError(
            'penalty="auto" scores held-out rows, which smoothing=0 may give the probability 0. Give a smoothing '
            "above 0, such as smoothing=0.5."
        )
    if dataset.total == 0:
        raise LearningError('penalty="auto": the dataset has no rows; there is nothing to learn from.')
    if validation is not None:
        check_same_domain("validation", dataset.domain, validation)
        if validation.total == 0:
            raise LearningError(
                "validation has no rows to score on; leave it out to hold out rows of the data."
            )
    parts = [(dataset, validation)] if validation is not None else list(held_out(dataset))
    ends = math.inf if max_seconds is None else time.monotonic() + max_seconds
    stages = len(auto.penalties) * len(parts) + 1
    shares = [Share()] * len(tasks) if shares is None else shares
    trials = Trials([held for _, held in parts], auto, smoothing, shares)
    while not trials.over and (time.monotonic() < ends or not trials.networks):
        penalty = auto.penalties[len(trials.networks)]
        networks = []
        for number, (rows, _) in enumerate(parts):
            left = None if max_seconds is None else max(ends - time.monotonic(), 0.0)
            before = len(trials.networks) * len(parts) + number
            told = _part_of(progress, len(tasks), before, stages)
            rung = [share.penalty(penalty) for share in shares]
            fit = fits and fits(fingerprint(rows, tasks, rung, limits))
            networks.append(
                learn_tasks(
                    rows,
                    tasks,
                    rung,
                    n_jobs=n_jobs,
                    limits=limits,
                    max_seconds=left,
                    progress=told,
                    resume=fit,
                )
            )
        trials.add(networks)
    return trials, stages


def _resume_file(
    path: str | os.PathLike[str],
    dataset: Dataset,
    tasks: Sequence[Task],
    auto: Auto,
    validation: Dataset | None,
    limits: Limits,
    shares: Sequence[Share] | None,
) -> ResumeFile:
    """One file for all fits. Its own fingerprint is of the rows, those held out, and the whole ladder."""
    shares = [Share()] * len(tasks) if shares is None else shares
    ladder = [share.penalty(penalty) for penalty in auto.penalties for share in shares]
    keys = [fingerprint(rows, tasks, ladder, limits) for rows in (dataset, validation) if rows is not None]
    return ResumeFile(path, " ".join(keys), tasks, dataset.domain.cardinalities)


def _part_of(progress: Progress | None, nodes: int, before: int, stages: int) -> Progress | None:
    """A progress callback for some of all stages that still counts to the number of nodes."""
    if progress is None:
        return None

    def told(done: int, total: int) -> None:
        progress((before * nodes + done) // stages, nodes)

    return told
