"""Full conditional divergence, its bound the FC-limit, and the pseudo-log-likelihood (Sec. 3.2).

Each is a sum over nodes with the weights c_i of the random scan (Eq. c_i; uniform by default).
"""

from numpy.typing import ArrayLike

from depnet.errors import DistributionError
from depnet.geometry.joint import checked_joint, checked_pair, checked_weights, mean_log, weighted_sum
from depnet.geometry.manifold import FullConditionalManifold, conditional_of, kl_to_manifold
from depnet.model.network import Network


def full_conditional_divergence(p: ArrayLike, q: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""The full conditional divergence (Eq. FC), in nats.

    .. math:: FC(p\|q) = \sum_i c_i\,KL(p\|E_i(q)), \quad
              E_i(q) = \{r \mid r(X_i \mid X_{-i}) = q(X_i \mid X_{-i})\}

    Never more than KL(p||q). Zero between positive laws only where they are equal; infinite where `p` has
    mass and q(X_i | X_-i) is 0 or unsaid.

    Args:
        p, q: joint distributions.
        weights: c_i; None: all alike.

    Returns:
        FC(p||q).

    >>> p, q = [[0.1, 0.4], [0.4, 0.1]], [[0.25, 0.25], [0.25, 0.25]]
    >>> round(full_conditional_divergence(p, q), 6)
    0.192745
    """
    first, second = checked_pair(p, q)
    c = checked_weights(weights, first.ndim)
    terms = (kl_to_manifold(first, FullConditionalManifold.of_joint(second, i)) for i in range(first.ndim))
    return weighted_sum(c, terms)


def fc_limit(p: ArrayLike, network: Network, weights: ArrayLike | None = None) -> float:
    r"""The FC-limit of a network (Theorem 3, Eq. FC-limit), in nats.

    .. math:: FC(p\|\pi) \le FC_{\lim}(p) = \sum_i c_i\,KL(p\|E(\theta_i))

    It confines the stationary law pi of the random scan with the weights c_i to a neighbourhood of `p`,
    for any `p`, without computing pi. It is a sum over nodes, so each can be learned alone.

    Args:
        p: a joint distribution, such as that of the data.
        network: the network.
        weights: c_i; None: all alike.

    Returns:
        The bound.

    >>> p = [[0.1, 0.4], [0.4, 0.1]]
    >>> fc_limit(p, Network.from_joint(p))
    0.0
    """
    joint = checked_joint(p)
    cardinalities = network.domain.cardinalities
    if joint.shape != cardinalities:
        raise DistributionError(
            f"p has the shape {joint.shape}; the network's domain has the cardinalities {cardinalities}."
        )
    c = checked_weights(weights, len(network))
    terms = (
        kl_to_manifold(joint, FullConditionalManifold.of_node(node, cardinalities)) for node in network.nodes
    )
    return weighted_sum(c, terms)


def pseudo_log_likelihood(p: ArrayLike, q: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Besag's pseudo-log-likelihood of the law `q` for data with the law `p` (Eq. FC_rewrite), in nats.

    .. math:: \left\langle \sum_i c_i \log q(X_i \mid X_{-i}) \right\rangle_p

    Weighted by c_i as in the paper (uniform: a mean over variables). FC(p||q) is what `q` lacks to the
    most likely law, `p` itself.

    Args:
        p, q: joint distributions.
        weights: c_i; None: all alike.

    Returns:
        Nats a row.

    >>> round(pseudo_log_likelihood([[0.1, 0.4], [0.4, 0.1]], [[0.25, 0.25], [0.25, 0.25]]), 6)
    -0.693147
    """
    first, second = checked_pair(p, q)
    c = checked_weights(weights, first.ndim)
    return weighted_sum(c, (mean_log(first, conditional_of(second, i)) for i in range(first.ndim)))
