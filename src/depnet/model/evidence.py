"""Evidence: what is known, X_C = x_C (Sec. 5), given by the variables' labels.

For each variable named, evidence is one state (the variable is clamped; for a binned variable a number or a
date means itself), a set of allowed states, a range or a comparison (`depnet.model.conditions` has all of them), or a
mapping of states to non-negative weights (soft evidence). What is not one state leaves the variable in the scan, with
theta_i tilted: theta_i(x | y) w(x) / sum over x' of theta_i(x' | y) w(x').

*Holes* that are no states of their columns: each column has its own rate of them, independent of all else.
"""

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import FloatArray, read_only
from depnet.data.frames.within import allowed_levels
from depnet.data.table.variable import Domain, Label, Variable
from depnet.errors import EvidenceError, brief
from depnet.model.conditions import Allowed, beyond_data, describe, empty_condition, interpret
from depnet.model.event import Event, Joined, On, Product, columns_of, hull, join, parts_of
from depnet.model.given_text import is_event, read_event, read_given

if TYPE_CHECKING:  # a network keeps counts that speak of evidence
    from depnet.model.mixture import AnyNetwork
    from depnet.model.network import Network

Known: TypeAlias = Label | dt.date | dt.timedelta | np.generic


class Interval(Protocol):
    """A range that says which of its ends are in ("left", "right", "both" or "neither"), as pandas has it."""

    @property
    def left(self) -> Any: ...

    @property
    def right(self) -> Any: ...

    @property
    def closed(self) -> str: ...


