"""`learn`: the whole network from a table, node by node (Sec. 4).

The cost decomposes into one problem a node (Eq. cost), so nodes are learned one by one or at once on
many threads: the network is the same. Each is grown by greedy splits and merges (Algorithm 3 with the
candidates of Sec. 4.5) in the native core, and its table is p^D(X_i | Y_i) (Theorem 4).
"""

import os
from collections.abc import Iterable, Mapping

from depnet.data import Dataset
from depnet.errors import LearningError
from depnet.learning.auto import learn_auto
from depnet.learning.ladder import Auto
from depnet.learning.options import Limits, Role, checked_seconds, plan, refuse_removed
from depnet.learning.penalty import Mdl, Penalty, PenaltyLike, checked_penalty
from depnet.learning.tasks import Progress, learn_tasks
from depnet.model import Network
from depnet.model.table import checked_smoothing


def learn(
    dataset: Dataset,
    *,
    penalty: "PenaltyLike | Auto" = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    n_jobs: int | None = 1,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    validation: Dataset | None = None,
    **removed: object,
) -> Network:
    r"""Learn a dependency network: for each node the information source and its table.

    .. math:: \min_{Y_i} H(p^D(X_i \mid Y_i)) + R(k_i, N), \qquad k_i = |Y_i| (|X_i| - 1)

    `penalty` is R(k, N): a value such as `Mdl()`, its name, or a function; or "auto", which chooses penalty and
    smoothing by held-out rows, those of `validation` if given (see `depnet.learning.auto`). `smoothing` is the pseudo-count
    of each cell of the tables; 0 is the paper's. `n_jobs` threads share the nodes (-1: all cores).

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
    refuse_removed("learn", removed)
    limits = Limits(max_leaves, min_leaf_rows)
    smoothing = checked_smoothing(smoothing)
    max_seconds = checked_seconds(max_seconds)
    auto: Auto | None = None
    rule: Penalty = Mdl()
    if isinstance(penalty, Auto) or penalty == "auto":
        auto = penalty if isinstance(penalty, Auto) else Auto()
    else:
        rule = checked_penalty(penalty)
    if validation is not None and auto is None:
        raise LearningError('validation= is for penalty="auto"; no other penalty looks at held-out rows.')
    tasks = plan(dataset.domain, roles=roles, forbidden=forbidden)
    if auto is not None:
        network, _ = learn_auto(
            dataset,
            tasks,
            auto,
            smoothing=smoothing,
            validation=validation,
            n_jobs=n_jobs,
            limits=limits,
            max_seconds=max_seconds,
            progress=progress,
            resume=resume,
        )
        return network
    return learn_tasks(
        dataset,
        tasks,
        [rule] * len(tasks),
        smoothing=smoothing,
        n_jobs=n_jobs,
        limits=limits,
        max_seconds=max_seconds,
        progress=progress,
        resume=resume,
    )
