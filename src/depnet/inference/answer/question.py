"""A question, checked: what is asked of which network given what; and its answer put together, whoever found it."""

import itertools
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.checks import seconds_given
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.errors import EvidenceError, InferenceError
from depnet.inference.answer.observed import Observed, differing, observed, warning_of
from depnet.inference.answer.result import WORTH, Answer, Diagnostics, PassDiagnostics, QueryResult
from depnet.inference.answer.support import Support, support
from depnet.inference.effort import check_method, checked_tolerance
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network, checked_network
from depnet.model.scan import Scan

MAX_JOINT_CELLS = 1 << 22
TOLERANCE = 0.002
METHODS = ("auto", "exact", "sample", "clamped", "bayes")

Method = Literal["auto", "exact", "sample", "clamped", "bayes"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The answers of some of the tables asked for: their values and standard errors, and how they were found."""

    values: list[FloatArray]
    errors: list[FloatArray]
    method: str
    converged: bool = True
    diagnostics: Diagnostics | PassDiagnostics | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What `query` was asked, checked once."""

    network: Network
    wanted: tuple[int, ...]
    """The targets, as they were named."""
    evidence: Evidence
    given: Mapping[str, Any]
    """The evidence by labels, as it was given."""
    joint: bool
    method: str
    tolerance: float
    max_seconds: float | None
    data: Dataset | None
    started: float

    @classmethod
    def of(
        cls,
        network: Network,
        targets: str | Sequence[str],
        evidence: Given | Evidence | None,
        *,
        joint: bool,
        method: str,
        tolerance: float,
        max_seconds: float | None,
        data: Dataset | None,
    ) -> "Question":
        """The question; whatever is wrong with it is an error here."""
        started = time.monotonic()
        domain = checked_network(network).domain
        known = Evidence.parse(domain, evidence)
        wanted = _checked_targets(domain, targets)
        if len(known.clamped) == len(domain):
            raise EvidenceError("the evidence gives the state of every variable: nothing is left to ask.")
        if method == "mean-field":
            raise InferenceError(
                'method="mean-field" was removed; learn(dataset, order="auto") gives a network whose law answers at once.'
            )
        check_method(method, METHODS)
        checked_tolerance(tolerance)
        seconds_given(max_seconds)
        cells = math.prod(domain.cardinalities[i] for i in wanted) if joint else 0
        if cells > MAX_JOINT_CELLS:
            raise EvidenceError(
                f"the joint table of {len(wanted)} variables has {cells:,} cells, more than {MAX_JOINT_CELLS:,}. Ask "
                "for fewer targets, or for their marginals (`joint=False`)."
            )
        given = _given(domain, evidence, known)
        return cls(network, wanted, known, given, joint, method, tolerance, max_seconds, data, started)

    @property
    def free(self) -> tuple[int, ...]:
        """The targets whose state the evidence does not give."""
        return tuple(i for i in self.wanted if i not in self.evidence.clamped)

    @property
    def seconds_left(self) -> float | None:
        """Of `max_seconds`."""
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
        answer is of an ordered network's law.
        """
        domain = self.network.domain
        tables = self._tables(parts)
        seen = None if self.data is None else observed(domain, self._asked(), self.evidence, self.data)
        matching = support(self.network, self.evidence, self.data)
        said = [*self.evidence.notes, *(text for _, part in parts for text in part.warnings), *warnings]
        said += self._rare(matching) + self._differences(tables, seen)
        effective = {*used, *(i for i in self.wanted if i in self.evidence.clamped)}
        with_effect = {name for name in self.given if domain.index(name) in effective}
        return QueryResult(
            targets=tuple(domain.names[i] for i in self.wanted),
            states=tuple(domain.variables[i].states for i in self.wanted),
            joint=self.joint,
            probabilities=self._answer([values for values, _ in tables]),
            standard_errors=self._answer([errors for _, errors in tables]),
            method=method,
            scan=scan,
            closure=tuple(domain.names[i] for i in sorted(set(closure))),
            evidence=self.given,
            evidence_used=tuple(filter(with_effect.__contains__, self.given)),
            evidence_ignored=tuple(itertools.filterfalse(with_effect.__contains__, self.given)),
            support=matching,
            tolerance=self.tolerance,
            converged=all(part.converged for _, part in parts),
            seconds=time.monotonic() - self.started,
            diagnostics=next((part.diagnostics for _, part in parts if part.diagnostics is not None), None),
            warnings=tuple(dict.fromkeys(said)),
            observed=None if seen is None else self._answer(seen.tables),
            matching=None if seen is None else round(seen.rows),
            worth=self._worth,
        )

    @property
    def _worth(self) -> float:
        """The rows of a table that the model's answer is worth, as held-out rows chose it."""
        held_out = self.network.held_out
        return WORTH if held_out is None or held_out.worth is None else held_out.worth

    def _asked(self) -> list[tuple[int, ...]]:
        """The variables of each table of the answer."""
        return [self.wanted] if self.joint else [(i,) for i in self.wanted]

    def _answer(self, tables: Sequence[FloatArray]) -> Answer:
        """Tables as a result has them: one array, or one by each name."""
        kept = [read_only(np.array(table)) for table in tables]
        if len(kept) == 1:
            return kept[0]
        names = [self.network.domain.variables[i].name for i in self.wanted]
        return dict(zip(names, kept, strict=True))

    def _tables(self, parts: Sequence[tuple[tuple[int, ...], Part]]) -> list[tuple[FloatArray, FloatArray]]:
        """(values, errors) of each table; a target whose state is known has it with certainty."""
        cards, clamped = self.network.domain.cardinalities, self.evidence.clamped
        found = {
            table: (values, errors)
            for targets, part in parts
            for table, values, errors in zip(
                [targets] if self.joint else [(i,) for i in targets], part.values, part.errors, strict=True
            )
        }
        tables = []
        for variables in self._asked():
            values, errors = np.zeros((2, *(cards[i] for i in variables)))
            where = tuple(clamped[i] if i in clamped else slice(None) for i in variables)
            free = tuple(i for i in variables if i not in clamped)
            values[where], errors[where] = found[free] if free else (1.0, 0.0)
            tables.append((values, errors))
        return tables

    def _rare(self, matching: Support | None) -> list[str]:
        """A warning where few rows match the evidence."""
        if matching is None or not self.given or matching.warning is None:
            return []
        return [matching.warning]

    def _differences(
        self, tables: Sequence[tuple[FloatArray, FloatArray]], seen: Observed | None
    ) -> list[str]:
        """A warning for each table where the rows that match say something else."""
        if seen is None:
            return []
        said = []
        for variables, (law, errors), frequencies in zip(self._asked(), tables, seen.tables, strict=True):
            found = differing(law, errors, frequencies, seen.rows)
            if found is None:
                continue
            states = [self.network.domain.variables[i].states for i in variables]
            labels = next(itertools.islice(itertools.product(*states), found[0], None))
            name = ", ".join(
                f"{self.network.domain.variables[i].name} = {label}"
                for i, label in zip(variables, labels, strict=True)
            )
            said.append(
                warning_of(name, float(law.flat[found[0]]), float(frequencies.flat[found[0]]), seen.rows)
            )
        return said


def _checked_targets(domain: Domain, targets: str | Sequence[str]) -> tuple[int, ...]:
    if isinstance(targets, (str, bytes)) or not isinstance(targets, Iterable):
        targets = [targets]  # what is no name is the domain's error
    names = list(targets)
    if not names:
        raise EvidenceError("a query needs at least one target; got none.")
    wanted = tuple(domain.index(name) for name in names)
    if len(set(wanted)) < len(wanted):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise EvidenceError(f"the target {twice!r} stands twice.")
    return wanted


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
