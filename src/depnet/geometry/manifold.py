"""Full conditional manifolds and the m-projection onto them (Sec. 3, Eq. E, Theorems 1 and 2).

    E(theta_i) = {p : p(X_i | X_-i) = theta_i(X_i | X_-i)}

A node is such a manifold: e-flat and m-flat. Updating it moves the law of the chain from p to the nearest point of
the manifold, p(X_-i) theta_i. A joint q has the manifolds E_i(q) of its own full conditionals.

Where p(x_-i) = 0, the joint p says nothing of X_i. Its full conditional is 0 there, and a manifold whose
theta is 0 in a whole context x_-i holds only laws without mass in that context: so a divergence from a
law with mass there is infinite, which is the paper's convention.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray, read_only, xlogy
from depnet.errors import DistributionError
from depnet.geometry.joint import (
    SUM_TOLERANCE,
    Variables,
    checked_joint,
    checked_variable,
    checked_variables,
    marginal,
    theta_tensor,
)
from depnet.geometry.size import check_dense
from depnet.model.network import Network
from depnet.model.node import Node


def full_conditional(p: ArrayLike, variable: Variables) -> FloatArray:
    r"""The full conditional distribution of a variable, a tensor of the shape of `p`.

    .. math:: p(X_i \mid X_{-i}) = p(X) / p(X_{-i})

    In a context x_-i of probability 0 it is 0, so that its support is that of `p`.

    Args:
        p: a joint distribution.
        variable: its number, i.

    Returns:
        A tensor.

    >>> full_conditional([[0.125, 0.375], [0.25, 0.25]], 1).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    joint = checked_joint(p)
    return conditional_of(joint, checked_variable(variable, joint.ndim))


def conditional_of(joint: FloatArray, variable: int) -> FloatArray:
    """`full_conditional` of what is known to be a joint and a variable of it."""
    context = marginal(joint, variable)
    return np.divide(joint, context, out=np.zeros_like(joint), where=context > 0)


