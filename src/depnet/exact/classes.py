"""Recurrent classes: the closed sets of joint states that a chain ends in, with one law each.

With positive tables there is one class, all states. Zeros in tables make some states transient (the
law gives them probability zero), or make several classes; then the chain's law depends on where it starts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.domain import Domain
from depnet.errors import EvidenceError, ReducibleError
from depnet.exact.free import FreeChain
from depnet.exact.solve import random_laws, sequential_laws
from depnet.geometry.size import check_dense
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, SequentialScan, checked_scan

BYTES_PER_VERTEX = 48
"""Of the search for classes; under a sequential scan a vertex is a state at a place of the order."""

SHOWN_CLASSES, SHOWN_STATES = 4, 3


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentClass:
    """One recurrent class: the codes of its `states` [m, n], ascending, and their `probabilities` [m].

    Under a sequential scan these are the states of the chain just before place 0 of the order is
    updated, X^0, X^n, X^2n, ..., and their law pi^0.
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
        return _described(self.domain, self.states)


def recurrent_classes(
    network: Network, scan: Scan, evidence: Given | Evidence | None = None
) -> list[RecurrentClass]:
    """The recurrent classes of a scan of a network, in the order of their first states.

    For a sequential scan, those of the homogeneous chain at place 0: X^0, X^n, X^2n, ... (Sec. 2.2).
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


def in_order(chain: FreeChain, network: Network, scan: SequentialScan) -> tuple[int, ...]:
    """The updates in the order of a sequential scan."""
    of = {node: u for u, node in enumerate(chain.nodes)}
    return tuple(of[node] for node in scan.order_of(len(network), chain.nodes))


def only_class(chain: FreeChain, network: Network, scan: Scan) -> IntArray | None:
    """The members of the one recurrent class (None: all); several are a `ReducibleError` that names them."""
    if chain.positive:
        return None
    classes = closed_classes(chain, network, scan)
    if len(classes) > 1:
        named = "; ".join(
            _described(chain.domain, chain.codes(members[:SHOWN_STATES]), len(members))
            for members in classes[:SHOWN_CLASSES]
        )
        rest = f"; and {len(classes) - SHOWN_CLASSES:,} more" if len(classes) > SHOWN_CLASSES else ""
        raise ReducibleError(
            f"the chain has {len(classes):,} recurrent classes, so its law depends on where it starts: {named}{rest}. "
            "depnet.recurrent_classes gives the law of each; tables with smoothing > 0 have one class."
        )
    return classes[0]


def closed_classes(chain: FreeChain, network: Network, scan: Scan) -> list[IntArray]:
    """The members of each class; a class that keeps meeting impossible evidence is an `EvidenceError`."""
    if chain.positive:
        return [np.arange(chain.size)]
    if isinstance(scan, RandomScan):
        label, update, state = chain.native.random_classes()
    else:
        check_dense(
            chain.shape,
            bytes_per_state=BYTES_PER_VERTEX * len(chain.nodes),
            what="the search for recurrent classes under a sequential scan",
        )
        label, update, state = chain.native.sequential_classes(in_order(chain, network, scan))
    if update >= 0:
        context = _state(chain.domain, chain.codes(np.array([state]))[0])
        raise EvidenceError(
            f"the evidence is impossible for node {chain.nodes[update]}: it leaves no probability to any allowed state "
            f"where {context}, and the chain keeps coming back there. Relearn with smoothing > 0, or allow more states."
        )
    recurrent = np.flatnonzero(label >= 0)
    by_class = recurrent[np.argsort(label[recurrent], kind="stable")]
    ends = np.cumsum(np.bincount(label[recurrent]))
    return sorted(np.split(by_class, ends[:-1]), key=lambda members: int(members[0]))


def _described(domain: Domain, codes: IntArray, count: int | None = None) -> str:
    count = len(codes) if count is None else count
    some = ", ".join(f"({_state(domain, row)})" for row in codes[:SHOWN_STATES])
    return f"{{{some}{', ...' if count > SHOWN_STATES else ''}}} of {count:,} state{'s' if count > 1 else ''}"


def _state(domain: Domain, row: IntArray, shown: int = 12) -> str:
    parts = [f"{v.name}={v.states[c]!r}" for v, c in zip(domain.variables, row, strict=True)]
    return ", ".join(parts[:shown]) + (", ..." if len(parts) > shown else "")
