"""Joint distributions: what every function of this layer asks of its arguments, what becomes a tensor, entropies and KL.

A joint distribution is a plain float64 tensor, axis i being variable i. Of sources and nodes, axes that a tensor does not
depend on have length 1, so that numpy broadcasts them: a node with few inputs stays small however large the domain.

Zeros follow the paper's conventions: 0 log 0 = 0, and a divergence is infinite where the support of its first argument is
not covered by its second.
"""

import operator
from collections.abc import Iterable, Sequence
from typing import SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray, LeafArray, xlogy
from depnet.data.table.dataset import Dataset
from depnet.errors import DataError, DistributionError
from depnet.geometry.size import LIMIT_BYTES, check_dense
from depnet.model.node import Node
from depnet.model.sources.source import InformationSource, JointStates

SUM_TOLERANCE = 1e-9
"""How far the entries of a distribution may be from summing to one."""

Variables: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""One variable by its number, or several distinct ones."""


def checked_joint(p: ArrayLike, name: str = "p") -> FloatArray:
    """`p` as a float64 tensor, if it is a distribution."""
    try:
        joint = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DistributionError(f"{name} is a tensor of numbers, axis i being variable i; {error}.") from None
    if joint.ndim == 0 or joint.size == 0:
        raise DistributionError(
            f"{name} has the shape {joint.shape}; expected one axis for each variable, and no empty one."
        )
    with np.errstate(invalid="ignore", over="ignore"):  # of what is not finite, or far from a distribution
        total = float(joint.sum())
    if not np.isfinite(total):
        raise DistributionError(
            f"{name} has entries that are not finite, or far too large; probabilities are numbers in [0, 1]."
        )
    if joint.min() < 0:
        state = tuple(map(int, np.unravel_index(int(joint.argmin()), joint.shape)))
        raise DistributionError(f"{name}{list(state)} is {joint[state]:.6g}; probabilities are not negative.")
    if abs(total - 1) > SUM_TOLERANCE:
        raise DistributionError(
            f"{name} sums to {total:.12g}; a distribution sums to 1. Divide it by its sum ({name} / {name}.sum())."
        )
    return joint


def checked_pair(
    p: ArrayLike, q: ArrayLike, names: tuple[str, str] = ("p", "q")
) -> tuple[FloatArray, FloatArray]:
    first, second = checked_joint(p, names[0]), checked_joint(q, names[1])
    if first.shape != second.shape:
        raise DistributionError(
            f"{names[0]} has the shape {first.shape} and {names[1]} {second.shape}; both must be tensors over "
            "the same joint domain."
        )
    return first, second


def checked_variables(variables: Variables, axes: int, what: str = "variables") -> tuple[int, ...]:
    """`variables` as a tuple of distinct numbers below `axes`."""
    try:
        numbers = _indices(variables)
    except TypeError:
        raise DistributionError(
            f"{what} are the numbers of distinct variables, an int or a tuple of them; got {variables!r}."
        ) from None
    if len(set(numbers)) < len(numbers) or not all(0 <= i < axes for i in numbers):
        raise DistributionError(f"{what} are distinct numbers in 0..{axes - 1}; got {numbers}.")
    return numbers


def _indices(variables: Variables) -> tuple[int, ...]:
    try:
        return (operator.index(variables),)  # type: ignore[arg-type]  # a sequence has no index: tried next
    except TypeError:
        return tuple(operator.index(i) for i in variables)  # type: ignore[union-attr]  # a TypeError is ours


def checked_variable(variable: Variables, axes: int) -> int:
    """The one variable of a full conditional, by its number."""
    found = checked_variables(variable, axes)
    if len(found) != 1:
        raise DistributionError(f"a full conditional is of one variable; got the variables {found}.")
    return found[0]


def checked_weights(weights: ArrayLike | None, count: int) -> FloatArray:
    """c_i, one for each node, summing to one (Eq. c_i); None: all alike."""
    if weights is None:
        return np.full(count, 1.0 / count)
    try:
        checked = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DistributionError(f"weights are {count} numbers c_i, one for each node; {error}.") from None
    if checked.shape != (count,):
        raise DistributionError(
            f"weights are {count} numbers c_i, one for each node; got the shape {checked.shape}."
        )
    return checked_joint(checked, "weights")


def marginal(p: FloatArray, variable: int) -> FloatArray:
    """p(X_-i) for every state, the axis of X_i kept with length 1."""
    return np.asarray(p.sum(axis=variable, keepdims=True))


def mean_log(p: FloatArray, q: FloatArray) -> float:
    """<log q>_p, where 0 log 0 = 0 and p log 0 = -infinity; `q` may be broadcast over the domain."""
    return float(xlogy(p, q).sum())


def weighted_sum(weights: FloatArray, terms: Iterable[float]) -> float:
    """Sum of c_i times a term; a weight of zero silences an infinite term."""
    return float(sum(c * term for c, term in zip(weights.tolist(), terms, strict=True) if c > 0))


def leaf_tensor(source: InformationSource, cardinalities: Sequence[int]) -> LeafArray:
    """Y(x) for every joint state of the source's inputs."""
    shape = tuple(k if j in source.inputs else 1 for j, k in enumerate(cardinalities))
    return JointStates(cardinalities, source.inputs).leaves(source).reshape(shape)


def theta_tensor(node: Node, cardinalities: Sequence[int]) -> FloatArray:
    """theta_i(X_i | X_-i) of a node, broadcastable over the joint domain."""
    rows, theta = node.written_out(JointStates(cardinalities, node.inputs))
    others = [k if j in node.inputs else 1 for j, k in enumerate(cardinalities) if j != node.variable]
    return np.moveaxis(theta[rows.reshape(others)], -1, node.variable)


