"""What a node is boosted with: `Boost`; and what `boost="auto"` chooses from: `AutoBoost`."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from depnet.checks import whole_number
from depnet.errors import LearningError, brief
from depnet.model.stages import MOST_LEAVES

MOST_STAGES = 100_000
MOST_RUNS = 100


@dataclass(frozen=True, slots=True)
class Boost:
    """Stages of a boosted node: how many, of how many leaves, and how far each goes.

    A stage is a Newton step times `rate`. The stages are added to the base rates of the variable's states.

    Args:
        stages: how many small decision graphs are added up.
        leaves: of each.
        rate: how far each stage goes.
        share: of the variables, those that a stage may split on, drawn anew for each.
        shrinkage: is added to the curvature of a leaf: leaves of few rows move less.
        least_curvature: no leaf has a curvature, the sum over its rows of p (1 - p), below it.
        runs: the stages are grown as often, each time with other random words, and the scores averaged: rows say more
            surely what is chance.

    >>> Boost(leaves=16, rate=0.05)
    Boost(stages=200, leaves=16, rate=0.05, share=0.5, shrinkage=0.5, least_curvature=0.1, runs=1)
    """

    stages: int = 200
    leaves: int = 8
    rate: float = 0.1
    share: float = 0.5
    shrinkage: float = 0.5
    least_curvature: float = 0.1
    runs: int = 1

    def __post_init__(self) -> None:
        for name, most in (("stages", MOST_STAGES), ("leaves", MOST_LEAVES), ("runs", MOST_RUNS)):
            given = whole_number(f"Boost: {name}", getattr(self, name), at_least=1, error=LearningError)
            if given > most:
                raise LearningError(f"Boost: {name} is at most {most:,}; got {given:,}.")
        for name, least, top in (
            ("rate", 0.0, 1.0),
            ("share", 0.0, 1.0),
            ("shrinkage", 0.0, math.inf),
            ("least_curvature", -math.inf, math.inf),
        ):
            value = getattr(self, name)
            good = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not (good and least < value <= top and value >= 0 and math.isfinite(value)):
                bound = f" of at most {top:g}" if math.isfinite(top) else ""
                above = "above 0" if least == 0 else "of at least 0"
                raise LearningError(
                    f"Boost: {name} is a number {above}{' and' if bound else ''}{bound}; got {brief(value)}."
                )


FEW_ROWS = 5_000
"""Up to this many rows steps are smaller: a step on few rows is noisier, and there is time for more of them."""

LEAVES = (8, 32)


def candidates_for(rows: int) -> tuple[Boost, ...]:
    """Stages of few or of more leaves; their `stages` are the most that are tried."""
    rate = 0.05 if rows <= FEW_ROWS else 0.1
    return tuple(Boost(round(200 / rate), leaves, rate) for leaves in LEAVES)


@dataclass(frozen=True, slots=True)
class AutoBoost:
    """What `boost="auto"` chooses from: candidates, of which the best on some nodes, the `pilots`, is taken for all.

    How many stages a node has, or whether it keeps its graph, held-out rows say of each node.
    """

    candidates: tuple[Boost, ...] | None = None
    """None: `candidates_for` the rows that there are."""
    patience: float = 2.0
    """A trial ends when steps that sum to this (stages times their rate) have not scored better on held-out rows; more of
    them for nodes of many states, which take turns."""
    look: float = 10.0
    """And after steps that sum to this if it is behind the node's graph."""
    pilots: int = 8
    runs: int = 1
    """Of the stages that are learned from all rows in the end; trials have one."""


BoostLike: TypeAlias = Boost | AutoBoost | Literal["auto"] | None
"""What `learn(boost=...)` takes."""


def checked_boost(boost: object) -> Boost | AutoBoost | None:
    """`boost` as a value."""
    if isinstance(boost, str) and boost == "auto":
        return AutoBoost()
    if boost is None or isinstance(boost, (Boost, AutoBoost)):
        return boost
    raise LearningError(
        f'boost is None (one decision graph a node), "auto" (chosen by held-out rows) or a depnet.Boost; got {brief(boost)}.'
    )
