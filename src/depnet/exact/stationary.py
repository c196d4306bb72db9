"""Stationary laws of pseudo-Gibbs sampling (Sec. 2.2 and 3).

A scan of a network is a Markov chain on joint states. Node i's update moves the law of the chain by its
m-projection p -> p(X_-i) theta_i (Theorem 2). The random scan mixes them, p^(t+1) = sum of c_i p^t_i, and
has the law pi = sum of c_i pi_i. The sequential scan takes them in turn: its law goes round the cycle
pi^0 -> ... -> pi^(n-1) -> pi^0, whose centroid is the model distribution (Eq. ordered).
"""

from collections.abc import Iterator

import numpy as np

from depnet.arrays import FloatArray
from depnet.errors import ScanError
from depnet.exact.classes import only_law
from depnet.geometry.chain import FreeChain
from depnet.geometry.classes import in_order
from depnet.geometry.size import check_dense
from depnet.law.factors import joint_law
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, SequentialScan, checked_scan


def stationary(
    network: Network, scan: Scan | None = None, evidence: Given | Evidence | None = None
) -> FloatArray:
    r"""The law as a tensor over the joint domain, zero off the evidence.

    Without a `scan` it is an ordered network's law Q (with evidence Q(. | x_C)), any other's under the random scan. With
    a scan it is the stationary law of the chain of the tables, clamped where there is evidence:

    .. math:: \pi = \sum_i c_i\, \pi(X_{-i})\, \theta_i(X_i \mid X_{-i})

    under a random scan, and the centroid of the cycle :math:`(\pi^0 + \cdots + \pi^{n-1}) / n` (Eq. ordered)
    under a sequential scan. With evidence, of the nodes that are not clamped.

    ||pi K - pi|| is at most 1e-12 in the L1 norm, K being a step of the random scan or a sweep of the
    sequential one. Where a sweep leaves some part of the states with a probability that is not much larger, the
    shares of such parts are not resolved under a sequential scan; under a random scan they are.

    Args:
        network: the network, small enough that its joint states can be written out.
        scan: a `RandomScan` or a `SequentialScan`; None: see above.
        evidence: what is known, by name and label.

    Returns:
        A float64 tensor, axis i being variable i, whose sum is 1.

    >>> from depnet import Network, RandomScan
    >>> stationary(Network.from_joint([[0.1, 0.2], [0.3, 0.4]]), RandomScan()).round(6).tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    if scan is None and network.order is not None:
        check_dense(network.domain.cardinalities, bytes_per_state=16, what="the law")
        return joint_law(network, Evidence.parse(network.domain, evidence))
    scan = checked_scan(RandomScan() if scan is None else scan)
    chain = FreeChain.of(network, evidence)
    check_dense(network.domain.cardinalities, bytes_per_state=16, what="the stationary law")
    return chain.spread(free_law(chain, network, scan))


def free_law(chain: FreeChain, network: Network, scan: Scan) -> FloatArray:
    """The stationary law of the one recurrent class, flat over the free domain."""
    if isinstance(scan, RandomScan) or not chain.nodes:
        return only_law(chain, network, scan)
    centroid = np.zeros(chain.size)
    for law in free_cycle(chain, network, scan):
        centroid += law
    return np.asarray(centroid / centroid.sum())


def free_cycle(chain: FreeChain, network: Network, scan: SequentialScan) -> Iterator[FloatArray]:
    """pi^0, pi^1, ... of the one recurrent class, flat over the free domain."""
    law = only_law(chain, network, scan)
    for update in in_order(chain, network, scan):
        yield law
        law = chain.updates[update].project(law)


def stationary_cycle(
    network: Network, scan: SequentialScan, evidence: Given | Evidence | None = None
) -> tuple[FloatArray, ...]:
    """The cycle pi^0, pi^1, ... of a sequential scan (Sec. 2.2), tensors over the joint domain.

    pi^i is the law just before the i-th place of the order is updated; with evidence, of the order of the
    nodes that are not clamped (none, if all are). Each is the m-projection of the one before.

    Args:
        network: the network, small enough that its joint states can be written out.
        scan: the sequential scan.
        evidence: what is clamped, by name and label.

    Returns:
        One tensor for each place of the order.

    >>> from depnet import Network, SequentialScan
    >>> first, second = stationary_cycle(Network.from_joint([[0.1, 0.2], [0.3, 0.4]]), SequentialScan())
    >>> first.round(6).tolist()  # its tables belong to one joint: the cycle stands still
    [[0.1, 0.2], [0.3, 0.4]]
    """
    if not isinstance(scan, SequentialScan):
        raise ScanError(
            f"a stationary cycle belongs to a sequential scan; got {scan!r}. Use depnet.stationary."
        )
    chain = FreeChain.of(network, evidence)
    order = in_order(chain, network, scan)
    check_dense(
        network.domain.cardinalities, bytes_per_state=8 * (len(order) + 1), what="the stationary cycle"
    )
    return tuple(chain.spread(law) for law in free_cycle(chain, network, scan))
