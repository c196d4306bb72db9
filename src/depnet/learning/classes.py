r"""A hidden class: a variable of a few states that no column holds, the first of an order, which all nodes may read.

Given its class a row is a simpler matter, and nodes that read it share what they learn of a row. Which class a row has is
drawn: from a mixture in which columns are independent given the class, and after a law was learned from

.. math:: Q(z \mid x) \propto Q(z) \prod_i \theta_i(x_i \mid Y_i(x, z)).

Learning from rows with drawn classes, and drawing them anew, are the two steps of stochastic EM. In the end the class is
summed out, which leaves a mixture of networks without it, one for each class.

*Fixed point.* Shares of classes, and logs of theta, are rounded to multiples of 2^-20, so that sums over rows are the same
in any order; a row's draws depend on its hash. So the classes are the same whatever the order of rows, the threads, and
whether rows stand there several times or weigh as much.
"""

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray, read_only
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Domain, Variable
from depnet.learning import limits
from depnet.learning.rows import codes_of, distinct_rows, some_rows
from depnet.model.mixture import Mixture, class_shares
from depnet.model.network import Network
from depnet.model.node import Node, TableNode
from depnet.model.score import score_samples
from depnet.model.sources.restrict import KeptVariables
from depnet.model.sources.source import ConstantSource
from depnet.model.stages import UNIT
from depnet.model.table import ConditionalTable

STEPS = 100
"""Of EM: where more of them lead is no better a start."""
EVEN = 0.3
"""Of the Dirichlet law that the first shares are drawn from: most rows have one class or two."""


def product_mixture(dataset: Dataset, classes: int, seed: int) -> Mixture:
    """A mixture of classes, within each of which the columns are independent: learned by EM from random shares."""
    hashes, domain = distinct_rows(dataset), dataset.domain
    counts = hashes.counts[: limits.CLASS_ROWS]
    codes = codes_of(dataset.codes, hashes.rows[: limits.CLASS_ROWS])
    start = np.random.default_rng(seed).dirichlet(np.full(classes, EVEN), size=len(codes))
    weights, theta = em(codes, counts, domain.cardinalities, start, STEPS)

    def node(i: int, own: FloatArray) -> Node:
        return TableNode(i, ConstantSource(), ConditionalTable.from_probabilities(own[None, :]))

    ends = np.cumsum(domain.cardinalities)[:-1]
    networks = [
        Network(domain, tuple(map(node, range(len(domain)), np.split(own, ends))), order=range(len(domain)))  # type: ignore[arg-type]  # becomes a tuple
        for own in theta
    ]
    return Mixture(networks, weights)


def em(
    codes: CodeArray, counts: IntArray | FloatArray, cards: tuple[int, ...], shares: FloatArray, steps: int
) -> tuple[FloatArray, FloatArray]:
    """The weight of each class, and theta [class, state of all variables one behind the other], after so many steps.

    One row more, as the columns are without classes, is in each class, and no theta is 0.
    """
    from scipy.sparse import csr_array  # where no mixture is learned, it need not be imported

    begin = np.cumsum([0, *cards[:-1]])
    rows, columns = codes.shape
    places = (np.asarray(codes, dtype=np.int64) + begin).ravel()
    cells = csr_array(
        (np.ones(places.size), places, np.arange(rows + 1) * columns), shape=(rows, int(sum(cards)))
    )
    states = np.repeat(cards, cards)
    whole = (cells.T @ counts + 0.5) / (counts.sum() + 0.5 * states)
    for _ in range(steps):
        own = in_units(shares) * counts[:, None]
        totals = own.sum(axis=0) + 1.0
        theta = (cells.T @ own + whole[:, None]) / totals
        logs = cells @ in_units(np.log(theta)) + in_units(np.log(totals / totals.sum()))
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return totals / totals.sum(), theta.T


def in_units(values: FloatArray) -> FloatArray:
    """As whole multiples of `UNIT`, whose sums are exact."""
    return np.asarray(np.rint(values / UNIT) * UNIT)


def with_class(domain: Domain, classes: int) -> Domain:
    """The variables, and behind them the hidden class, under a name that no other has."""
    name = max(domain.names, key=len) + " class"
    return Domain((*domain.variables, Variable(name, tuple(f"class {z}" for z in range(classes)))))


def draw_classes(dataset: Dataset, mixture: Mixture, seed: int) -> Dataset:
    """The rows with one column more: a class for each row, drawn from what the mixture's components say of it."""
    hashes = distinct_rows(dataset)
    rows = some_rows(dataset, hashes.rows, hashes.counts)
    logs = np.stack([score_samples(network, rows) for network in mixture.components])
    shares = in_units(class_shares(mixture, logs)).T
    shares /= shares.sum(axis=1, keepdims=True)
    drawn = np.random.default_rng(seed).multinomial(hashes.counts.astype(np.int64), shares)
    row, drawn_class = np.nonzero(drawn)
    codes: CodeArray = np.empty((len(row), len(dataset.domain) + 1), dtype=dataset.codes.dtype, order="F")
    codes[:, :-1], codes[:, -1] = codes_of(rows.codes, row), drawn_class
    domain = with_class(dataset.domain, len(mixture.components))
    return Dataset.of_checked(domain, codes, read_only(drawn[row, drawn_class]))


def without_class(network: Network) -> Mixture:
    r"""The law of all variables but the last one, where that is the first of the order: it is summed out.

    .. math:: Q(x) = \sum_z \theta_Z(z) \prod_i \theta_i(x_i \mid Y_i(x, z))

    Tables have no counts, which would be those of the rows of one class.
    """
    z, cards = len(network) - 1, network.domain.cardinalities
    assert network.order is not None
    assert network.order[0] == z
    domain, kept = Domain(network.domain.variables[:z]), KeptVariables.of(range(z), cards)
    weights = network.nodes[z].probabilities(np.zeros((1, z + 1), dtype=np.uint8))[0]

    def node(i: int, code: int) -> Node:
        found = network.nodes[i].restricted(i, {z: code}, kept)
        if isinstance(found, TableNode):
            return TableNode(i, found.source, ConditionalTable(found.table.probabilities))
        return found

    possible = np.flatnonzero(weights).tolist()
    networks = [
        Network(domain, tuple(node(i, code) for i in range(z)), order=network.order[1:]) for code in possible
    ]
    return Mixture(networks, weights[possible])
