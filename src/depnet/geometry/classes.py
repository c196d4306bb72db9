"""The search for recurrent classes: the closed sets of joint states that a chain ends in.

The native search finds the strongly connected components that nothing leaves, in the graph of what updates lead to: the
support of the tables. Numbers play no part, nor do the weights c_i: they are positive.
"""

import numpy as np

from depnet.arrays import IntArray
from depnet.data.table.domain import Domain
from depnet.errors import EvidenceError
from depnet.geometry.chain import FreeChain
from depnet.geometry.size import check_dense
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, SequentialScan

BYTES_PER_VERTEX = 48
"""Of the search for classes; under a sequential scan a vertex is a state at a place of the order."""

SHOWN_STATES = 3


def in_order(chain: FreeChain, network: Network, scan: SequentialScan) -> tuple[int, ...]:
    """The updates in the order of a sequential scan."""
    of = {node: u for u, node in enumerate(chain.nodes)}
    return tuple(of[node] for node in scan.order_of(len(network), chain.nodes))


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


def described(domain: Domain, codes: IntArray, count: int | None = None) -> str:
    """Some of a class's states, and their number."""
    count = len(codes) if count is None else count
    some = ", ".join(f"({_state(domain, row)})" for row in codes[:SHOWN_STATES])
    return f"{{{some}{', ...' if count > SHOWN_STATES else ''}}} of {count:,} state{'s' if count > 1 else ''}"


def _state(domain: Domain, row: IntArray, shown: int = 12) -> str:
    parts = [f"{v.name}={v.states[c]!r}" for v, c in zip(domain.variables, row, strict=True)]
    return ", ".join(parts[:shown]) + (", ..." if len(parts) > shown else "")
