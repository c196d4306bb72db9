"""The paper's geometric figures, computed: manifolds, m-projections and the paths of p^t for two binary variables."""

import numpy as np

from depnet.exact import stationary
from depnet.geometry import (
    FullConditionalManifold,
    full_conditional_divergence,
    kl,
    kl_to_manifold,
    m_projection,
    manifolds,
    orthogonality,
)
from depnet.model import Network, RandomScan, SequentialScan
from depnet.pictures.canvas import COLORS
from depnet.pictures.colours import GREY, INK
from depnet.pictures.tetrahedron.scene import Curve, Point, Scene
from depnet.pictures.tetrahedron.simplex import (
    PSEUDO,
    START,
    in_tetrahedron,
    independence,
    manifold_lines,
    two_nodes,
)
from depnet.pictures.tetrahedron.walk import walk

BLUE, RED, GREEN, _, VIOLET = COLORS[:5]
STEPS = 14
SKEW, CROSSING = (14.0, -58.0), (38.0, -62.0)
"""From where skew manifolds look apart, and where manifolds that meet look crossed."""


def genuine() -> Network:
    """Consistent tables: the full conditionals of one law."""
    return Network.from_joint([[0.40, 0.10], [0.14, 0.36]])


def pseudo() -> Network:
    """Tables of no common law: the manifolds are skew lines."""
    return two_nodes(*PSEUDO)


def overview() -> Scene:
    """The tetrahedron, both manifolds, the independent laws, and where the scans end."""
    network = pseudo()
    return in_tetrahedron(
        manifold_lines(network),
        [Point.of(stationary(network, RandomScan()), "π", INK)],
        "Laws of two binary variables",
        "Corners: the joint states. Lines: the full conditional manifolds E(θ₀), E(θ₁) of two tables, straight and "
        "skew. Surface: the laws under which X₀ and X₁ are independent. π: the law of the random scan.",
        surfaces=(independence(),),
    )


def m_projection_figure() -> Scene:
    """Fig. m-projection: p, its m-projection q onto E(theta_1), another r in E(theta_1); Pythagoras."""
    space = manifolds(pseudo())[1]
    p = np.array([[0.55, 0.27], [0.12, 0.06]])
    q = m_projection(p, space)
    r = m_projection(np.array([[0.06, 0.06], [0.44, 0.44]]), space)
    return in_tetrahedron(
        [
            *manifold_lines(pseudo())[1:],
            Curve.through([p, q], RED, "m-geodesic pq"),
            Curve.through([p, r], GREY, "m-geodesic pr", width=1.0),
        ],
        [Point.of(p, "p", INK), Point.of(q, "q = pΠₘ(E)", RED), Point.of(r, "r", BLUE)],
        "m-projection onto an e-flat manifold",
        f"KL(p‖r) = {kl(p, r):.4f} = {kl(p, q):.4f} + {kl(q, r):.4f} = KL(p‖q) + KL(q‖r); "
        f"the m-geodesic pq and the e-geodesic qr are orthogonal ({abs(orthogonality(p, q, r)):.0e}).",
    )


def sequential(network: Network, title: str, caption: str) -> Scene:
    """p^t under the sequential scan 0, 1, 0, 1, ...: m-projections onto one manifold after the other."""
    path = walk(network, SequentialScan(), START, STEPS)
    end = "centroid" if path.apart else "π"
    curves = [*manifold_lines(network), Curve.through(path.laws, RED, "pᵗ", width=1.6, stepwise=True)]
    if path.apart:
        curves.append(Curve.through(path.apart, VIOLET, "cycle", width=2.2))
    return in_tetrahedron(
        curves,
        [
            Point.of(START, "p⁰", RED),
            *(Point.of(law, label, VIOLET) for law, label in zip(path.apart, ("π⁰", "π¹"), strict=False)),
            Point.of(path.end, end, INK),
        ],
        title,
        caption,
        view=SKEW if path.apart else CROSSING,
        readout=tuple(f"t = {t}: KL(pᵗ‖{end}) = {value:.5f}" for t, value in enumerate(path.kl)),
    )


