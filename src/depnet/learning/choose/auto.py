r"""`penalty="auto"`: the penalty and the smoothing chosen on held-out rows.

No one penalty is best everywhere. Every candidate, a penalty of the ladder with one of its smoothings, is
learned and scored by the pseudo-log-likelihood of rows it has not seen (of an ordered network the log-likelihood), node by
node (`trials` says how the choice follows).
The ladder goes from strict to generous and is left where the pooled score has not improved for some rungs, since generous
penalties cost the most time. Held out are the rows given as `validation`, else parts of the data (`held_out`). Then the
chosen penalties learn from all rows. What the held-out rows said of the choice stays with the network (`held_out`), and the
choice has the networks that were learned without each part of them.
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
from depnet.learning.choose.trials import Choice, Trials, Tuning
from depnet.learning.grow.node_specs import node_specs
from depnet.learning.grow.nodes import learn_nodes
from depnet.learning.grow.resume import Fit, ResumeFile
from depnet.learning.options import LearnOptions, Order, Progress, Role
from depnet.learning.rows.learning_rows import LearningRows
from depnet.learning.rows.table import TableRows
from depnet.model.counting import check_same_domain
from depnet.model.network import Network

Fits = Callable[[str], Fit]
"""The place of a fit, by its fingerprint, in the resume file."""

TRIALS_SHARE = 0.75
"""Of `max_seconds`, what trials take at most."""

Rows = TypeVar("Rows", bound=LearningRows)


def learn_rows(
    rows: Rows, options: LearnOptions, validation: TableRows | None = None
) -> tuple[Network, Choice | None]:
    """The network of rows wherever they lie, and what penalty="auto" chose, where it did.

    `validation` are rows to choose the penalty by; None: parts of the rows.
    """
    began = time.monotonic()
    rows = in_order(rows, options)
    if options.max_seconds is not None:
        left = max(options.max_seconds - (time.monotonic() - began), 0.0)
        options = replace(options, max_seconds=left)
    if options.auto is not None:
        return _learn_chosen(rows, options.auto, options, validation)
    if validation is not None:
        raise LearningError(
            '`validation=...` is for `penalty="auto"`; no other penalty looks at held-out rows.'
        )
    network = learn_nodes(
        rows,
        [options.fixed_penalty] * len(rows.specs),
        smoothing=options.smoothing,
        max_seconds=options.max_seconds,
        progress=options.progress,
        resume=options.resume,
    )
    return network, None


def in_order(rows: Rows, options: LearnOptions) -> Rows:
    """The rows, for nodes in the order that their pairs of columns choose, where that is asked for."""
    if not isinstance(options.order, str):
        return rows
    pairs = rows.pair_counts()
    return rows.with_specs(
        node_specs(rows.domain, options.order, pairs, roles=options.roles, forbidden=options.forbidden)
    )


def _learn_chosen(
    rows: Rows, auto: Auto, options: LearnOptions, validation: TableRows | None
) -> tuple[Network, Choice]:
    """With chosen penalties and smoothings; `resume` keeps the nodes of the trials and of the last fit."""
    budget, progress = options.max_seconds, options.progress
    if validation is not None:
        validation = validation.with_specs(rows.specs)
    with contextlib.ExitStack() as stack:
        fits: Fits | None = None
        if options.resume is not None:
            file = _resume_file(options.resume, rows, auto, validation)
            fits = stack.enter_context(contextlib.closing(file)).fit
        trial_options = replace(options, max_seconds=None if budget is None else TRIALS_SHARE * budget)
        trials, stages = _tried(rows, auto, trial_options, validation, fits)
        choice = trials.choice()
        del trials  # and with them the rows held out, before all rows are learned from
        network = learn_nodes(
            rows,
            choice.penalties,
            max_seconds=None if budget is None else (1 - TRIALS_SHARE) * budget,
            progress=_part_of(progress, len(rows.specs), stages - 1, stages),
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

    Args:
        dataset: the rows.
        auto: the penalties and smoothings to choose from.
        smoothing: the unit of the smoothings tried.
        validation: the rows held out; None: parts of `dataset`.
        order, roles, forbidden, max_leaves, min_leaf_rows, n_jobs, max_seconds, progress, cuts: as of `learn`.

    Returns:
        A `Tuning`.

    >>> from depnet import titanic
    >>> tuning = tune(titanic(), auto=Auto(penalties=("mdl", "aic"), smoothings=(1.0, 2.0)))
    >>> tuning.scores.shape
    (2, 2)
    """
    options = LearnOptions(
        auto, smoothing, order, max_leaves, min_leaf_rows, roles, forbidden, max_seconds, progress
    )
    rows = in_order(TableRows.of(dataset, options, n_jobs, cuts), options)
    return _tried(rows, auto, options, rows_to_score(validation, rows))[0].tuning()


def rows_to_score(validation: Dataset | None, rows: TableRows) -> TableRows | None:
    """The rows of `validation`, which has the variables of `rows`."""
    if validation is None:
        return None
    check_same_domain("validation", rows.domain, validation)
    if validation.total == 0:
        raise LearningError("validation has no rows to score on; leave it out to hold out rows of the data.")
    return replace(rows, dataset=validation, cuts=False)


def _tried(
    rows: Rows, auto: Auto, options: LearnOptions, validation: TableRows | None, fits: Fits | None = None
) -> tuple[Trials, int]:
    """The ladder climbed; and the stages that `progress` was told of, the last fit being one more."""
    if rows.total == 0:
        raise LearningError('`penalty="auto"`: the dataset has no rows; there is nothing to learn from.')
    parts: Sequence[tuple[LearningRows, TableRows]] = (
        [(rows, validation)] if validation is not None else rows.held_out()
    )
    ends = math.inf if options.max_seconds is None else time.monotonic() + options.max_seconds
    stages = len(auto.penalties) * len(parts) + 1
    trials = Trials([held for _, held in parts], auto, options.smoothing)
    while not trials.over and (time.monotonic() < ends or not trials.networks):
        penalty = auto.penalties[len(trials.networks)]
        rung = [penalty] * len(rows.specs)
        networks = []
        for number, (learned, _) in enumerate(parts):
            before = len(trials.networks) * len(parts) + number
            networks.append(
                learn_nodes(
                    learned,
                    rung,
                    max_seconds=None if math.isinf(ends) else max(ends - time.monotonic(), 0.0),
                    progress=_part_of(options.progress, len(rows.specs), before, stages),
                    resume=fits and fits(learned.fingerprint(rung)),
                )
            )
        trials.add(networks)
    return trials, stages


def _resume_file(
    path: str | os.PathLike[str], rows: Rows, auto: Auto, validation: TableRows | None
) -> ResumeFile:
    """One file for all fits. Its own fingerprint is of the rows, those held out, and the whole ladder."""
    ladder = [penalty for penalty in auto.penalties for _ in rows.specs]
    keys = [each.fingerprint(ladder) for each in (rows, validation) if each is not None]
    return ResumeFile(path, " ".join(keys), rows.specs, rows.domain.cardinalities)


def _part_of(progress: Progress | None, nodes: int, before: int, stages: int) -> Progress | None:
    """A progress callback for some of all stages that still counts to the number of nodes."""
    if progress is None:
        return None

    def told(done: int, total: int) -> None:
        progress((before * nodes + done) // stages, nodes)

    return told