@dataclass(frozen=True, slots=True, eq=False)
class FullConditionalManifold:
    r"""All joint distributions with one full conditional in common (Eq. E).

    .. math:: E(\theta_i) = \{p \mid p(X_i \mid X_{-i}) = \theta_i(X_i \mid X_{-i})\}

    Args:
        theta: a tensor over the joint domain. Axes that it does not depend on may have length 1; that of `variable` must
            be whole.
        variable: the number i.

    >>> manifold = FullConditionalManifold([[0.9, 0.1]], 1)
    >>> manifold.contains([[0.45, 0.05], [0.45, 0.05]]), manifold.contains([[0.25, 0.25], [0.25, 0.25]])
    (True, False)
    """

    theta: FloatArray
    variable: int

    def __init__(self, theta: ArrayLike, variable: Variables) -> None:
        try:
            tensor = np.array(theta, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DistributionError(
                f"theta is a tensor of numbers, axis i being variable i; {error}."
            ) from None
        if tensor.ndim == 0 or tensor.size == 0:
            raise DistributionError(
                f"theta has the shape {tensor.shape}; expected one axis for each variable, of length 1 where "
                "theta does not depend on it."
            )
        i = checked_variable(variable, tensor.ndim)
        totals = marginal(tensor, i)
        if not ((tensor >= 0).all() and ((np.abs(totals - 1) <= SUM_TOLERANCE) | (totals == 0)).all()):
            worst = float(totals.flat[int(np.argmax(np.where(totals == 0, 0, np.abs(totals - 1))))])
            raise DistributionError(
                f"theta is not a conditional distribution of variable {i}: over its states it sums to "
                f"{worst:.12g} in some context, and its least entry is {tensor.min():.6g}."
            )
        object.__setattr__(self, "theta", read_only(tensor))
        object.__setattr__(self, "variable", i)

    @classmethod
    def of_node(cls, node: Node, cardinalities: Sequence[int]) -> "FullConditionalManifold":
        """E(theta_i) of a node.

        Args:
            node: the node.
            cardinalities: of its domain.

        Returns:
            The manifold.
        """
        node.check_domain(cardinalities)
        i = checked_variable(node.variable, len(cardinalities))
        involved = {i, *node.inputs}
        check_dense(
            [k if j in involved else 1 for j, k in enumerate(cardinalities)],
            bytes_per_state=8,
            what="the theta of a node as a tensor",
            way_out="depnet.certificate(network, dataset) needs no tensors.",
        )
        if cardinalities[i] != node.states:
            raise DistributionError(
                f"the node of variable {i} has a table of {node.states} states; in a domain with the cardinalities "
                f"{tuple(cardinalities)} the variable has {cardinalities[i]}."
            )
        return cls(theta_tensor(node, cardinalities), i)

    @classmethod
    def of_joint(cls, q: ArrayLike, variable: Variables) -> "FullConditionalManifold":
        """E_i(q): the joint distributions that share a full conditional with `q` (Eq. FC).

        Args:
            q: a joint distribution.
            variable: the number i.

        Returns:
            The manifold.
        """
        return cls(full_conditional(q, variable), variable)

    def contains(self, p: ArrayLike, *, tolerance: float = 1e-9) -> bool:
        """Is `p` on the manifold?

        Args:
            p: a joint distribution.
            tolerance: the L1 distance of p(X) to p(X_-i) theta_i is at most this.

        Returns:
            Whether it is.
        """
        joint = self.checked(p)
        return bool(np.abs(joint - marginal(joint, self.variable) * self.theta).sum() <= tolerance)

    def given(self, clamped: Mapping[int, int]) -> "FullConditionalManifold":
        """E(theta_i(. ; x_C)): the same node where some variables are known (Sec. 5).

        Args:
            clamped: X_j is known to have the code `clamped[j]`.

        Returns:
            The manifold. The axes of the known variables remain, with length 1.
        """
        known = checked_variables(tuple(clamped), self.theta.ndim, "clamped")
        check_unclamped(self.variable, known)
        theta = self.theta
        for j, code in clamped.items():
            if theta.shape[j] > 1:
                if not 0 <= code < theta.shape[j]:
                    raise DistributionError(
                        f"variable {j} has the codes 0..{theta.shape[j] - 1}; got evidence {code}."
                    )
                theta = theta.take([code], axis=j)
        return FullConditionalManifold(theta, self.variable)

    def checked(self, p: ArrayLike, name: str = "p") -> FloatArray:
        """`p` as a tensor, if it is a distribution on this manifold's domain."""
        joint = checked_joint(p, name)
        shape = self.theta.shape
        fits = joint.ndim == len(shape) and all(
            t == k or (t == 1 and j != self.variable)
            for j, (t, k) in enumerate(zip(shape, joint.shape, strict=True))
        )
        if not fits:
            raise DistributionError(
                f"{name} has the shape {joint.shape}; the manifold of variable {self.variable} has a theta "
                f"of shape {shape}, where only axes of other variables may have length 1 instead."
            )
        return joint


def manifolds(network: Network) -> tuple[FullConditionalManifold, ...]:
    """E(theta_i) of every node of a network, in order.

    Args:
        network: the network.

    Returns:
        The manifolds.

    >>> [manifold.theta.shape for manifold in manifolds(Network.from_joint([[0.1, 0.2], [0.3, 0.4]]))]
    [(2, 2), (2, 2)]
    """
    cardinalities = network.domain.cardinalities
    return tuple(FullConditionalManifold.of_node(node, cardinalities) for node in network.nodes)


def m_projection(p: ArrayLike, manifold: FullConditionalManifold) -> FloatArray:
    r"""The point of a full conditional manifold nearest to `p` (Theorem 2).

    .. math:: p\Pi_m(E(\theta_i)) = p(X_{-i})\,\theta_i(X_i \mid X_{-i})

    One pseudo-Gibbs update of node i moves the law of the chain by exactly this map.

    Args:
        p: a joint distribution.
        manifold: the manifold.

    Returns:
        A joint distribution on the manifold.

    >>> manifold = FullConditionalManifold([[0.5, 0.5]], 1)
    >>> m_projection([[0.25, 0.0], [0.5, 0.25]], manifold).tolist()
    [[0.125, 0.125], [0.375, 0.375]]
    """
    joint = manifold.checked(p)
    context = marginal(joint, manifold.variable)
    unsaid = (context > 0) & (marginal(manifold.theta, manifold.variable) == 0)
    if unsaid.any():
        state = tuple(map(int, np.argwhere(unsaid)[0]))
        raise DistributionError(
            f"p has no m-projection: it has mass in the context of the state {state}, where the manifold of "
            f"variable {manifold.variable} has no conditional distribution (theta is 0 there)."
        )
    return context * manifold.theta


def kl_to_manifold(p: ArrayLike, manifold: FullConditionalManifold) -> float:
    r"""The divergence of `p` from a full conditional manifold, in nats (Sec. 3.2).

    .. math:: KL(p\|E(\theta_i)) = \min_{q \in E(\theta_i)} KL(p\|q)
              = \left\langle \log\frac{p(X_i \mid X_{-i})}{\theta_i(X_i \mid X_{-i})} \right\rangle_p

    Args:
        p: a joint distribution.
        manifold: the manifold.

    Returns:
        The divergence; infinite where theta is 0 and `p` is not.

    >>> round(kl_to_manifold([[0.5, 0.0], [0.5, 0.0]], FullConditionalManifold([[0.5, 0.5]], 1)), 6)
    0.693147
    """
    return max(0.0, float(kl_terms(manifold.checked(p), manifold).sum()))


def kl_terms(joint: FloatArray, manifold: FullConditionalManifold) -> FloatArray:
    """p(x) log(p(x_i | x_-i) / theta_i(x_i | x_-i)) for every x."""
    return np.asarray(xlogy(joint, conditional_of(joint, manifold.variable)) - xlogy(joint, manifold.theta))


def check_unclamped(variable: int, clamped: tuple[int, ...]) -> None:
    """Sec. 5 speaks of nodes whose own variable is unclamped."""
    if variable in clamped:
        raise DistributionError(
            f"variable {variable} is clamped, and the manifold is of its node; a node's own variable must be unclamped here."
        )


class EvidenceTerms(NamedTuple):
    """What `kl_by_evidence` found for every evidence x_C, the axes being those of `clamped` in the order given.

    Attributes:
        probabilities: p(x_C).
        divergences: KL(p(X_Cbar | x_C) || E(theta_i(. ; x_C))), in nats; 0 where p(x_C) = 0.
    """

    probabilities: FloatArray
    divergences: FloatArray


def kl_by_evidence(p: ArrayLike, manifold: FullConditionalManifold, clamped: Variables) -> EvidenceTerms:
    r"""The divergence of `p` from a manifold, divided by evidence on the variables C = `clamped`.

    .. math:: KL(p\|E(\theta_i)) = \sum_{x_C} p(x_C)\,
              KL(p(X_{\bar C} \mid x_C)\|E(\theta_i(X_i \mid X_B;\, x_C)))

    Clamping X_C = x_C leaves pseudo-Gibbs sampling with the manifolds E(theta_i(. ; x_C)), so the term of
    x_C says how well the node serves that evidence. Rare evidence weighs little in the sum, and may be
    served poorly although the sum is small.

    Args:
        p: a joint distribution.
        manifold: of a node.
        clamped: the number of a variable, or of several.

    Returns:
        The terms.

    >>> p = np.array([[0.45, 0.45], [0.1, 0.0]])
    >>> terms = kl_by_evidence(p, FullConditionalManifold([[0.5, 0.5]], 1), clamped=0)
    >>> terms.probabilities.round(3).tolist(), terms.divergences.round(3).tolist()
    ([0.9, 0.1], [0.0, 0.693])
    """
    joint = manifold.checked(p)
    known = checked_variables(clamped, joint.ndim, "clamped")
    check_unclamped(manifold.variable, known)
    summed = tuple(j for j in range(joint.ndim) if j not in known)
    # given x_C, p(x) log(p(x_i | x_-i) / theta_i) is p(x_C) times the same of the conditional law
    axes = tuple(sorted(known).index(j) for j in known)
    weights = joint.sum(axis=summed).transpose(axes)
    parts = kl_terms(joint, manifold).sum(axis=summed).transpose(axes)
    divergences = np.divide(parts, weights, out=np.zeros_like(weights), where=weights > 0)
    return EvidenceTerms(weights, np.maximum(divergences, 0.0))
