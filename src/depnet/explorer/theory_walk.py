r"""The path of p^t between the two manifolds, under either scan, with what is said beside it (Sec. 3.1 and 3.2).

At each step stand KL(p^t||pi), FC(p^t||pi) and the FC-limit of p^t. Under the random scan pi is its stationary
law, and Theorem 3 says :math:`FC(p^t\|\pi) \le FC_{\lim}(p^t)`; under the sequential scan pi is the centroid of the
cycle pi^0, pi^1, for which nothing is promised.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray
from depnet.errors import PictureError
from depnet.exact import law_path, stationary, stationary_cycle
from depnet.geometry import fc_limit, full_conditional_divergence, kl, m_projection, manifolds
from depnet.model import Network, RandomScan, Scan
from depnet.pictures.tetrahedron import START

STEPS = 30
NEAR = 1e-9
"""Laws of a cycle that differ by less are one."""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """`laws[t]` is p^t, `end` is pi, `cycle` the laws that a sequential scan goes round (empty: random scan).

    `kl[t]`, `fc[t]` and `limit[t]` are KL(p^t||pi), FC(p^t||pi) and the FC-limit of p^t, in nats.
    """

    network: Network
    scan: Scan
    laws: FloatArray
    end: FloatArray
    cycle: tuple[FloatArray, ...]
    kl: FloatArray
    fc: FloatArray
    limit: FloatArray

    @property
    def steps(self) -> int:
        """T, the number of the last law."""
        return len(self.laws) - 1

    @property
    def apart(self) -> tuple[FloatArray, ...]:
        """The laws of the cycle, where it has more than one; else none."""
        one = not self.cycle or float(np.abs(self.cycle[0] - self.cycle[1]).sum()) < NEAR
        return () if one else self.cycle

    @property
    def meets(self) -> bool:
        """Do the manifolds meet in pi? Then the tables are those of one law."""
        ends = [m_projection(self.end, space) for space in manifolds(self.network)]
        return all(float(np.abs(end - self.end).sum()) < NEAR for end in ends)


def walk(network: Network, scan: Scan, start: ArrayLike = START, steps: int = STEPS) -> Walk:
    """The first `steps` steps of a chain of two binary variables that starts from the law `start`.

    >>> from depnet import SequentialScan
    >>> path = walk(Network.from_joint([[0.40, 0.10], [0.14, 0.36]]), SequentialScan())
    >>> path.meets, bool(path.kl[30] < 1e-6 < path.kl[0])
    (True, True)
    """
    if network.domain.cardinalities != (2, 2):
        raise PictureError(
            "the tetrahedron holds the laws of two binary variables; this network has the "
            f"cardinalities {network.domain.cardinalities}."
        )
    laws = np.stack(list(law_path(network, scan, start, steps)))
    end = stationary(network, scan)
    return Walk(
        network,
        scan,
        laws,
        end,
        cycle=() if isinstance(scan, RandomScan) else tuple(stationary_cycle(network, scan)),
        kl=np.array([kl(p, end) for p in laws]),
        fc=np.array([full_conditional_divergence(p, end) for p in laws]),
        limit=np.array([fc_limit(p, network) for p in laws]),
    )
