"""Queries: what is likely, given what is known (Sec. 5). An ordered network answers by its law; of any other the evidence
is clamped.

An ordered law has log-probabilities of rows, whole or in part, and a most probable completion of evidence.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from depnet.arrays import FloatArray, generator
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Label
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.answer.question import TOLERANCE, Method, Over, Question, checked_ordered
from depnet.inference.answer.result import QueryResult
from depnet.inference.ask.intervene import answer_do, intervene
from depnet.inference.clamped.answer import clamped_answer
from depnet.inference.ordered.answer import of_law
from depnet.inference.ordered.events import log_known, of_event
from depnet.law.elimination import most_probable_state
from depnet.model.evidence import Evidence, Given
from depnet.model.given_text import read_given
from depnet.model.mixture import AnyNetwork, Mixture
from depnet.model.network import Network, checked_network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import score_samples

MOST_ROUNDS, FINER = 3, 0.8
"""How often a condition is asked again whose error is above the tolerance, and how much smaller errors of its states are
asked for than would just do: errors are estimates themselves."""


def query(
    network: AnyNetwork,
    targets: str | Sequence[str],
    evidence: Given | str | Evidence | None = None,
    *,
    scan: Scan | None = None,
    joint: bool = False,
    method: Method = "auto",
    tolerance: float = TOLERANCE,
    max_seconds: float | None = None,
    data: Holed | None = None,
    rng: np.random.Generator | None = None,
    stop: Over | None = None,
    do: Mapping[str, Any] | None = None,
) -> QueryResult:
    """The law of `targets` given `evidence`: each one's marginal, or their joint table.

    An ordered network, or a mixture of them, answers by its law, Q(T | x_C). Of a network without an order the evidence is
    clamped (Sec. 5).
    With the rows of a table as `data`, the result also has the frequencies among the rows that match the evidence
    (`observed`, `matching`, `combined`), and it warns where the two differ by more than chance allows.

    Args:
        network: the network that is asked.
        targets: what is asked for: a variable by its name, a condition as text, "income > 50000", whose states are False
            and True (a variable of that name comes first), or several of these; or alone an event over several variables,
            "(age > 40 or smoker = yes) and not region = north".
        evidence: what is known, by name: a state, a set of states, a range (`slice(4000, 5000)`, ">5000", "4000..5000",
            an interval), or weights of states; or text, events in it (docs/queries.md has all of them).
        scan: asks for the chain of the tables under this scan, also of an ordered network; None: the law of an ordered
            network, the random scan of any other.
        joint: whether the answer is one table of all targets together.
        method: of an ordered network, "exact" (by elimination), "sample" (weighted passes), "auto" (the quicker of the
            two), or "clamped": as a network without an order. Of such a network "exact", "sample" (clamped chains),
            "auto", also called "clamped" (a look-up or the exact law where the relevant part is small, else chains), or
            "bayes": pi(T | x_C) of the joint law, where that can be solved exactly; evidence that no relevant node reads
            then has its effect, too.
        tolerance: what is sampled is sampled until every standard error is under this.
        max_seconds: stop after this many seconds at the latest.
        data: the rows of a table. Chains start there, and answers stand beside its frequencies.
        rng: the generator of what is drawn; None: fresh entropy.
        stop: asked several times a second; where it says True, the answer is what there is by then.
        do: what is set, by name, each to one value: what is likely then (docs/causes.md). It needs a law that was learned
            in the caller's own order of causes.

    Returns:
        A `QueryResult`; print it. Of targets that are numbers its `numbers` has mean and quantiles.

    >>> from depnet import Network
    >>> import numpy as np
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> query(network, "X1", {"X0": 0}).probabilities.round(3).tolist()
    [0.8, 0.2]
    """
    if isinstance(network, Mixture):
        _refuse_of_mixture(scan, method, do)
    if do and isinstance(network, Network):
        given = read_given(evidence, network.domain) if isinstance(evidence, str) else evidence
        if isinstance(given, Evidence) or any(name in do for name in given or {}) or scan is not None:
            raise EvidenceError("do goes with evidence by name on other columns, and without a scan.")
        changed, known = intervene(network, do), {**(given or {}), **do}
        options = {"joint": joint, "method": method, "tolerance": tolerance, "max_seconds": max_seconds}
        found = query(changed, targets, known, rng=rng, stop=stop, **options)  # type: ignore[arg-type]
        seen = query(network, targets, known, data=data, rng=rng, stop=stop, **options)  # type: ignore[arg-type]
        return answer_do(network, found, seen, do, tuple(given or {}))
    question = Question(network, targets, evidence, joint, method, tolerance, max_seconds, data)
    found = _ask(question, scan, rng, stop)
    for _ in range(MOST_ROUNDS):
        error = question.condition_error(found)
        if found.diagnostics is None or not found.converged or error <= tolerance:
            break
        # The errors of states are small, and that of a sum of many of them not yet: smaller ones are asked for.
        finer = FINER * found.diagnostics.largest_error * tolerance / error
        found = replace(_ask(replace(question, tolerance=finer), scan, rng, stop), tolerance=tolerance)
    return replace(found, converged=found.converged and question.condition_error(found) <= tolerance)


def _refuse_of_mixture(scan: Scan | None, method: str, do: Mapping[str, Any] | None) -> None:
    """What no mixture answers is an error that says what does."""
    if do:
        raise EvidenceError(
            "do: a mixture has an order for each component, and none of them is one of causes. Learn a law in your own "
            "order of causes, without a mixture."
        )
    if scan is not None or method in ("clamped", "bayes"):
        raise EvidenceError(
            "a mixture has no tables of its own to run a chain of: ask one of its components."
        )


def _ask(
    question: Question, scan: Scan | None, rng: np.random.Generator | None, stop: Over | None
) -> QueryResult:
    of_chain = not question.network.ordered or scan is not None or question.method == "clamped"
    if question.evidence.event is not None or question.event is not None:
        if of_chain:
            raise EvidenceError("only an ordered law answers an event over several columns; chains do not.")
        return of_event(question, rng, stop)
    if not of_chain:
        return of_law(question, rng, stop)
    return clamped_answer(
        question, checked_scan(RandomScan() if scan is None else scan), generator(rng), stop
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
    network: AnyNetwork,
    rows: Dataset | Given | str | Evidence,
    *,
    tolerance: float = TOLERANCE,
    rng: np.random.Generator | None = None,
    stop: Over = bool,
) -> LogProbability:
    """The log-probability of every row of a dataset, or of evidence: a row of which only some cells are known.

    That of evidence is exact by elimination where it is small, else the mean weight of passes; where it cuts bins, the
    values within them count as they do in answers, by draws.

    Args:
        network: an ordered network, or a mixture of them.
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
    checked_ordered("log_probability", network)
    if isinstance(rows, Dataset):
        values = score_samples(network, rows)
        return LogProbability(values, np.zeros_like(values))
    known = Evidence.parse(network.domain, rows, events=True)
    value, error = log_known(network, known, tolerance, rng, stop)
    return LogProbability(np.array([value]), np.array([error]))


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
    domain = checked_ordered("most_probable", checked_network(network)).domain
    known = Evidence.parse(domain, evidence)
    if len(known.clamped) == len(domain):
        raise EvidenceError("the evidence gives a value for every column: nothing is left to complete.")
    found = most_probable_state(network, known)
    if found is None:
        raise DomainTooLargeError(
            "the law's variables depend on each other too much for its most probable state to be found by elimination. Give "
            "more evidence."
        )
    codes, log_share = found
    states = {v.name: v.states[codes[i]] for i, v in enumerate(domain.variables)}
    return MostProbable(states, math.exp(log_share))
