"""The most probable completion of evidence: the mode of an ordered law, or of a chain's law where that is small.

The mode of Q(. | x_C) is found by elimination with maxima where that is small (`depnet.law.mode`), else it is the best state
that a search found, and marked so. A chain's law that is too large to solve has no mode that could be searched for: its
tables do not say how probable a state is.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from depnet.checks import seconds_given
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Label
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.clamped.relevance import reduce
from depnet.inference.clamped.solved import exact_law, tilted
from depnet.inference.effort import Over, over_after
from depnet.law.mode import most_probable_state, searched_state
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network, checked_network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import score_samples
from depnet.sampling.words import new_seeds

EXACT_STATES = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class MostProbable:
    """What `most_probable` found.

    Attributes:
        states: every variable's state.
        method: "exact", or "searched" (of a large ordered law).
        probability: of the state given the evidence under the exact law; None where it was not found exactly.
        pseudo_log_likelihood: the sum of log theta over the nodes that are not clamped, in nats; of an ordered law over
            all nodes: it is log Q(x).
        scan: None where the state is of an ordered law.

    >>> from depnet import Network
    >>> found = most_probable(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])))
    >>> found.states, found.method, round(found.probability, 3)
    ({'X0': 0, 'X1': 0}, 'exact', 0.4)
    """

    states: Mapping[str, Label]
    method: str
    probability: float | None
    pseudo_log_likelihood: float
    scan: Scan | None

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {state}" for name, state in self.states.items())
        if self.probability is not None:
            return f"{shown}\nmost probable, probability {self.probability:.4g} given the evidence"
        return (
            f"{shown}\nthe most probable state that a search found ({self.pseudo_log_likelihood:.4g} nats); "
            "not proven to be the most probable"
        )


def most_probable(
    network: Network,
    evidence: Given | Evidence | None = None,
    *,
    scan: Scan | None = None,
    max_seconds: float | None = None,
    rng: np.random.Generator | None = None,
    stop: Over | None = None,
) -> MostProbable:
    """The most probable state of all variables, given `evidence` (one of equals).

    Args:
        network: the network. One without an order must be small enough that its law can be solved exactly.
        evidence: what is known, by name and label.
        scan: asks for the chain of the tables under this scan; None: the law of an ordered network, the random scan of
            any other.
        max_seconds: of a search, where an ordered law is too large to be sure; None: until nothing is better nearby.
        rng: the generator of a search; None: fresh entropy.
        stop: a search ends early when it returns True.

    Returns:
        A `MostProbable`.

    >>> from depnet import Network
    >>> most_probable(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), {"X0": 1}).states
    {'X0': 1, 'X1': 1}
    """
    domain = checked_network(network).domain
    known = Evidence.parse(domain, evidence)
    if len(known.clamped) == len(domain):
        raise EvidenceError("the evidence gives the state of every variable: nothing is left to complete.")
    if network.order is not None and scan is None:
        found = most_probable_state(network, known)
        over = over_after(seconds_given(max_seconds), stop)
        codes = searched_state(network, known, new_seeds(rng, 1)[0], over) if found is None else found[0]
        probability = None if found is None else math.exp(found[1])
        score = float(score_samples(network, Dataset.from_codes(codes[None], domain=domain))[0])
    else:
        scan = checked_scan(RandomScan() if scan is None else scan)
        codes, probability, score = _of_chain(network, known, scan)
    states = {v.name: v.states[codes[i]] for i, v in enumerate(domain.variables)}
    return MostProbable(states, "searched" if probability is None else "exact", probability, score, scan)


def _of_chain(network: Network, known: Evidence, scan: Scan) -> tuple[np.ndarray, float, float]:
    """The mode of the chain's exact law, its probability, and the sum of log theta over the free nodes."""
    free = known.free_nodes(network)
    reduced = reduce(network, free, known, scan)
    if reduced.size > EXACT_STATES:
        raise DomainTooLargeError(
            f"the chain's law of the {len(free)} variables that are not known has {reduced.size:.3g} states; its most "
            f"probable one is found among at most {EXACT_STATES:,}. Learn an ordered law, which finds it at any size "
            '(learn(dataset, order="auto")), or give more evidence.'
        )
    law = exact_law(reduced)
    best = np.array(np.unravel_index(int(law.argmax()), law.shape), dtype=np.uint16)
    score = 0.0
    for i, node in enumerate(reduced.network.nodes):
        theta = tilted(node.probabilities(best[None]), reduced.evidence.tilts.get(i))
        with np.errstate(divide="ignore"):
            score += float(np.log(theta[0, best[i]]))
    codes = np.array([known.clamped.get(i, 0) for i in range(len(network))], dtype=np.int64)
    codes[list(reduced.variables)] = best
    return codes, float(law.max()), score
