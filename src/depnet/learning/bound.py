"""Where Theorem 3 holds: does the chain of a network have one recurrent class, with all states of the data in it?

FC_lim(p) - FC(p || pi) is the mean over p of sum over i of c_i log(pi(x) / pi_i(x)), pi_i being pi after an update of node
i. By Jensen's inequality the sum is not negative wherever pi(x) = sum of c_i pi_i(x) > 0; so the bound needs pi > 0 on the
states of the data, and a law pi that does not depend on where the chain starts: one recurrent class with all states of the
data in it. Positive tables have one class, all states. With zeros, small joint domains are searched. Larger ones are given
a *hub*: where every node has a state of X_i that all its leaves allow, one sweep leads from anywhere to the joint state of
these, so that there is one class; a row's state is in it where the hub leads to it, one variable at a time. Both conditions
suffice; where they fail on a large domain, nothing is known.
"""

import math

import numpy as np

from depnet.arrays import CodeArray
from depnet.data.table.dataset import Dataset
from depnet.geometry.chain import FreeChain, closed_classes, in_words
from depnet.geometry.size import MAX_AXES
from depnet.learning import limits
from depnet.model.network import Network
from depnet.model.scan import RandomScan

REMEDY = "Smooth the tables: learn with a smoothing of 0.5, or network.smoothed(0.5)."


def why_no_bound(network: Network, rows: Dataset) -> str | None:
    """Why Theorem 3 gives no bound for the distribution of `rows` (distinct ones suffice); None where it does."""
    if all(node.positive for node in network.nodes):
        return None
    codes = rows.codes if rows.weights is None else rows.codes[rows.weights > 0]
    cardinalities = network.domain.cardinalities
    if math.prod(cardinalities) <= limits.SEARCHED_STATES and len(cardinalities) <= MAX_AXES:
        return _search_classes(network, codes)
    if hub_leads_to(network, codes):
        return None
    return (
        "not checked: tables have zeros, and the joint domain is too large to search for recurrent classes, of which "
        f"Theorem 3 needs one that has all states of the rows. {REMEDY}"
    )


def _search_classes(network: Network, codes: CodeArray) -> str | None:
    """Search the recurrent classes among all joint states for a reason."""
    domain, chain = network.domain, FreeChain.of(network)
    classes = closed_classes(chain, network, RandomScan())
    states = np.ravel_multi_index(tuple(codes.T.astype(np.int64)), domain.cardinalities)
    own = next((members for members in classes if states[0] in members), None)
    here = in_words(domain, codes[0])
    if own is None:
        return f"zeros in tables: the chain leaves {here} for good, a state that the rows have. {REMEDY}"
    missed = codes[~np.isin(states, own)]
    if len(missed):
        return (
            f"zeros in tables: from {here} the chain never comes to {in_words(domain, missed[0])}, and the rows have "
            f"both. {REMEDY}"
        )
    if len(classes) > 1:
        there = chain.codes(next(members for members in classes if members is not own)[:1])[0]
        return (
            f"zeros in tables: the chain has several recurrent classes, and its law depends on where it starts; from "
            f"{in_words(domain, there)} it never comes to a state of the rows. {REMEDY}"
        )
    return None


def hub_leads_to(network: Network, codes: CodeArray) -> bool:
    """There is a hub, and it leads to every one of these states, one variable at a time."""
    always = [node.always_possible for node in network.nodes]
    if not all(states.any() for states in always):
        return False
    now = np.empty_like(codes, order="F")
    now[:] = [int(states.argmax()) for states in always]  # one node for each variable, in order
    wanted = codes
    while len(now):
        changed = False
        for node in network.nodes:
            i = node.variable
            open_ = np.flatnonzero(now[:, i] != wanted[:, i])
            if len(open_) == 0:
                continue
            theta = node.probabilities(now[open_])
            can = open_[theta[np.arange(len(open_)), wanted[open_, i]] > 0]
            now[can, i] = wanted[can, i]
            changed = changed or len(can) > 0
        left = (now != wanted).any(axis=1)
        if left.any() and not changed:
            return False
        now, wanted = np.asfortranarray(now[left]), wanted[left]
    return True
