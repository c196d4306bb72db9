"""`learn`: the whole network from a table, node by node (Sec. 4).

The cost decomposes into one problem a node (Eq. cost), so nodes are learned one by one or at once on
many threads: the network is the same. Each is grown by greedy splits and merges (Algorithm 3 with the
candidates of Sec. 4.5) in the native core, and its table is p^D(X_i | Y_i) (Theorem 4).
"""

from collections.abc import Iterable, Mapping

from depnet.data import Dataset
from depnet.learning.boost.settings import BoostLike
from depnet.learning.boost.table import learn_boosted
from depnet.learning.choose.auto import learn_graphs
from depnet.learning.choose.ladder import Auto
from depnet.learning.choose.trials import Choice
from depnet.learning.options import LearnOptions, Order, Progress, Role
from depnet.learning.penalty import Mdl, PenaltyLike
from depnet.learning.rows.training import TrainingRows, warn_of_identifiers
from depnet.learning.work import Work
from depnet.model import Network


def learn(
    dataset: Dataset,
    *,
    penalty: "PenaltyLike | Auto" = Mdl(),  # noqa: B008  # a frozen value
    smoothing: float = 0.0,
    order: Order = None,
    boost: BoostLike = None,
    n_jobs: int | None = 1,
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_seconds: float | None = None,
    progress: Progress | None = None,
    validation: Dataset | None = None,
    cuts: bool = False,
) -> Network:
    r"""Learn a dependency network: for each node the information source and its table.

    .. math:: \min_{Y_i} H(p^D(X_i \mid Y_i)) + R(k_i, N), \qquad k_i = |Y_i| (|X_i| - 1)

    The network does not depend on `n_jobs`, on the order of rows, or on the machine's instruction set.

    Args:
        dataset: the rows, a `Dataset`.
        penalty: R(k, N): a value such as `Mdl()`, its name, or a function; or "auto", which chooses penalty and
            smoothing by held-out rows.
        smoothing: the pseudo-count of each cell of the tables; 0 is the paper's.
        order: None is the paper's network. With an order (ours, beyond the paper) sources read earlier variables only,
            and the nodes have one law between them, Q(x) = prod over i of theta_i(x_i | y_i), which sampling, queries
            and scores are of: the names of all variables in order, or "auto": from the most telling variable on always
            the one most tied to those placed (`depnet.learning.choose.order`).
        boost: None is one decision graph and one table a node. With stages (ours, beyond the paper) theta is a product
            of many small decision graphs' scores (`BoostedNode`): "auto" chooses for each node, by held-out rows, one
            graph or stages and how many; a `Boost` says it. The `penalty` is then that of the graphs that they are
            compared with, or start from.
        n_jobs: threads that share the nodes; -1: all cores.
        max_leaves: a split may not leave a node with more leaves than these.
        min_leaf_rows: nor a new leaf with fewer rows than these, unless it is empty.
        roles: by name, which variables are only a "target" (never an input) or only an "input" (not predicted: one leaf;
            in an ordered network it comes first, and reads earlier inputs).
        forbidden: links (source, target) that must not be.
        max_seconds: after these, nodes stay as they have grown by then, those not begun with one leaf.
        progress: called as progress(done, nodes) after each node.
        validation: the rows held out for "auto"; None: parts of `dataset`.
        cuts: whether sources may also split a binned variable at an edge between its bins, into those below and those
            above: a split and merges in one step (`depnet.learning.grow.cuts`). A split on many bins pays for many
            leaves, a cut for two.

    Returns:
        The network, an immutable value.

    >>> table = Dataset.from_codes([[0, 0], [1, 1]] * 50, cardinalities=[2, 2])
    >>> learn(table).nodes[0].source.operations
    (Split(leaf=0, variable=1),)
    >>> law = learn(table, order=["X1", "X0"])
    >>> law.order, law.nodes[1].inputs, law.nodes[0].inputs
    ((1, 0), (), (1,))
    """
    warn_of_identifiers(dataset)
    options = LearnOptions(
        penalty, smoothing, order, max_leaves, min_leaf_rows, roles, forbidden, cuts, boost
    )
    return learn_with_choice(dataset, options, Work.of(n_jobs, max_seconds, progress), validation)[0]


def learn_with_choice(
    rows: Dataset | TrainingRows,
    options: LearnOptions,
    work: Work = Work(),  # noqa: B008  # a frozen value
    validation: Dataset | None = None,
) -> tuple[Network, Choice | None]:
    """`learn`, and what penalty="auto" chose: None of other penalties.

    What is made of the rows for one network is there for the next one, where they are `TrainingRows`.
    """
    learned = learn_graphs if options.stages is None else learn_boosted
    return learned(TrainingRows.of(rows), options, work, validation)
