r"""Scores: how well the conditional tables predict rows.

.. math:: \sum_i \log \theta_i(x_i \mid Y_i(x))

is the pseudo-log-likelihood of a row (Besag), the plain sum over nodes in nats. On the rows of p^D and
with weights c_i it is the model's part of the FC-limit; on held-out rows it tells how well a network
generalises.
"""

from collections.abc import Iterator

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.model.counting import check_same_domain
from depnet.model.network import Network


def log_theta(network: Network, dataset: Dataset) -> FloatArray:
    """`[row, node]`: log theta_i(x_i | Y_i(x)) in nats."""
    columns = np.empty((dataset.rows, len(network)), order="F")
    for i, column in enumerate(_columns(network, dataset)):
        columns[:, i] = column
    return columns


def score_samples(network: Network, dataset: Dataset) -> FloatArray:
    """The pseudo-log-likelihood of every row: the sum over nodes of log theta, in nats; of an ordered network the
    log-likelihood.

    Args:
        network: the network.
        dataset: the rows.

    Returns:
        [row].

    >>> score_samples(Network.from_joint([[0.5, 0.0], [0.0, 0.5]]), Dataset.from_codes([[0, 0], [0, 1]], [2, 2])).tolist()
    [0.0, -inf]
    """
    total = np.zeros(dataset.rows)
    for column in _columns(network, dataset):
        total += column
    return total


def node_scores(network: Network, dataset: Dataset) -> FloatArray:
    """The mean over rows (with their weights) of each node's log theta, in nats per row."""
    if dataset.total == 0:
        return np.full(len(network), np.nan)
    if dataset.weights is None:
        return np.array([column.mean() for column in _columns(network, dataset)])
    kept = dataset.weights > 0  # 0 times -inf is not a number
    weights = dataset.weights[kept]
    return np.array([weights @ column[kept] / weights.sum() for column in _columns(network, dataset)])


def score(network: Network, dataset: Dataset) -> float:
    """The mean pseudo-log-likelihood of a row, in nats, rows counting by their weights; of an ordered network the
    log-likelihood.

    Args:
        network: the network.
        dataset: the rows.

    Returns:
        Nats a row: higher is better.

    >>> from depnet import learn, titanic
    >>> round(score(learn(titanic(), smoothing=0.5, order="auto"), titanic()), 3)
    -2.346
    """
    return float(node_scores(network, dataset).sum())


def _columns(network: Network, dataset: Dataset) -> Iterator[FloatArray]:
    check_same_domain("score", network.domain, dataset)
    for node in network.nodes:
        yield node.log_theta(dataset)
