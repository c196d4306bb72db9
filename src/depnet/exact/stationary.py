"""Stationary laws of pseudo-Gibbs sampling, and the path of laws that leads there (Sec. 2.2 and 3).

A scan of a network is a Markov chain on joint states. Node i's update moves the law of the chain by its
m-projection p -> p(X_-i) theta_i (Theorem 2). The random scan mixes them, p^(t+1) = sum of c_i p^t_i, and
has the law pi = sum of c_i pi_i. The sequential scan takes them in turn: its law goes round the cycle
pi^0 -> ... -> pi^(n-1) -> pi^0, whose centroid is the model distribution (Eq. ordered).

With positive tables there is one recurrent class, all states. Zeros in tables make some states transient (the law gives
them probability zero), or make several classes; then the chain's law depends on where it starts.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.variable import Domain
from depnet.errors import DataError, EvidenceError, ReducibleError, ScanError, whole_number
from depnet.exact.solve import random_laws, sequential_laws
from depnet.geometry.chain import FreeChain, closed_classes, describe_classes, describe_states, in_order
from depnet.geometry.joint import checked_joint
from depnet.geometry.size import check_dense
from depnet.law.elimination import joint_law
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


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentClass:
    """One recurrent class of a chain: states that it does not leave again, and their law.

    Under a sequential scan these are the states of the chain just before place 0 of the order is
    updated, X^0, X^n, X^2n, ..., and their law pi^0.

    Attributes:
        domain: the variables.
        states: the codes of its states, [state, variable], ascending.
        probabilities: of these states, under the law of the class.

    >>> from depnet import Network, RandomScan
    >>> first, second = recurrent_classes(Network.from_joint([[0.3, 0.0], [0.0, 0.7]]), RandomScan())
    >>> first.states.tolist(), first.law.tolist()
    ([[0, 0]], [[1.0, 0.0], [0.0, 0.0]])
    """

    domain: Domain
    states: IntArray
    probabilities: FloatArray

    @property
    def law(self) -> FloatArray:
        """The class's law as a tensor over the joint domain."""
        tensor = np.zeros(self.domain.cardinalities)
        tensor[tuple(self.states.T)] = self.probabilities
        return tensor

    def __str__(self) -> str:
        return describe_states(self.domain, self.states)


def recurrent_classes(
    network: Network, scan: Scan, evidence: Given | Evidence | None = None
) -> list[RecurrentClass]:
    """The recurrent classes of a scan of a network, in the order of their first states.

    For a sequential scan, those of the homogeneous chain at place 0: X^0, X^n, X^2n, ... (Sec. 2.2).

    Args:
        network: the network, small enough that its joint states can be written out.
        scan: a `RandomScan` or a `SequentialScan`.
        evidence: what is clamped, by name and label.

    Returns:
        A list of `RecurrentClass`; a chain whose tables have no zeros has one.

    >>> from depnet import Network, RandomScan
    >>> len(recurrent_classes(Network.from_joint([[0.3, 0.0], [0.0, 0.7]]), RandomScan()))
    2
    """
    scan = checked_scan(scan)
    chain = FreeChain.of(network, evidence)
    classes = closed_classes(chain, network, scan)
    laws = class_laws(chain, network, scan, classes)
    return [
        RecurrentClass(network.domain, chain.codes(members), law[members])
        for members, law in zip(classes, laws, strict=True)
    ]


def class_laws(
    chain: FreeChain, network: Network, scan: Scan, classes: Iterable[IntArray | None]
) -> Iterator[FloatArray]:
    """The law of each class, flat over the free domain: pi of a random scan, pi^0 of a sequential one."""
    if isinstance(scan, RandomScan):
        return random_laws(chain, scan.weights_of(len(network), chain.nodes), classes)
    return sequential_laws(chain, in_order(chain, network, scan), classes)


