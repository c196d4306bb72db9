r"""The most probable state of an ordered law given evidence: arg max over x of Q(x) w(x).

Elimination finds it as it finds sums, with a maximum in the place of each sum:

.. math:: m_v(s) = \max_{x_v} \prod_{f \ni v} f(x_v, s),

and going back from the last variable each takes the state that was best beside those already taken. Where clusters are too
large for that, the best of many weighted passes are improved one variable at a time, each to its best state given all
others, until nothing changes: a good state, found by search.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.law.elimination import Elimination, network_plan
from depnet.law.factors import IMPOSSIBLE, certain
from depnet.law.program import law_of
from depnet.model.compiled import weights_of
from depnet.model.evidence import Evidence
from depnet.model.network import Network

PASSES, PASS_CELLS = 1 << 14, 1 << 22
"""The passes that a search begins with; fewer where each has many variables."""
IMPROVED = 64
"""The number of the best passes that are improved."""
SWEEPS = 50


def most_probable_state(network: Network, evidence: Evidence) -> tuple[IntArray, float] | None:
    """The codes of all variables where Q(x) w(x) is largest (one of equals), and log Q(x | evidence); None: too large.

    >>> import math
    >>> from depnet import Dataset, learn
    >>> law = learn(Dataset.from_codes([[0, 0], [1, 1], [1, 1]], [2, 2]), order="auto", penalty="none")
    >>> codes, log_probability = most_probable_state(law, Evidence({}, {}))
    >>> codes.tolist(), round(math.exp(log_probability), 3)
    ([1, 1], 0.667)
    """
    assert network.order is not None
    plan = network_plan(network, network.order, evidence)
    if plan is None:
        return None
    best = Elimination.of(network, network.order, evidence, plan, largest=True)
    codes: IntArray = np.zeros(len(network), dtype=np.int64)
    for i, code in certain(network, evidence).items():
        codes[i] = code
    for k in reversed(range(len(plan.clusters))):
        first, *others = plan.clusters[k]
        codes[first] = best.products[k][(slice(None), *(codes[j] for j in others))].argmax()
    total = Elimination.of(network, network.order, evidence, plan).log_total
    return codes, best.log_total - total


def searched_state(
    network: Network, evidence: Evidence, seed: int, over: Callable[[], bool] = lambda: False
) -> IntArray:
    """A state of large Q(x) w(x): the best of many passes, each variable moved to its best until nothing changes.

    The search ends early when `over()` says so, which is asked before each move.
    """
    law = law_of(network)
    done = law.passes(min(PASSES, PASS_CELLS // len(network)), evidence, seed=seed)
    if not np.isfinite(done.log_weights).any():
        raise EvidenceError(IMPOSSIBLE)
    search = _Search(network, evidence)
    possible: NDArray[np.unsignedinteger] = done.codes[np.isfinite(done.log_weights)]
    likely = np.unique(possible, axis=0)
    best = np.argsort(-search.score(np.asfortranarray(likely)), kind="stable")[:IMPROVED]
    codes = np.asfortranarray(likely[best])
    free = [i for i in law.order if i not in evidence.clamped]
    for _ in range(SWEEPS):
        changed = [not over() and search.improve(i, codes) for i in free]
        if not any(changed):
            break
    return np.asarray(codes[int(search.score(codes).argmax())], dtype=np.int64)


class _Search:
    """log Q(x) w(x) of states, and each variable's best state given all others."""

    def __init__(self, network: Network, evidence: Evidence) -> None:
        self._network = network
        with np.errstate(divide="ignore"):
            self._weights = {
                i: np.log(w) for i, w in weights_of(evidence, network.domain.cardinalities).items()
            }
        self._readers: list[list[int]] = [[i] for i in range(len(network))]
        for node in network.nodes:
            for j in node.inputs:
                self._readers[j].append(node.variable)

    def _logs(self, i: int, codes: NDArray[np.unsignedinteger]) -> FloatArray:
        """Log theta_i, and log w_i where something is known of X_i."""
        theta = self._network.nodes[i].own_probabilities(codes)
        with np.errstate(divide="ignore"):
            logs = np.log(theta)
        return np.asarray(logs + self._weights[i][codes[:, i]] if i in self._weights else logs)

    def score(self, codes: NDArray[np.unsignedinteger]) -> FloatArray:
        """The log of Q(x) w(x) of each state."""
        return np.asarray(np.sum([self._logs(i, codes) for i in range(len(self._network))], axis=0))

    def improve(self, i: int, codes: NDArray[np.unsignedinteger]) -> bool:
        """X_i of every state to its best given the others; did any change?"""
        before = codes[:, i].copy()
        each = []
        for x in range(self._network.domain.cardinalities[i]):
            codes[:, i] = x
            each.append(np.sum([self._logs(j, codes) for j in self._readers[i]], axis=0))
        table = np.stack(each)
        better = table.max(axis=0) > table[before, np.arange(len(codes))]
        codes[:, i] = np.where(better, table.argmax(axis=0), before)
        return bool(better.any())
