"""A question, checked: what is asked of which network given what, how exactly and until when; and its answer."""

import copy
import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from depnet.arrays import FloatArray, IntArray, generator, read_only
from depnet.data.binning.bins import Numbers
from depnet.data.frames.within import allowed_values
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Domain
from depnet.errors import EvidenceError, InferenceError, ModelError, brief, checked_seconds
from depnet.inference.answer.difference import compared
from depnet.inference.answer.observed import MatchingRows, Seen, Support, few_known, support
from depnet.inference.answer.part import LevelLaw, Part, Remark, Table, tables_of
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.target import Target, targets_of
from depnet.model.event import Event, columns_of
from depnet.model.evidence import Evidence, Given, narrow_domain
from depnet.model.given_text import read_event, read_given
from depnet.model.mixture import AnyNetwork, checked_any
from depnet.model.network import Network, checked_network
from depnet.model.scan import Scan
from depnet.threads import Progress, cores, jobs_of

MAX_JOINT_CELLS = 1 << 22
TOLERANCE = 0.002
METHODS = ("auto", "exact", "sample", "clamped", "bayes")

Method = Literal["auto", "exact", "sample", "clamped", "bayes"]

SECONDS = 10.0
"""How long an estimator's query and the command sample one question where nothing else is said."""

RESOLUTION = 0.25
"""No error is reported below this share of the tolerance. A run is as long as the tolerance makes it, and what no draw has
met by then, or one for a moment, shows in no spread of the draws."""

Over = Callable[[], bool]
"""Asked several times a second: is it time to end?"""


def checked_tolerance(tolerance: float) -> float:
    """A standard error between 0 and 1."""
    if not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise InferenceError(f"tolerance is a standard error between 0 and 1; got {brief(tolerance)}.")
    return tolerance


def check_method(method: object, methods: tuple[str, ...]) -> None:
    """One of the methods by name."""
    if method not in methods:
        raise InferenceError(f"method is one of {', '.join(map(repr, methods))}; got {brief(method)}.")


def checked_ordered(who: str, network: object) -> AnyNetwork:
    """`network` itself, if it has an order, or is a mixture of such: a density."""
    checked = checked_any(network)
    if not checked.ordered:
        raise ModelError(
            f"{who} asks a law, which has a density, and this network has no order: learn one with "
            'learn(dataset, order="auto"). The law of a chain, where it is small, is depnet.stationary(network).'
        )
    return checked


def over_after(max_seconds: float | None, stop: Over | None = None) -> Over:
    """Over after some seconds from now, or when `stop` says so; never where neither is given."""
    ends = None if max_seconds is None else time.monotonic() + max_seconds

    def over() -> bool:
        return (ends is not None and time.monotonic() >= ends) or (stop is not None and stop())

    return over


