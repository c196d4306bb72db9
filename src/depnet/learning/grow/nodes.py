"""The nodes of a network, grown one by one or at once on many threads, each with a penalty of its own.

What is common to all ways to learn: a file to resume from, progress, a time limit, threads.
"""

import os
import warnings
from collections.abc import Callable, Sequence

import numpy as np

from depnet.data import Dataset
from depnet.errors import DataError, ManyStatesWarning
from depnet.learning.grow.cuts import Offered
from depnet.learning.grow.native import Grower
from depnet.learning.grow.parallel import MOST, grown_batches
from depnet.learning.grow.resume import Fit, ResumeFile, fingerprint
from depnet.learning.options import Limits, Task, checked_jobs, checked_seconds, ordered_as
from depnet.learning.penalty import Penalty, penalty_value
from depnet.model import ConditionalTable, DecisionGraph, Network, Node
from depnet.model.counting import leaf_counts
from depnet.model.table import checked_smoothing

MANY_STATES = 50
"""A column with more states than this, most of them in one row only, is reported."""

Progress = Callable[[int, int], object]
"""Called as progress(nodes done, all nodes)."""


def learn_tasks(
    dataset: Dataset,
    tasks: Sequence[Task],
    penalties: Sequence[Penalty],
    *,
    smoothing: float = 0.0,
    n_jobs: int | None = 1,
    limits: Limits = Limits(),  # noqa: B008  # a frozen value
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | Fit | None = None,
    offered: Offered | None = None,
) -> Network:
    """`learn` with the nodes' targets and inputs spelled out, and a penalty for each.

    `resume` is a file of this fit alone, or the fit's place in a file of several, which is left open. `offered` is the same
    table with cuts that sources may split at.
    """
    smoothing = checked_smoothing(smoothing)
    n_jobs = checked_jobs(n_jobs)
    max_seconds = checked_seconds(max_seconds)
    if dataset.total == 0:
        raise DataError(
            f"a network is learned from at least one row; the table has {dataset.rows} rows"
            f"{' and all their weights are 0' if dataset.rows else ''}."
        )
    for penalty in dict.fromkeys(penalties):
        penalty_value(penalty, 1, dataset.total)
    _report_many_states(dataset)
    cardinalities = dataset.domain.cardinalities
    nodes: list[Node | None] = [None] * len(tasks)
    file, fit = None, None
    if isinstance(resume, Fit):
        fit = resume
    elif resume is not None:
        decides = fingerprint(dataset, tasks if offered is None else offered.tasks, penalties, limits)
        file = ResumeFile(resume, decides, tasks, cardinalities)
        fit = file.fit()
    try:
        if fit is not None:
            for number, source in fit.done.items():
                nodes[number] = _node_of_source(dataset, tasks[number], source, smoothing)
        missing = [number for number, node in enumerate(nodes) if node is None]
        done = len(tasks) - len(missing)
        rows, reading = (dataset, tasks) if offered is None else (offered.rows, offered.tasks)
        grower = Grower(rows, reading, penalties, limits, max_seconds)
        for batch in grown_batches(grower, missing, n_jobs, most=MOST if fit is None else 1):
            for grown in batch.nodes(reading, rows.domain.cardinalities, smoothing):
                source = grown.source if offered is None else offered.spelled_out(grown.source)
                if fit is not None and grown.complete:
                    fit.add(grown.number, source)
                nodes[grown.number] = Node.learned((tasks[grown.number].target,), source, grown.table)
                done += 1
                if progress is not None:
                    progress(done, len(tasks))
    finally:
        if file is not None:
            file.close()
    return Network(dataset.domain, tuple(node for node in nodes if node is not None), order=ordered_as(tasks))


def _node_of_source(dataset: Dataset, task: Task, source: DecisionGraph, smoothing: float) -> Node:
    """A node whose source is known: its counts from the data."""
    counts = leaf_counts(source, (task.target,), dataset)
    return Node((task.target,), source, ConditionalTable.from_counts(counts, smoothing))


def _report_many_states(dataset: Dataset) -> None:
    """Warn of columns that look like an identifier: most states in one row only, nothing to learn from."""
    for i, variable in enumerate(dataset.domain.variables):
        if variable.cardinality > max(MANY_STATES, dataset.rows // 2):
            seen = len(np.unique(dataset.column(i)))
            if seen > max(MANY_STATES, dataset.rows // 2):
                warnings.warn(
                    f"column {variable.name!r} has {seen:,} different states in {dataset.rows:,} rows: nothing can be "
                    "learned from an identifier. Leave it out, group its states, or bin it.",
                    ManyStatesWarning,
                    stacklevel=4,
                )
