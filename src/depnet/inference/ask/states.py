"""Log-probabilities of rows, whole or in part: of an ordered law at any size, of a chain's law where it is small.

The most probable completion of evidence: the mode of an ordered law, or of a chain's law where that is small.

The mode of Q(. | x_C) is found by elimination with maxima where that is small (`depnet.law.mode`), else it is the best state
that a search found, and marked so. A chain's law that is too large to solve has no mode that could be searched for: its
tables do not say how probable a state is.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.checks import seconds_given
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Label
from depnet.errors import DataError, DomainTooLargeError, EvidenceError
from depnet.exact import stationary
from depnet.inference.answer.question import TOLERANCE
from depnet.inference.clamped.answer import exact_law, tilted
from depnet.inference.clamped.relevance import reduce
from depnet.inference.effort import Over, over_after
from depnet.inference.ordered.answer import log_evidence
from depnet.inference.ordered.levels import log_allowed
from depnet.law.factors import weighted
from depnet.law.mode import most_probable_state, searched_state
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network, checked_network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import score_samples
from depnet.sampling.words import new_seeds

EXACT_STATES = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class LogProbability:
    """What `log_probability` found, a number for each row.

    Attributes:
        values: the log-probability of each row, in nats.
        standard_errors: of each; 0 where it is exact.
        law: of which law: "Q" of an ordered network, "pi" of the random scan, or "centroid" of the sequential scan.
        scan: the scan of a chain's law; None of an ordered network's.

    >>> from depnet import Dataset, Network
    >>> found = log_probability(Network.from_joint([[0.4, 0.1], [0.2, 0.3]]), Dataset.from_codes([[0, 0]], [2, 2]))
    >>> found.law, np.exp(found.values).round(3).tolist(), found.standard_errors.tolist()
    ('pi', [0.4], [0.0])
    """

    values: FloatArray
    standard_errors: FloatArray
    law: str
    scan: Scan | None


def log_probability(
    network: Network,
    rows: Dataset | Given | Evidence,
    *,
    scan: Scan | None = None,
    tolerance: float = TOLERANCE,
    rng: np.random.Generator | None = None,
) -> LogProbability:
    """The log-probability of every row of a dataset, or of evidence: a row of which only some cells are known.

    An ordered network has a density at any size. That of evidence is exact by elimination where it is small, else the
    mean weight of passes; where it cuts bins, the values within them count as they do in answers, by draws. Of any other
    network it is that of the chain's law, on small domains.

    Args:
        network: the network.
        rows: a `Dataset`, or evidence, by name and label.
        scan: asks for the chain of the tables under this scan; None: the law of an ordered network, the random scan of
            any other.
        tolerance: passes are drawn until the standard error is under this.
        rng: the generator of what is drawn; None: fresh entropy.

    Returns:
        A `LogProbability`.

    >>> from depnet import Dataset, Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> np.exp(log_probability(network, Dataset.from_codes([[0, 0]], [2, 2])).values).round(3).tolist()
    [0.4]
    >>> np.exp(log_probability(network, {"X0": 0}).values).round(3).tolist()
    [0.5]
    """
    if isinstance(rows, Dataset) and rows.domain != network.domain:
        raise DataError("the rows have another domain than the network.")
    if network.order is not None and scan is None:
        if isinstance(rows, Dataset):
            values = score_samples(network, rows)
            return LogProbability(values, np.zeros_like(values), "Q", None)
        known = Evidence.parse(network.domain, rows)
        value, error = log_evidence(network, known, tolerance, rng)
        inside, own_error = log_allowed(network, known, tolerance, rng)
        both = np.array([math.hypot(error, own_error)])
        return LogProbability(np.array([value + inside]), both, "Q", None)
    chosen = checked_scan(RandomScan() if scan is None else scan)
    if network.domain.size > EXACT_STATES:
        raise DomainTooLargeError(
            f"the exact law over {len(network.domain)} variables has {network.domain.size:.3g} states, more than "
            f'{EXACT_STATES:,}. An ordered law has a density at any size (learn(dataset, order="auto")); the pseudo-log-'
            "likelihood is depnet.score."
        )
    law = stationary(network, chosen)
    with np.errstate(divide="ignore"):
        if isinstance(rows, Dataset):
            values = np.log(law[tuple(rows.codes.T.astype(np.int64))])
        else:
            known = Evidence.parse(network.domain, rows)
            values = np.log([weighted(law, known).sum()]) + known.log_share
    name = "pi" if isinstance(chosen, RandomScan) else "centroid"
    return LogProbability(values, np.zeros_like(values), name, chosen)


MODE_STATES = 1 << 16


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
    if reduced.size > MODE_STATES:
        raise DomainTooLargeError(
            f"the chain's law of the {len(free)} variables that are not known has {reduced.size:.3g} states; its most "
            f"probable one is found among at most {MODE_STATES:,}. Learn an ordered law, which finds it at any size "
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
