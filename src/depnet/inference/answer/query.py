"""Queries: what is likely, given what is known (Sec. 5).

The relevance closure is found first. Where one node is left the answer is a row of its table; where the
closure is small, its exact law; otherwise clamped chains are run until the standard errors are small enough.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import EvidenceError
from depnet.inference.answer.part import Part
from depnet.inference.answer.question import TOLERANCE, Method, Question
from depnet.inference.answer.result import QueryResult
from depnet.inference.clamped.relevance import Closure, Reduced, closure, reduce
from depnet.inference.clamped.sampled import sampled
from depnet.inference.clamped.solved import exact_law, looked_up, marginal
from depnet.inference.clamped.starts import matching_rows
from depnet.inference.effort import Over
from depnet.inference.ordered.answer import of_law
from depnet.law.factors import weighted
from depnet.model.evidence import NOTHING, Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.sampling.words import generator

EXACT_STATES = 1 << 14
"""The joint states of a closure that method="auto" solves exactly, at most."""

MOST_ROUNDS, FINER = 3, 0.8
"""How often a condition is asked again whose error is above the tolerance, and how much smaller errors of its states are
asked for than would just do: errors are estimates themselves."""


def query(
    network: Network,
    targets: str | Sequence[str],
    evidence: Given | Evidence | None = None,
    *,
    scan: Scan | None = None,
    joint: bool = False,
    method: Method = "auto",
    tolerance: float = TOLERANCE,
    max_seconds: float | None = None,
    data: Dataset | Holed | None = None,
    rng: np.random.Generator | None = None,
    stop: Over | None = None,
) -> QueryResult:
    """The law of `targets` given `evidence`: each one's marginal, or their joint table.

    An ordered network answers by its law, Q(T | x_C). Of a network without an order the evidence is clamped (Sec. 5).
    With the rows of a table as `data`, the result also has the frequencies among the rows that match the evidence
    (`observed`, `matching`, `combined`), and it warns where the two differ by more than chance allows.

    Args:
        network: the network that is asked.
        targets: what is asked for: a variable by its name, a condition as text, "income > 50000", whose states are False
            and True (a variable of that name comes first), or several of these.
        evidence: what is known, by name: a state, a set of states, a range (`slice(4000, 5000)`, ">5000", "4000..5000",
            an interval), or weights of states (docs/queries.md has all of them).
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

    Returns:
        A `QueryResult`; print it. Of targets that are numbers its `numbers` has mean and quantiles.

    >>> from depnet import Network
    >>> import numpy as np
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> query(network, "X1", {"X0": 0}).probabilities.round(3).tolist()
    [0.8, 0.2]
    """
    question = Question.of(
        network,
        targets,
        evidence,
        joint=joint,
        method=method,
        tolerance=tolerance,
        max_seconds=max_seconds,
        data=data,
    )
    found = _asked(question, scan, rng, stop)
    for _ in range(MOST_ROUNDS):
        error = question.condition_error(found)
        if found.diagnostics is None or not found.converged or error <= tolerance:
            break
        # The errors of states are small, and that of a sum of many of them not yet: smaller ones are asked for.
        finer = FINER * found.diagnostics.largest_error * tolerance / error
        found = replace(
            _asked(replace(question, tolerance=finer), scan, rng, stop),
            tolerance=tolerance,
        )
    return replace(found, converged=found.converged and question.condition_error(found) <= tolerance)


def _asked(
    question: Question, scan: Scan | None, rng: np.random.Generator | None, stop: Over | None
) -> QueryResult:
    if question.network.order is not None and scan is None and question.method != "clamped":
        return of_law(question, rng, stop)
    chosen = checked_scan(RandomScan() if scan is None else scan)
    if question.method == "bayes" and question.free:
        return _conditioned(question, chosen)
    return _clamped(question, chosen, generator(rng), stop)


def _conditioned(question: Question, scan: Scan) -> QueryResult:
    """pi(T | x_C): the joint law of targets and evidence, each closure's apart, weighted by the evidence."""
    network, free = question.network, question.free
    given = tuple(sorted(question.evidence.variables))
    groups: dict[Closure, list[int]] = {}
    for i in free:
        targets = (*free, *given) if question.joint else (i, *given)
        groups.setdefault(closure(network, targets, NOTHING), []).append(i)
    parts = []
    for relevant, group in groups.items():
        reduced = reduce(network, relevant, NOTHING, scan)
        law = _weighted_law(reduced, question.evidence, given)
        parts.append((tuple(group), _from_law(law, _estimators(question, group, reduced), "exact")))
    return question.result(
        parts,
        method="exact, by Bayes' rule" if given else "exact",
        scan=scan,
        closure=[i for relevant in groups for i in relevant.variables],
        used=given,
    )


