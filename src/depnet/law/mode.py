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
from depnet.data.table.dataset import Dataset
from depnet.errors import EvidenceError
from depnet.law.elimination import Elimination, network_plan
from depnet.law.factors import IMPOSSIBLE, certain
from depnet.law.program import law_of
from depnet.model.compiled import weights_of
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.score import score_samples

PASSES, PASS_CELLS = 1 << 14, 1 << 22
"""The passes that a search begins with; fewer where each has many variables."""
IMPROVED = 64
"""The number of the best passes that are improved."""
SWEEPS = 50
SLACK = 1e-9
"""A state that is better by less than this part is no better: sums of floats are not exact."""


def most_probable_state(network: Network, evidence: Evidence) -> tuple[IntArray, float] | None:
    """The codes of all variables where Q(x) w(x) is largest (one of equals), and log Q(x | evidence); None: too large."""
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

    The search ends early when `over()` says so, which is asked between moves.
    """
    law = law_of(network)
    done = law.passes(min(PASSES, PASS_CELLS // len(network)), evidence, seed=seed)
    if not np.isfinite(done.log_weights).any():
        raise EvidenceError(IMPOSSIBLE)
    possible: NDArray[np.unsignedinteger] = done.codes[np.isfinite(done.log_weights)]
    likely = np.unique(possible, axis=0)
    best = np.argsort(-_log_weights(network, evidence, likely), kind="stable")[:IMPROVED]
    codes, rows = np.asfortranarray(likely[best]), np.arange(len(best))
    free = [i for i in law.order if i not in evidence.clamped]
    for _ in range(SWEEPS):
        changed = False
        for i in [] if over() else free:
            given = law.conditionals(i, codes, evidence)
            better = given.max(axis=1) > given[rows, codes[:, i]] * (1 + SLACK)
            codes[better, i] = given.argmax(axis=1)[better]
            changed = (changed or bool(better.any())) and not over()
        if not changed:
            break
    return np.asarray(codes[int(_log_weights(network, evidence, codes).argmax())], dtype=np.int64)


def _log_weights(network: Network, evidence: Evidence, codes: NDArray[np.unsignedinteger]) -> FloatArray:
    """Log Q(x) w(x) of states."""
    found = score_samples(network, Dataset.from_codes(codes, domain=network.domain))
    with np.errstate(divide="ignore"):
        for i, weights in weights_of(evidence, network.domain.cardinalities).items():
            found = found + np.log(weights)[codes[:, i]]
    return found