def genuine_figure() -> Scene:
    """Fig. genuine_gs."""
    return sequential(
        genuine(),
        "Genuine Gibbs sampling, sequential scan",
        "The manifolds of consistent tables meet in π, and alternating m-projections lead there.",
    )


def pseudo_figure() -> Scene:
    """Fig. pseudo-gs."""
    return sequential(
        pseudo(),
        "Pseudo-Gibbs sampling, sequential scan",
        "The manifolds do not meet: pᵗ ends going round the cycle π⁰ → π¹ → π⁰, whose centroid is the model.",
    )


def movement_figure() -> Scene:
    """Fig. movement: the random scan, p^(t+1) the mean of both m-projections of p^t."""
    network = pseudo()
    spaces = manifolds(network)
    path = walk(network, RandomScan(), START, STEPS)
    fans = [
        Curve.through([m_projection(p, space) for space in spaces], GREY, width=0.9) for p in path.laws[:5]
    ]
    projections = [
        Curve.through([p, m_projection(p, space)], color, width=0.7)
        for p in path.laws[:3]
        for space, color in zip(spaces, (BLUE, GREEN), strict=True)
    ]
    ends = [m_projection(path.end, space) for space in spaces]
    return in_tetrahedron(
        [
            *manifold_lines(network),
            *fans,
            *projections,
            Curve.through(path.laws, RED, "pᵗ", width=1.8, stepwise=True),
            Curve.through(ends, VIOLET, "π₀π₁", width=2.2),
        ],
        [
            Point.of(START, "p⁰", RED),
            Point.of(path.end, "π", INK),
            *(Point.of(law, name, VIOLET) for law, name in zip(ends, ("π₀", "π₁"), strict=True)),
        ],
        "Pseudo-Gibbs sampling, random scan",
        "Grey: from pᵗ₀ to pᵗ₁, the m-projections of pᵗ; pᵗ⁺¹ is halfway between them. At the end π is halfway "
        "between its own m-projections π₀ and π₁: a Nash equilibrium.",
        readout=tuple(f"t = {t}: KL(pᵗ‖π) = {value:.5f}" for t, value in enumerate(path.kl)),
    )


def fcd_figure() -> Scene:
    """Fig. fcd: FC(p||q) is the mean divergence of p from the manifolds through q."""
    p, q = np.array([[0.05, 0.62], [0.13, 0.20]]), np.array([[0.36, 0.14], [0.16, 0.34]])
    spaces = [FullConditionalManifold.of_joint(q, i) for i in range(2)]
    ends = [m_projection(p, space) for space in spaces]
    terms = [kl_to_manifold(p, space) for space in spaces]
    return in_tetrahedron(
        [
            *manifold_lines(Network.from_joint(q), ("E₀(q)", "E₁(q)")),
            *(
                Curve.through([p, end], RED, f"KL(p‖E{sub}(q)) = {term:.3f}")
                for end, sub, term in zip(ends, "₀₁", terms, strict=True)
            ),
            Curve.through([p, q], GREY, "m-geodesic pq", width=1.0),
        ],
        [
            Point.of(p, "p", RED),
            Point.of(q, "q", INK),
            *(Point.of(end, f"pΠₘ(E{sub}(q))", RED) for end, sub in zip(ends, "₀₁", strict=True)),
        ],
        "The full conditional divergence FC(p‖q)",
        f"FC(p‖q) = ½ · {terms[0]:.4f} + ½ · {terms[1]:.4f} = {full_conditional_divergence(p, q):.4f}, from p to the "
        f"manifolds E₀(q), E₁(q) that meet in q; KL(p‖q) = {kl(p, q):.4f} is more.",
        view=CROSSING,
    )
