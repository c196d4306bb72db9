"""Fixed points of a scan on one recurrent class, without ever forming K.

Each map G has the law as its fixed point: a Gauss-Seidel sweep of the random scan's jumps, coloured by the
sum of codes (`_native/exact_coloured.hpp`); the plain jumps where variables have many states (`exact_jumps.hpp`); a
sweep of the sequential scan (`exact_sweep.hpp`). GMRES solves x = G x from the uniform law on the class, and
keeps to that class: what starts at zero outside stays zero.

A cycle of GMRES that gains little is followed by one with a larger basis; where even the largest stalls,
plain applications of G carry on, since they converge however slowly. Nothing is returned whose residual
was not found small enough on the chain itself.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from depnet._native import exact as native
from depnet.arrays import FloatArray, IntArray
from depnet.errors import ConvergenceError
from depnet.geometry.chain import FreeChain

Map: TypeAlias = native.Coloured | native.Jumping | native.Sweep

RESIDUAL = 1e-12
"""What is promised: the L1 norm of pi K - pi is at most this."""

FEW_NEIGHBOURS = 6
"""A coloured sweep visits each of a state's neighbours; with more of them on average, plain jumps are faster."""

FIRST_BASIS, LARGEST_BASIS, BASIS_BYTES = 20, 2000, 1 << 30
"""GMRES starts with cycles of the first size; they grow to the largest that the memory allows."""

POOR, STALLED = 0.5, 0.95
"""A cycle that leaves more than these parts of the residual gets a larger basis, or is no progress."""

PATIENCE, RELAXATIONS, MAX_APPLICATIONS = 3, 200, 20_000


@dataclass(slots=True)
class Effort:
    """What a solution took: applications of the map, the last basis, the residual on the chain itself."""

    applications: int = 0
    basis: int = 0
    residual: float = math.inf


def random_laws(
    chain: FreeChain,
    weights: FloatArray,
    classes: Iterable[IntArray | None],
    effort: Effort | None = None,
) -> Iterator[FloatArray]:
    """The law pi = pi K of each class, given by its members (None: all states), flat over the free domain."""
    jumps: Map | None = None
    for members in classes:
        p = uniform(chain, members)
        if np.count_nonzero(p) > 1:
            jumps = _jumps(chain, weights) if jumps is None else jumps
            step = functools.partial(chain.native.mix, weights)
            p = _fixed_point(jumps, p, step, effort or Effort())
        yield p


def _jumps(chain: FreeChain, weights: FloatArray) -> Map:
    """The random scan's jumps: coloured, if variables have few states."""
    neighbours = [states - 1 for states in chain.states]
    if sum(neighbours) <= FEW_NEIGHBOURS * len(neighbours):
        return native.Coloured(chain.native, weights)
    return native.Jumping(chain.native, weights)


def sequential_laws(
    chain: FreeChain,
    order: Sequence[int],
    classes: Iterable[IntArray | None],
    effort: Effort | None = None,
) -> Iterator[FloatArray]:
    """pi^0 = pi^0 K_0 ... K_(n-1) of each class at place 0; `order` is of updates.

    The cycle may be entered anywhere: where the update changes most, the unknown is smallest.
    """
    sizes = [chain.states[u] for u in order]
    place = int(np.argmax(sizes)) if sizes else 0
    before, after = list(order[:place]), list(order[place:])
    sweep: Map | None = None

    def step(law: FloatArray, moved: FloatArray) -> None:
        np.copyto(moved, law)
        for u in after + before:
            chain.native.project(u, moved)

    for members in classes:
        p = uniform(chain, members)
        if chain.size > 1:
            sweep = native.Sweep(chain.native, after + before) if sweep is None else sweep
            for u in before:
                chain.native.project(u, p)
            p = _fixed_point(sweep, p, step, effort or Effort())
            for u in after:
                chain.native.project(u, p)
            p /= p.sum()
        yield p


def uniform(chain: FreeChain, members: IntArray | None) -> FloatArray:
    """The uniform law on `members`, flat over the free domain."""
    if members is None:
        return np.full(chain.size, 1.0 / chain.size)
    p = np.zeros(chain.size)
    p[members] = 1.0 / len(members)
    return p


def _fixed_point(
    G: Map, p: FloatArray, step: Callable[[FloatArray, FloatArray], None], effort: Effort
) -> FloatArray:
    """The law whose x is the fixed point of G, from the start p; `step(p, q)` writes one step of the chain into q."""
    x, r, moved = np.empty(G.dimension), np.empty(G.dimension), np.empty_like(p)
    G.start(p, x)
    G.residual(x, r)
    most = max(FIRST_BASIS, min(LARGEST_BASIS, G.dimension, BASIS_BYTES // (8 * G.dimension)))
    effort.basis = FIRST_BASIS
    goal, stalls, before = RESIDUAL, 0, math.inf
    while True:
        # Relative to the flow and not to the probability: a chain that rarely moves is solved as well.
        distance, flow = float(np.abs(r).sum()), float(x.sum())
        if not math.isfinite(distance):
            raise ConvergenceError(
                f"the stationary law of {p.size:,} states was not found: the tables have probabilities so small "
                "that a float cannot hold their inverse. Take them for 0, or learn the tables with smoothing > 0."
            )
        over = distance == 0 or stalls > PATIENCE or effort.applications > MAX_APPLICATIONS
        if distance <= goal * flow or over:
            G.law(x, p)
            p /= p.sum()
            step(p, moved)
            effort.residual = float(np.abs(np.subtract(moved, p, out=moved)).sum())
            if effort.residual <= RESIDUAL:
                return p
            goal /= 10
        if over:
            raise ConvergenceError(
                f"the stationary law of {p.size:,} states was not found: after {effort.applications:,} sweeps "
                f"||pi K - pi|| is {effort.residual:.3g}, above {RESIDUAL:g}. The chain mixes too slowly; learn the "
                "tables with smoothing > 0, or sample (depnet.sample)."
            )
        if distance > STALLED * before and effort.basis == most:
            stalls += 1
            for _ in range(RELAXATIONS):
                x += r / 2
                G.residual(x, r)
            effort.applications += RELAXATIONS
            before = math.inf
            continue
        if distance > POOR * before:
            effort.basis = min(2 * effort.basis, most)
        before = distance
        target = 0.5 * goal * flow * math.sqrt(float(r @ r)) / distance
        effort.applications += G.cycle(x, r, effort.basis, target)
