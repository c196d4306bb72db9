"""`learn`: the whole network from a table, node by node (Sec. 4).

The cost decomposes into one problem a node (Eq. cost), so nodes are learned one by one or at once on
many threads: the network is the same. Each is grown by greedy splits and merges (Algorithm 3 with the
candidates of Sec. 4.5) in the native core, and its table is p^D(X_i | Y_i) (Theorem 4).
"""

import os
import time
from collections.abc import Iterable, Mapping

from depnet.data import Dataset
from depnet.errors import LearningError
from depnet.learning.choose.auto import learn_auto, table_tasks
from depnet.learning.choose.ladder import Auto
from depnet.learning.choose.trials import Choice
from depnet.learning.grow.cuts import Offered
from depnet.learning.grow.nodes import Progress, learn_tasks
from depnet.learning.options import Limits, Order, Role, checked_seconds, refuse_removed
from depnet.learning.penalty import Mdl, Penalty, PenaltyLike, checked_penalty
from depnet.model import Network
from depnet.model.table import checked_smoothing


def learn(
    dataset: Dataset,
    *,
    penalty: "PenaltyLike | Auto" = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    order: Order = None,
    n_jobs: int | None = 1,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    validation: Dataset | None = None,
    cuts: bool = False,
    **removed: object,
) -> Network:
    r"""Learn a dependency network: for each node the information source and its table.

    .. math:: \min_{Y_i} H(p^D(X_i \mid Y_i)) + R(k_i, N), \qquad k_i = |Y_i| (|X_i| - 1)

    `penalty` is R(k, N): a value such as `Mdl()`, its name, or a function; or "auto", which chooses penalty and
    smoothing by held-out rows, those of `validation` if given (`choose.auto`). `smoothing` is the pseudo-count
    of each cell of the tables; 0 is the paper's. `n_jobs` threads share the nodes (-1: all cores).

    With an `order` the network is an ordered one (ours, beyond the paper): sources read earlier variables only, and the
    nodes have one law between them, Q(x) = prod over i of theta_i(x_i | y_i), which sampling, queries and scores are of. It
    is the names of all variables in order, or "auto": from the most telling variable on always the one most tied to those
    placed (see `depnet.learning.choose.order`). None is the paper's.

    A split may not leave more than `max_leaves` leaves, nor a new leaf with fewer than `min_leaf_rows` rows
    unless it is empty. `roles` says which variables are only a "target" (never an input) or only an "input"
    (not predicted: one leaf; in an ordered network it comes first, and reads earlier inputs), and `forbidden` lists links
    (source, target) that must not be. After `max_seconds` nodes stay as they have grown by then, those not begun with
    one leaf. `progress(done, nodes)` is called after each node. `resume` is a file that grows node by node: a fit that was
    killed continues from it.

    With `cuts`, sources may also split a binned variable at an edge between its bins, into those below and those above: a
    split and merges in one step (see `depnet.learning.grow.cuts`). A split on many bins pays for many leaves, a cut for two.

    The network does not depend on `n_jobs`, on the order of rows, or on the machine's instruction set.

    >>> table = Dataset.from_codes([[0, 0], [1, 1]] * 50, cardinalities=[2, 2])
    >>> learn(table).nodes[0].source.operations
    (Split(leaf=0, variable=1),)
    >>> law = learn(table, order=["X1", "X0"])
    >>> law.order, law.nodes[1].inputs, law.nodes[0].inputs
    ((1, 0), (), (1,))
    """
    network, _ = learn_tried(
        dataset,
        penalty=penalty,
        smoothing=smoothing,
        order=order,
        n_jobs=n_jobs,
        max_leaves=max_leaves,
        min_leaf_rows=min_leaf_rows,
        roles=roles,
        forbidden=forbidden,
        max_seconds=max_seconds,
        progress=progress,
        resume=resume,
        validation=validation,
        cuts=cuts,
        **removed,
    )
    return network


def learn_tried(
    dataset: Dataset,
    *,
    penalty: "PenaltyLike | Auto" = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    order: Order = None,
    n_jobs: int | None = 1,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_seconds: float | None = None,
    progress: Progress | None = None,
    resume: str | os.PathLike[str] | None = None,
    validation: Dataset | None = None,
    cuts: bool = False,
    **removed: object,
) -> tuple[Network, Choice | None]:
    """`learn`, and what penalty="auto" chose (None of other penalties), with the network that was tried on held-out rows."""
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
        raise LearningError('`validation=...` is for `penalty="auto"`; no other penalty looks at held-out rows.')
    began = time.monotonic()
    tasks = table_tasks(dataset, order, roles=roles, forbidden=forbidden)
    if max_seconds is not None and order is not None:
        max_seconds = max(max_seconds - (time.monotonic() - began), 0.0)
    if auto is not None:
        return learn_auto(
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
            cuts=cuts,
        )
    network = learn_tasks(
        dataset,
        tasks,
        [rule] * len(tasks),
        smoothing=smoothing,
        n_jobs=n_jobs,
        limits=limits,
        max_seconds=max_seconds,
        progress=progress,
        resume=resume,
        offered=Offered.of(dataset, tasks) if cuts else None,
    )
    return network, None
