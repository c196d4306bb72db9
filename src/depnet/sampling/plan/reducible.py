"""Is the chain irreducible? Zeros in tables can split it into several recurrent classes.

A network all of whose rows are positive is irreducible. Where a table has zeros, small domains are
searched (the closed strongly connected components of the chain's graph), large ones warned of.
"""

import math
import warnings
from typing import Literal, TypeAlias

import numpy as np

from depnet.arrays import IntArray
from depnet.errors import EvidenceError, ReducibleError, ReducibleWarning, SamplingError
from depnet.geometry.chain import FreeChain
from depnet.geometry.classes import closed_classes
from depnet.sampling.plan.plan import ChainPlan

IfReducible: TypeAlias = Literal["raise", "warn", "ignore"]

MOST_EDGES = 2**20
"""The most moves between joint states that are searched."""

REMEDY = "Smooth the tables: learn with a smoothing of 0.5, or ConditionalTable.from_counts(counts, smoothing=0.5)."


UNCHECKED = (
    "some conditional tables have zeros, and the domain is too large to check whether the chain then has one recurrent "
    f"class or several; with several, what is drawn depends on where chains started. {REMEDY}"
)


def check_irreducible(plan: ChainPlan, if_reducible: IfReducible) -> None:
    """Raise or warn where the plan's chain has, or may have, several recurrent classes."""
    if if_reducible not in ("raise", "warn", "ignore"):
        raise SamplingError(f"if_reducible is 'raise', 'warn' or 'ignore'; got {if_reducible!r}.")
    if if_reducible == "ignore" or all(is_positive(plan, i) for i in plan.order):
        return
    if moves(plan) > MOST_EDGES:
        warnings.warn(UNCHECKED, ReducibleWarning, stacklevel=4)
        return
    classes = recurrent_states(plan)
    if len(classes) <= 1:
        return
    names = [v.name for v in plan.network.domain.variables]
    shown = "; ".join(
        "{" + ", ".join(f"{name}={code}" for name, code in zip(names, row.tolist(), strict=True)) + ", ...}"
        for row in classes[:3]
    )
    message = (
        f"zeros in the conditional tables split the chain into {len(classes)} recurrent classes, so it has no single "
        f"law; states of some of them, in codes: {shown}. {REMEDY}"
    )
    if if_reducible == "raise":
        raise ReducibleError(message)
    warnings.warn(message, ReducibleWarning, stacklevel=4)


def is_positive(plan: ChainPlan, i: int) -> bool:
    """Every row of node i gives every state that the evidence allows a positive probability."""
    node, tilt = plan.network.nodes[i], plan.evidence.tilts.get(i)
    return node.positive or (tilt is not None and bool((node.table.probabilities[:, tilt > 0] > 0).all()))


def moves(plan: ChainPlan) -> int:
    """An upper bound of the edges of the chain's graph."""
    return _states(plan) * sum(plan.network.nodes[i].states for i in plan.order)


def recurrent_states(plan: ChainPlan) -> IntArray:
    """A joint state of each recurrent class [classes, variables]; none where a class contradicts the evidence.

    The chain itself says so when it comes to such a class. Under the sequential scan the classes are those of the chain
    seen once a sweep.
    """
    chain = FreeChain.of(plan.network, plan.evidence)
    try:
        classes = closed_classes(chain, plan.network, plan.scan)
    except EvidenceError:
        classes = []
    return chain.codes(np.array([members[0] for members in classes], dtype=np.int64))


def _states(plan: ChainPlan) -> int:
    cards = plan.network.domain.cardinalities
    return math.prod(k for i, k in enumerate(cards) if i not in plan.evidence.clamped)
