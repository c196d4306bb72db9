r"""Exact conditioning of an ordered law, by elimination of variables.

Q(x) w(x) is a product of factors: theta_i(x_i | Y_i(x)) of X_i and its inputs, and w_j(x_j) of what is known. A variable
v is summed out of the product of the factors that hold it, its *cluster*, which leaves one factor, the *message*, over the
cluster's other variables:

.. math:: m_v(s) = \sum_{x_v} \prod_{f \ni v} f(x_v, s).

The order of elimination is greedy: always the variable of the smallest cluster. Clusters are the vertices of a tree, a
message going to the cluster of the next variable that is eliminated of those it is about. Sent back from the end, the
beliefs of all clusters follow, and with them every marginal at once; drawn back from the end, X_v given s in proportion to
the cluster's product, rows of Q(. | x_C) follow, independent and exact. What Q(T | x_C) does not depend on is left out.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.geometry.joint import theta_tensor
from depnet.law import limits
from depnet.law.program import certain, joint_codes, scope_of
from depnet.model.evidence import Evidence, weights_of
from depnet.model.network import Kept, Network
from depnet.model.sources.source import JointStates, product_within

ROWS = 1 << 15
"""The joint states that a node is asked for the probabilities of at a time."""
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
    fixed = certain(network, evidence)
    found = []
    for i in variables:
        found.append(Factor(scope_of(network, i, fixed), factor_table(network, i, fixed)))
        if i in evidence.tilts:
            weights = np.asarray(evidence.tilts[i], dtype=np.float64)
            found.append(Factor((), weights[fixed[i]]) if i in fixed else Factor((i,), weights))
    return found


def joint_law(network: Network, evidence: Evidence) -> FloatArray:
    """Q(x | evidence) as a tensor over the joint domain: the product of all factors, normalised."""
    cards = network.domain.cardinalities
    law = np.ones(cards)
    for node in network.nodes:
        law *= theta_tensor(node.tabulated(cards), cards)
    law = weigh(law, evidence)
    total = float(law.sum())
    if not total > 0:
        raise EvidenceError(IMPOSSIBLE)
    return np.asarray(law / total)


def weigh(law: FloatArray, evidence: Evidence) -> FloatArray:
    """A tensor over the joint domain, axis i being variable i, times the weights of the evidence."""
    for i, weights in weights_of(evidence, law.shape).items():
        law = law * weights.reshape([-1 if axis == i else 1 for axis in range(law.ndim)])
    return law


def factor_table(network: Network, i: int, fixed: Mapping[int, int]) -> FloatArray:
    """theta_i over its scope."""
    cards, node = network.domain.cardinalities, network.nodes[i]
    full = (*node.inputs, i)
    if product_within([cards[j] for j in full], limits.QUICK_CELLS):
        kept = _kept(network)
        if i not in kept:
            kept[i] = node.probabilities(JointStates(cards, node.inputs).codes()).reshape(
                [cards[j] for j in full]
            )
        return kept[i][tuple(fixed.get(j, slice(None)) for j in full)]
    scope = scope_of(network, i, fixed)
    inputs = [j for j in scope if j != i]
    shape = [cards[j] for j in scope]
    if not product_within(shape, limits.LARGEST):
        raise DomainTooLargeError(
            f"an exact answer is out of reach: {network.domain.names[i]!r} is predicted from {len(inputs)} columns, "
            f'which have more than {limits.LARGEST:,} combinations. Ask with the method "sample".'
        )
    known = {j: code for j, code in fixed.items() if j in node.inputs}
    codes = JointStates(cards, inputs, known).codes()
    wanted = fixed.get(i, slice(None))
    parts = [node.probabilities(codes[at : at + ROWS])[:, wanted] for at in range(0, len(codes), ROWS)]
    return (parts[0] if len(parts) == 1 else np.concatenate(parts)).reshape(shape)


_kept: Kept[dict[int, FloatArray]] = Kept(lambda network: {})
"""The factors of a network that were written out before."""


def product(
    variables: Sequence[int], factors: Sequence[Factor], cardinalities: Sequence[int]
) -> tuple[FloatArray, float]:
    """The product of factors, over exactly these variables in this order, and the log of what it was divided by."""
    table = np.empty([cardinalities[i] for i in variables])
    if len(factors) <= FEW_FACTORS:
        spread = sorted((_spread(factor, variables, cardinalities) for factor in factors), key=np.size)
        part = np.ones(())
        for each in spread[:-1]:  # of the small ones first, so that the whole table is gone through once
            part = part * each
        np.multiply(part, spread[-1] if spread else 1.0, out=table)
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


@dataclass(frozen=True, slots=True)
class EliminationPlan:
    """In which order variables are summed out, and what each one's cluster holds.

    `clusters[k]` is the k-th variable and then the others of its cluster, in the order of their own elimination (`keep`,
    which are not eliminated, last); `parent[k]` is the cluster that the k-th message goes to, -1 where nothing is left.
    """

    clusters: tuple[tuple[int, ...], ...]
    parent: tuple[int, ...]
    cells: int
    """Of all clusters together."""


def elimination_plan(
    scopes: Iterable[Sequence[int]],
    cardinalities: Sequence[int],
    keep: Iterable[int] = (),
    most_cells: int = limits.MOST_CELLS,
) -> EliminationPlan | None:
    """The greedy order for factors over these variables; None where a cluster or all together are too large."""
    neighbours: dict[int, set[int]] = {}
    for scope in scopes:
        for i in scope:
            neighbours.setdefault(i, set()).update(scope)
    kept = set(keep)

    def size(i: int) -> int:
        return math.prod(cardinalities[j] for j in neighbours[i])

    sizes = {i: size(i) for i in neighbours if i not in kept}
    waiting = [(cells, i) for i, cells in sizes.items()]
    heapq.heapify(waiting)
    found: list[set[int]] = []
    order: list[int] = []
    total = 0
    while waiting:
        cells, i = heapq.heappop(waiting)
        if i not in sizes or cells != sizes[i]:
            continue
        total += cells
        if cells > limits.LARGEST or total > most_cells:
            return None
        cluster = neighbours.pop(i)
        del sizes[i]
        order.append(i)
        found.append(cluster)
        others = cluster - {i}
        for j in others:
            neighbours[j] |= others
            neighbours[j].discard(i)
        for j in others & sizes.keys():
            sizes[j] = size(j)
            heapq.heappush(waiting, (sizes[j], j))
    place = {i: k for k, i in enumerate(order)}
    # Of what is kept, the longest axis comes last: loops over it are the inner ones.
    rank = place | {i: len(order) + cardinalities[i] for i in kept}
    clusters = tuple(tuple(sorted(cluster, key=lambda j: (rank[j], j))) for cluster in found)
    parent = tuple(place.get(cluster[1], -1) if len(cluster) > 1 else -1 for cluster in clusters)
    return EliminationPlan(clusters, parent, total)


def network_plan(
    network: Network,
    variables: Iterable[int],
    evidence: Evidence,
    keep: Iterable[int] = (),
    most_cells: int = limits.MOST_CELLS,
) -> EliminationPlan | None:
    """The plan for the tables of these variables given evidence; None where it, or a table itself, is too large."""
    cards, fixed = network.domain.cardinalities, certain(network, evidence)
    scopes = [scope_of(network, i, fixed) for i in variables]
    if not all(product_within([cards[j] for j in scope], limits.LARGEST) for scope in scopes):
        return None
    return elimination_plan(scopes, cards, [i for i in keep if i not in fixed], most_cells)


class Elimination:
    """A product of factors, and all variables summed out of it but those that the plan keeps.

    With `largest`, the maximum over a variable stands in the place of the sum.
    """

    def __init__(
        self,
        factors: Iterable[Factor],
        cardinalities: Sequence[int],
        plan: EliminationPlan,
        *,
        largest: bool = False,
    ) -> None:
        self.cardinalities = cardinalities
        self.plan = plan
        buckets: list[list[Factor]] = [[] for _ in plan.clusters]
        place = {cluster[0]: k for k, cluster in enumerate(plan.clusters)}
        self.rest: list[Factor] = []
        for factor in factors:
            first = min((place[i] for i in factor.variables if i in place), default=-1)
            (self.rest if first < 0 else buckets[first]).append(factor)
        self.log_scale = 0.0
        self.products: list[FloatArray] = []
        self.messages: list[FloatArray] = []
        for k, cluster in enumerate(plan.clusters):
            table, log_scale = product(cluster, buckets[k], cardinalities)
            self.log_scale += log_scale
            message = table.max(axis=0) if largest else table.sum(axis=0)
            top = float(message.max()) if message.size else 0.0
            if not top > 0:
                raise EvidenceError(IMPOSSIBLE)
            message = message / top  # or many small numbers together would be 0
            self.log_scale += math.log(top)
            self.products.append(table)
            self.messages.append(message)
            after = Factor(cluster[1:], message)
            target = plan.parent[k]
            (self.rest if target < 0 else buckets[target]).append(after)

    @classmethod
    def of(
        cls,
        network: Network,
        variables: Sequence[int],
        evidence: Evidence,
        plan: EliminationPlan,
        *,
        largest: bool = False,
    ) -> "Elimination":
        """Q(x) w(x) of some variables of an ordered network, which hold the ancestors of what is asked and known.

        Variables that are known for certain, or have one state, have no axis.
        """
        factors = factors_of(network, variables, evidence)
        return cls(factors, network.domain.cardinalities, plan, largest=largest)

    def joint(self, keep: Sequence[int]) -> tuple[FloatArray, float]:
        """Q(keep | evidence) as a tensor, and the log of the sum of Q(x) w(x): the probability of the evidence."""
        table, log_scale = product(keep, self.rest, self.cardinalities)
        total = float(table.sum())
        if not total > 0:
            raise EvidenceError(IMPOSSIBLE)
        return table / total, self.log_scale + log_scale + math.log(total)

    def sum_out(self, *kept: int) -> FloatArray:
        """Sum out the first of all variables that were kept, after the others; Q(kept | evidence) as it was."""
        law, _ = self.joint(kept)
        clusters, parent = self.plan.clusters, self.plan.parent
        last = tuple(len(parent) if target < 0 else target for target in parent)
        self.plan = EliminationPlan((*clusters, kept), (*last, -1), self.plan.cells + law.size)
        self.products.append(law)
        return law

    @property
    def log_total(self) -> float:
        """The log of the sum (or of the maximum) over all variables, of which none was kept."""
        return self.joint(())[1]

    def marginals(self, wanted: Iterable[int]) -> dict[int, FloatArray]:
        """Q(X_i | evidence) of each of the wanted variables, all of which were summed out."""
        place = {cluster[0]: k for k, cluster in enumerate(self.plan.clusters)}
        asked = {place[i] for i in wanted}
        needed = set(asked)
        for k in range(len(self.plan.clusters)):
            if k in needed and self.plan.parent[k] >= 0:
                needed.add(self.plan.parent[k])
        beliefs: dict[int, FloatArray] = {}
        found: dict[int, FloatArray] = {}
        for k in sorted(needed, reverse=True):
            cluster, target = self.plan.clusters[k], self.plan.parent[k]
            belief = self.products[k]
            if target >= 0:
                above = self.plan.clusters[target]
                gone = tuple(axis for axis, i in enumerate(above) if i not in cluster)
                down = beliefs[target].sum(axis=gone)  # over cluster[1:], in the order of elimination
                ratio = np.divide(down, self.messages[k], out=np.zeros_like(down), where=self.messages[k] > 0)
                belief = belief * ratio
            beliefs[k] = belief / belief.sum()
            if k in asked:
                found[cluster[0]] = beliefs[k].sum(axis=tuple(range(1, belief.ndim)))
        return found

    def draw(self, words: NDArray[np.uint32], codes: NDArray[np.unsignedinteger]) -> None:
        """Write independent draws of Q(. | evidence) into the columns of `codes`; `words` is [cluster, row].

        No variable may have been kept.
        """
        for k in reversed(range(len(self.plan.clusters))):
            first, *others = self.plan.clusters[k]
            table = self.products[k].reshape(self.cardinalities[first], -1)
            state = joint_codes(codes, others, self.cardinalities)
            few = len(codes) < table.shape[1]
            ends = table[:, state] if few else table.copy()
            for before, each in pairwise(ends):  # np.cumsum takes three times as long
                each += before
            ends = ends if few else ends[:, state]
            drawn = (words[k] * 2.0**-32 * ends[-1] >= ends).sum(axis=0)
            codes[:, first] = np.minimum(drawn, self.cardinalities[first] - 1)


def most_probable_state(network: Network, evidence: Evidence) -> tuple[IntArray, float] | None:
    """The codes of all variables where Q(x) w(x) is largest (one of equals), and log Q(x | evidence); None: too large.

    With maxima in the place of sums, each variable takes, from the last one back, the state that was best beside those
    already taken.
    """
    assert network.order is not None
    plan = network_plan(network, network.order, evidence)
    if plan is None:
        return None
    best = Elimination.of(network, network.order, evidence, plan, largest=True)
    codes: IntArray = np.zeros(len(network), dtype=np.int64)
    for i, code in certain(network, evidence).items():
        codes[i] = code
    for k in reversed(range(len(plan.clusters))):
        first, *others = plan.clusters[k]
        codes[first] = best.products[k][(slice(None), *(codes[j] for j in others))].argmax()
    total = Elimination.of(network, network.order, evidence, plan).log_total
    return codes, best.log_total - total


def log_largest_weight(network: Network, variables: Iterable[int], evidence: Evidence) -> float:
    r"""The log of a bound on the weights of passes of these variables.

    A weight is the product of sum_x theta_j(x | y_j) w_j(x) over the known X_j. Where few variables are read the largest
    product is found by elimination, with the largest in place of the sum; else each factor's own largest will do.
    """
    cards, fixed = network.domain.cardinalities, certain(network, evidence)
    known = weights_of(evidence, cards)
    factors, logs = [], 0.0
    for j in variables:
        if j not in known:
            continue
        node = network.nodes[j]
        if product_within([cards[i] for i in (*node.inputs, j)], limits.QUICK_CELLS):
            table = factor_table(network, j, fixed)
            table = table * known[j][fixed[j]] if j in fixed else table @ known[j]
            factors.append(Factor(tuple(i for i in node.inputs if i not in fixed), table))
        else:
            logs += _log(node.largest_mean(known[j]))
    plan = elimination_plan([factor.variables for factor in factors], cards, most_cells=limits.QUICK_CELLS)
    if plan is None:
        return logs + sum(_log(float(factor.table.max())) for factor in factors)
    try:
        return logs + Elimination(factors, cards, plan, largest=True).log_total
    except EvidenceError:
        return -math.inf


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
