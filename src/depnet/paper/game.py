r"""Pseudo-Gibbs sampling as a game of n + 1 players (Sec. 3.2), run towards its Nash equilibrium.

Players p_i choose in E(theta_i), player p among all distributions:

.. math:: p_i = \arg\min_{q \in E(\theta_i)} KL(p\|q), \qquad p = \arg\min_q \sum_i c_i KL(p_i\|q) = \sum_i c_i p_i

The paper's text (and Eq. p^(t+1)) projects p^t first and mixes the projections of that same p^t: the law of
the chain. Its display moves all players at once, so p^{t+1} mixes the projections that were made of
p^{t-1}: two chains interleaved, at half the pace. Both are run here; the equilibrium (pi, {pi_i}) is the same.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from depnet.arrays import FloatArray
from depnet.exact import stationary
from depnet.geometry import empirical, fc_limit, kl, m_projection, total_variation
from depnet.geometry.manifold import FullConditionalManifold, manifolds
from depnet.learning.learn import learn
from depnet.model import Network, RandomScan
from depnet.paper.laws import sample
from depnet.paper.report import Claim, ExperimentError, Report, columns

COLUMNS = columns("""
    t             t                      d
    cost_players  sum of c_i KL(p||p_i)  .6e
    cost_mixture  sum of c_i KL(p_i||p)  .6e
    kl            KL(p||pi)              .3e
    tv            TV(p, pi)              .3e
""")


class Turn(NamedTuple):
    """The n + 1 players at one time: p, and the p_i."""

    p: FloatArray
    players: Sequence[FloatArray]


def game(
    family: str = "RB12-21",
    rows: int = 1_000,
    seed: int = 0,
    *,
    steps: int = 200,
    simultaneous: bool = False,
    smoothing: float = 0.5,
) -> Report:
    """The game on a learned network, started from the uniform distribution."""
    data = sample(family, rows, seed)
    network = learn(data.dataset, smoothing=smoothing)
    start = np.full(network.domain.cardinalities, 1 / network.domain.size)
    report = play(network, start, steps, simultaneous=simultaneous, name=data.name)
    limit = fc_limit(empirical(data.dataset), network)
    note = (
        f"At the data itself, p = p^D, the players' cost is FC_lim(p^D) = {limit:.3e}, the cost of learning."
    )
    return replace(report, notes=(*report.notes, note))


def play(
    network: Network, start: FloatArray, steps: int, *, simultaneous: bool = False, name: str = "a network"
) -> Report:
    """`steps` turns of the game, the costs of both kinds of player at each, and the equilibrium checked."""
    if steps < 1:
        raise ExperimentError(f"a game has at least 1 step; got {steps}.")
    spaces = manifolds(network)
    c = np.full(len(spaces), 1 / len(spaces))
    pi = stationary(network, RandomScan())
    records = []
    for t, turn in zip(range(steps + 1), _turns(spaces, c, start, simultaneous), strict=False):
        records.append({"t": t, **_costs(turn, c), "kl": kl(turn.p, pi), "tv": total_variation(turn.p, pi)})
    equilibrium = Turn(pi, [m_projection(pi, space) for space in spaces])
    ending: dict[str, Any] = {"t": None, **_costs(equilibrium, c), "kl": 0.0, "tv": 0.0}
    shown = [records[t] for t in sorted({0, *np.geomspace(1, steps, 12).round().astype(int).tolist()})]
    falls = all(b["kl"] <= a["kl"] + 1e-12 for a, b in itertools.pairwise(records))
    order = (
        "all players at once (the display)" if simultaneous else "p^t projected first (the text, Eq. p^(t+1))"
    )
    nash = "p = sum of c_i pi_i at the equilibrium, and no player gains by a deviation"
    claims = Claim("KL(p^t||pi) never rises", falls), Claim(nash, is_nash(equilibrium, spaces, c))
    title = f"The game of the network learned from {name}: {order}"
    notes = ("The last line is the Nash equilibrium (pi, {pi_i}); nats.",)
    return Report("game", title, COLUMNS, [*shown, ending], claims, notes, records)


def _turns(
    spaces: Sequence[FullConditionalManifold], c: FloatArray, p: FloatArray, simultaneous: bool
) -> Iterator[Turn]:
    players = [m_projection(p, space) for space in spaces]
    while True:
        yield Turn(p, players)
        p_next = _mixture(players, c)
        players = [m_projection(p if simultaneous else p_next, space) for space in spaces]
        p = p_next


def _mixture(players: Sequence[FloatArray], c: FloatArray) -> FloatArray:
    return np.asarray(sum(w * q for w, q in zip(c, players, strict=True)))


def _costs(turn: Turn, c: FloatArray) -> dict[str, float]:
    return {
        "cost_players": float(sum(w * kl(turn.p, q) for w, q in zip(c, turn.players, strict=True))),
        "cost_mixture": float(sum(w * kl(q, turn.p) for w, q in zip(c, turn.players, strict=True))),
    }


def is_nash(
    turn: Turn, spaces: Sequence[FullConditionalManifold], c: FloatArray, deviations: int = 20
) -> bool:
    """No tried deviation lowers a player's cost: towards random laws, by small steps and large ones."""
    rng = np.random.default_rng(0)
    if total_variation(_mixture(turn.players, c), turn.p) > 1e-9:
        return False
    own = _costs(turn, c)["cost_mixture"]
    for step in np.geomspace(1e-3, 1, deviations):
        other = (1 - step) * turn.p + step * rng.dirichlet(np.ones(turn.p.size)).reshape(turn.p.shape)
        if _costs(Turn(other, turn.players), c)["cost_mixture"] < own - 1e-12:
            return False
        for space, player in zip(spaces, turn.players, strict=True):
            if kl(turn.p, m_projection(other, space)) < kl(turn.p, player) - 1e-12:
                return False
    return True
