r"""What would move a target: one more fact at a time, of every variable that is not known.

With z_j(x) the measure of the target (`measure`) given what is known and X_j = x, variable j can lead it anywhere between
the least and the greatest z_j. A state that hardly ever comes should not decide that: X_j is seen as it is given what is
known, and the *reach* of j goes from the 2 % to the 98 % quantile of z_j(X_j): all but the rarest facts about X_j lead to
somewhere within. What a fact about X_j is expected to tell is

.. math:: I(T; X_j \mid x_C) = \sum_{t, x} P(t, x) \log_2 \frac{P(t, x)}{P(t) P(x)} \text{ bits}

(P given what is known). Where tables were drawn, standard errors are of the jackknife: each batch of draws is left out
once. It also takes off what chance adds to an information. What no draw has met shows in no batch: so one more draw, as
far off as the target itself varies, is counted into every error.

All variables are asked at once, from the tables of the target beside each of them
(`depnet.inference.ordered.targets`): exact, or drawn until they are sharp.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray, new_seeds
from depnet.data.frames.within import Drawn, allowed_values
from depnet.data.table.variable import Variable
from depnet.errors import EvidenceError
from depnet.inference.answer.part import LevelLaw
from depnet.inference.answer.question import Over, checked_ordered, checked_tolerance, over_after
from depnet.inference.judge.measure import Measure
from depnet.inference.ordered.events import event_rows
from depnet.inference.ordered.levels import level_rows, some_rows
from depnet.inference.ordered.targets import TargetTables, exact_tables
from depnet.law import limits
from depnet.law.draw import sharpen
from depnet.law.elimination import IMPOSSIBLE, log_largest_weight
from depnet.law.program import LevelPlan, law_of
from depnet.model.evidence import Evidence, Given, narrow_domain
from depnet.model.mixture import AnyNetwork, components_of
from depnet.model.network import Network
from depnet.wording import printable

TOLERANCE = 0.01
"""The standard error at the ends of a reach that is sharp: of probabilities, and of means in standard deviations."""
MAX_SECONDS = 0.7
LEVEL = 0.02
"""The share of facts beyond each end of a reach."""


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """One variable: z_j(x) of each state with its standard error (nan: no draw), and what the variable would tell."""

    variable: Variable
    probabilities: FloatArray
    """P(x) given what is known."""
    values: FloatArray
    errors: FloatArray
    low: int
    """The state at the lower end of the reach."""
    high: int
    bits: float
    bits_error: float

    @property
    def width(self) -> float:
        return float(self.values[self.high] - self.values[self.low])

    @property
    def error(self) -> float:
        """The larger standard error of its ends; infinite where one is not known."""
        larger = max(float(self.errors[self.low]), float(self.errors[self.high]))
        return math.inf if math.isnan(larger) else larger


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """The measure of a target given what is known, and what each other variable would make of it, the widest reach first."""

    target: Variable
    measure: Measure
    value: float
    error: float
    deviation: float
    """The standard deviation of what is measured."""
    effects: tuple[Effect, ...]
    law: FloatArray | None
    """Of the target given what is known; None where its states are too many to be kept apart."""
    entropy: float
    """Of the target given what is known, in bits: no fact can tell more."""
    method: str
    draws: int
    sharp: bool = True
    """Is every end of a reach within the tolerance?"""

    @property
    def most_telling(self) -> tuple[Effect, ...]:
        """The effects, the most information first."""
        return tuple(sorted(self.effects, key=lambda effect: -effect.bits))

    def __str__(self) -> str:
        lines = [f"{self.measure.said}: {self.value:.4g}, and what each column could make of it"]
        width = max((len(effect.variable.name) for effect in self.effects), default=0)
        for effect in self.effects:
            ends = [
                f"{effect.values[at]:.4g} ({effect.variable.states[at]})" for at in (effect.low, effect.high)
            ]
            lines.append(printable(f"  {effect.variable.name:{width}}  {' to '.join(ends)}"))
        return "\n".join(lines)

    @property
    def error_of_ends(self) -> float:
        """The largest standard error at an end of a reach that has two."""
        return max((effect.error for effect in self.effects if effect.width > 0), default=0.0)


def influence(
    network: AnyNetwork,
    target: str,
    evidence: Given | str | Evidence | None = None,
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
    Where evidence cuts bins, rows are drawn with the values of their numbers, which weigh them, as in answers. Else it is
    exact where elimination is small. What is drawn is drawn until every end of a reach has a standard error within
    `tolerance`, or until `max_seconds` or `stop()`.

    >>> import depnet
    >>> law = depnet.learn(depnet.titanic(), smoothing=0.5, order="auto")
    >>> found = influence(law, "survived")
    >>> round(found.value, 2), [(effect.variable.name, round(effect.width, 2)) for effect in found.effects]
    (0.32, [('sex', 0.52), ('class', 0.38), ('age', 0.1)])
    >>> print(found)
    survived = Yes: 0.3231, and what each column could make of it
      sex    0.2122 (male) to 0.7314 (female)
      class  0.2396 (Crew) to 0.6231 (1st)
      age    0.3179 (adult) to 0.4228 (child)
    """
    domain = checked_ordered("influence", network).domain
    checked_tolerance(tolerance)
    known = Evidence.parse(domain, evidence, events=True)
    at = domain.index(target)
    if at in known.clamped:
        raise EvidenceError(
            f"{target!r} is already known, so nothing can change it. Take it back, or choose another target."
        )
    variable = narrow_domain(domain, known).variables[at]
    measure = Measure.of(variable, of, levels)
    others = [i for i in range(len(domain)) if i != at and i not in known.clamped]
    columns = columns_of(measure, sum(domain.cardinalities[i] for i in others))
    seed, over = new_seeds(rng, 1)[0], over_after(max_seconds, stop)

    variables = [domain.variables[i] for i in others]
    plan = LevelPlan.of(network, known, (at,))
    cut = plan if plan is not None and plan.cuts else None
    exact = (
        None if cut or known.event else exact_tables(network, known, at, columns, others, limits.MOST_CELLS)
    )
    if exact is not None:
        return effects_of(exact, "exact", variable, variables, measure, columns)
    parts = components_of(network)
    if all(log_largest_weight(part, range(len(domain)), known) == -math.inf for part in parts):
        raise EvidenceError(IMPOSSIBLE)
    rows = _rows(network, known, cut, at, seed)
    tables = TargetTables.empty([domain.cardinalities[i] for i in others], columns.shape[1])
    bins, left = domain.variables[at].bins, variable.bins
    values = None if bins is None or left is None else allowed_values(bins, left)
    found: Influence | None = None

    def draw(count: int) -> None:
        for codes, drawn in some_rows(rows, count):
            if drawn is None:
                weights, counted = np.ones(len(codes)), _conditionals(network, at, codes, known) @ columns
            else:
                weights, own = drawn.weights, codes[:, at].astype(np.int64)
                counted = columns[own]
                if at in drawn.places and values is not None:
                    places = drawn.places[at]
                    g, h = measure.of_rows(own, places >= 0, values[np.maximum(places, 0)])
                    counted[:, -2], counted[:, -1] = g * h, h
            tables.add(codes[:, others], weights, counted)
            if over():
                break

    def error() -> float:
        nonlocal found
        if not tables.weight > 0:
            return math.inf
        method = "draws" if cut is None and known.event is None else "draws within bins"
        found = effects_of(tables, method, variable, variables, measure, columns)
        largest = max(found.error_of_ends, found.error)
        scale = 1.0 if measure.kind is None else found.deviation
        return largest / scale if scale > 0 else (math.inf if largest > 0 else 0.0)

    sharp = sharpen(draw, error, tolerance, most=limits.MOST_DRAWS, over=over)
    if found is None:
        raise EvidenceError(
            "no draw came to a state that matches what is known: its probability under the law is 0 or very small."
        )
    return replace(found, sharp=sharp)


