"""Boosted nodes where some variables are known: theta_i(X_i | X_B; X_C = x_C) of Sec. 5, for what stages add up.

A test of a known variable is decided. Where it fails, its split is none; where it passes, the leaf that it splits goes on
under the new leaf's number. Splits of leaves that nothing reaches go with them, and a stage of which one leaf is left is a
constant, which the first scores take up. What is left is again a boosted node, on fewer variables.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from depnet.model.boosted import BoostedNode
from depnet.model.sources.restrict import KeptVariables, reached, restrict
from depnet.model.stages import Scores, Stages


def open_inputs(node: BoostedNode, fixed: Mapping[int, int]) -> frozenset[int]:
    """The inputs that still matter where the variables `fixed` have these codes."""
    first, _ = reached(node.start, {j: (code,) for j, code in fixed.items()})
    return first.union(decided(node.stages, fixed)[0].inputs)


def restricted(node: BoostedNode, number: int, fixed: Mapping[int, int], kept: KeptVariables) -> BoostedNode:
    """The node with the variables `fixed` at their codes, over the variables that are kept; as node `number` of these."""
    start, leaves = restrict(node.start, fixed, kept)
    stages, constant = decided(node.stages, fixed)
    renumbered = replace(stages, variable=kept.number[stages.variable].astype(np.int32))
    gains = dict(zip(node.inputs, node.gains.tolist(), strict=True))
    made = BoostedNode((number,), start, node.start_scores[leaves] + constant, renumbered)
    old = {int(kept.number[j]): j for j in node.inputs if kept.number[j] >= 0}
    return BoostedNode(
        made.variables,
        start,
        made.start_scores,
        renumbered,
        [gains[old[j]] for j in made.inputs],
        node.digits,
    )


def decided(stages: Stages, fixed: Mapping[int, int]) -> tuple[Stages, Scores]:
    """The stages that known variables leave open, on the same variables, and the sum of the scores of all others."""
    constant = np.zeros(stages.states, dtype=np.int32)
    known = np.isin(stages.variable, list(fixed))
    codes = np.array([fixed.get(j, 0) for j in stages.variable.tolist()], dtype=np.int64)
    passes = (known & (stages.low <= codes) & (codes <= stages.high)).tolist()
    splits: list[tuple[int, int]] = []
    sizes: list[int] = []
    scores: list[Scores] = []
    known_at = known[stages.test]
    for m in range(len(stages)):
        first, last = int(stages.begin[m]), int(stages.begin[m + 1])
        own = list(zip(stages.leaf[first:last].tolist(), stages.test[first:last].tolist(), strict=True))
        order: list[int] | slice = slice(None)
        if known_at[first:last].any():
            own, order = _left(own, known, passes)
        left = stages.scores[first + m : last + m + 1][order]
        if not own:
            constant += left[0]
            continue
        splits += own
        sizes.append(len(own))
        scores.append(left)
    leaf, test = np.array(splits, dtype=np.int64).reshape(-1, 2).T
    used, renumbered = np.unique(test, return_inverse=True)
    left_open = Stages(
        stages.variable[used],
        stages.low[used],
        stages.high[used],
        np.cumsum([0, *sizes]).astype(np.int32),
        leaf.astype(np.uint16),
        renumbered.astype(np.int32),
        np.concatenate([np.zeros((0, stages.states), dtype=np.int32), *scores]),
    )
    return left_open, constant


def _left(
    splits: list[tuple[int, int]], known: NDArray[np.bool_], passes: list[bool]
) -> tuple[list[tuple[int, int]], list[int]]:
    """The splits (leaf, test) of one stage that are still open, and the old leaf that each new leaf is."""
    number = {0: 0}  # old leaf -> new leaf, of those that something reaches
    left: list[tuple[int, int]] = []
    for t, (leaf, test) in enumerate(splits):
        if leaf not in number:
            continue
        if not known[test]:
            left.append((number[leaf], test))
            number[t + 1] = len(left)
        elif passes[test]:
            number[t + 1] = number.pop(leaf)
    return left, sorted(number, key=number.__getitem__)
