"""Recurrent classes: the closed sets of joint states that a chain ends in, with one law each.

With positive tables there is one class, all states. Zeros in tables make some states transient (the
law gives them probability zero), or make several classes; then the chain's law depends on where it starts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.domain import Domain
from depnet.errors import ReducibleError
from depnet.exact.solve import random_laws, sequential_laws
from depnet.geometry.chain import FreeChain
from depnet.geometry.classes import SHOWN_STATES, closed_classes, described, in_order
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, checked_scan

SHOWN_CLASSES = 4


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
        return described(self.domain, self.states)


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
    """The law of the one recurrent class; several are a `ReducibleError`."""
    (law,) = class_laws(chain, network, scan, [only_class(chain, network, scan)])
    return law


def only_class(chain: FreeChain, network: Network, scan: Scan) -> IntArray | None:
    """The members of the one recurrent class (None: all); several are a `ReducibleError` that names them."""
    if chain.positive:
        return None
    classes = closed_classes(chain, network, scan)
    if len(classes) > 1:
        named = "; ".join(
            described(chain.domain, chain.codes(members[:SHOWN_STATES]), len(members))
            for members in classes[:SHOWN_CLASSES]
        )
        rest = f"; and {len(classes) - SHOWN_CLASSES:,} more" if len(classes) > SHOWN_CLASSES else ""
        raise ReducibleError(
            f"the chain has {len(classes):,} recurrent classes, so its law depends on where it starts: {named}{rest}. "
            "depnet.recurrent_classes gives the law of each; tables with smoothing > 0 have one class."
        )
    return classes[0]
