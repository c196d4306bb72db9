"""Which variables a conditional Q(T | x_C) of an ordered law depends on: all others are left out."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from depnet.law.factors import certain, scope_of
from depnet.law.program import law_of
from depnet.model.evidence import Evidence
from depnet.model.network import Network


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """Q(. | x_C) of some tables of targets, and the variables that matter for them.

    `tables` are tuples of variables that are not known for certain; the answer to each is its joint law.
    """

    network: Network
    evidence: Evidence
    tables: tuple[tuple[int, ...], ...]
    variables: tuple[int, ...] = ()
    """Those that take part, in the order; of the known ones, those whose tables matter."""

    @classmethod
    def of_evidence(cls, network: Network, evidence: Evidence) -> "Conditional":
        """Nothing is asked but the probability of the evidence: its ancestors take part."""
        return cls(network, evidence, (), law_of(network).ancestors(evidence.variables))

    def __post_init__(self) -> None:
        if not self.tables:
            return
        targets = {i for table in self.tables for i in table}
        object.__setattr__(self, "variables", relevant(self.network, targets, self.evidence))

    @property
    def cells(self) -> list[int]:
        """The cells of each table."""
        cards = self.network.domain.cardinalities
        return [math.prod(cards[i] for i in table) for table in self.tables]

    @property
    def known_ancestors(self) -> frozenset[int]:
        """What is known and takes part, and its ancestors: the weights of passes are functions of these."""
        known = self.evidence.variables & set(self.variables)
        return frozenset(law_of(self.network).ancestors(known))

    @property
    def own(self) -> Evidence:
        """The evidence, without weights of variables that do not take part."""
        tilts = {i: w for i, w in self.evidence.tilts.items() if i in set(self.variables)}
        return Evidence(self.evidence.clamped, tilts)


def relevant(network: Network, targets: Iterable[int], evidence: Evidence) -> tuple[int, ...]:
    """The variables whose tables Q(targets | evidence) depends on, in the order.

    They are ancestors of targets or evidence, and factors that share variables connect them with a target once what is
    known for certain has no axis.
    """
    law, fixed = law_of(network), certain(network, evidence)
    asked = set(targets)
    active = law.ancestors(asked | evidence.variables)
    scopes = {i: scope_of(network, i, fixed) for i in active}
    touching: dict[int, list[int]] = {}
    for i, scope in scopes.items():
        for j in scope:
            touching.setdefault(j, []).append(i)
    found: set[int] = set()
    seen = set(asked)
    waiting = list(asked)
    while waiting:
        for i in touching.get(waiting.pop(), ()):
            if i not in found:
                found.add(i)
                waiting += [j for j in scopes[i] if j not in seen]
                seen.update(scopes[i])
    return tuple(i for i in active if i in found)
