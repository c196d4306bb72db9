"""The search for recurrent classes: the closed sets of joint states that a chain ends in.

They are the strongly connected components that nothing leaves, in the graph of what updates lead to: the support of the
tables. Numbers play no part, nor do the weights c_i: they are positive.
"""

import numpy as np

from depnet.arrays import CodeArray, IntArray
from depnet.data.table.domain import Domain
from depnet.errors import EvidenceError, brief
from depnet.geometry.chain import FreeChain, Update
from depnet.geometry.size import check_dense
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, SequentialScan

BYTES_PER_EDGE = 40
"""Of the search for classes; under a sequential scan there is a vertex for each state at each place of the order."""

SHOWN_STATES = 3


def in_order(chain: FreeChain, network: Network, scan: SequentialScan) -> tuple[int, ...]:
    """The updates in the order of a sequential scan."""
    of = {node: u for u, node in enumerate(chain.nodes)}
    return tuple(of[node] for node in scan.order_of(len(network), chain.nodes))


def closed_classes(chain: FreeChain, network: Network, scan: Scan) -> list[IntArray]:
    """The members of each class; a class that keeps meeting impossible evidence is an `EvidenceError`."""
    if chain.positive:
        return [np.arange(chain.size)]
    from scipy.sparse import coo_array  # takes longer to import than most classes to find
    from scipy.sparse.csgraph import connected_components

    if isinstance(scan, RandomScan):
        order, places = tuple(range(len(chain.nodes))), 1
    else:  # a vertex is a state before a place's update, and leads to the next place
        order = in_order(chain, network, scan)
        places = len(order)
    check_dense(
        chain.shape,
        bytes_per_state=BYTES_PER_EDGE * sum(chain.states),
        what="the search for recurrent classes",
    )
    edges = [_edges(chain.updates[u]) for u in order]
    source = np.concatenate([at % places * chain.size + x for at, (x, _) in enumerate(edges)])
    target = np.concatenate([(at + 1) % places * chain.size + x for at, (_, x) in enumerate(edges)])
    vertices = places * chain.size
    graph = coo_array((np.ones(len(source), dtype=np.bool_), (source, target)), shape=(vertices, vertices))
    components, label = connected_components(graph, connection="strong")
    closed = np.ones(components, dtype=np.bool_)
    closed[label[source[label[source] != label[target]]]] = False
    recurrent = closed[label].reshape(places, chain.size)
    for at, u in enumerate(order):
        update = chain.updates[u]
        if update.stays is None:
            continue
        impossible = np.broadcast_to(update.stays, update.theta.shape).reshape(-1)
        if (met := np.flatnonzero(recurrent[at % places] & impossible)).size:
            context = in_words(chain.domain, chain.codes(met[:1])[0])
            raise EvidenceError(
                f"the evidence is impossible for node {chain.nodes[u]}: it leaves no probability to any allowed state "
                f"where {context}, and the chain keeps coming back there. Relearn with smoothing > 0, or allow more states."
            )
    members = np.flatnonzero(recurrent[0])
    classes = label[members]
    by_class = members[np.argsort(classes, kind="stable")]
    ends = np.flatnonzero(np.diff(np.sort(classes))) + 1
    return sorted(np.split(by_class, ends), key=lambda states: int(states[0]))


def _edges(update: Update) -> tuple[IntArray, IntArray]:
    """From every state to those that the update may lead to."""
    before, k, behind = update.theta.shape
    state = np.arange(update.theta.size).reshape(update.theta.shape)
    leads = np.broadcast_to((update.theta > 0)[:, None], (before, k, k, behind))
    if update.stays is not None:
        leads = leads | (update.stays[:, None] & np.eye(k, dtype=np.bool_)[:, :, None])
    source, target = (
        np.broadcast_to(state[:, :, None], leads.shape),
        np.broadcast_to(state[:, None], leads.shape),
    )
    return source[leads], target[leads]


def described(domain: Domain, codes: IntArray, count: int | None = None) -> str:
    """Some of a class's states, and their number."""
    count = len(codes) if count is None else count
    some = ", ".join(in_words(domain, row) for row in codes[:SHOWN_STATES])
    return f"{{{some}{', ...' if count > SHOWN_STATES else ''}}} of {count:,} state{'s' if count > 1 else ''}"


def in_words(domain: Domain, row: IntArray | CodeArray, shown: int = 12) -> str:
    """A joint state, by names and labels."""
    parts = [
        f"{v.name}={brief(v.states[c], 40)}" for v, c in zip(domain.variables[:shown], row, strict=False)
    ]
    return f"({', '.join(parts)}{', ...' if len(domain) > shown else ''})"
