"""Answers of a network whose evidence is clamped (Sec. 5), or of its joint law by Bayes' rule.

The relevance closure is found first. Where one node is left the answer is a row of its table; where the
closure is small, its exact law; otherwise clamped chains are run until the standard errors are small enough.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Holed
from depnet.errors import EvidenceError
from depnet.exact import stationary, stationary_cycle
from depnet.inference.answer.observed import matching
from depnet.inference.answer.part import Part
from depnet.inference.answer.question import Over, Question
from depnet.inference.answer.result import QueryResult
from depnet.inference.clamped.relevance import Closure, Reduced, closure, reduce
from depnet.inference.clamped.sampled import QUESTION_CHAINS, sampled
from depnet.law.factors import weighted
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan
from depnet.model.sources.source import JointStates

EXACT_STATES = 1 << 14
"""The joint states of a closure that method="auto" solves exactly, at most."""


def clamped_answer(
    question: Question, scan: Scan, rng: np.random.Generator, stop: Over | None
) -> QueryResult:
    """Clamped inference: each group of targets by its own closure; or, where it is asked for, Bayes' rule."""
    if question.method == "bayes" and question.free:
        return _conditioned(question, scan)
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
        row = _looked_up(reduced)
        if row is not None:
            return _from_law(row, estimators, "look-up")
        if question.method == "exact" or reduced.size <= EXACT_STATES:
            return _from_law(exact_law(reduced), estimators, "exact")
    part, _ = sampled(
        reduced,
        estimators,
        tolerance=question.tolerance,
        max_seconds=question.seconds_left,
        rng=rng,
        stop=stop,
        rows=_start_rows(reduced, question.evidence, question.data, rng),
    )
    return part


def _estimators(question: Question, group: Sequence[int], reduced: Reduced) -> list[tuple[int, ...]]:
    """The tables to find, as reduced variables."""
    places = tuple(reduced.place(i) for i in group)
    return [places] if question.joint else [(place,) for place in places]


def _start_rows(
    reduced: Reduced, known: Evidence, data: Holed | None, rng: np.random.Generator
) -> NDArray[np.uint16] | None:
    """[row, reduced variable]: rows of the data to start chains at; None where there are none.

    Rows that match the evidence where some do, else any; drawn by their weights.
    """
    if data is None or data.total == 0:
        return None
    weights = np.ones(data.rows) if data.weights is None else data.weights.astype(np.float64)
    matched = weights * matching(known, data)
    if matched.sum() > 0:
        weights = matched
    chosen = rng.choice(data.rows, size=QUESTION_CHAINS // 2, p=weights / weights.sum())
    return np.stack([data.column(i)[chosen] for i in reduced.variables], axis=1).astype(np.uint16)


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


def _looked_up(reduced: Reduced) -> FloatArray | None:
    """The one row of theta where one node is left and all that it reads is known; None elsewhere."""
    node = reduced.network.nodes[0]
    if len(reduced.variables) != 1 or node.inputs:
        return None
    own, theta = node.written_out(JointStates(reduced.network.domain.cardinalities, node.inputs))
    row = tilted(theta[own], reduced.evidence.tilts.get(0))[0]
    if not row.any():
        raise EvidenceError(
            "the evidence contradicts itself: the states that it allows for "
            f"{reduced.network.domain.names[0]!r} have probability 0 given the rest. "
            "Smooth the tables (learn with a smoothing of 0.5), or give other evidence."
        )
    return np.asarray(row)


def tilted(theta: FloatArray, weights: FloatArray | None) -> FloatArray:
    """theta(x | y) w(x), normalised, of every row of theta; a row of zeros where nothing is left of it."""
    if weights is None:
        return theta
    rows = theta * weights
    totals = rows.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0))


def exact_law(reduced: Reduced) -> FloatArray:
    """The stationary law of the reduced network, that of the full network on these variables.

    Under the sequential scan the centroid weighs each law of the cycle by the steps that the full order
    stays in it.
    """
    if isinstance(reduced.scan, RandomScan):
        return stationary(reduced.network, reduced.scan, reduced.evidence)
    assert reduced.phases is not None
    cycle = stationary_cycle(reduced.network, reduced.scan, reduced.evidence)
    return np.asarray(sum(share * phase for share, phase in zip(reduced.phases, cycle, strict=True)))


def _from_law(law: FloatArray, estimators: Sequence[tuple[int, ...]], method: str) -> Part:
    values = [marginal(law, variables) for variables in estimators]
    return Part(values, [np.zeros_like(value) for value in values], method)


def marginal(law: FloatArray, axes: Sequence[int]) -> FloatArray:
    """The law of some variables, its axes in the order given."""
    others = tuple(a for a in range(law.ndim) if a not in axes)
    kept = sorted(axes)
    return np.transpose(law.sum(axis=others), [kept.index(a) for a in axes])
