r"""Parameter learning: theta for given information sources (Sec. 4.2).

Theorem 4: whatever the information source Y_i, the table nearest to the data is the data's own,

.. math:: \theta_i^{\min}(X_i \mid Y_i) = p^D(X_i \mid Y_i), \qquad
          KL(p^D \| E(\theta_i^{\min})) = H(p^D(X_i \mid Y_i)) - H(p^D(X_i \mid X_{-i})).
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Domain
from depnet.errors import LearningError
from depnet.learning.options import checked_order
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.sources.source import InformationSource
from depnet.model.table import ConditionalTable, leaf_counts

Sources: TypeAlias = Sequence[InformationSource] | Mapping[str, InformationSource]
"""One source a variable, in order; or {name: source}."""


def learn_parameters(
    dataset: Dataset,
    sources: Sources,
    *,
    smoothing: float = 0.0,
    order: Sequence[str] | Sequence[int] | None = None,
) -> Network:
    """The network with these information sources and, for each, the table of Theorem 4.

    Args:
        dataset: the rows.
        sources: one source for each variable, in order, or a mapping from the variables' names to their sources.
            A network's own are `[node.source for node in network.nodes]`.
        smoothing: a pseudo-count that every cell gets; 0 is the paper's p^D(X_i | Y_i).
        order: all variables by name or number: the network is then an ordered one, and each source must read earlier
            variables only.

    Returns:
        The network.

    >>> from depnet import Dataset, LosslessSource
    >>> dataset = Dataset.from_codes([[0, 0], [0, 0], [1, 0], [1, 1]], [2, 2])
    >>> network = learn_parameters(dataset, {"X0": LosslessSource((1,), (2,)), "X1": LosslessSource((0,), (2,))})
    >>> network.nodes[1].table.probabilities.tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    if dataset.total == 0:
        raise LearningError("learn_parameters: the dataset has no rows; there is nothing to learn from.")
    nodes = []
    for i, source in enumerate(_checked_sources(dataset.domain, sources)):
        source.check_domain(dataset.domain.cardinalities)
        counts = leaf_counts(source, i, dataset)
        nodes.append(TableNode(i, source, ConditionalTable.from_counts(counts, smoothing)))
    chosen = None if order is None else checked_order(dataset.domain, order)
    return Network(dataset.domain, tuple(nodes), order=chosen)


def _checked_sources(domain: Domain, sources: Sources) -> list[InformationSource]:
    """The source of every variable, in order."""
    wanted = f"learn_parameters takes one source for each of the {len(domain)} variables"
    if isinstance(sources, Mapping):
        given = {domain.index(name): source for name, source in sources.items()}
        missing = next((name for i, name in enumerate(domain.names) if i not in given), None)
        if missing is not None:
            raise LearningError(f"{wanted}; {missing!r} has none.")
        sources = [given[i] for i in range(len(domain))]
    if len(sources) != len(domain):
        raise LearningError(f"{wanted}; got {len(sources)}.")
    for i, source in enumerate(sources):
        if isinstance(source, Node):
            raise LearningError(
                f"learn_parameters takes information sources; for {domain.names[i]!r} there is a node. Its source is "
                "node.source; a boosted node has none, for its scores are no table that counting could fill: fit it again."
            )
        if not isinstance(source, InformationSource):
            raise LearningError(
                f"the source of {domain.names[i]!r} is not an information source: {source!r}. Any object with size, "
                "inputs, check_domain and a call on codes is one."
            )
    return list(sources)
