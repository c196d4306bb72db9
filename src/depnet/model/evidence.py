"""Evidence: what is known, X_C = x_C (Sec. 5), given by the variables' labels.

For each variable named, evidence is one state (the variable is clamped; for a binned variable a number or a
date means its bin), a set of allowed states, or a mapping of states to non-negative weights (soft evidence).
A set or weights leave the variable in the scan, with theta_i tilted:
theta_i(x | y) w(x) / sum over x' of theta_i(x' | y) w(x').
"""

import datetime as dt
import math
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Label, Variable
from depnet.errors import EvidenceError, brief

if TYPE_CHECKING:  # a network keeps counts that speak of evidence
    from depnet.model.network import Network

Known: TypeAlias = Label | dt.date
Given: TypeAlias = Mapping[str, Known | Set[Known] | Mapping[Known, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Evidence in codes: `clamped[i]` is the code of X_i, `tilts[i]` the weights of the states of X_i."""

    clamped: Mapping[int, int]
    tilts: Mapping[int, FloatArray]

    @classmethod
    def parse(cls, domain: Domain, given: "Given | Evidence | None") -> "Evidence":
        """Read evidence by labels; unknown variables and states are errors that offer the nearest names.

        >>> from depnet.data import Variable
        >>> domain = Domain((Variable("sex", ("female", "male")),))
        >>> Evidence.parse(domain, {"sex": "male"}).clamped
        {0: 1}
        """
        if isinstance(given, Evidence):
            given.check_domain(domain)
            return given
        if given is None:
            return cls({}, {})
        if not isinstance(given, Mapping):
            raise EvidenceError(f"evidence is a mapping of variable names to states; got {brief(given)}.")
        clamped: dict[int, int] = {}
        tilts: dict[int, FloatArray] = {}
        for name, known in given.items():
            i = domain.index(name)
            weights = _weights(domain.variables[i], known)
            if not weights.any():
                raise EvidenceError(f"the evidence on {name!r} allows no state at all: {brief(known)}.")
            weights /= weights.max()
            possible = np.flatnonzero(weights)
            if len(possible) == 1:
                clamped[i] = int(possible[0])
            elif not (weights == 1).all():
                tilts[i] = read_only(weights)
        return cls(clamped, tilts)

    @property
    def variables(self) -> frozenset[int]:
        """The variables of which something is known."""
        return frozenset(self.clamped) | frozenset(self.tilts)

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


def _weights(variable: Variable, known: object) -> FloatArray:
    weights = np.zeros(variable.cardinality)
    if isinstance(known, Mapping):
        weighed: set[int] = set()
        for label, weight in known.items():
            code = variable.code(label)
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
    elif isinstance(known, (Set, list, tuple)):
        for label in known:
            weights[variable.code(label)] = 1.0
    else:
        weights[variable.code(known)] = 1.0  # an unknown label is its error
    return weights
