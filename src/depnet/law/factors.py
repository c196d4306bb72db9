"""The factors of an ordered law given evidence, and their products.

Q(x) w(x) is a product of factors: theta_i(x_i | Y_i(x)) of X_i and its inputs, and w_j(x_j) of what is known. What is known
for certain, or has one state, has no axis.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from depnet.arrays import FloatArray
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.geometry.joint import theta_tensor
from depnet.model.evidence import Evidence, weights_of
from depnet.model.network import Kept, Network
from depnet.model.sources.source import JointStates, product_within

LARGEST = 1 << 20
"""The cells of a factor or of a cluster, at most."""
ROWS = 1 << 15
"""The joint states that a node is asked for the probabilities of at a time."""
KEPT_CELLS = 1 << 16
"""The cells of a factor that is kept with the network, at most."""
FEW_FACTORS = 16
"""The number of factors that are multiplied as they are."""

IMPOSSIBLE = (
    "the evidence has probability 0 under the law: its tables leave no state that matches all of it. Smooth the "
    "tables (learn with a smoothing of 0.5), or give other evidence."
)


class Factor(NamedTuple):
    """A table over the joint states of some variables, an axis for each."""

    variables: tuple[int, ...]
    table: FloatArray


def factors_of(network: Network, variables: Sequence[int], evidence: Evidence) -> list[Factor]:
    """theta_i of each of the variables, and the weights of those that are known, without axes for what is certain."""
    cards = network.domain.cardinalities
    fixed = certain(network, evidence)
    found = []
    for i in variables:
        scope = scope_of(network, i, fixed)
        table = factor_table(network, i, fixed)
        found.append(Factor(scope, table))
        if i in evidence.tilts:
            weights = np.asarray(evidence.tilts[i], dtype=np.float64)
            found.append(Factor((), weights[fixed[i]]) if i in fixed else Factor((i,), weights))
        assert table.shape == tuple(cards[j] for j in scope)
    return found


def certain(network: Network, evidence: Evidence) -> dict[int, int]:
    """The codes of the variables that have no axis: known for certain, or of one state."""
    ones = {i: 0 for i, k in enumerate(network.domain.cardinalities) if k == 1}
    return ones | dict(evidence.clamped)


def scope_of(network: Network, i: int, fixed: Mapping[int, int]) -> tuple[int, ...]:
    """The variables of the factor theta_i: the inputs of node i, then X_i, without the fixed ones."""
    return tuple(j for j in (*network.nodes[i].inputs, i) if j not in fixed)


def joint_law(network: Network, evidence: Evidence) -> FloatArray:
    """Q(x | evidence) as a tensor over the joint domain: the product of all factors, normalised."""
    cards = network.domain.cardinalities
    law = np.ones(cards)
    for node in network.nodes:
        law *= theta_tensor(node.tabulated(cards), cards)
    return normalised(weighted(law, evidence))


def weighted(law: FloatArray, evidence: Evidence) -> FloatArray:
    """A tensor over the joint domain, axis i being variable i, times the weights of the evidence."""
    for i, weights in weights_of(evidence, law.shape).items():
        law = law * weights.reshape([-1 if axis == i else 1 for axis in range(law.ndim)])
    return law


def normalised(law: FloatArray) -> FloatArray:
    """A tensor divided by its sum; where that is 0 the evidence is impossible."""
    total = float(law.sum())
    if not total > 0:
        raise EvidenceError(IMPOSSIBLE)
    return np.asarray(law / total)


def factor_table(network: Network, i: int, fixed: Mapping[int, int]) -> FloatArray:
    """theta_i over its scope."""
    cards, node = network.domain.cardinalities, network.nodes[i]
    full = (*node.inputs, i)
    if product_within([cards[j] for j in full], KEPT_CELLS):
        kept = _kept(network)
        if i not in kept:
            kept[i] = node.probabilities(JointStates(cards, node.inputs).codes()).reshape(
                [cards[j] for j in full]
            )
        return kept[i][tuple(fixed.get(j, slice(None)) for j in full)]
    scope = scope_of(network, i, fixed)
    inputs = [j for j in scope if j != i]
    shape = [cards[j] for j in scope]
    if not product_within(shape, LARGEST):
        raise DomainTooLargeError(
            f"the factor of {network.domain.names[i]!r}, a function of {len(inputs)} variables, has more than "
            f'{LARGEST:,} cells. Ask with the method "sample".'
        )
    known = {j: code for j, code in fixed.items() if j in node.inputs}
    codes = JointStates(cards, inputs, known).codes()
    wanted = fixed.get(i, slice(None))
    parts = [node.probabilities(codes[at : at + ROWS])[:, wanted] for at in range(0, len(codes), ROWS)]
    return np.concatenate(parts).reshape(shape)


_kept: Kept[dict[int, FloatArray]] = Kept(lambda network: {})
"""The factors of a network that were written out before."""


def product(
    variables: Sequence[int], factors: Sequence[Factor], cardinalities: Sequence[int]
) -> tuple[FloatArray, float]:
    """The product of factors, over exactly these variables in this order, and the log of what it was divided by."""
    table = np.ones([cardinalities[i] for i in variables])
    if len(factors) <= FEW_FACTORS:
        for factor in factors:
            table *= _spread(factor, variables, cardinalities)
        return table, 0.0
    # Of many factors the product would be 0 in floats, also where a state is likely in the end.
    table[...] = 0.0
    with np.errstate(divide="ignore"):
        for factor in factors:
            table += np.log(_spread(factor, variables, cardinalities))
    top = float(table.max())
    if top == -math.inf:
        raise EvidenceError(IMPOSSIBLE)
    return np.exp(table - top), top


def _spread(factor: Factor, variables: Sequence[int], cardinalities: Sequence[int]) -> FloatArray:
    """A factor's table with an axis for each of these variables, of length 1 where it does not speak of it."""
    axes = {i: axis for axis, i in enumerate(factor.variables)}
    inside = [i for i in variables if i in axes]
    shape = [cardinalities[i] if i in axes else 1 for i in variables]
    return factor.table.transpose([axes[i] for i in inside]).reshape(shape)