Range: TypeAlias = slice | range | Interval
Condition: TypeAlias = Known | Range | Set[Known | Range] | Sequence[Known | Range] | NDArray[Any]
"""What is known of a variable, but for soft evidence: `depnet.model.conditions` reads it."""
Given: TypeAlias = Mapping[str, Condition | Mapping[Any, float] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Evidence in codes: `clamped[i]` is the code of X_i, `tilts[i]` the weights of the states of X_i.

    `allowed[i]` is the condition itself, by which the rows of a table meet it or not, and has no part where weights of
    states were given. Where it cuts bins, `levels[i]` says of each level of X_i (`depnet.data.binning.levels`) whether it is
    allowed. `notes` are what a person should know of how the evidence was read. What is known of several variables together
    is the `event`; all else is then its hull, what it says of each variable alone (`depnet.model.event`).
    """

    clamped: Mapping[int, int]
    tilts: Mapping[int, FloatArray]
    allowed: Mapping[int, Allowed] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    levels: Mapping[int, NDArray[np.bool_]] = field(default_factory=dict)
    event: Event | None = None

    @classmethod
    def parse(
        cls, domain: Domain, given: "Given | str | Evidence | None", *, events: bool = False
    ) -> "Evidence":
        """Read evidence by labels; unknown variables and states are errors that offer the nearest names.

        Text is read by `depnet.model.given_text`, as a whole or as a name that is True or False. What is more than a
        condition on each of some variables is refused unless the caller knows `events`.

        >>> from depnet.data import Variable
        >>> domain = Domain((Variable("sex", ("female", "male")), Variable("visits", (1, 2, 3))))
        >>> known = Evidence.parse(domain, {"sex": "male", "visits": ">1"})
        >>> known.clamped, known.tilts[1].tolist()
        ({0: 1}, [0.0, 1.0, 1.0])
        """
        if isinstance(given, Evidence):
            given.check_domain(domain)
            _refuse_event(given.event, events)
            return given
        if isinstance(given, str):
            given = read_given(given, domain)
        if given is None:
            return cls({}, {})
        if not isinstance(given, Mapping):
            raise EvidenceError(
                f"what is given is a mapping of columns to values, or text such as 'sex=female'; got {brief(given)}."
            )
        read: list[Event] = []
        weights: dict[int, FloatArray] = {}
        notes: list[str | None] = []
        for name, known in given.items():
            if isinstance(known, (bool, np.bool_)) and is_event(domain, name):
                read.append(read_event(domain, name, true=bool(known)))
                continue
            i = domain.index(name)
            variable = domain.variables[i]
            notes.append(beyond_data(variable, list(known) if isinstance(known, Mapping) else known))
            if isinstance(known, Mapping):
                weights[i] = _weights(variable, known)
                if not weights[i].any():
                    raise EvidenceError(empty_condition(variable, known))
            else:
                read.append(On(i, interpret(variable, known), describe(name, known), True, known))
        event = join("and", read)
        twice = next((domain.names[i] for i in columns_of(event) if i in weights), None)
        if twice is not None:
            raise EvidenceError(f"there is evidence on {twice!r} twice: weights of its states, and {event}.")
        said = {part.column: part for part in parts_of(event) if isinstance(part, On)}
        rest = [part for part in parts_of(event) if not isinstance(part, On)]
        left = join("and", rest) if rest else None
        _refuse_event(left, events)
        check_states(domain, *rest)
        return cls._of(domain, hull(event), weights, left, notes, said)

    @classmethod
    def of_product(cls, domain: Domain, product: Product, base: "Evidence") -> "Evidence | None":
        """What a product says, and the weights of states that `base` has; None where the model has no such state.

        Holes that are no states have no part in it.
        """
        soft = {i: np.array(tilt) for i, tilt in base.tilts.items() if i not in base.allowed}
        soft |= {
            i: np.eye(domain.cardinalities[i])[x] for i, x in base.clamped.items() if i not in base.allowed
        }
        plain = {i: each for i, each in product.items() if (each.weights() * soft.get(i, 1.0)).any()}
        return cls._of(domain, plain, soft) if len(plain) == len(product) else None

    @classmethod
    def _of(
        cls,
        domain: Domain,
        conditions: Product,
        soft: Mapping[int, FloatArray],
        event: Event | None = None,
        notes: Iterable[str | None] = (),
        said: Mapping[int, On] | None = None,
    ) -> "Evidence":
        """Evidence in codes, of a condition on each of some variables, and weights of the states of others."""
        clamped: dict[int, int] = {}
        tilts: dict[int, FloatArray] = {}
        levels: dict[int, NDArray[np.bool_]] = {}
        notes = list(notes)
        for i in sorted({*conditions, *soft}):
            variable = domain.variables[i]
            weights = conditions[i].weights() if i in conditions else np.ones(variable.cardinality)
            weights = weights * soft.get(i, 1.0)
            if i in conditions:
                on = None if said is None else said.get(i)
                known = on.condition if on is not None and on.plain else str(on or event)
                if said is not None and conditions[i].missing and variable.missing is None:
                    notes.append(_explain_unused_hole(variable, known, weights))
                    continue
                if ((weights > 0) & (weights < 1)).any():
                    # A bin is cut, so there are bins.
                    left = conditions[i].narrow().bins
                    levels[i] = read_only(allowed_levels(variable.bins, left))  # type: ignore[arg-type]
                if not weights.any():
                    plain = on is not None and on.plain
                    text = (
                        empty_condition(variable, known) if plain else f"no value of the data meets {known}."
                    )
                    raise EvidenceError(text)
            weights = weights / weights.max()
            possible = np.flatnonzero(weights)
            if len(possible) == 1:
                clamped[i] = int(possible[0])
            elif not (weights == 1).all():
                tilts[i] = read_only(weights)
        return cls(clamped, tilts, dict(conditions), tuple(filter(None, notes)), levels, event)

    @property
    def variables(self) -> frozenset[int]:
        return frozenset(self.clamped) | frozenset(self.tilts)

    @property
    def log_share(self) -> float:
        """The log of what weights of states were divided by, so that the largest is 1: the shares of bins that are cut."""
        shares = (float(each.weights().max(initial=0.0)) for each in self.allowed.values())
        return sum(math.log(share) for share in shares if share)

    def free_nodes(self, network: "Network") -> tuple[int, ...]:
        """The nodes that still have something to update: their variable is not clamped."""
        return tuple(i for i in range(len(network)) if i not in self.clamped)

    def check_domain(self, domain: Domain) -> None:
        """Raise an EvidenceError where a variable or a state is not of the domain."""
        cards = domain.cardinalities
        for i, code in self.clamped.items():
            if not (0 <= i < len(cards) and 0 <= code < cards[i]):
                raise EvidenceError(
                    f"the evidence clamps variable {i} to code {code}: it is of another domain."
                )
        for i, weights in self.tilts.items():
            if not (0 <= i < len(cards) and weights.shape == (cards[i],)):
                raise EvidenceError(f"the evidence weighs states of variable {i}: it is of another domain.")


NOTHING = Evidence({}, {})
"""No evidence at all."""


def narrow_domain(domain: Domain, given: Given | str | Evidence | None) -> Domain:
    """The domain whose bins keep only values that the evidence allows: rows of codes become values by it.

    >>> from depnet.data import Bins
    >>> ages = Bins((0, 18, 99), ((3, 9, 10, 17), (30, 40)), "integer")
    >>> domain = Domain((Variable("age", ages.labels, ages),))
    >>> narrow_domain(domain, {"age": "<10"}).variables[0].bins.quantiles[0]
    (3, 9)
    """
    variables = list(domain.variables)
    for i, allowed in Evidence.parse(domain, given, events=True).allowed.items():
        variables[i] = allowed.narrow()
    return Domain(tuple(variables))


def check_states(domain: Domain, *events: Event) -> None:
    """Refuse events about missing values of which the model has no state: it says nothing of what goes with them."""
    for event in events:
        if isinstance(event, Joined):
            check_states(domain, *event.parts)
        elif isinstance(event, On) and event.allowed.missing:
            variable = domain.variables[event.column]
            if variable.missing is None:
                raise EvidenceError(
                    f"{str(event)!r} cannot be joined with other conditions: to the model, whether {variable.name!r} is "
                    "missing says nothing about other columns. Ask for it alone, or leave it out."
                )


def _refuse_event(event: Event | None, events: bool) -> None:
    if event is not None and not events:
        raise EvidenceError(
            f"{str(event)!r} is about several columns at once, and here every condition is on one column: join such "
            "conditions with and, or commas. Only query, sample and influence of an ordered law take more."
        )


def _explain_unused_hole(variable: Variable, known: object, weights: FloatArray) -> str:
    """Say that evidence on a missing cell has no effect where the holes of the variable predict nothing."""
    if weights.any():
        raise EvidenceError(
            f"what is given of {variable.name!r} is a value or missing, {brief(known)}, and the model takes missing "
            "values of it to be like any others. Ask for one of the two."
        )
    return f"to the model, a missing value of {variable.name!r} says nothing about other columns."


def _weights(variable: Variable, given: Mapping[Any, float]) -> FloatArray:
    """Soft evidence: the weight of each state that is named."""
    weights = np.zeros(variable.cardinality)
    weighed: set[int] = set()
    for label, weight in given.items():
        code = (
            variable.cardinality - 1
            if label is None and variable.missing is not None
            else variable.code(label)
        )
        try:
            value = float(weight)
        except (TypeError, ValueError, OverflowError):
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise EvidenceError(
                f"the weight of {variable.name!r} = {brief(label)} is a number, finite and not negative; "
                f"got {brief(weight)}."
            )
        if code in weighed:
            raise EvidenceError(
                f"there are two weights for {variable.name!r} = {brief(variable.states[code])}: {brief(label)} is "
                "in it, too. Give one for each state."
            )
        weighed.add(code)
        weights[code] = value
    return weights


def draw_holes(
    network: "AnyNetwork", evidence: Evidence, rows: int, rng: np.random.Generator
) -> NDArray[np.bool_] | None:
    """[row, variable]: holes by the columns' rates, but where the evidence says of a column that it is known, or missing.

    None where there are none.
    """
    of_event = frozenset() if evidence.event is None else columns_of(evidence.event)
    rates = np.zeros(len(network)) if network.counts is None else np.array(network.counts.missing_rates)
    for i, variable in enumerate(network.domain.variables):
        if variable.missing is not None or i in evidence.variables or i in of_event:
            rates[i] = 0.0
        if variable.missing is None and i in evidence.allowed:
            rates[i] = float(evidence.allowed[i].missing)
    if not rates.any():
        return None
    holes = np.zeros((rows, len(rates)), dtype=bool, order="F")
    for i in np.flatnonzero(rates).tolist():
        holes[:, i] = rng.random(rows) < rates[i]
    return holes


def with_all_known(network: "AnyNetwork", evidence: Evidence) -> Evidence:
    """The evidence, with every column known that it does not say is missing."""
    tilts = dict(evidence.tilts)
    for i, variable in enumerate(network.domain.variables):
        if variable.missing is None or variable.cardinality < 2 or i in evidence.variables:
            continue
        weights = np.ones(variable.cardinality)
        weights[-1] = 0.0
        tilts[i] = read_only(weights)
    return replace(evidence, tilts=tilts)


def known_of(evidence: Evidence, cardinalities: Sequence[int]) -> native.Known:
    """What is known of every variable, as weights of its states."""
    begin = np.full(len(cardinalities), -1, dtype=np.int32)
    parts: list[FloatArray] = []
    for i, weights in weights_of(evidence, cardinalities).items():
        begin[i] = sum(map(len, parts))
        parts.append(weights)
    return native.Known(begin, np.concatenate([*parts, np.zeros(0)]))


def weights_of(evidence: Evidence, cardinalities: Sequence[int]) -> dict[int, FloatArray]:
    """w_j of every variable of the evidence: 1 on a clamped state and 0 elsewhere, or the weights of its states."""
    found = {i: np.asarray(weights, dtype=np.float64) for i, weights in evidence.tilts.items()}
    for i, code in evidence.clamped.items():
        found[i] = np.zeros(cardinalities[i])
        found[i][code] = 1.0
    return found
