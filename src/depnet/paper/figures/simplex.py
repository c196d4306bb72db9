"""The paper's geometric figures, computed: manifolds, m-projections and the paths of p^t for two binary variables."""

import itertools

import numpy as np

from depnet.exact import law_path, stationary, stationary_cycle
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
from depnet.pictures.canvas import COLORS, GREY, INK
from depnet.pictures.tetrahedron.scene import Curve, Point, Scene, place
from depnet.pictures.tetrahedron.simplex import (
    PSEUDO,
    START,
    corners,
    edges,
    independence,
    manifold_lines,
    two_nodes,
)

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
    points = (Point(place(stationary(network, RandomScan())), "π", INK),)
    return Scene(
        "Laws of two binary variables",
        "Corners: the joint states. Lines: the full conditional manifolds E(θ₀), E(θ₁) of two tables, straight and "
        "skew. Surface: the laws under which X₀ and X₁ are independent. π: the law of the random scan.",
        (*edges(), *manifold_lines(network)),
        (*corners(), *points),
        (independence(),),
    )


def m_projection_figure() -> Scene:
    """Fig. m-projection: p, its m-projection q onto E(theta_1), another r in E(theta_1); Pythagoras."""
    space = manifolds(pseudo())[1]
    p = np.array([[0.55, 0.27], [0.12, 0.06]])
    q = m_projection(p, space)
    r = m_projection(np.array([[0.06, 0.06], [0.44, 0.44]]), space)
    legs, hypotenuse = (kl(p, q), kl(q, r)), kl(p, r)
    curves = (
        *edges(),
        *manifold_lines(pseudo())[1:],
        Curve(place(np.stack([p, q])), RED, "m-geodesic pq"),
        Curve(place(np.stack([p, r])), GREY, "m-geodesic pr", width=1.0),
    )
    points = (
        Point(place(p), "p", INK),
        Point(place(q), "q = pΠₘ(E)", RED),
        Point(place(r), "r", BLUE),
    )
    return Scene(
        "m-projection onto an e-flat manifold",
        f"KL(p‖r) = {hypotenuse:.4f} = {legs[0]:.4f} + {legs[1]:.4f} = KL(p‖q) + KL(q‖r); "
        f"the m-geodesic pq and the e-geodesic qr are orthogonal ({abs(orthogonality(p, q, r)):.0e}).",
        curves,
        (*corners(), *points),
    )


def sequential(network: Network, title: str, caption: str) -> Scene:
    """p^t under the sequential scan 0, 1, 0, 1, ...: m-projections onto one manifold after the other."""
    laws = list(itertools.islice(law_path(network, SequentialScan(), START), STEPS + 1))
    cycle = stationary_cycle(network, SequentialScan())
    end = np.mean(cycle, axis=0)
    together = np.abs(cycle[0] - cycle[1]).sum() < 1e-9
    named = (
        [Point(place(end), "π", INK)]
        if together
        else [Point(place(law), name, VIOLET) for law, name in zip(cycle, ("π⁰", "π¹"), strict=True)]
    )
    if not together:
        named.append(Point(place(end), "centroid", INK))
    return Scene(
        title,
        caption,
        (
            *edges(),
            *manifold_lines(network),
            Curve(place(np.stack(laws)), RED, "pᵗ", width=1.6, stepwise=True),
            *(() if together else (Curve(place(np.stack(cycle)), VIOLET, "cycle", width=2.2),)),
        ),
        (*corners(), Point(place(START), "p⁰", RED), *named),
        view=CROSSING if together else SKEW,
        readout=tuple(
            f"t = {t}: KL(pᵗ‖{'π' if together else 'centroid'}) = {kl(p, end):.5f}"
            for t, p in enumerate(laws)
        ),
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
    laws = list(itertools.islice(law_path(network, RandomScan(), START), STEPS + 1))
    pi = stationary(network, RandomScan())
    fans = [
        Curve(place(np.stack([m_projection(p, spaces[0]), m_projection(p, spaces[1])])), GREY, width=0.9)
        for p in laws[:5]
    ]
    projections = [
        Curve(place(np.stack([p, m_projection(p, space)])), color, width=0.7)
        for p in laws[:3]
        for space, color in zip(spaces, (BLUE, GREEN), strict=True)
    ]
    ends = [m_projection(pi, space) for space in spaces]
    return Scene(
        "Pseudo-Gibbs sampling, random scan",
        "Grey: from pᵗ₀ to pᵗ₁, the m-projections of pᵗ; pᵗ⁺¹ is halfway between them. At the end π is halfway "
        "between its own m-projections π₀ and π₁: a Nash equilibrium.",
        (
            *edges(),
            *manifold_lines(network),
            *fans,
            *projections,
            Curve(place(np.stack(laws)), RED, "pᵗ", width=1.8, stepwise=True),
            Curve(place(np.stack(ends)), VIOLET, "π₀π₁", width=2.2),
        ),
        (
            *corners(),
            Point(place(START), "p⁰", RED),
            Point(place(pi), "π", INK),
            *(Point(place(law), name, VIOLET) for law, name in zip(ends, ("π₀", "π₁"), strict=True)),
        ),
        readout=tuple(f"t = {t}: KL(pᵗ‖π) = {kl(p, pi):.5f}" for t, p in enumerate(laws)),
    )


def fcd_figure() -> Scene:
    """Fig. fcd: FC(p||q) is the mean divergence of p from the manifolds through q."""
    p, q = np.array([[0.05, 0.62], [0.13, 0.20]]), np.array([[0.36, 0.14], [0.16, 0.34]])
    spaces = [FullConditionalManifold.of_joint(q, i) for i in range(2)]
    ends = [m_projection(p, space) for space in spaces]
    terms = [kl_to_manifold(p, space) for space in spaces]
    network = Network.from_joint(q)
    return Scene(
        "The full conditional divergence FC(p‖q)",
        f"FC(p‖q) = ½ · {terms[0]:.4f} + ½ · {terms[1]:.4f} = {full_conditional_divergence(p, q):.4f}, from p to the "
        f"manifolds E₀(q), E₁(q) that meet in q; KL(p‖q) = {kl(p, q):.4f} is more.",
        (
            *edges(),
            *manifold_lines(network, ("E₀(q)", "E₁(q)")),
            *(
                Curve(place(np.stack([p, end])), RED, f"KL(p‖E{sub}(q)) = {term:.3f}")
                for end, sub, term in zip(ends, "₀₁", terms, strict=True)
            ),
            Curve(place(np.stack([p, q])), GREY, "m-geodesic pq", width=1.0),
        ),
        (
            *corners(),
            Point(place(p), "p", RED),
            Point(place(q), "q", INK),
            *(Point(place(end), f"pΠₘ(E{sub}(q))", RED) for end, sub in zip(ends, "₀₁", strict=True)),
        ),
        view=CROSSING,
    )