def only_law(chain: FreeChain, network: Network, scan: Scan) -> FloatArray:
    """The law of the one recurrent class; several are a `ReducibleError` that names them."""
    classes = [] if chain.positive else closed_classes(chain, network, scan)
    if len(classes) > 1:
        raise ReducibleError(
            f"{describe_classes(chain, classes)} depnet.recurrent_classes gives the law of each; tables with smoothing > 0 "
            "have one class."
        )
    (law,) = class_laws(chain, network, scan, classes or [None])  # all states
    return law


def law_path(
    network: Network,
    scan: Scan,
    start: ArrayLike,
    steps: int | None = None,
    evidence: Given | Evidence | None = None,
) -> Iterator[FloatArray]:
    r"""The laws p^0, p^1, ... of the chain started from `start`, one at a time.

    A sequential scan m-projects onto one node's manifold after another, in its order; a random scan mixes
    the m-projections, :math:`p^{t+1} = \sum_i c_i\, p^t_i` (Eq. p^(t+1)).

    Args:
        network: the network.
        scan: a `RandomScan` or a `SequentialScan`.
        start: a joint distribution over the whole domain, or one state (a code for each variable); it must agree with
            the evidence.
        steps: the path ends with p^steps; None: never.
        evidence: what is clamped, by name and label.

    Yields:
        Tensors over the joint domain.

    >>> from depnet import Network, SequentialScan
    >>> network = Network.from_joint([[0.1, 0.2], [0.3, 0.4]])
    >>> *_, last = law_path(network, SequentialScan(), (0, 0), steps=20)
    >>> last.round(6).tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    scan = checked_scan(scan)
    if steps is not None:
        steps = whole_number("steps", steps, at_least=0, error=DataError)
    chain = FreeChain.of(network, evidence)
    check_dense(network.domain.cardinalities, bytes_per_state=24, what="the law of the chain")
    p = chain.gather(_checked_start(network, start))
    if not math.isclose(float(p.sum()), 1.0, abs_tol=1e-9):
        raise EvidenceError(
            f"the start of a path must lie on the evidence; only {p.sum():.6g} of its probability does."
        )
    return _path(chain, _step(chain, network, scan), p / p.sum(), steps)


def _step(chain: FreeChain, network: Network, scan: Scan) -> Callable[[FloatArray, int], FloatArray]:
    """The map from p^t to p^(t+1)."""
    if not chain.nodes:
        return lambda p, _: p
    if isinstance(scan, RandomScan):
        weights = scan.weights_of(len(network), chain.nodes)
        return lambda p, _: chain.mix(weights, p)
    order = in_order(chain, network, scan)
    return lambda p, t: chain.updates[order[t % len(order)]].project(p)


def _path(
    chain: FreeChain, step: Callable[[FloatArray, int], FloatArray], p: FloatArray, steps: int | None
) -> Iterator[FloatArray]:
    for t in itertools.count():
        yield chain.spread(p)
        if t == steps:
            return
        p = step(p, t)


def _checked_start(network: Network, start: ArrayLike) -> FloatArray:
    cardinalities = network.domain.cardinalities
    if _is_state(start, cardinalities):
        state = tuple(int(x) for x in np.asarray(start))
        if not all(0 <= x < k for x, k in zip(state, cardinalities, strict=True)):
            raise DataError(
                f"a state has a code 0..k-1 for each of the cardinalities {cardinalities}; got {state}."
            )
        tensor = np.zeros(cardinalities)
        tensor[state] = 1.0
        return tensor
    law = checked_joint(start, "start")
    if law.shape != cardinalities:
        raise DataError(
            f"a path starts at a joint distribution of the shape {cardinalities}, or at a state of "
            f"{len(cardinalities)} codes; got the shape {law.shape}."
        )
    return law


def _is_state(start: ArrayLike, cardinalities: tuple[int, ...]) -> bool:
    try:
        codes = np.asarray(start)
    except ValueError:  # ragged: no joint either, as its check will say
        return False
    is_joint = codes.shape == cardinalities and codes.sum() == 1  # [1], where one variable has one state
    return codes.shape == (len(cardinalities),) and codes.dtype.kind in "ui" and not is_joint
