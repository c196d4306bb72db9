"""Answers of a network whose evidence is clamped (Sec. 5), or of its joint law by Bayes' rule.

The relevance closure is found first. Where one node is left the answer is a row of its table; where the
closure is small, its exact law; otherwise clamped chains are run until the standard errors are small enough.

Of many rows with holes each one clamps what it knows, and every hole is a target. Rows with one hole are answered by table
look-up, all others one after the other as questions are. Joint draws of a row's holes are draws of its law, or states of its
chains, which have settled by then.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Holed
from depnet.errors import ConvergenceError, EvidenceError
from depnet.exact import stationary, stationary_cycle
from depnet.inference.answer.observed import matching
from depnet.inference.answer.part import Diagnostics, Part
from depnet.inference.answer.question import Effort, Over, Question
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.rows import EXACT, LOOK_UP, SAMPLE, DistinctRows, RowAnswers
from depnet.inference.clamped.chains import ClampedChains, sample_chains
from depnet.inference.clamped.relevance import Closure, Reduced, closure, reduce
from depnet.law import limits
from depnet.law.elimination import weigh
from depnet.model.evidence import NOTHING, Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan


def clamped_answer(
    question: Question, scan: Scan, rng: np.random.Generator, stop: Over | None
) -> QueryResult:
    """Clamped inference: each group of targets by its own closure; or, where it is asked for, Bayes' rule."""
    if question.method == "bayes" and question.free:
        return _condition(question, scan)
    relevant = Closure((), frozenset())
    parts = []
    for group, own in _groups(question):
        reduced = reduce(question.alone, own, question.evidence, scan)
        parts.append((group, _answer(question, group, reduced, rng, stop)))
        relevant |= own
    return question.result(
        parts,
        method=" and ".join(sorted({part.method for _, part in parts})) or "evidence",
        scan=scan,
        closure=relevant.variables,
        used=relevant.used,
        warnings=_unread(question.alone, relevant, question.evidence),
    )


def _condition(question: Question, scan: Scan) -> QueryResult:
    """pi(T | x_C): the joint law of targets and evidence, each closure's apart, weighted by the evidence."""
    network, free = question.alone, question.free
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
    if reduced.size > limits.EXACT_STATES:
        raise EvidenceError(
            f'the method "bayes": pi of the {len(reduced.variables)} relevant variables has {reduced.size:.3g} joint '
            f"states, more than the {limits.EXACT_STATES:,} that are solved exactly. Learn an ordered law, whose answers "
            'are conditionals at any size (learn(dataset, order="auto")), or clamp the evidence with the method "clamped".'
        )
    place = {i: reduced.place(i) for i in given}
    clamped = {place[i]: code for i, code in known.clamped.items()}
    tilts = {place[i]: weights for i, weights in known.tilts.items()}
    law = weigh(exact_law(reduced), Evidence(clamped, tilts))
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
    network, free, method = question.alone, question.free, question.method
    if not free:
        return []
    if question.joint or method == "sample":
        return [(free, closure(network, free, question.evidence))]
    cards = network.domain.cardinalities
    groups: dict[Closure | None, tuple[tuple[int, ...], Closure]] = {}
    for i in free:
        own = closure(network, (i,), question.evidence)
        alone = len(own.variables) == 1  # a look-up, however many its states
        small = (
            alone or method == "exact" or math.prod(cards[j] for j in own.variables) <= limits.EXACT_STATES
        )
        targets, relevant = groups.get(own if small else None, ((), own))
        groups[own if small else None] = (*targets, i), relevant | own
    return list(groups.values())


