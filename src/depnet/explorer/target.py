"""What the Target view asks: what moves the target, how often what is known comes, the most probable completion."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from depnet.data import Dataset, Label, Variable
from depnet.data.binning.mixture import Mixture
from depnet.explorer.known import Known, given
from depnet.explorer.loaded import Loaded
from depnet.explorer.session import Stop
from depnet.inference.answer.most_probable import MostProbable, most_probable
from depnet.inference.answer.numbers import shown
from depnet.inference.answer.query import query
from depnet.inference.answer.small_counts import LEAST
from depnet.inference.answer.support import Support, how_often, support
from depnet.inference.judge.effects import Effect
from depnet.inference.judge.influence import MAX_SECONDS, Influence, influence
from depnet.inference.judge.measure import MEAN
from depnet.inference.judge.seen_effects import SeenEffect, seen_effects
from depnet.model.evidence import Evidence
from depnet.wording import counted

SHARPER_SECONDS = 10.0
"""Of draws where the reader wants them sharper."""
COMPLETION_SECONDS = 4.0
"""Of the search for a most probable state that cannot be found exactly."""
MEDIAN_SECONDS = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What moves the target; the rows that match what is known; the target's median, of a number."""

    influence: Influence
    evidence: Evidence
    support: Support | None
    median: str | None
    seen: str | None
    """What the rows themselves say of the target, as text."""
    warnings: tuple[str, ...]


def find(
    loaded: Loaded,
    target: str,
    known: Known,
    text: str | None,
    stop: Stop,
    seconds: float | None = None,
    *,
    hide: bool = False,
) -> Found:
    """All that is shown of the target but the completion; `text` says what of it (`Measure`)."""
    law = loaded.asked
    evidence = Evidence.parse(law.domain, given(known))
    found = influence(
        law, target, given(known), of=text, max_seconds=MAX_SECONDS if seconds is None else seconds, stop=stop
    )
    matching = support(law, evidence, loaded.data)
    warnings = [*evidence.notes]
    if known and matching is not None and matching.warning is not None and not hide:
        warnings.append(matching.warning)
    return Found(
        found,
        evidence,
        matching,
        _median(loaded, target),
        _seen(loaded, found, evidence, hide),
        tuple(warnings),
    )


def _median(loaded: Loaded, target: str) -> str | None:
    """With nothing known, as text that a condition takes; None of what is no number."""
    law = loaded.asked
    mixture = Mixture.of(law.domain.variables[law.domain.index(target)])
    if mixture is None or mixture.states < 3:
        return None
    summary = query(law, target, tolerance=0.01, max_seconds=MEDIAN_SECONDS).numbers.get(target)
    return None if summary is None else shown(summary.median)


def _seen(loaded: Loaded, found: Influence, evidence: Evidence, hide: bool) -> str | None:
    """The measure among the rows that match: those of the target itself, in every state of it together."""
    if loaded.data is None:
        return None
    at = loaded.data.domain.index(found.target.name)
    (seen,) = seen_effects(loaded.data, evidence, at, found.measure, [at])
    rows = float(seen.rows.sum())
    mean = sum(float(n * v) for n, v in zip(seen.rows, seen.values, strict=True) if n > 0)
    inside = 0.0 if rows == 0 else mean / rows
    few = min(rows * inside, rows * (1 - inside)) if found.measure.kind is None else rows
    if hide and few < LEAST - 0.5:
        return "too few rows to be shown"
    if rows == 0:
        return "no row matches"
    return f"{found.measure.shown(inside)} in {counted(round(rows), 'row')}"


def seen_of(
    data: Dataset, found: Found, effects: Sequence[Effect], *, hide: bool = False
) -> tuple[SeenEffect, ...]:
    """What the rows say of these variables."""
    index, influence = data.domain.index, found.influence
    variables = [index(effect.variable.name) for effect in effects]
    return seen_effects(
        data, found.evidence, index(influence.target.name), influence.measure, variables, hide=hide
    )


def rarity(found: Found, hide: bool = False) -> str:
    """How often what is known comes, and how many rows of the table match it."""
    sure = found.influence.log_evidence_error
    often = how_often(found.influence.log_evidence)
    rough = " (roughly)" if sure > 0.3 else ""
    if found.support is None:
        return f"{often}{rough}"
    rows = found.support.rows
    if hide and rows < LEAST:
        return f"{often}{rough}; fewer than {LEAST} rows of the table match"
    bound = "" if found.support.exact else "at most "
    verb = "matches" if rows == 1 else "match"
    return f"{often}{rough}; {bound}{counted(rows, 'row')} of the table {verb}"


def measures(variable: Variable, median: str | None) -> dict[str, str]:
    """What can be asked of a target, by the text that says it; a state of that text comes first."""
    found = {}
    if Mixture.of(variable) is not None:
        found[MEAN] = "its mean"
    if median is not None:
        found[f">{median}"] = f"above {median}, its median with nothing known"
    return {**found, **{str(state): str(state) for state in variable.states}}


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A variable in the most probable completion; `probability` is that of its state alone, where it is at hand."""

    name: str
    code: int
    state: Label
    probability: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Completion:
    """The most probable state of everything together."""

    found: MostProbable
    known: frozenset[str]

    @property
    def said(self) -> str:
        """How probable it is."""
        if self.found.probability is None:
            how = "The most probable state that a search found: it is not proven that there is none better."
        else:
            rows = (
                how_often(math.log(self.found.probability))
                if self.found.probability > 0
                else "hardly any row"
            )
            how = f"The most probable state of all variables together: {rows} of those that match what is known."
        return f"{how} Alone: how probable each state is by itself. Click a state to make it known."

    def rows(self, found: Influence) -> list[Row]:
        """Of all that is not known, the target first, then what moves it most."""
        effects = {effect.variable.name: effect for effect in found.effects}
        names = [found.target.name, *effects]
        rows = []
        for name in names:
            state = self.found.states[name]
            variable = found.target if name == found.target.name else effects[name].variable
            code = variable.code(state)
            law = found.law if name == found.target.name else effects[name].probabilities
            rows.append(Row(name, code, state, None if law is None else float(law[code])))
        return [row for row in rows if row.name not in self.known]


def completion(loaded: Loaded, known: Known, stop: Stop) -> Completion:
    """The most probable completion of what is known."""
    law = loaded.asked
    found = most_probable(law, given(known), max_seconds=COMPLETION_SECONDS, stop=stop)
    clamped = Evidence.parse(law.domain, given(known)).clamped
    return Completion(found, frozenset(law.domain.names[i] for i in clamped))
