"""How a node finds its row of thresholds.

A node finds its row of thresholds in one of three ways. *Direct*: the joint state of its inputs is the
row; tables are expanded over the inputs where these have at most 2^14 joint states, as long as the
expanded tables of the whole network stay within the cache. *Mapped*: the joint state leads to the leaf.
*Walk*: the decision graph is walked. A function of too many inputs for a table has no native form.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import strides_of
from depnet.model import DecisionGraph, Evidence, LosslessSource, Network
from depnet.model.sources.enumerate import JointStates
from depnet.sampling.plan.rule import BoostedRule, Rule, UpdateRule

DIRECT_STATES = 2**14
"""The most joint states of its inputs over which a table is expanded (14 bits)."""
DIRECT_CELLS = 2**18
"""All expanded tables of a network together: 1 MiB of thresholds, what a core's cache holds."""
MAPPED_STATES = 2**22
"""The most joint states over which a function of the inputs is tabulated."""

DIRECT, MAPPED, WALK = range(3)


@dataclass(frozen=True, slots=True)
class RowFinder:
    """How a node finds its row: `kind`, the open inputs with their strides, and what `kind` needs."""

    kind: int
    inputs: tuple[tuple[int, int], ...]
    base: int
    thresholds: NDArray[np.uint32]
    leaf_map: NDArray[np.int32] | None = None
    graph: DecisionGraph | None = None
    boosted: BoostedRule | None = None
    """The row has the first scores of this rule, in the place of thresholds."""


class Tabulator:
    """Evaluates sources on every joint state of their open inputs, the clamped ones being constants."""

    def __init__(self, network: Network, evidence: Evidence) -> None:
        self.cardinalities = network.domain.cardinalities
        self.clamped = evidence.clamped

    def open_inputs(self, rule: UpdateRule) -> tuple[int, ...]:
        """The inputs that can change: not clamped, more than one state."""
        return tuple(j for j in rule.source.inputs if j not in self.clamped and self.cardinalities[j] > 1)

    def size(self, inputs: Sequence[int]) -> int:
        """The joint states of `inputs`."""
        return math.prod(self.cardinalities[j] for j in inputs)

    def strides(self, inputs: Sequence[int]) -> list[int]:
        """Row-major strides: the last input moves fastest."""
        return strides_of([self.cardinalities[j] for j in inputs])

    def leaves(self, rule: UpdateRule, inputs: Sequence[int]) -> NDArray[np.int32]:
        """The leaf of every joint state of `inputs`, row-major."""
        return JointStates(self.cardinalities, inputs, self.clamped).leaves(rule.source)


def find_rows(network: Network, evidence: Evidence, rules: Sequence[Rule]) -> list[RowFinder | None]:
    """How each rule finds its row; None where only calling the source will do. A boosted node finds its first scores."""
    tabulator = Tabulator(network, evidence)
    found: list[RowFinder | None] = [None] * len(rules)
    room = DIRECT_CELLS
    tabled = [(k, rule if isinstance(rule, UpdateRule) else rule.first) for k, rule in enumerate(rules)]
    small_first = sorted(tabled, key=lambda each: tabulator.size(tabulator.open_inputs(each[1])))
    for k, rule in small_first:
        finder = _find_row(tabulator, rule, room)
        if finder is not None and finder.kind == DIRECT and not isinstance(rule.source, LosslessSource):
            room -= finder.thresholds.size
        own = rules[k]
        if finder is not None and isinstance(own, BoostedRule):
            finder = replace(finder, boosted=own)
        found[k] = finder
    return found


def _find_row(tabulator: Tabulator, rule: UpdateRule, room: int) -> RowFinder | None:
    inputs = tabulator.open_inputs(rule)
    size = tabulator.size(inputs)
    strides = tabulator.strides(inputs)
    pairs = tuple(zip(inputs, strides, strict=True))
    if isinstance(rule.source, LosslessSource):
        own = dict(zip(rule.source.inputs, tabulator.strides(rule.source.inputs), strict=True))
        base = sum(own[j] * code for j, code in tabulator.clamped.items() if j in own)
        return RowFinder(DIRECT, tuple((j, own[j]) for j in inputs), base, rule.thresholds)
    if size <= DIRECT_STATES and size * max(1, rule.thresholds.shape[1]) <= room:
        return RowFinder(DIRECT, pairs, 0, rule.thresholds[tabulator.leaves(rule, inputs)])
    if isinstance(rule.source, DecisionGraph):
        return RowFinder(WALK, (), 0, rule.thresholds, graph=rule.source)
    if size <= MAPPED_STATES:
        return RowFinder(MAPPED, pairs, 0, rule.thresholds, leaf_map=tabulator.leaves(rule, inputs))
    return None
