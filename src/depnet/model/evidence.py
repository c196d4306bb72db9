"""Evidence: what is known, X_C = x_C (Sec. 5), given by the variables' labels.

For each variable named, evidence is one state (the variable is clamped), a set of allowed states, or a
mapping of states to non-negative weights (soft evidence). A set or weights leave the variable in the
scan, with theta_i tilted: theta_i(x | y) w(x) / sum over x' of theta_i(x' | y) w(x').
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.domain import Domain
from depnet.data.variable import Label, Variable
from depnet.errors import EvidenceError

if TYPE_CHECKING:  # a network keeps counts that speak of evidence
    from depnet.model.network import Network

Given: TypeAlias = Mapping[str, Label | Set[Label] | Mapping[Label, float]]


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
            return given
        if given is None:
            return cls({}, {})
        if not isinstance(given, Mapping):
            raise EvidenceError(f"evidence is a mapping of variable names to states; got {given!r}.")
        clamped: dict[int, int] = {}
        tilts: dict[int, FloatArray] = {}
        for name, known in given.items():
            i = domain.index(name)
            weights = _weights(domain.variables[i], known)
            possible = np.flatnonzero(weights)
            if len(possible) == 0:
                raise EvidenceError(f"the evidence on {name!r} allows no state at all: {known!r}.")
            if len(possible) == 1:
                clamped[i] = int(possible[0])
            elif not (weights == weights[0]).all():
                tilts[i] = read_only(weights / weights.max())
        return cls(clamped, tilts)

    def free_nodes(self, network: "Network") -> tuple[int, ...]:
        """The nodes that still have something to update: not all of their variables are clamped."""
        return tuple(
            number
            for number, node in enumerate(network.nodes)
            if not all(i in self.clamped for i in node.variables)
        )


def _weights(variable: Variable, known: object) -> FloatArray:
    weights = np.zeros(variable.cardinality)
    if isinstance(known, Mapping):
        for label, weight in known.items():
            value = float(weight)
            if not (np.isfinite(value) and value >= 0):
                raise EvidenceError(
                    f"the weight of {variable.name!r} = {label!r} is finite and not negative; got {weight!r}."
                )
            weights[variable.code(label)] = value
    elif isinstance(known, (Set, list, tuple)):
        for label in known:
            weights[variable.code(label)] = 1.0
    else:
        weights[variable.code(known)] = 1.0  # type: ignore[arg-type]  # an unknown label is its error
    return weights