def _answer(
    question: Question, group: tuple[int, ...], reduced: Reduced, rng: np.random.Generator, stop: Over | None
) -> Part:
    """A row of a table where one is enough, the exact law where it is small or asked for, else chains."""
    estimators = _estimators(question, group, reduced)
    if question.method != "sample":
        row = _table_row(reduced)
        if row is not None:
            return _from_law(row, estimators, "look-up")
        if question.method == "exact" or reduced.size <= limits.EXACT_STATES:
            return _from_law(exact_law(reduced), estimators, "exact")
    part, _ = sample_chains(
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
    chosen = rng.choice(data.rows, size=limits.CHAINS // 2, p=weights / weights.sum())
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


def _table_row(reduced: Reduced) -> FloatArray | None:
    """The one row of theta where one node is left and all that it reads is known; None elsewhere."""
    node = reduced.network.nodes[0]
    if len(reduced.variables) != 1 or node.inputs:
        return None
    theta = node.probabilities(np.zeros((1, 1), dtype=np.uint8))[0]
    tilt = reduced.evidence.tilts.get(0)
    row = theta if tilt is None else theta * tilt
    if not row.any():
        raise EvidenceError(
            "the evidence contradicts itself: the states that it allows for "
            f"{reduced.network.domain.names[0]!r} have probability 0 given the rest. "
            "Smooth the tables (learn with a smoothing of 0.5), or give other evidence."
        )
    return np.asarray(row if tilt is None else row / row.sum())


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


class ClampedRows(RowAnswers):
    """The answers of a network's clamped law under a scan, and `draws[k]` draws of the holes of row k.

    `drawn` are all draws, one row after the other.
    """

    def __init__(
        self,
        network: Network,
        distinct: DistinctRows,
        effort: Effort,
        scan: Scan,
        draws: IntArray,
        targets: Sequence[int] | None = None,
    ) -> None:
        super().__init__(network, distinct, effort, targets)
        self.scan, self.draws = scan, draws
        self.drawn = np.repeat(self.codes.astype(np.int64), draws, axis=0)
        self._positive = all(node.positive for node in network.nodes)

    def run(self, method: str) -> None:
        """Answer all rows: "auto", or "sample" also what could be looked up or solved."""
        single = (self.holes.sum(axis=1) == 1) & (method == "auto")
        self._look_up(single)
        ends = np.cumsum(self.draws)
        open_rows = np.flatnonzero(self.holes.any(axis=1)).tolist()
        self.tell(len(self.codes) - len(open_rows))
        for row in open_rows:
            holes, count = np.flatnonzero(self.holes[row]), int(self.draws[row])
            if not single[row]:
                draw = self._answer(row, holes, exact=method == "auto")
            if count:
                law = self.values[row, self.cells_of(int(holes[0]))]
                drawn = self._draw(law, count) if single[row] else draw(count)
                self.drawn[ends[row] - count : ends[row], holes] = drawn
            self.tell(1)

    def _look_up(self, single: NDArray[np.bool_]) -> None:
        """Rows with one hole: what its node says."""
        for i, node in enumerate(self.network.nodes):
            chosen = np.flatnonzero(single & self.holes[:, i])
            if len(chosen):
                self.values[chosen, self.cells_of(i)] = node.probabilities(self.codes[chosen])
                self.method[chosen] = LOOK_UP

    def _answer(self, row: int, holes: IntArray, exact: bool) -> Callable[[int], IntArray]:
        """Answer one row; returned is what draws its holes."""
        known = {i: int(code) for i, code in enumerate(self.codes[row]) if not self.holes[row, i]}
        reduced = reduce(self.network, holes.tolist(), Evidence(known, {}), self.scan)
        law = self._solve(reduced) if exact else None
        if law is not None:
            for place, i in enumerate(holes.tolist()):
                self.values[row, self.cells_of(i)] = marginal(law, (place,))
            self.method[row] = EXACT
            return partial(self._draw, law)
        effort = self.effort
        part, chains = sample_chains(
            reduced,
            [(place,) for place in range(len(holes))],
            tolerance=effort.tolerance,
            max_seconds=None,
            rng=effort.rng,
            stop=effort.over,
            threads=effort.threads,
        )
        for place, i in enumerate(holes.tolist()):
            self.values[row, self.cells_of(i)] = part.values[place]
            self.errors[row, self.cells_of(i)] = part.errors[place]
        self.method[row], self.converged[row] = SAMPLE, part.converged
        if isinstance(part.diagnostics, Diagnostics):
            self.r_hat[row] = part.diagnostics.r_hat
        self.updates += chains.updates
        return partial(_states_of, chains, rng=effort.rng)

    def _solve(self, reduced: Reduced) -> FloatArray | None:
        """The exact law of a row's holes; None where chains have to answer."""
        if reduced.size > limits.ROW_STATES or not self._positive or self.effort.over():
            return None
        try:
            return exact_law(reduced)
        except ConvergenceError:  # it mixes too slowly
            return None

    def _draw(self, law: FloatArray, count: int) -> IntArray:
        """[draw, variable]: states of a law."""
        flat = law.reshape(-1)
        chosen = self.effort.rng.choice(len(flat), size=count, p=flat / flat.sum())
        return np.stack(np.unravel_index(chosen, law.shape), axis=1)


def _states_of(chains: ClampedChains, count: int, *, rng: np.random.Generator) -> IntArray:
    """[draw, variable]: states of settled chains, in no order.

    Where there are more draws than chains, those of one chain are as many sweeps apart as it took to settle.
    """
    sweeps, states = chains.sweeps, [chains.advance(records=1)[0].T]
    while sum(map(len, states)) < count:
        chains.run(sweeps, record=False)
        states.append(chains.advance(records=1)[0].T)
    return np.asarray(rng.permutation(np.concatenate(states))[:count], dtype=np.int64)
