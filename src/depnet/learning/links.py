r"""Links: which variable tells a node what, and how surely.

A link j -> i says that the information source of node i reads X_j. Its strength is the bits per row that splits
on X_j gained, from the rows (`replay`) or, nearly as well, from a network's own counts (`from_counts`). The strengths
of a node's links add up to all that its source knows:

.. math:: \sum_j strength_{j \to i} = I(X_i; Y_i) = H(X_i) - H(X_i \mid Y_i)

A boosted node has many splits of every row, and its links have the strengths that learning found: what its stages gained,
shared among its inputs (`BoostedNode.gains`).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from depnet.checks import whole_number
from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.cost import conditional_entropy
from depnet.learning.learn import learn
from depnet.learning.penalty import Mdl, PenaltyLike
from depnet.learning.rows.some_rows import resampled
from depnet.learning.strengths import known_nats, own_marginals, own_strengths, strengths
from depnet.model.counting import check_same_domain, leaf_counts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.sources.source import ConstantSource, LosslessSource

ROWS_A_CELL = 5
"""Conditional mutual information is given where the inputs' joint table has this many rows a cell or more."""


@dataclass(frozen=True, slots=True)
class Link:
    """X_j tells the node of X_i something; quantities in bits per row.

    Attributes:
        source: the name of X_j.
        target: the name of X_i, which the node updates.
        node: i.
        variable: j.
        strength: what the splits on X_j gained, less their share of what merges lost.
        mutual_information: I(X_i; X_j), whatever else is known; None without rows where the network keeps no 2-way
            counts.
        conditional_information: I(X_i; X_j | the source's other inputs), or None where the rows are too few to tell, or
            not there.
        frequency: the share of bootstrap networks in which the link came back; None without bootstrap.

    >>> from depnet import learn, titanic
    >>> strongest = links(learn(titanic()), titanic())[0]
    >>> strongest.source, strongest.target, round(strongest.strength, 3)
    ('sex', 'survived', 0.142)
    """

    source: str
    target: str
    node: int
    variable: int
    strength: float
    mutual_information: float | None
    conditional_information: float | None
    frequency: float | None


def links(
    network: Network,
    dataset: Dataset | None = None,
    bootstrap: int = 0,
    *,
    penalty: PenaltyLike = Mdl(),  # noqa: B008  # a frozen value
    n_jobs: int = 1,
    learner: Callable[[Dataset], Network] | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[Link, ...]:
    """Every link of `network`, the strongest first, measured on the rows of `dataset`.

    Without a dataset, as for a network from a file, strengths come from the counts that the network keeps: a
    node's still add up to I(X_i; Y_i), shared among its inputs as `depnet.learning.strengths` says.

    Sources that are no decision graph have no splits: what they know is shared equally among their inputs. A boosted
    node's strengths are its `gains`, from when it was learned, with rows or without.

    Args:
        network: the network.
        dataset: the rows it was learned from; None: its own counts.
        bootstrap: learn the network again from this many tables of N rows drawn with replacement (as row weights);
            `frequency` says how often a link came back. Drawing rows twice adds noise of its own, so that a chance link
            comes back in a good share of the tables too: read frequencies against each other, near 1 being sure.
        penalty: of the networks learned again.
        n_jobs: threads.
        learner: learns from such a table, where other options were used.
        rng: the generator of the tables; None: fresh entropy.

    Returns:
        A tuple of `Link`.

    >>> from depnet import learn, titanic
    >>> [(link.source, link.target) for link in links(learn(titanic()))[:2]]
    [('sex', 'class'), ('survived', 'sex')]
    """
    bootstrap = whole_number("bootstrap", bootstrap, at_least=0, error=LearningError)
    if dataset is None:
        if bootstrap:
            raise LearningError(
                "links: bootstrap draws rows again, so it needs the dataset: links(network, dataset, B)."
            )
        frequency = None
    else:
        check_same_domain("links", network.domain, dataset)
        if dataset.total == 0:
            raise LearningError("links: the dataset has no rows to measure links on.")
        if learner is None:
            learner = partial(learn, penalty=penalty, n_jobs=n_jobs, order=network.order)
        frequency = _frequencies(network, dataset, bootstrap, learner, rng)
    found = _measured(network, dataset, frequency)
    return tuple(sorted(found, key=lambda link: (-link.strength, link.node, link.variable)))


def _measured(
    network: Network, dataset: Dataset | None, frequency: Mapping[tuple[int, int], float] | None
) -> Iterator[Link]:
    """Every link, measured on the rows, or by the counts that the network keeps where there are none."""
    names = network.domain.names
    marginals = own_marginals(network) if dataset is None else ()
    for number, node in enumerate(network.nodes):
        found = own_strengths(node, marginals) if dataset is None else strengths(node, dataset)
        for j, strength in found.items():
            if dataset is None:
                mutual, conditional = _pair_information(network, node, j), None
            else:
                mutual, conditional = _information(node, dataset, j, ()), _conditional(node, dataset, j)
            yield Link(
                source=names[j],
                target=names[node.variable],
                node=number,
                variable=j,
                strength=strength,
                mutual_information=mutual,
                conditional_information=conditional,
                frequency=None if frequency is None else frequency[number, j],
            )


def _pair_information(network: Network, node: Node, j: int) -> float | None:
    if network.counts is None or network.counts.pairs is None:
        return None
    i = node.variable
    table = network.counts.pairs[i, j] if i < j else network.counts.pairs[j, i].T
    return max(known_nats(table.T), 0.0) / (max(int(table.sum()), 1) * math.log(2))


def _information(node: Node, dataset: Dataset, j: int, given: Sequence[int]) -> float:
    """I(X_i; X_j | given) in bits per row."""
    cards = dataset.domain.cardinalities

    def entropy(inputs: Sequence[int]) -> float:
        kept = tuple(sorted(inputs))
        source = LosslessSource(kept, tuple(cards[j] for j in kept)) if kept else ConstantSource()
        return conditional_entropy(leaf_counts(source, node.variable, dataset), dataset.total)

    return max(entropy(given) - entropy((*given, j)), 0.0) / math.log(2)


def _conditional(node: Node, dataset: Dataset, j: int) -> float | None:
    cells = math.prod(dataset.domain.cardinalities[k] for k in (*node.inputs, node.variable))
    if cells * ROWS_A_CELL > dataset.total:
        return None
    return _information(node, dataset, j, tuple(k for k in node.inputs if k != j))


def _frequencies(
    network: Network,
    dataset: Dataset,
    bootstrap: int,
    relearn: Callable[[Dataset], Network],
    rng: np.random.Generator | None,
) -> dict[tuple[int, int], float] | None:
    if bootstrap == 0:
        return None
    rng = np.random.default_rng() if rng is None else rng
    times: defaultdict[tuple[int, int], int] = defaultdict(int)
    for _ in range(bootstrap):
        again = relearn(resampled(dataset, rng))
        if again.domain != network.domain:
            raise LearningError("links: the learner gave a network over other variables than this one's.")
        for number, node in enumerate(again.nodes):
            for j in node.inputs:
                times[number, j] += 1
    frequency: defaultdict[tuple[int, int], float] = defaultdict(float)
    frequency.update({link: count / bootstrap for link, count in times.items()})
    return frequency
