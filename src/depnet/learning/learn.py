"""`learn`: the whole network from a table, node by node (Sec. 4).

The cost decomposes into one problem a node (Eq. cost), so nodes are learned one by one or at once on
many threads: the network is the same. Each is grown by greedy splits and merges (Algorithm 3 with the
candidates of Sec. 4.5) in the native core, and its table is p^D(X_i | Y_i) (Theorem 4).
"""

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from depnet.data import Dataset
from depnet.errors import DataError, LearningError, ManyStatesWarning
from depnet.learning.native import Grower
from depnet.learning.options import Limits, Role, Task, checked_jobs, checked_seconds, plan
from depnet.learning.parallel import MOST, grown_batches
from depnet.learning.penalty import Mdl, Penalty, PenaltyLike, checked_penalty, penalty_value
from depnet.learning.resume import Fit, ResumeFile, fingerprint
from depnet.model import ConditionalTable, DecisionGraph, Network, Node
from depnet.model.table import checked_smoothing

if TYPE_CHECKING:
    from depnet.learning.ladder import Auto

MANY_STATES = 50
"""A column with more states than this, most of them in one row only, is reported."""

Progress = Callable[[int, int], object]
"""Called as progress(nodes done, all nodes)."""


def learn(
    dataset: Dataset,
    *,
    penalty: "PenaltyLike | Auto" = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    blocks: Iterable[Sequence[str]] | Literal["auto"] | None = None,
    n_jobs: int | None = 1,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    validation: Dataset | None = None,
) -> Network:
    r"""Learn a dependency network: for each node the information source and its table.

    .. math:: \min_{Y_i} H(p^D(X_i \mid Y_i)) + R(k_i, N), \qquad k_i = |Y_i| (|X_i| - 1)

    `penalty` is R(k, N): a value such as `Mdl()`, its name, or a function; or "auto", which chooses penalty and
    smoothing by held-out rows, those of `validation` if given (see `depnet.learning.auto`). `smoothing` is the pseudo-count
    of each cell of the tables; 0 is the paper's. `blocks` are tuples of names that one node updates
    together; variables outside them have a node each; "auto" chooses pairs by held-out rows (see
    `depnet.learning.blocks`), whose cells share the pseudo-counts of a single variable's leaf.
    `n_jobs` threads share the nodes (-1: all cores).

    A split may not leave more than `max_leaves` leaves, nor a new leaf with fewer than `min_leaf_rows` rows
    unless it is empty. `roles` says which variables are only a "target" (never an input) or only an "input"
    (not predicted: one leaf), and `forbidden` lists links (source, target) that must not be. After `max_seconds`
    nodes stay as they have grown by then, those not begun with one leaf. `progress(done, nodes)` is called
    after each node. `resume` is a file that grows node by node: a fit that was killed continues from it.

    The network does not depend on `n_jobs`, on the order of rows, or on the machine's instruction set.

    >>> table = Dataset.from_codes([[0, 0], [1, 1]] * 50, cardinalities=[2, 2])
    >>> learn(table).nodes[0].source.operations
    (Split(leaf=0, variable=1),)
    """
    limits = Limits(max_leaves, min_leaf_rows)
    if isinstance(blocks, str) and blocks == "auto":
        from depnet.learning.blocks import learn_with_chosen_blocks  # which learns with this module

        return learn_with_chosen_blocks(
            dataset,
            penalty=penalty,
            smoothing=smoothing,
            n_jobs=n_jobs,
            limits=limits,
            roles=roles,
            forbidden=forbidden,
            max_seconds=max_seconds,
            progress=progress,
            resume=resume,
            validation=validation,
        )
    tasks = plan(dataset.domain, blocks=blocks, roles=roles, forbidden=forbidden)
    from depnet.learning.auto import learn_auto  # which learns with this module
    from depnet.learning.ladder import Auto

    if isinstance(penalty, Auto) or penalty == "auto":
        network, _ = learn_auto(
            dataset,
            tasks,
            penalty if isinstance(penalty, Auto) else Auto(),
            smoothing=smoothing,
            validation=validation,
            n_jobs=n_jobs,
            limits=limits,
            max_seconds=max_seconds,
            progress=progress,
            resume=resume,
        )
        return network
    if validation is not None:
        raise LearningError('validation= is for penalty="auto"; no other penalty looks at held-out rows.')
    return learn_tasks(
        dataset,
        tasks,
        [checked_penalty(penalty)] * len(tasks),
        smoothing=smoothing,
        n_jobs=n_jobs,
        limits=limits,
        max_seconds=max_seconds,
        progress=progress,
        resume=resume,
    )


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
) -> Network:
    """`learn` with the nodes' targets and inputs spelled out, and a penalty for each.

    `resume` is a file of this fit alone, or the fit's place in a file of several, which is left open.
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
        file = ResumeFile(resume, fingerprint(dataset, tasks, penalties, limits), tasks, cardinalities)
        fit = file.fit()
    try:
        if fit is not None:
            for number, source in fit.done.items():
                nodes[number] = _node_of_source(dataset, tasks[number], source, smoothing)
        missing = [number for number, node in enumerate(nodes) if node is None]
        done = len(tasks) - len(missing)
        grower = Grower(dataset, tasks, penalties, limits, max_seconds)
        for batch in grown_batches(grower, missing, n_jobs, most=MOST if fit is None else 1):
            for grown in batch.nodes(tasks, cardinalities, smoothing):
                if fit is not None and grown.complete:
                    fit.add(grown.number, grown.source)
                nodes[grown.number] = Node.learned(tasks[grown.number].targets, grown.source, grown.table)
                done += 1
                if progress is not None:
                    progress(done, len(tasks))
    finally:
        if file is not None:
            file.close()
    return Network(dataset.domain, tuple(node for node in nodes if node is not None))


def _node_of_source(dataset: Dataset, task: Task, source: DecisionGraph, smoothing: float) -> Node:
    """A node whose source is known: its counts from the data."""
    cards = [dataset.domain.cardinalities[i] for i in task.targets]
    states = int(np.prod(cards))
    state = np.ravel_multi_index(tuple(dataset.codes[:, i].astype(np.int64) for i in task.targets), cards)
    cells = source(dataset.codes).astype(np.int64) * states + state
    counts = np.zeros(source.size * states, dtype=np.int64)
    np.add.at(counts, cells, 1 if dataset.weights is None else dataset.weights)
    return Node(
        task.targets, source, ConditionalTable.from_counts(counts.reshape(source.size, states), smoothing)
    )


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