@dataclass(frozen=True, slots=True, eq=False)
class Effort:
    """What many rows are answered with: a tolerance, a time to end at, randomness and threads."""

    tolerance: float
    over: Over
    rng: np.random.Generator
    threads: int
    started: float
    progress: Progress | None = None
    """Called as progress(rows done, all rows); of rows that are alike, one counts."""

    @classmethod
    def of(
        cls,
        tolerance: float,
        max_seconds: float | None,
        rng: np.random.Generator | None,
        n_jobs: int | None,
        progress: Progress | None = None,
    ) -> "Effort":
        """As users give it: no seconds mean no end, no generator fresh entropy, no number of jobs every core."""
        started = time.monotonic()
        over = over_after(checked_seconds(max_seconds))
        threads = cores() if n_jobs is None else jobs_of(n_jobs)
        return cls(checked_tolerance(tolerance), over, generator(rng), threads, started, progress)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What `query` was asked, checked once."""

    network: AnyNetwork
    asked: str | Sequence[str]
    """The targets by their names."""
    known: Given | str | Evidence | None
    joint: bool = False
    method: str = "auto"
    tolerance: float = TOLERANCE
    max_seconds: float | None = None
    data: Holed | None = None
    matching: MatchingRows | None = None
    """The rows of the data that match, where that is known already."""
    started: float = field(default_factory=time.monotonic)
    targets: tuple[Target, ...] = field(init=False)
    evidence: Evidence = field(init=False)
    given: Mapping[str, Any] = field(init=False)
    """The evidence by labels, as it was given."""
    narrowed: Domain = field(init=False)
    """The domain, with the values that the evidence leaves of each bin."""
    level_values: dict[int, tuple[Numbers, IntArray]] = field(init=False, default_factory=dict)
    """Of numbers that were answered by their levels, these, and how many each bin has; groups share them."""

    def __post_init__(self) -> None:
        """Whatever is wrong with it is an error here."""
        domain = checked_any(self.network).domain
        known = read_given(self.known, domain) if isinstance(self.known, str) else self.known
        evidence = Evidence.parse(domain, known, events=True)
        narrowed = narrow_domain(domain, evidence)
        targets = targets_of(narrowed, self.asked, _rates(self.network))
        if len(evidence.clamped) == len(domain) and evidence is not known:
            raise EvidenceError("the evidence gives a value for every column: nothing is left to ask.")
        check_method(self.method, METHODS)
        checked_tolerance(self.tolerance)
        checked_seconds(self.max_seconds)
        conditions = [t.variable.name for t in targets if t.inside is not None or t.event is not None]
        if self.joint and conditions:
            raise EvidenceError(
                f"a joint table is of variables; {conditions[0]!r} is a condition. Ask for it alone, or "
                "give it as evidence."
            )
        cells = math.prod(target.variable.cardinality for target in targets) if self.joint else 0
        if cells > MAX_JOINT_CELLS:
            raise EvidenceError(
                f"the joint table of {len(targets)} variables has {cells:,} cells, more than {MAX_JOINT_CELLS:,}. Ask "
                "for fewer targets, or for each one by itself."
            )
        given = _given(domain, known, evidence)
        _set(self, targets=targets, evidence=evidence, given=given, narrowed=narrowed)

    def of_group(self, states: Mapping[int, int], matching: MatchingRows | None = None) -> "Question":
        """The same question where some other variables have these codes, too; it is not checked again."""
        variables = self.network.domain.variables
        labels = {variables[i].name: variables[i].states[code] for i, code in states.items()}
        made = copy.copy(self)
        evidence = replace(self.evidence, clamped={**self.evidence.clamped, **states})
        _set(made, evidence=evidence, given={**self.given, **labels}, matching=matching)
        return made

    @property
    def wanted(self) -> tuple[int, ...]:
        """The variables that targets are, or are conditions on, each once."""
        return tuple(dict.fromkeys(target.index for target in self.targets))

    @property
    def alone(self) -> Network:
        """The network, of a question that no mixture is asked."""
        return checked_network(self.network)

    @property
    def event(self) -> tuple[Event, Event] | None:
        """The event over several variables that is asked for, if it is one: that it is so, and that it is not."""
        return self.targets[0].event

    @property
    def free(self) -> tuple[int, ...]:
        """Those of `wanted` whose state the evidence does not give."""
        return tuple(i for i in self.wanted if i not in self.evidence.clamped)

    def condition_error(self, result: QueryResult) -> float:
        """The largest standard error of a condition, a sum over states; 0 where none was asked."""
        errors = result.standard_errors
        return max(
            (
                float((errors[t.variable.name] if isinstance(errors, dict) else errors).max())
                for t in self.targets
                if t.inside is not None
            ),
            default=0.0,
        )

    @property
    def seconds_left(self) -> float | None:
        if self.max_seconds is None:
            return None
        return max(self.max_seconds - (time.monotonic() - self.started), 0.0)

    def result(
        self,
        parts: Sequence[tuple[tuple[int, ...], Part]],
        *,
        method: str,
        scan: Scan | None,
        closure: Iterable[int],
        used: Iterable[int],
        warnings: Sequence[str] = (),
    ) -> QueryResult:
        """The result: each part has the targets that it answers, which are all free ones together.

        `closure` are the variables that took part, `used` the known ones that had an effect; `scan` is None where the
        answer is of an ordered network's law; `compare` law and table, and warn where they differ.
        """
        domain = self.network.domain
        rows = self.matching
        if rows is None and self.data is not None:
            rows = MatchingRows.of(domain, self.evidence, self.data)
        seen = None if rows is None else [rows.seen(targets) for targets in self.of_tables]
        matching = support(self.network, self.evidence) if rows is None else rows.support
        said = [*self.evidence.notes, *(target.note for target in self.targets if target.note is not None)]
        said += [*(text for _, part in parts for text in part.warnings), *warnings]
        if matching is not None and self.given and matching.warning is not None:
            said.append(Remark(matching.warning, "rare"))
        elif self.given and seen is not None and matching is not None:
            said += [
                few
                for targets, each in zip(self.of_tables, seen, strict=True)
                if self.evidence.allowed.keys().isdisjoint(t.index for t in targets)
                and (few := few_known([t.variable.name for t in targets], each, matching)) is not None
            ]
        effective = {*used, *(i for i in self.wanted if i in self.evidence.clamped)}
        with_effect = {name for name in self.given if effective & self._columns(name)}
        found = QueryResult(
            **self.of_targets(parts, seen, matching),
            method=method,
            scan=scan,
            closure=tuple(domain.names[i] for i in sorted(set(closure))),
            evidence=self.given,
            evidence_used=tuple(filter(with_effect.__contains__, self.given)),
            evidence_ignored=tuple(itertools.filterfalse(with_effect.__contains__, self.given)),
            tolerance=self.tolerance,
            converged=all(part.converged for _, part in parts),
            seconds=time.monotonic() - self.started,
            diagnostics=next((part.diagnostics for _, part in parts if part.diagnostics is not None), None),
            warnings=tuple(map(Remark, dict.fromkeys(said))),
            missing_observed=None
            if rows is None
            else {domain.names[i]: rows.missing_share(i) for i in self.wanted if i < len(domain)},
        )
        return compared(found)

    @property
    def of_tables(self) -> list[tuple[Target, ...]]:
        """The targets of each table of the answer."""
        return [self.targets] if self.joint else [(target,) for target in self.targets]

    def of_targets(
        self,
        parts: Sequence[tuple[tuple[int, ...], Part]],
        seen: Sequence[Seen] | None,
        matching: Support | None,
    ) -> dict[str, Any]:
        """What a result says of its targets, by the parts and by what is seen in each table's rows: `TargetAnswers`."""
        domain = self.network.domain
        asked = [self.wanted] if self.joint else [(i,) for i in self.wanted]
        cards = (*domain.cardinalities, 2)  # the last is that of an event
        tables = tables_of(asked, parts, cards, self.evidence.clamped)
        spreads = {i: spread for table in tables for i, spread in table.spreads.items()}
        margins = {i: table.margin(i) for table in tables for i in table.variables}
        levels = self._levels(parts)
        if self.joint:
            values, errors = map(list, zip(self._joint(tables[0]), strict=True))
        else:
            each = (t.answer(margins[t.index], spreads[t.index], levels.get(t.index)) for t in self.targets)
            values, errors = map(list, zip(*each, strict=True))
        said: dict[str, Any] = {}
        if seen is not None:
            of_each = [*zip(self.of_tables, seen, strict=True)]
            said = {
                "observed": self._named(_kept(each.frequencies) for each in seen),
                "matching": self._named(each.matching for each in seen),
                "effective": {
                    t.variable.name: each.rows for ts, each in of_each if each.records is not None for t in ts
                },
                "seen": {
                    ts[0].variable.name: each.numbers for ts, each in of_each if each.numbers is not None
                },
            }
        return said | dict(
            targets=tuple(target.variable.name for target in self.targets),
            states=tuple(target.variable.states for target in self.targets),
            joint=self.joint,
            probabilities=self._named(map(_kept, values)),
            standard_errors=self._named(map(_kept, errors)),
            missing={
                domain.names[t.index]: 1.0 - t.known(margins[t.index])
                for t in self.targets
                if t.event is None
            },
            support=matching,
            learned=self._learned(matching),
            variables=tuple(target.variable for target in self.targets),
            levels={t.variable.name: levels[t.index] for t in self.targets if t.index in levels},
            spreads={
                t.variable.name: spreads[t.index]
                for t in self.targets
                if not (t.inside is not None or t.event)
            },
            **self.by_held_out(),
        )

    def _columns(self, name: str) -> frozenset[int]:
        """The variables that a part of the evidence speaks of: a variable, or text that is true or false."""
        domain = self.network.domain
        event = name not in domain.names
        return columns_of(read_event(domain, name)) if event else frozenset({domain.index(name)})

    def _joint(self, table: Table) -> tuple[FloatArray, FloatArray]:
        """The joint table given that all targets are known, and its standard errors."""
        where = tuple(slice(target.states) for target in self.targets)
        there, errors = table.values[where], table.errors[where]
        total = float(there.sum())
        if not total > 0:
            return np.full(there.shape, 1 / there.size), np.ones_like(errors)
        return np.asarray(there / total), errors / total

    def _named(self, tables: Iterable[Any]) -> Any:
        """What is said of each table as a result has it: the only one, or one by each name."""
        each = list(tables)
        names = (target.variable.name for target in self.targets)
        return each[0] if len(each) == 1 else dict(zip(names, each, strict=True))

    def _levels(self, parts: Sequence[tuple[tuple[int, ...], Part]]) -> dict[int, LevelLaw]:
        """Where in their bins numbers lie, of the variables of which the parts say it."""
        found = {}
        for own, i in ((part, i) for _, part in parts for i in part.levels):
            if i not in self.level_values:
                bins, left = self.network.domain.variables[i].bins, self.narrowed.variables[i].bins
                assert bins is not None
                assert left is not None
                sizes = np.array([len(kept) for kept in bins.quantiles])
                self.level_values[i] = allowed_values(bins, left), sizes
            found[i] = LevelLaw(*self.level_values[i], own.levels[i], own.level_spreads[i])
        return found

    def _learned(self, matching: Support | None) -> int:
        """How many training rows match, where no rows are at hand and the counts in the network know it; else 0."""
        counts, evidence = self.network.counts, self.evidence
        if self.data is not None or matching is None or counts is None or evidence.levels or evidence.event:
            return 0
        whole = all(np.isin(weights, (0.0, 1.0)).all() for weights in evidence.tilts.values())
        told = len(evidence.clamped) + len(evidence.tilts) == len(self.given)
        return (
            matching.rows if whole and told and len(self.given) <= (1 if counts.pairs is None else 2) else 0
        )

    def by_held_out(self) -> dict[str, float]:
        """What the model's answer is worth beside rows of a table, and how sure it is, as held-out rows chose it."""
        said = self.network.held_out
        names = () if said is None else ("worth", "sure_shares", "sure_means")
        return {name: value for name in names if (value := getattr(said, name)) is not None}


def _set(question: Question, **values: Any) -> None:
    """Fields of a frozen value, while it is made."""
    for name, value in values.items():
        object.__setattr__(question, name, value)


def _kept(table: FloatArray) -> FloatArray:
    return read_only(np.array(table))


def _rates(network: AnyNetwork) -> list[float] | None:
    """How often each variable is missing in the table that the network was learned from, where it knows that."""
    counts = network.counts
    return None if counts is None or not counts.total else list(counts.missing_rates)


def _given(domain: Domain, evidence: Given | Evidence | None, known: Evidence) -> Mapping[str, Any]:
    if not isinstance(evidence, Evidence):
        return dict(evidence or {})
    variables = domain.variables
    clamped = {variables[i].name: variables[i].states[code] for i, code in known.clamped.items()}
    tilts = {
        variables[i].name: {
            state: float(w) for state, w in zip(variables[i].states, weights, strict=True) if w > 0
        }
        for i, weights in known.tilts.items()
    }
    return clamped | tilts
