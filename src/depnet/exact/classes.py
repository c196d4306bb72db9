"""Recurrent classes: the closed sets of joint states that a chain ends in, with one law each.

With positive tables there is one class, all states. Zeros in tables make some states transient (the
law gives them probability zero), or make several classes; then the chain's law depends on where it starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from depnet.arrays import FloatArray, IntArray
from depnet.data.domain import Domain
from depnet.errors import EvidenceError, ReducibleError
from depnet.exact.free import FreeChain, Update
from depnet.exact.solve import random_law, sequential_law
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, SequentialScan, checked_scan

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
    chain = FreeChain.of(network, evidence)
    found = []
    for members in closed_classes(chain, network, scan):
        law = class_law(chain, network, scan, members)
        found.append(RecurrentClass(network.domain, chain.codes(members), law[members]))
    return found


def class_law(chain: FreeChain, network: Network, scan: Scan, members: IntArray) -> FloatArray:
    """The law of one class, flat over the free domain: pi of a random scan, pi^0 of a sequential one."""
    free = [update.node for update in chain.updates]
    if isinstance(scan, RandomScan):
        return random_law(chain, scan.weights_of(len(network), free), members)
    return sequential_law(chain, in_order(chain, network, scan), members)


def in_order(chain: FreeChain, network: Network, scan: SequentialScan) -> tuple[Update, ...]:
    """The updates in the order of a sequential scan."""
    of = {update.node: update for update in chain.updates}
    return tuple(of[number] for number in scan.order_of(len(network), list(of)))


def only_class(chain: FreeChain, network: Network, scan: Scan) -> IntArray:
    """The members of the one recurrent class; several are a `ReducibleError` that names them."""
    classes = closed_classes(chain, network, scan)
    if len(classes) > 1:
        named = "; ".join(
            _described(chain.domain, chain.codes(members[: SHOWN_STATES + 1]), len(members))
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
    scan = checked_scan(scan)
    if isinstance(scan, RandomScan):
        scan.weights_of(len(network), [update.node for update in chain.updates])
        steps = sum((_moves(update, chain.shape) for update in chain.updates), start=_identity(chain.size))
    else:
        steps = _identity(chain.size)
        for update in in_order(chain, network, scan):
            steps = steps @ _moves(update, chain.shape)
    number, label = connected_components(steps, connection="strong")
    leaving = np.zeros(number, dtype=bool)
    rows, columns = steps.nonzero()
    leaving[label[rows][label[rows] != label[columns]]] = True
    classes = [np.flatnonzero(label == c) for c in np.flatnonzero(~leaving)]
    classes.sort(key=lambda members: int(members[0]))
    for update in chain.updates:
        _check_possible(chain, update, classes)
    return classes


def _contexts(update: Update, shape: tuple[int, ...]) -> IntArray:
    """The states of the free domain as [context, state of the node's axes]."""
    others = [a for a in range(len(shape)) if a not in update.axes]
    states = np.arange(int(np.prod(shape))).reshape(shape)
    return states.transpose([*others, *update.axes]).reshape(len(update.leaves), -1)


def _identity(size: int) -> csr_array:
    return (
        csr_array(np.ones(size) * np.eye(1))
        if size == 1
        else csr_array((np.ones(size), (range(size), range(size))))
    )


def _moves(update: Update, shape: tuple[int, ...]) -> csr_array:
    states = _contexts(update, shape)
    theta = update.theta[update.leaves]
    theta[update.impossible[update.leaves]] = 0
    context, target = np.nonzero(theta)
    k = states.shape[1]
    source = states[context].reshape(-1)
    goal = np.repeat(states[context, target], k)
    return csr_array((np.ones(len(source)), (source, goal)), shape=(states.size, states.size))


def _check_possible(chain: FreeChain, update: Update, classes: Sequence[IntArray]) -> None:
    if not update.impossible.any():
        return
    stuck = np.zeros(chain.size, dtype=bool)
    stuck[_contexts(update, chain.shape)[update.impossible[update.leaves]]] = True
    for members in classes:
        if stuck[members].any():
            state = members[stuck[members]][:1]
            raise EvidenceError(
                f"the evidence is impossible for node {update.node}: it leaves no probability to any allowed state "
                f"in a context that the chain keeps meeting, {_state(chain.domain, chain.codes(state)[0])}. "
                "Relearn with smoothing > 0, or allow more states."
            )


def _described(domain: Domain, codes: IntArray, count: int | None = None) -> str:
    count = len(codes) if count is None else count
    some = ", ".join(f"({_state(domain, row)})" for row in codes[:SHOWN_STATES])
    return f"{{{some}{', ...' if count > SHOWN_STATES else ''}}} of {count:,} states"


def _state(domain: Domain, row: IntArray, shown: int = 12) -> str:
    parts = [f"{v.name}={v.states[c]!r}" for v, c in zip(domain.variables, row, strict=True)]
    return ", ".join(parts[:shown]) + (", ..." if len(parts) > shown else "")