CHUNK = 1 << 20


def empirical(dataset: Dataset, *, limit_bytes: int = LIMIT_BYTES) -> FloatArray:
    """p^D as a tensor over the joint domain, axis i being variable i; a row of weight w counts w times.

    .. math:: p^D(x) = N_x / N

    Args:
        dataset: the rows.
        limit_bytes: a larger tensor is refused.

    Returns:
        A float64 tensor whose sum is 1.

    >>> empirical(Dataset.from_codes([[0, 1], [0, 1], [1, 0], [0, 0]], cardinalities=[2, 2])).tolist()
    [[0.25, 0.5], [0.25, 0.0]]
    """
    cardinalities = dataset.domain.cardinalities
    check_dense(
        cardinalities,
        bytes_per_state=8,
        what="the empirical distribution",
        limit_bytes=limit_bytes,
        way_out="Choose fewer variables, or merge rare states.",
    )
    total = dataset.total
    if total == 0:
        raise DataError("the dataset has no rows (or none of positive weight); p^D needs at least one.")
    counts = np.zeros(dataset.domain.size)
    for start in range(0, dataset.rows, CHUNK):
        rows = slice(start, start + CHUNK)
        state = np.zeros(len(dataset.codes[rows]), dtype=np.int64)
        for i, k in enumerate(cardinalities):
            state *= k
            state += dataset.column(i)[rows]
        np.add.at(counts, state, 1.0 if dataset.weights is None else dataset.weights[rows].astype(np.float64))
    counts /= total
    return counts.reshape(cardinalities)


def entropy(p: ArrayLike) -> float:
    r"""The entropy of a joint distribution, in nats.

    .. math:: H(p(X)) = -\langle \log p(X) \rangle_p

    Args:
        p: a joint distribution.

    Returns:
        H(p).

    >>> round(entropy([[0.5, 0.0], [0.0, 0.5]]), 6)      # log 2
    0.693147
    """
    joint = checked_joint(p)
    return max(0.0, -mean_log(joint, joint))


def conditional_entropy(
    p: ArrayLike, variables: Variables, given: Variables | InformationSource | None = None
) -> float:
    r"""The conditional entropy of some variables given others, in nats.

    .. math:: H(p(X_B \mid Y)) = -\langle \log p(X_B \mid Y) \rangle_p

    Args:
        p: a joint distribution.
        variables: the number of a variable, or of several.
        given: what Y is: variables, or an information source; None: all the other variables, X_-B.

    Returns:
        H(X_B | Y).

    >>> conditional_entropy([[0.5, 0.0], [0.0, 0.5]], 0)
    0.0
    """
    joint = checked_joint(p)
    targets = checked_variables(variables, joint.ndim)
    if isinstance(given, InformationSource):
        p_xy = _with_leaves(joint, targets, given)
        p_y = p_xy.sum(axis=1)
    else:
        rest = tuple(j for j in range(joint.ndim) if j not in targets)
        known = rest if given is None else checked_variables(given, joint.ndim, "given")
        p_xy = joint.sum(axis=tuple(j for j in rest if j not in known), keepdims=True)
        p_y = joint.sum(axis=tuple(j for j in range(joint.ndim) if j not in known), keepdims=True)
    return max(0.0, mean_log(p_y, p_y) - mean_log(p_xy, p_xy))


def _with_leaves(p: FloatArray, targets: tuple[int, ...], source: InformationSource) -> FloatArray:
    """p(Y, X_B) as a table [leaf, joint state of X_B]."""
    source.check_domain(p.shape)
    leaves = np.broadcast_to(leaf_tensor(source, p.shape), p.shape)
    last = range(p.ndim - len(targets), p.ndim)
    rows = np.moveaxis(p, targets, last)
    states = int(np.prod([p.shape[i] for i in targets], dtype=np.int64))
    leaf_of_row = np.moveaxis(leaves, targets, last).reshape(-1, states).astype(np.int64)
    cells = leaf_of_row * states + np.arange(states)
    counted = np.bincount(cells.ravel(), weights=rows.reshape(-1), minlength=source.size * states)
    return np.asarray(counted, dtype=np.float64).reshape(source.size, states)


def kl(p: ArrayLike, q: ArrayLike) -> float:
    r"""The Kullback-Leibler divergence (Eq. KL), in nats.

    .. math:: KL(p\|q) = \left\langle \log\frac{p(X)}{q(X)} \right\rangle_p

    Args:
        p, q: joint distributions.

    Returns:
        KL(p||q); infinite where `q` is 0 and `p` is not.

    >>> round(kl([1.0, 0.0], [0.5, 0.5]), 6), kl([0.5, 0.5], [1.0, 0.0])
    (0.693147, inf)
    """
    first, second = checked_pair(p, q)
    # one difference a state: log p - log q is small where p is near q, and the large parts cancel there
    return max(0.0, float((xlogy(first, first) - xlogy(first, second)).sum()))


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    r"""The total variation distance: the largest difference in the probability of any event.

    .. math:: TV(p, q) = \frac12 \sum_x |p(x) - q(x)|

    Args:
        p, q: joint distributions.

    Returns:
        From 0 to 1.

    >>> total_variation([0.5, 0.5], [0.75, 0.25])
    0.25
    """
    first, second = checked_pair(p, q)
    return float(np.abs(first - second).sum() / 2)