def _weighted_law(reduced: Reduced, known: Evidence, given: Sequence[int]) -> FloatArray:
    """Pi of the reduced network, weighted by the evidence on the variables `given`, and normalised."""
    if reduced.size > EXACT_STATES:
        raise EvidenceError(
            f'the method "bayes": pi of the {len(reduced.variables)} relevant variables has {reduced.size:.3g} joint '
            f"states, more than the {EXACT_STATES:,} that are solved exactly. Learn an ordered law, whose answers are "
            'conditionals at any size (learn(dataset, order="auto")), or clamp the evidence with the method "clamped".'
        )
    place = {i: reduced.place(i) for i in given}
    clamped = {place[i]: code for i, code in known.clamped.items()}
    tilts = {place[i]: weights for i, weights in known.tilts.items()}
    law = weighted(exact_law(reduced), Evidence(clamped, tilts))
    total = float(law.sum())
    if not total > 0:
        raise EvidenceError(
            'the evidence has probability 0 under the joint law; clamp it with the method "clamped".'
        )
    return np.asarray(law / total)


def _clamped(question: Question, scan: Scan, rng: np.random.Generator, stop: Over | None) -> QueryResult:
    """Clamped inference: each group of targets by its own closure."""
    relevant = Closure((), frozenset())
    parts = []
    for group, own in _groups(question):
        reduced = reduce(question.network, own, question.evidence, scan)
        parts.append((group, _answered(question, group, reduced, rng, stop)))
        relevant |= own
    return question.result(
        parts,
        method=" and ".join(sorted({part.method for _, part in parts})) or "evidence",
        scan=scan,
        closure=relevant.variables,
        used=relevant.used,
        warnings=_unread(question.network, relevant, question.evidence),
    )


def _groups(question: Question) -> list[tuple[tuple[int, ...], Closure]]:
    """Targets answered together, with what they need: all of a joint; of marginals, those whose closures are one.

    Small closures are answered apart, exactly; what is too large for that is sampled together.
    """
    network, free, method = question.network, question.free, question.method
    if not free:
        return []
    if question.joint or method == "sample":
        return [(free, closure(network, free, question.evidence))]
    cards = network.domain.cardinalities
    groups: dict[Closure | None, tuple[tuple[int, ...], Closure]] = {}
    for i in free:
        own = closure(network, (i,), question.evidence)
        alone = len(own.variables) == 1  # a look-up, however many its states
        small = alone or method == "exact" or math.prod(cards[j] for j in own.variables) <= EXACT_STATES
        targets, relevant = groups.get(own if small else None, ((), own))
        groups[own if small else None] = (*targets, i), relevant | own
    return list(groups.values())


def _answered(
    question: Question,
    group: tuple[int, ...],
    reduced: Reduced,
    rng: np.random.Generator,
    stop: Over | None,
) -> Part:
    """A row of a table where one is enough, the exact law where it is small or asked for, else chains."""
    estimators = _estimators(question, group, reduced)
    if question.method != "sample":
        row = looked_up(reduced)
        if row is not None:
            return _from_law(row, estimators, "look-up")
        if question.method == "exact" or reduced.size <= EXACT_STATES:
            return _from_law(exact_law(reduced), estimators, "exact")
    return sampled(
        reduced,
        estimators,
        tolerance=question.tolerance,
        max_seconds=question.seconds_left,
        rng=rng,
        stop=stop,
        rows=matching_rows(reduced, question.evidence, question.data, rng),
    )


def _estimators(question: Question, group: Sequence[int], reduced: Reduced) -> list[tuple[int, ...]]:
    """The tables to find, as reduced variables."""
    places = tuple(reduced.place(i) for i in group)
    return [places] if question.joint else [(place,) for place in places]


def _from_law(law: FloatArray, estimators: Sequence[tuple[int, ...]], method: str) -> Part:
    values = [marginal(law, variables) for variables in estimators]
    return Part(values, [np.zeros_like(value) for value in values], method)


def _unread(network: Network, relevant: Closure, known: Evidence) -> list[str]:
    """A warning for evidence that clamping makes silent, though the joint law links it to the targets."""
    found = []
    for i in sorted(known.clamped.keys() - relevant.used):
        others = Evidence({j: code for j, code in known.clamped.items() if j != i}, known.tilts)
        if not set(relevant.variables).isdisjoint(closure(network, (i,), others).variables):
            found.append(
                f"no relevant node reads {network.domain.variables[i].name!r}, so clamping it has no effect, though its "
                'own node depends on relevant variables. An ordered law (learn(dataset, order="auto")) conditions on it, as '
                'does the method "bayes" where few variables are relevant.'
            )
    return found
