r"""Parameter learning: theta for given information sources (Sec. 4.2).

Theorem 4: whatever the information source Y_i, the table nearest to the data is the data's own,

.. math:: \theta_i^{\min}(X_i \mid Y_i) = p^D(X_i \mid Y_i), \qquad
          KL(p^D \| E(\theta_i^{\min})) = H(p^D(X_i \mid Y_i)) - H(p^D(X_i \mid X_{-i})).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from depnet.data.dataset import Dataset
from depnet.errors import LearningError
from depnet.model.counting import leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.source import InformationSource
from depnet.model.table import ConditionalTable

Target: TypeAlias = str | int | tuple[str | int, ...]
"""The variables of a node: one name or number, or a tuple of them for a block."""

Sources: TypeAlias = (
    Sequence[InformationSource | tuple[Target, InformationSource]] | Mapping[Any, InformationSource]
)
"""One source a variable, in order; or {variables: source}, or pairs of them, in the order of the nodes."""


def learn_parameters(dataset: Dataset, sources: Sources, *, smoothing: float = 0.0) -> Network:
    """The network with these information sources and, for each, the table of Theorem 4.

    `sources` is one source for each variable, in order, or a mapping from a node's variables (a name, a
    number, or a tuple of them for a block) to its source, or such pairs in a list. With `smoothing` s every cell gets a
    pseudo-count s; 0 is the paper's p^D(X_i | Y_i). A network's own sources are read by
    `[node.source for node in network.nodes]`.

    >>> from depnet import Dataset, LosslessSource
    >>> dataset = Dataset.from_codes([[0, 0], [0, 0], [1, 0], [1, 1]], [2, 2])
    >>> network = learn_parameters(dataset, {"X0": LosslessSource((1,), (2,)), "X1": LosslessSource((0,), (2,))})
    >>> network.nodes[1].table.probabilities.tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    if dataset.total == 0:
        raise LearningError("learn_parameters: the dataset has no rows; there is nothing to learn from.")
    nodes = []
    for variables, source in _targets(dataset, sources):
        source.check_domain(dataset.domain.cardinalities)
        counts = leaf_counts(source, variables, dataset)
        nodes.append(Node(variables, source, ConditionalTable.from_counts(counts, smoothing)))
    return Network(dataset.domain, tuple(nodes))


def _targets(dataset: Dataset, sources: Sources) -> Iterable[tuple[tuple[int, ...], InformationSource]]:
    listed = list(sources.items()) if isinstance(sources, Mapping) else list(sources)
    if listed and all(isinstance(one, tuple) and len(one) == 2 for one in listed):
        pairs = [(_variables(dataset, one[0]), one[1]) for one in listed if isinstance(one, tuple)]
    elif len(listed) == len(dataset.domain):
        pairs = [((i,), one) for i, one in enumerate(listed) if not isinstance(one, tuple)]
    else:
        raise LearningError(
            f"learn_parameters takes one source for each of the {len(dataset.domain)} variables; got {len(listed)}. "
            "For blocks give a mapping from tuples of variables to sources."
        )
    for variables, source in pairs:
        if not isinstance(source, InformationSource):
            raise LearningError(
                f"the source of variables {variables} is not an information source: {source!r}. Any object with "
                "size, inputs, check_domain and a call on codes is one."
            )
    return pairs


def _variables(dataset: Dataset, target: Target) -> tuple[int, ...]:
    several = target if isinstance(target, tuple) else (target,)
    indices = []
    for one in several:
        index = dataset.domain.index(one) if isinstance(one, str) else int(one)
        if not 0 <= index < len(dataset.domain):
            raise LearningError(
                f"learn_parameters: there is no variable {one}; the dataset has {len(dataset.domain)}."
            )
        indices.append(index)
    return tuple(indices)
