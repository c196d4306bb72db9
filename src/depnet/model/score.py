r"""Scores: how well the conditional tables predict rows.

.. math:: \sum_i \log \theta_i(x_i \mid Y_i(x))

is the pseudo-log-likelihood of a row (Besag), the plain sum over nodes in nats. On the rows of p^D and
with weights c_i it is the model's part of the FC-limit; on held-out rows it tells how well a network
generalises.

*Holes* that are no states of their columns: each column has its own rate of them, independent of all else.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.model.mixture import AnyNetwork, Mixture, joined_logs
from depnet.model.network import Network, check_same_domain

Bools = NDArray[np.bool_]


def score_samples(network: AnyNetwork, dataset: Dataset) -> FloatArray:
    """The pseudo-log-likelihood of every row: the sum over nodes of log theta, in nats; of an ordered network, or a
    mixture of them, the log-likelihood.

    Args:
        network: the network, or a mixture.
        dataset: the rows.

    Returns:
        [row].

    >>> score_samples(Network.from_joint([[0.5, 0.0], [0.0, 0.5]]), Dataset.from_codes([[0, 0], [0, 1]], [2, 2])).tolist()
    [0.0, -inf]
    """
    if isinstance(network, Mixture):
        return joined_logs(network, np.stack([score_samples(each, dataset) for each in network.components]))
    total = np.zeros(dataset.rows)
    for column in _columns(network, dataset):
        total += column
    return total


def node_scores(network: Network, dataset: Dataset) -> FloatArray:
    """The mean over rows (with their weights) of each node's log theta, in nats per row."""
    return np.array([mean_of_rows(column, dataset) for column in _columns(network, dataset)])


def mean_of_rows(values: FloatArray, dataset: Dataset) -> float:
    """The mean of a number of each row, rows counting by their weights."""
    if dataset.total == 0:
        return math.nan
    if dataset.weights is None:
        return float(values.mean())
    kept = dataset.weights > 0  # 0 times -inf is not a number
    return float(dataset.weights[kept] @ values[kept] / dataset.weights[kept].sum())


def score(network: AnyNetwork, dataset: Dataset) -> float:
    """The mean pseudo-log-likelihood of a row, in nats, rows counting by their weights; of an ordered network, or a
    mixture of them, the log-likelihood.

    Args:
        network: the network, or a mixture.
        dataset: the rows.

    Returns:
        Nats a row: higher is better.

    >>> from depnet import learn, titanic
    >>> round(score(learn(titanic(), smoothing=0.5, order="auto"), titanic()), 3)
    -2.346
    """
    if isinstance(network, Network):
        return float(node_scores(network, dataset).sum())
    return mean_of_rows(score_samples(network, dataset), dataset)


def _columns(network: Network, dataset: Dataset) -> Iterator[FloatArray]:
    check_same_domain("score", network.domain, dataset)
    for node in network.nodes:
        yield node.log_theta(dataset)


def log_pattern(network: AnyNetwork, hidden: Bools) -> FloatArray:
    """[row]: the log-probability of which cells are holes, in nats; of columns with a state for holes the law says it.

    A rate is that of the rows learned from, half a hole and half a known cell added. A column that had no holes then has
    none for sure, and one that comes later the rate of half a hole. Without counts nothing is known: 0.
    """
    counts = network.counts
    if counts is None:
        return np.zeros(len(hidden))
    rates, seen = counts.hole_rates, counts.holes > 0
    own = np.array([variable.missing is None for variable in network.domain.variables])
    gone = np.where(own, np.log(rates), 0.0)
    there = np.where(own & seen, np.log1p(-rates), 0.0)
    return np.asarray(there.sum() + hidden @ (gone - there))
