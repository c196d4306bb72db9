r"""The introduction's remark: a small change of a transition matrix can move its stationary law far.

*A sticky pair*: two binary variables that copy each other, each going from 0 to 1 and from 1 to 0 with
probability eps. The change divides the second of these by ten. As eps falls the change of the matrix goes to 0,
but the stationary law goes on moving from (1/2, 1/2) to nearly (1/11, 10/11).

*Ising 4 x 3*: a field h on every spin, always the same small h, at rising coupling J: the stronger the
coupling, the further the same change moves the law.

FC_lim(pi) of the changed tables bounds FC(pi||pi'), which counts how wrong the full conditionals are:
it is small in both. So the bound is true, and what FC calls near is near in the full conditionals. Between
modes that the chain rarely crosses, KL and total variation can be large while FC is small. Both are shown.
"""

from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.exact import stationary
from depnet.geometry import fc_limit, full_conditional_divergence, kl, total_variation
from depnet.geometry.manifold import manifolds
from depnet.model import Network, RandomScan
from depnet.paper.laws import ising
from depnet.paper.report import Claim, Report, columns
from depnet.paper.table1 import within_limit
from depnet.pictures.tetrahedron import two_nodes

COLUMNS = columns("""
    model          model
    parameter      eps or J     .4g
    change         ||K' - K||   .2e
    tv             TV(pi, pi')  .3f
    amplification  TV / change  .3g
    kl             KL(pi||pi')  .2e
    fc             FC(pi||pi')  .2e
    fc_limit       FC_lim(pi)   .2e
""")


def perturbation(
    *,
    stickiness: tuple[float, ...] = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4),
    couplings: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5),
    field: float = 0.01,
    height: int = 4,
    width: int = 3,
) -> Report:
    """Both families: size of the change, how far pi moves, and the FC-limit."""
    pairs = ((eps, sticky_pair(eps, eps), sticky_pair(eps, eps / 10)) for eps in stickiness)
    rows = [changed("sticky pair", *pair) for pair in pairs]
    for coupling in couplings:
        before = Network.from_joint(ising(height, width, coupling))
        after = Network.from_joint(ising(height, width, coupling, field))
        rows.append(changed(f"Ising{height}x{width}, field {field:g}", coupling, before, after))
    kept = sum(within_limit(r["fc"], r["fc_limit"]) for r in rows)
    claim = Claim(f"FC(pi||pi') <= FC_lim(pi) in {kept} of {len(rows)} (Theorem 3)", kept == len(rows))
    title = "A small change of the transition matrix, and how far the stationary law moves"
    notes = (
        "||K' - K||: the largest total variation between rows of the two transition matrices (random scan).",
        "A small FC means near full conditionals; modes that are rarely crossed can still exchange their mass.",
    )
    return Report("perturbation", title, COLUMNS, rows, (claim,), notes)


def sticky_pair(up: float, down: float) -> Network:
    """Two binary variables that copy each other, but go 0 -> 1 with probability `up` and 1 -> 0 with `down`."""
    return two_nodes((1 - up, down), (1 - up, down))


def changed(model: str, parameter: float, before: Network, after: Network) -> dict[str, Any]:
    """One line: `before` and its law pi against `after` and its law pi'."""
    pi, moved = stationary(before, RandomScan()), stationary(after, RandomScan())
    change = transition_change(before, after)
    tv = total_variation(pi, moved)
    return {
        "model": model,
        "parameter": parameter,
        "change": change,
        "tv": tv,
        "amplification": tv / change if change else None,
        "kl": kl(pi, moved),
        "fc": full_conditional_divergence(pi, moved),
        "fc_limit": fc_limit(pi, after),
    }


def transition_change(before: Network, after: Network) -> float:
    r"""The largest total variation between rows of the random scan's matrices, without forming them.

    .. math:: K(x, x') = \sum_i c_i\,\theta_i(x'_i \mid x_{-i})\,[x'_{-i} = x_{-i}]

    A row's entries off the diagonal belong to one node each; on the diagonal the nodes add up.
    """
    shape = before.domain.cardinalities
    apart, stay = np.zeros(shape), np.zeros(shape)
    for old, new in zip(manifolds(before), manifolds(after), strict=True):
        difference: FloatArray = np.broadcast_to((new.theta - old.theta) / len(before), shape)
        stay += difference
        apart += np.abs(difference).sum(axis=old.variable, keepdims=True) - np.abs(difference)
    return float((apart + np.abs(stay)).max() / 2)
