"""Fixed points of a scan on one recurrent class, without ever forming the matrix of a sweep.

Each map G has the law as its fixed point: a Gauss-Seidel sweep of the random scan's jumps (`Jumps`), or a sweep of the
sequential scan (`Sweep`). GMRES solves x = G x from the uniform law on the class, and keeps to that class: what starts
at zero outside stays zero. I - G is singular with a one-dimensional kernel; G x - x lies in its range, so the Krylov
space of that residual holds the correction (the fixed space is semi-simple).

A cycle of GMRES that gains little is followed by one with a larger basis; where even the largest stalls,
plain applications of G carry on, since they converge however slowly. Nothing is returned whose residual
was not found small enough on the chain itself.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.errors import ConvergenceError
from depnet.geometry.chain import FreeChain, Update

RESIDUAL = 1e-12
"""What is promised: the L1 norm of pi K - pi is at most this."""

FIRST_BASIS, LARGEST_BASIS, BASIS_BYTES = 20, 2000, 1 << 30
"""GMRES starts with cycles of the first size; they grow to the largest that the memory allows."""

POOR, STALLED = 0.5, 0.95
"""A cycle that leaves more than these parts of the residual gets a larger basis, or is no progress."""

PATIENCE, RELAXATIONS, MAX_APPLICATIONS = 3, 200, 20_000


@dataclass(slots=True)
class SolveReport:
    """What a solution took: applications of the map, the last basis, the residual on the chain itself."""

    applications: int = 0
    basis: int = 0
    residual: float = math.inf


class Map(Protocol):
    """A linear map of x, whose fixed point belongs to the law."""

    def apply(self, x: FloatArray) -> FloatArray:
        """G x."""

    def start(self, p: FloatArray) -> FloatArray:
        """The x that belongs to the law p."""

    def law(self, x: FloatArray) -> FloatArray:
        """The law that belongs to x, after one more application of G, not normalised."""


class Jumps:
    """Gauss-Seidel on the random scan with self-loops divided out: x(s) = outflow(s) pi(s) is the law of its jumps.

    An update jumps between states whose sums of codes differ modulo the largest cardinality: with that sum as colour,
    states of one colour do not see each other, and a sweep goes colour by colour. The first colour is a function of the
    others, which are the unknown: half of the states of a binary domain.
    """

    def __init__(self, chain: FreeChain, weights: FloatArray) -> None:
        from scipy.sparse import csr_array  # slow to import

        size, colours = chain.size, max(chain.shape)
        self._each = size // colours
        colour = np.zeros(1, dtype=np.int64)
        for k in chain.shape:
            colour = (colour[:, None] + np.arange(k)).reshape(-1)
        self._states = np.argsort(colour % colours, kind="stable")
        place = np.empty(size, dtype=np.int32)
        place[self._states] = np.arange(size)
        outflow = np.zeros(size)
        sources: list[IntArray] = []
        rates: list[FloatArray] = []
        for update, c in zip(chain.updates, weights.tolist(), strict=True):
            _, k, behind = update.theta.shape
            outflow += c * _others(update.theta).reshape(-1)
            rate = c * update.theta.reshape(-1)[self._states]
            code = self._states // behind % k
            for turn in range(1, k):
                sources.append(place[self._states + ((code + turn) % k - code) * behind])
                rates.append(rate)
        ends = np.arange(0, len(rates) * (self._each + 1), len(rates))
        self._flows = [
            csr_array(
                (
                    np.column_stack([rate[part] for rate in rates]).reshape(-1),
                    np.column_stack([source[part] for source in sources]).reshape(-1),
                    ends,
                ),
                shape=(self._each, size),
            )
            for part in (slice(c * self._each, (c + 1) * self._each) for c in range(colours))
        ]
        outflow = outflow[self._states]
        with np.errstate(over="ignore"):  # `fixed_point` says so
            self._times = np.divide(1.0, outflow, out=np.zeros(size), where=outflow > 0)
        self._outflow, self._law = outflow, np.zeros(size)

    def apply(self, x: FloatArray) -> FloatArray:
        first, law, out = self._each, self._law, np.empty_like(x)
        law[first:] = x * self._times[first:]
        for colour, flow in enumerate(self._flows):
            own = slice(colour * first, (colour + 1) * first)
            moved = np.asarray(flow @ law)
            law[own] = moved * self._times[own]
            if colour:
                out[own.start - first : own.stop - first] = moved
        return out

    def start(self, p: FloatArray) -> FloatArray:
        return np.asarray((p[self._states] * self._outflow)[self._each :])

    def law(self, x: FloatArray) -> FloatArray:
        self.apply(x)
        p = np.empty_like(self._law)
        p[self._states] = self._law
        return p


def _others(theta: FloatArray) -> FloatArray:
    """Theta of all other states of the axis together: 1 - theta would lose all digits where theta is nearly 1."""
    found = np.zeros_like(theta)
    np.cumsum(theta[:, :-1], axis=1, out=found[:, 1:])
    found[:, :-1] += np.cumsum(theta[:, :0:-1], axis=1)[:, ::-1]
    return found


class Sweep:
    """A sweep of a sequential scan; its law is the one just before the first update.

    That update forgets its own axis, so the unknown is the law of the other axes.
    """

    def __init__(self, updates: Sequence[Update]) -> None:
        self._first, self._others = updates[0], updates[1:]

    def apply(self, x: FloatArray) -> FloatArray:
        return self.start(self.law(x))

    def start(self, p: FloatArray) -> FloatArray:
        return self._first.contexts(p).reshape(-1)

    def law(self, x: FloatArray) -> FloatArray:
        before, _, behind = self._first.theta.shape
        return project(self._others, (self._first.theta * x.reshape(before, 1, behind)).reshape(-1))


def project(updates: Iterable[Update], p: FloatArray) -> FloatArray:
    """The law after these updates, one after the other."""
    for update in updates:
        p = update.project(p)
    return p


def random_laws(
    chain: FreeChain,
    weights: FloatArray,
    classes: Iterable[IntArray | None],
    effort: SolveReport | None = None,
) -> Iterator[FloatArray]:
    """The law pi = pi K of each class, given by its members (None: all states), flat over the free domain."""
    jumps: Jumps | None = None
    for members in classes:
        p = uniform(chain, members)
        if np.count_nonzero(p) > 1:
            jumps = Jumps(chain, weights) if jumps is None else jumps
            p = _fixed_point(jumps, p, lambda law: chain.mix(weights, law), effort or SolveReport())
        yield p


def sequential_laws(
    chain: FreeChain,
    order: Sequence[int],
    classes: Iterable[IntArray | None],
    effort: SolveReport | None = None,
) -> Iterator[FloatArray]:
    """pi^0 = pi^0 K_0 ... K_(n-1) of each class at place 0; `order` is of updates.

    The cycle may be entered anywhere: where the update changes most, the unknown is smallest.
    """
    sizes = [chain.states[u] for u in order]
    place = int(np.argmax(sizes)) if sizes else 0
    before, after = ([chain.updates[u] for u in part] for part in (order[:place], order[place:]))
    for members in classes:
        p = uniform(chain, members)
        if chain.size > 1:
            sweep = [*after, *before]
            p = project(before, p)
            p = _fixed_point(Sweep(sweep), p, lambda law: project(sweep, law), effort or SolveReport())  # noqa: B023
            p = project(after, p)
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
    G: Map, p: FloatArray, step: Callable[[FloatArray], FloatArray], effort: SolveReport
) -> FloatArray:
    """The law whose x is the fixed point of G, from the start p; `step` is one step of the chain."""
    x = G.start(p)
    r = G.apply(x) - x
    most = max(FIRST_BASIS, min(LARGEST_BASIS, x.size, BASIS_BYTES // (8 * x.size)))
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
            p = G.law(x)
            p /= p.sum()
            effort.residual = float(np.abs(step(p) - p).sum())
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
                r = G.apply(x) - x
            effort.applications += RELAXATIONS
            before = math.inf
            continue
        if distance > POOR * before:
            effort.basis = min(2 * effort.basis, most)
        before = distance
        target = 0.5 * goal * flow * _norm(r) / distance
        x, used = _cycle(G, x, r, effort.basis, target)
        r = G.apply(x) - x
        effort.applications += used + 1


def _cycle(G: Map, x: FloatArray, r: FloatArray, most: int, target: float) -> tuple[FloatArray, int]:
    """One cycle of GMRES from x, whose residual is r: a better x, not negative, and how often G was applied.

    It ends with `most` vectors of the basis, or when the 2-norm of the residual is under `target`.
    """
    vectors, triangle = np.empty((most + 1, r.size)), np.zeros((most, most))
    turns: list[tuple[float, float]] = []  # the rotations that make the Hessenberg matrix of I - G a triangle
    sides = [_norm(r)]  # the right side, rotated alike: the last one is the residual
    vectors[0] = r / sides[0]
    while len(turns) < most and abs(sides[-1]) > target:
        j = len(turns)
        known, w = vectors[: j + 1], vectors[j] - G.apply(vectors[j])
        before, inside = _norm(w), np.zeros(j + 1)
        for _ in range(2):  # once more where nearly all of w lies in the basis
            step = np.einsum("ji,i->j", known, w)
            w -= np.einsum("j,ji->i", step, known)
            inside += step
            if (norm := _norm(w)) > 0.01 * before:
                break
        column = [*inside.tolist(), norm]
        for i, (cosine, sine) in enumerate(turns):
            column[i], column[i + 1] = (
                cosine * column[i] + sine * column[i + 1],
                cosine * column[i + 1] - sine * column[i],
            )
        length = math.hypot(column[j], column[j + 1])
        if not length > 0:  # the basis holds nothing more that I - G sees
            break
        turns.append((column[j] / length, column[j + 1] / length))
        triangle[: j + 1, j] = [*column[:j], length]
        sides[j:] = [sides[j] * turns[j][0], -sides[j] * turns[j][1]]
        if norm <= 1e-15 * before:
            break
        np.divide(w, norm, out=vectors[j + 1])
    used = len(turns)
    from scipy.linalg import solve_triangular  # slow to import

    y = solve_triangular(triangle[:used, :used], sides[:used], check_finite=False)
    return np.maximum(x + np.einsum("j,ji->i", y, vectors[:used]), 0.0), used


def _norm(x: FloatArray) -> float:
    return math.sqrt(float(np.einsum("i,i->", x, x)))  # `@` waits for threads longer than it computes