def _conditionals(network: AnyNetwork, at: int, codes: CodeArray, known: Evidence) -> FloatArray:
    """[row, state]: of the target given all else, which varies less than the state that was drawn; of a mixture that one."""
    if isinstance(network, Network):
        return law_of(network).conditionals(at, codes, known)
    return np.eye(network.domain.cardinalities[at])[codes[:, at].astype(np.int64)]


def columns_of(measure: Measure, cells: int) -> FloatArray:
    """[state, k]: the classes of the target's states, then g h, then h."""
    states = len(measure.values)
    # Many states are taken together in classes, fewer where tables would be large.
    classes = min(states, max(2, min(limits.MOST_GROUPS, limits.LARGEST // max(cells, 1))))
    of_state = np.arange(states) * classes // states
    counted = np.stack([measure.values * measure.counts, measure.counts], axis=1)
    return np.concatenate([np.eye(classes)[of_state], counted], axis=1)


def effects_of(
    tables: TargetTables,
    method: str,
    target: Variable,
    variables: Sequence[Variable],
    measure: Measure,
    columns: FloatArray,
) -> Influence:
    """What follows from the tables; of exact ones all errors are 0."""
    parts, own_totals = tables.sums / tables.weight, tables.totals / tables.weight
    sums, totals = parts.sum(axis=0), own_totals.sum(axis=0)
    p, z, bits = sums[:, :-2].sum(axis=1), _ratio(sums), _bits(sums, totals, tables.begin)
    value = float(totals[-2] / totals[-1]) if totals[-1] > 0 else math.nan
    deviation = _deviation(totals, measure, columns)
    z_errors, bits_errors, error = np.zeros_like(z), np.zeros_like(bits), 0.0
    batches = len(parts)
    if batches > 1:
        left = [(sums - part, totals - own) for part, own in zip(parts, own_totals, strict=True)]
        one_more = 1 / (tables.effective * p + 2)
        z_errors = np.hypot(_jackknife([_ratio(part) for part, _ in left]), deviation * one_more)
        error = float(_jackknife([np.array([own[-2] / own[-1]]) for _, own in left])[0])
        error = math.hypot(error, deviation / (tables.effective + 2))
        without = [_bits(part, own, tables.begin) for part, own in left]
        bits_errors = np.hypot(_jackknife(without), _entropy(totals[:-2]) / (tables.effective + 2))
        bits = np.maximum(batches * bits - (batches - 1) * np.mean(without, axis=0), 0.0)
    found = []
    for v, variable in enumerate(variables):
        cells = slice(tables.begin[v], tables.begin[v + 1])
        low, high = reach(p[cells], z[cells])
        of_bits = float(bits[v]), float(bits_errors[v])
        found.append(Effect(variable, p[cells], z[cells], z_errors[cells], low, high, *of_bits))
    return Influence(
        target,
        measure,
        value,
        error,
        deviation,
        effects=tuple(sorted(found, key=lambda effect: (-effect.width, -effect.bits))),
        law=totals[:-2] if len(totals) - 2 == len(measure.values) else None,
        entropy=_entropy(totals[:-2]),
        method=method,
        draws=tables.draws,
    )


def _deviation(totals: FloatArray, measure: Measure, columns: FloatArray) -> float:
    """The standard deviation of g(T) as far as the classes of T show it."""
    law, classes = totals[:-2], columns[:, :-2]
    size = classes.T @ measure.counts
    values = (classes.T @ (measure.values * measure.counts)) / np.maximum(size, 1)
    law = law * (size > 0)
    if not law.sum() > 0:
        return 0.0
    law = law / law.sum()
    return float(np.sqrt(max(law @ values**2 - (law @ values) ** 2, 0.0)))


def _entropy(law: FloatArray) -> float:
    """In bits; 0 log 0 is 0."""
    positive = law[law > 0]
    return max(0.0, -float(positive @ np.log2(positive)))


def reach(probabilities: FloatArray, values: FloatArray) -> tuple[int, int]:
    """The states at the quantiles `LEVEL` and 1 - `LEVEL` of the values, weighed by their probabilities.

    >>> reach(np.array([0.01, 0.49, 0.5]), np.array([0.9, 0.1, 0.3]))
    (1, 2)
    """
    order = [x for x in np.argsort(values, kind="stable").tolist() if not math.isnan(values[x])]
    if not order:
        return 0, 0
    up = np.cumsum(probabilities[order])
    low = int(np.searchsorted(up, LEVEL * up[-1], side="left"))
    down = np.cumsum(probabilities[order[::-1]])
    high = int(np.searchsorted(down, LEVEL * down[-1], side="left"))
    return order[min(low, len(order) - 1)], order[max(len(order) - 1 - high, 0)]


def _ratio(sums: FloatArray) -> FloatArray:
    """z(x) of every cell; nan where it has no mass."""
    found = np.full(len(sums), np.nan)
    np.divide(sums[:, -2], sums[:, -1], out=found, where=sums[:, -1] > 0)
    return found


def _bits(sums: FloatArray, totals: FloatArray, begin: IntArray) -> FloatArray:
    """I(T; X_j) of each variable, T by its classes, in bits; sums need not be normalised."""
    joint = sums[:, :-2]
    if not len(joint):
        return np.zeros(0)
    whole = float(totals[:-2].sum())
    alone = joint.sum(axis=1, keepdims=True) * (totals[:-2] / whole)
    ratio = np.divide(joint, alone, out=np.ones_like(joint), where=(joint > 0) & (alone > 0))
    told = (joint * np.log2(ratio)).sum(axis=1) / whole
    return np.asarray(np.maximum(np.add.reduceat(told, begin[:-1]), 0.0))


def _jackknife(without: Sequence[FloatArray]) -> FloatArray:
    """Standard errors of estimates from what they are without each batch; nan where one cannot do without a batch."""
    each = np.stack(without)
    return np.asarray(np.sqrt((len(each) - 1) / len(each) * ((each - each.mean(axis=0)) ** 2).sum(axis=0)))


def _rows(
    network: AnyNetwork, known: Evidence, cut: LevelPlan | None, at: int, seed: int
) -> Iterator[tuple[CodeArray, Drawn | None]]:
    """Rows given what is known, weighted where it cuts bins or is an event over several variables."""
    if known.event is None:
        return level_rows(network, known, cut, range(len(network)), seed)
    return (piece[:2] for piece in event_rows(network, known, (at,), seed, range(len(network))))
