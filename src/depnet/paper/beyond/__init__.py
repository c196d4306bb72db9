"""Beyond the paper, and ours: what its experiments leave open. Nothing here is claimed by the paper.

- `bound`: Table 1 over many seeds and couplings; FC(p^D||pi) over its bound as J, N, n and the number of states vary;
- `sequential`: how often the centroid of a sequential scan is beyond the bound, and what holds instead;
- `overfit`: when the paper's MDL overfits, and what the structural penalty does.
"""

from collections.abc import Callable, Mapping

from depnet.paper.beyond.bound import couplings, tightness
from depnet.paper.beyond.overfit import overfit
from depnet.paper.beyond.sequential import sequential
from depnet.paper.report import Report

BEYOND: Mapping[str, Callable[..., Report]] = {
    "couplings": couplings,
    "tightness": tightness,
    "sequential": sequential,
    "overfit": overfit,
}
"""Each takes the first seed and the number of seeds."""

__all__ = ["BEYOND", "couplings", "overfit", "sequential", "tightness"]
