"""The most probable completion of evidence: the mode of the exact law, or the best state that was found.

Of an ordered network it is the mode of Q(. | x_C), by elimination with maxima where that is small (`depnet.law.mode`), else
the best state that a search found. Of any other it is that of the chain's law where that is small; else many chains are
annealed: they update from theta^beta with growing beta, and the state with the largest pseudo-likelihood, the sum over
nodes of log theta_i(x_i | y_i), is kept. It is a good state by another measure than pi, found by search, and marked so.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Label
from depnet.errors import EvidenceError
from depnet.inference.clamped.laid_out import start_laws
from depnet.inference.clamped.relevance import Reduced, reduce
from depnet.inference.clamped.solved import exact_law
from depnet.inference.clamped.tilt import tilted_rows
from depnet.law.mode import most_probable_state, searched_state
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import score_samples
from depnet.sampling.checks import checked_network
from depnet.sampling.plan.words import generator, new_seeds

EXACT_STATES = 1 << 16
CHAINS, SWEEPS, COLDEST, POLISHES = 64, 80, 12.0, 50


@dataclass(frozen=True, slots=True, eq=False)
class MostProbable:
    """`states` gives every variable its state. `method` is "exact", "searched" (of an ordered law) or "annealed".

    `probability` is that of the state given the evidence under the exact law, None where it was not found exactly;
    `pseudo_log_likelihood` sums log theta over the nodes that are not clamped, in nats; of an ordered law over all
    nodes: it is log Q(x). `scan` is None where the state is of an ordered law.
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
        if self.scan is None:
            return (
                f"{shown}\nthe most probable state that a search found ({self.pseudo_log_likelihood:.4g} nats); "
                "not proven to be the most probable"
            )
        return (
            f"{shown}\nthe best state by pseudo-likelihood ({self.pseudo_log_likelihood:.4g} nats) that annealing found; "
            "not proven to be the most probable"
        )


def most_probable(
    network: Network,
    evidence: Given | Evidence | None = None,
    *,
    scan: Scan | None = None,
    rng: np.random.Generator | None = None,
) -> MostProbable:
    """The most probable state of all variables, given `evidence` (one of equals).

    `scan` None is the law of an ordered network, and the random scan of any other.

    >>> from depnet import Network
    >>> most_probable(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), {"X0": 1}).states
    {'X0': 1, 'X1': 1}
    """
    domain = checked_network(network).domain
    known = Evidence.parse(domain, evidence)
    free = [i for i in range(len(domain)) if i not in known.clamped]
    if not free:
        raise EvidenceError("the evidence gives the state of every variable: nothing is left to complete.")
    if network.order is not None and scan is None:
        return _of_law(network, known, rng)
    scan = checked_scan(RandomScan() if scan is None else scan)
    rng = generator(rng)
    reduced = reduce(network, free, known, scan)
    codes = np.array([known.clamped.get(i, 0) for i in range(len(domain))], dtype=np.int64)
    probability = None
    if reduced.size <= EXACT_STATES:
        law = exact_law(reduced)
        best = np.array(np.unravel_index(int(law.argmax()), law.shape))
        probability = float(law.max())
    else:
        best = _annealed(reduced, rng)
    codes[list(reduced.variables)] = best
    states = _labels(domain, codes)
    score = float(_Tables(reduced).score(best[None].astype(np.uint16))[0])
    return MostProbable(states, "annealed" if probability is None else "exact", probability, score, scan)


def _of_law(network: Network, known: Evidence, rng: np.random.Generator | None) -> MostProbable:
    """The mode of Q(. | x_C), or the best state that a search found."""
    found = most_probable_state(network, known)
    codes = searched_state(network, known, new_seeds(rng, 1)[0]) if found is None else found[0]
    row = Dataset.from_codes(codes[None], domain=network.domain)
    return MostProbable(
        _labels(network.domain, codes),
        "searched" if found is None else "exact",
        None if found is None else math.exp(found[1]),
        float(score_samples(network, row)[0]),
        None,
    )


def _labels(domain: Domain, codes: IntArray) -> dict[str, Label]:
    return {v.name: v.states[codes[i]] for i, v in enumerate(domain.variables)}


class _Tables:
    """log theta of every node of a reduced network, tilted by its evidence."""

    def __init__(self, reduced: Reduced) -> None:
        self.network = reduced.network
        cards = reduced.network.domain.cardinalities
        self.logs: list[FloatArray] = []
        for node in reduced.network.nodes:
            rows, _ = tilted_rows(node, cards, reduced.evidence)
            with np.errstate(divide="ignore"):
                self.logs.append(np.log(rows))
        self.shapes = [tuple(cards[i] for i in node.variables) for node in reduced.network.nodes]

    def rows(self, number: int, codes: np.ndarray) -> FloatArray:
        """Log theta of every state of the node, in each chain."""
        return np.asarray(self.logs[number][self.network.nodes[number].source(codes)])

    def score(self, codes: np.ndarray) -> FloatArray:
        """The sum over nodes of log theta of the state, in each chain."""
        total = np.zeros(len(codes))
        for number, node in enumerate(self.network.nodes):
            at = np.ravel_multi_index(tuple(codes[:, i] for i in node.variables), self.shapes[number])
            total += self.rows(number, codes)[np.arange(len(codes)), at]
        return total

    def set(self, number: int, codes: np.ndarray, states: IntArray) -> None:
        """Write the drawn states of a node into the codes."""
        values = np.unravel_index(states, self.shapes[number])
        for i, column in zip(self.network.nodes[number].variables, values, strict=True):
            codes[:, i] = column


def _annealed(reduced: Reduced, rng: np.random.Generator) -> IntArray:
    network, evidence = reduced.network, reduced.evidence
    tables = _Tables(reduced)
    codes = np.zeros((CHAINS, len(network.domain)), dtype=np.uint16, order="F")
    for i, law in enumerate(start_laws(network, evidence)):
        codes[:, i] = evidence.clamped.get(i, rng.choice(len(law), size=CHAINS, p=law))
    best, best_score = codes[0].copy(), -math.inf

    def keep() -> None:
        nonlocal best, best_score
        scores = tables.score(codes)
        at = int(scores.argmax())
        if scores[at] > best_score:
            best, best_score = codes[at].copy(), float(scores[at])

    keep()
    for beta in np.geomspace(1.0, COLDEST, SWEEPS):
        for number in rng.permutation(len(network)):
            logs = tables.rows(number, codes)
            possible = np.isfinite(logs).any(axis=1)
            if possible.all():
                tables.set(number, codes, (beta * logs + rng.gumbel(size=logs.shape)).argmax(axis=1))
        keep()
    for _ in range(POLISHES):  # the coldest of all: every node to its own best state
        before = codes.copy()
        for number in range(len(network)):
            tables.set(number, codes, tables.rows(number, codes).argmax(axis=1))
        keep()
        if np.array_equal(before, codes):
            break
    return np.asarray(best, dtype=np.int64)
