r"""Is there a joint distribution with all the full conditionals of a network (Sec. 2.2)?

If there is, pseudo-Gibbs sampling is genuine Gibbs sampling. Such a joint p lies on every manifold E(theta_i),
so every update leaves it alone, and it is a stationary law of the random scan. Conversely, the stationary
law pi of a recurrent class is such a joint if and only if KL(pi‖E(theta_i)) = 0 for every node. Where there are
several classes, a joint is a mixture of their laws; each context belongs to one class, so one exists if and
only if the law of some class is one.
"""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.exact.stationary import recurrent_classes
from depnet.geometry.manifold import kl_to_manifold, manifolds
from depnet.geometry.size import check_dense
from depnet.model.links import OneSidedLink, one_sided_links
from depnet.model.network import Network
from depnet.model.scan import RandomScan

WAY_OUT = (
    "depnet.model.one_sided_links(network) needs no law; to know how near the tables come to the data, see "
    "depnet.certificate(network, dataset)."
)

TOLERANCE = 1e-9
"""Nats of KL(pi‖E(theta_i)) that are taken for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Consistency:
    """How far the conditional tables of a network are from belonging to one joint distribution.

    Attributes:
        consistent: there is a joint with all these full conditionals: no divergence is above `tolerance`.
        nodes: what each node updates: the name of its variable.
        divergences: KL(pi‖E(theta_i)) of every node, in nats, pi being the law of the random scan.
        law: pi; where there are several recurrent classes, of the one whose divergences have the smallest sum.
        classes: the number of recurrent classes.
        one_sided: links that evidence follows one way only.
        tolerance: the divergence, in nats, up to which tables count as those of one joint.

    >>> found = consistency(Network.from_joint([[0.1, 0.2], [0.3, 0.4]]))
    >>> found.consistent, found.classes, found.one_sided
    (True, 1, ())
    """

    consistent: bool
    nodes: tuple[str, ...]
    divergences: tuple[float, ...]
    law: FloatArray
    classes: int
    one_sided: tuple[OneSidedLink, ...]
    tolerance: float

    def __str__(self) -> str:
        """The verdict, the nodes from the farthest on, and the one-sided links; long lists are cut."""
        verdict = "consistent: a joint distribution has" if self.consistent else "inconsistent: no joint has"
        lines = [f"{verdict} all these full conditionals"]
        if self.classes > 1:
            lines[0] += f" ({self.classes:,} recurrent classes; pi is of the one that comes nearest)"
        lines.append("KL(pi‖E(theta)) of each node, in nats:")
        farthest = sorted(zip(self.divergences, self.nodes, strict=True), key=lambda pair: -pair[0])
        lines += _shorten([f"  {divergence:.4g}  {node}" for divergence, node in farthest])
        if self.one_sided:
            lines.append("one-sided links:")
            lines += _shorten([f"  {link}" for link in self.one_sided])
        return "\n".join(lines)


def _shorten(lines: list[str], shown: int = 10) -> list[str]:
    return lines if len(lines) <= shown else [*lines[:shown], f"  and {len(lines) - shown:,} more"]


def consistency(network: Network, *, tolerance: float = TOLERANCE) -> Consistency:
    """Whether a joint has all the full conditionals of `network`, and how far each node is from it.

    Args:
        network: the network, small enough that its law can be solved.
        tolerance: the divergence, in nats, up to which tables count as those of one joint.

    Returns:
        A `Consistency`; print it.

    >>> consistency(Network.from_joint([[0.1, 0.2], [0.3, 0.4]])).consistent
    True
    >>> from depnet import ConditionalTable, ConstantSource, Domain, LosslessSource, Node, TableNode
    >>> table = ConditionalTable.from_probabilities
    >>> alone = TableNode(0, ConstantSource(), table([[0.5, 0.5]]))
    >>> reader = TableNode(1, LosslessSource((0,), (2,)), table([[0.9, 0.1], [0.1, 0.9]]))
    >>> print(consistency(Network(Domain.from_cardinalities([2, 2]), (alone, reader))))
    inconsistent: no joint has all these full conditionals
    KL(pi‖E(theta)) of each node, in nats:
      0.1537  X1
      0.08228  X0
    one-sided links:
      X1 reads X0: evidence on X1 never reaches X0
    """
    check_dense(
        network.domain.cardinalities, bytes_per_state=64, what="the consistency of a network", way_out=WAY_OUT
    )
    nodes, names = manifolds(network), network.domain.names
    best, nearest, classes = np.inf, None, recurrent_classes(network, RandomScan())
    for found in classes:
        law = found.law
        divergences = tuple(kl_to_manifold(law, manifold) for manifold in nodes)
        if nearest is None or sum(divergences) < best:
            best, nearest = sum(divergences), (law, divergences)
    assert nearest is not None  # a finite chain has a recurrent class
    law, divergences = nearest
    return Consistency(
        consistent=all(kl <= tolerance for kl in divergences),
        nodes=names,
        divergences=divergences,
        law=read_only(law),
        classes=len(classes),
        one_sided=one_sided_links(network),
        tolerance=tolerance,
    )
