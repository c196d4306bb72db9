"""States of an ordered law: log-probabilities of rows, whole or in part, and the most probable completion of evidence."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.data.table.variable import Label
from depnet.errors import DataError, DomainTooLargeError, EvidenceError, ModelError
from depnet.inference.answer.question import TOLERANCE, Over
from depnet.inference.ordered.answer import log_evidence
from depnet.inference.ordered.levels import log_allowed
from depnet.law.elimination import most_probable_state
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network, checked_network
from depnet.model.score import score_samples

UNORDERED = (
    'an ordered network is needed, which has a density: learn one with learn(dataset, order="auto"). The law of a chain, '
    "where it is small, is depnet.stationary(network)."
)


@dataclass(frozen=True, slots=True, eq=False)
class LogProbability:
    """What `log_probability` found, a number for each row.

    Attributes:
        values: the log-probability of each row, in nats.
        standard_errors: of each; 0 where it is exact.

    >>> from depnet import learn, titanic
    >>> found = log_probability(learn(titanic(), order="auto"), {"sex": "female"})
    >>> np.exp(found.values).round(3).tolist(), found.standard_errors.tolist()
    ([0.214], [0.0])
    """

    values: FloatArray
    standard_errors: FloatArray


def log_probability(
    network: Network,
    rows: Dataset | Given | Evidence,
    *,
    tolerance: float = TOLERANCE,
    rng: np.random.Generator | None = None,
    stop: Over = bool,
) -> LogProbability:
    """The log-probability of every row of a dataset, or of evidence: a row of which only some cells are known.

    That of evidence is exact by elimination where it is small, else the mean weight of passes; where it cuts bins, the
    values within them count as they do in answers, by draws.

    Args:
        network: an ordered network.
        rows: a `Dataset`, or evidence, by name and label.
        tolerance: passes are drawn until the standard error is under this.
        rng: the generator of what is drawn; None: fresh entropy.
        stop: where it says True, passes end, and the answer is what there is by then.

    Returns:
        A `LogProbability`.

    >>> from depnet import learn, titanic
    >>> law = learn(titanic(), order="auto")
    >>> np.exp(log_probability(law, {"class": "Crew", "sex": "female"}).values).round(3).tolist()
    [0.01]
    """
    _check_ordered("log_probability", network)
    if isinstance(rows, Dataset):
        if rows.domain != network.domain:
            raise DataError("the rows have another domain than the network.")
        values = score_samples(network, rows)
        return LogProbability(values, np.zeros_like(values))
    known = Evidence.parse(network.domain, rows)
    value, error = log_evidence(network, known, tolerance, rng, stop)
    inside, own_error = log_allowed(network, known, tolerance, rng)
    return LogProbability(np.array([value + inside]), np.array([math.hypot(error, own_error)]))


@dataclass(frozen=True, slots=True, eq=False)
class MostProbable:
    """What `most_probable` found.

    Attributes:
        states: every variable's state.
        probability: of the state given the evidence.

    >>> from depnet import learn, titanic
    >>> found = most_probable(learn(titanic(), order="auto"))
    >>> list(found.states.values()), round(found.probability, 2)
    (['Crew', 'male', 'adult', 'No'], 0.3)
    """

    states: Mapping[str, Label]
    probability: float

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {state}" for name, state in self.states.items())
        return f"{shown}\nmost probable, probability {self.probability:.4g} given the evidence"


def most_probable(network: Network, evidence: Given | Evidence | None = None) -> MostProbable:
    """The most probable state of all variables, given `evidence` (one of equals).

    Args:
        network: an ordered network, small enough that its variables can be eliminated.
        evidence: what is known, by name and label.

    Returns:
        A `MostProbable`.

    >>> from depnet import learn, titanic
    >>> most_probable(learn(titanic(), order="auto"), {"sex": "female"}).states["survived"]
    'Yes'
    """
    domain = checked_network(network).domain
    _check_ordered("most_probable", network)
    known = Evidence.parse(domain, evidence)
    if len(known.clamped) == len(domain):
        raise EvidenceError("the evidence gives the state of every variable: nothing is left to complete.")
    found = most_probable_state(network, known)
    if found is None:
        raise DomainTooLargeError(
            "the law's variables depend on each other too much for its most probable state to be found by elimination. Give "
            "more evidence."
        )
    codes, log_share = found
    states = {v.name: v.states[codes[i]] for i, v in enumerate(domain.variables)}
    return MostProbable(states, math.exp(log_share))


def _check_ordered(who: str, network: Network) -> None:
    if network.order is None:
        raise ModelError(f"{who}: {UNORDERED}")
