"""What would move a target: one more fact at a time, of every variable that is not known.

All variables at once, from the tables of the target beside each of them (`depnet.inference.ordered.target_tables`): exact,
or drawn until they are sharp; `effects` says what follows from them.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Variable
from depnet.errors import EvidenceError, InferenceError
from depnet.inference.answer.numbers import LevelLaw
from depnet.inference.effort import Over, checked_tolerance, over_after
from depnet.inference.judge.effects import Effect, Effects, columns_of, effects_of
from depnet.inference.judge.measure import Measure
from depnet.inference.ordered.target_draws import TargetDraws
from depnet.inference.ordered.target_tables import TargetTables, exact_tables
from depnet.model.evidence import Evidence, Given, narrowed_domain
from depnet.model.network import Network, checked_network
from depnet.sampling.plan.words import new_seeds

TOLERANCE = 0.01
"""The standard error at the ends of a reach that is sharp: of probabilities, and of means in standard deviations."""
MAX_SECONDS = 0.7
FIRST_DRAWS, MOST_DRAWS = 1 << 11, 1 << 22
EXACT_CELLS = 1 << 24
"""Of all eliminations together: about half a second."""


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """The measure of a target given what is known, and what each other variable would make of it, the widest reach first."""

    target: Variable
    measure: Measure
    value: float
    error: float
    effects: tuple[Effect, ...]
    law: FloatArray | None
    """Of the target given what is known; None where its states are too many to be kept apart."""
    entropy: float
    """Of the target given what is known, in bits: no fact can tell more."""
    sharp: bool
    """Is every end of a reach within the tolerance?"""
    method: str
    log_evidence: float
    """The log of the probability of what is known, in nats, and its standard error."""
    log_evidence_error: float
    draws: int
    seconds: float

    @property
    def most_telling(self) -> tuple[Effect, ...]:
        """The effects, the most information first."""
        return tuple(sorted(self.effects, key=lambda effect: -effect.bits))


def influence(
    network: Network,
    target: str,
    evidence: Given | Evidence | None = None,
    *,
    of: str | None = None,
    levels: LevelLaw | None = None,
    tolerance: float = TOLERANCE,
    max_seconds: float | None = MAX_SECONDS,
    rng: np.random.Generator | None = None,
    stop: Over | None = None,
) -> Influence:
    """What would move a target under an ordered law, given evidence; `of` is a state, a condition (">30") or "mean".

    `levels` say where in their bins the target's numbers lie given the evidence (`QueryResult.levels`), if that is known.
    Exact where elimination is small, else by draws until every end of a reach has a standard error within `tolerance`, or
    until `max_seconds` or `stop()`.

    >>> import depnet
    >>> law = depnet.learn(depnet.titanic(), smoothing=0.5, order="auto")
    >>> found = influence(law, "survived")
    >>> round(found.value, 2), [(effect.variable.name, round(effect.width, 2)) for effect in found.effects]
    (0.32, [('sex', 0.52), ('class', 0.38), ('age', 0.1)])
    """
    began = time.monotonic()
    domain = checked_network(network).domain
    checked_tolerance(tolerance)
    known = Evidence.parse(domain, evidence)
    at = domain.index(target)
    if network.order is None:
        raise InferenceError(
            'what moves a target is asked of an ordered law; learn one with learn(dataset, order="auto").'
        )
    if at in known.clamped:
        raise EvidenceError(
            f"{target!r} is known: nothing can move it. Take it back, or choose another target."
        )
    variable = narrowed_domain(domain, evidence).variables[at]
    measure = Measure.of(variable, of, levels)
    others = [i for i in range(len(domain)) if i != at and i not in known.clamped]
    columns = columns_of(measure, sum(domain.cardinalities[i] for i in others))
    variables = [domain.variables[i] for i in others]
    tables = exact_tables(network, known, at, columns, others, EXACT_CELLS)
    if tables is not None:
        found = effects_of(tables, variables, measure, columns)
        sharp = True
    else:
        tables, found, sharp = _drawn(
            TargetDraws(network, known, at, columns, others, new_seeds(rng, 1)[0]),
            variables,
            measure,
            columns,
            tolerance,
            over_after(max_seconds, stop),
        )
    shares = [float(each.weights().max(initial=0.0)) for each in known.allowed.values()]
    log_share = sum(math.log(share) for share in shares if share)
    return Influence(
        variable,
        measure,
        found.value,
        found.error,
        found.each,
        found.law,
        found.entropy,
        sharp,
        tables.method,
        tables.log_evidence + log_share,
        tables.log_evidence_error,
        tables.draws,
        time.monotonic() - began,
    )


def _drawn(
    draws: TargetDraws,
    variables: Sequence[Variable],
    measure: Measure,
    columns: FloatArray,
    tolerance: float,
    over: Over,
) -> tuple[TargetTables, Effects, bool]:
    """Draws until all is sharp, or time is over."""
    rows = FIRST_DRAWS
    while True:
        draws.draw(rows, over)
        tables = draws.tables()
        done = over() or draws.draws >= MOST_DRAWS
        if tables is not None:
            found = effects_of(tables, variables, measure, columns)
            sharp = max(found.error_of_ends, found.error) <= tolerance * (
                1.0 if measure.kind is None else found.deviation
            )
            if sharp or done:
                return tables, found, sharp
        elif done:
            raise EvidenceError(
                "no draw came to a state that matches what is known: its probability under the law is 0 or very small."
            )
        rows *= 2
