r"""What pseudo-Gibbs chains do: scans compared, the random scan as a game, and small changes that move a law far.

**Scans** (Sec. 2.2, 3.1, 3.2). With inconsistent tables there is a different law for each scan and each order. Theorem 3
speaks of the random scan only. Along a sequential cycle this holds instead, for every p:

.. math:: \frac1n \sum_i KL(p\|E_i(\pi^i)) = FC_{\lim}(p)

where pi^i is the law just before node i is updated: that update multiplies pi^i by theta_i / pi^i(X_i | X_-i),
and round the cycle these factors multiply to 1. (After the update the term is KL(p||E(theta_i)) itself.)

**The game** of n + 1 players (Sec. 3.2). Players p_i choose in E(theta_i), player p among all distributions:

.. math:: p_i = \arg\min_{q \in E(\theta_i)} KL(p\|q), \qquad p = \arg\min_q \sum_i c_i KL(p_i\|q) = \sum_i c_i p_i

The paper's text (and Eq. p^(t+1)) projects p^t first and mixes the projections of that same p^t: the law of
the chain. Its display moves all players at once, so p^{t+1} mixes the projections that were made of
p^{t-1}: two chains interleaved, at half the pace. Both are run here; the equilibrium (pi, {pi_i}) is the same.

**Perturbation** (Sec. 1). *A sticky pair*: two binary variables that copy each other, each going from 0 to 1 and from 1 to
0 with probability eps. The change divides the second of these by ten. As eps falls the change of the matrix goes to 0, but
the stationary law goes on moving from (1/2, 1/2) to nearly (1/11, 10/11). *Ising 4 x 3*: a field h on every spin, always
the same small h, at rising coupling J: the stronger the coupling, the further the same change moves the law. FC_lim(pi) of
the changed tables bounds FC(pi||pi'), which counts how wrong the full conditionals are: it is small in both. Between modes
that the chain rarely crosses, KL and total variation can be large while FC is small. Both are shown.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from depnet.arrays import FloatArray
from depnet.exact import stationary, stationary_cycle
from depnet.geometry import (
    FullConditionalManifold,
    empirical,
    fc_limit,
    full_conditional_divergence,
    kl,
    kl_to_manifold,
    m_projection,
    manifolds,
    total_variation,
)
from depnet.learning.learn import learn
from depnet.model import Network, RandomScan, SequentialScan
from depnet.paper.laws import ising, sample
from depnet.paper.report import Claim, ExperimentError, Report, columns, within_limit
from depnet.pictures.tetrahedron import two_nodes

SCANS = columns("""
    scan         scan
    tv_random    TV to pi                 .2e
    tv_first     TV to first order        .2e
    cycle_width  widest TV(pi^i, pi^j)    .2e
    kl           KL(p^D||law)             .3e
    fc           FC(p^D||law)             .3e
    fc_limit     FC_lim(p^D)              .3e
    bound        bound holds
    cycle_sum    mean KL(p^D||E_i(pi^i))  .3e
""")
GAME = columns("""
    t             t                      d
    cost_players  sum of c_i KL(p||p_i)  .6e
    cost_mixture  sum of c_i KL(p_i||p)  .6e
    kl            KL(p||pi)              .3e
    tv            TV(p, pi)              .3e
""")
PERTURBATION = columns("""
    model          model
    parameter      eps or J     .4g
    change         ||K' - K||   .2e
    tv             TV(pi, pi')  .3f
    amplification  TV / change  .3g
    kl             KL(pi||pi')  .2e
    fc             FC(pi||pi')  .2e
    fc_limit       FC_lim(pi)   .2e
""")


def scans(
    family: str = "RB12-21", rows: int = 1_000, seed: int = 0, *, orders: int = 6, smoothing: float = 0.5
) -> Report:
    """The random scan and `orders` orders of the sequential scan, on one network learned from a data set."""
    data = sample(family, rows, seed)
    network = learn(data.dataset, smoothing=smoothing)
    nodes, rng = range(len(network)), np.random.default_rng(seed)
    drawn = [tuple(rng.permutation(len(nodes)).tolist()) for _ in range(orders - 2)]
    chosen = list(dict.fromkeys([tuple(nodes), tuple(reversed(nodes)), *drawn]))[:orders]
    return compare_scans(network, empirical(data.dataset), chosen, data.name)


def compare_scans(
    network: Network, p: FloatArray, orders: Sequence[tuple[int, ...]], name: str = "a network"
) -> Report:
    """Distances between the laws of the scans of `network`, and the bound checked for each against `p`."""
    limit, pi = fc_limit(p, network), stationary(network, RandomScan())

    def row(scan: str, law: FloatArray, **own: Any) -> dict[str, Any]:
        fc = full_conditional_divergence(p, law)
        said = {"scan": scan, "tv_random": total_variation(law, pi), "kl": kl(p, law), "fc": fc, **own}
        return {**said, "fc_limit": limit, "bound": within_limit(fc, limit)}

    rows = [row("random", pi, tv_first=None, cycle_width=None, cycle_sum=None)]
    first: FloatArray | None = None
    for order in orders:
        cycle = stationary_cycle(network, SequentialScan(order))
        centroid = np.mean(cycle, axis=0)
        first = centroid if first is None else first
        own = {
            "tv_first": total_variation(centroid, first),
            "cycle_width": max(
                (total_variation(a, b) for a, b in itertools.combinations(cycle, 2)), default=0.0
            ),
            "cycle_sum": cycle_sum(p, cycle, order),
        }
        rows.append(row("sequential " + " ".join(map(str, order)), centroid, **own))
    beyond = sum(not r["bound"] for r in rows[1:])
    note = (
        f"Theorem 3 is about the random scan; the centroids of {beyond} of {len(rows) - 1} orders are beyond its bound. "
        "TV: total variation. pi^i: the law just before the i-th place of the order is updated."
    )
    cycles = all(np.isclose(r["cycle_sum"], limit, rtol=1e-6, atol=1e-10) for r in rows[1:])
    claims = (
        Claim("random scan: FC(p^D||pi) <= FC_lim(p^D) (Theorem 3)", rows[0]["bound"]),
        Claim("every sequential cycle: mean of KL(p^D||E_i(pi^i)) = FC_lim(p^D)", cycles),
    )
    return Report(f"Scans of the network learned from {name}", SCANS, rows, claims, (note,))


def cycle_sum(p: FloatArray, cycle: Sequence[FloatArray], order: Sequence[int]) -> float:
    """The mean of KL(p||E_i(pi^i)) along a cycle, i being the next variable of the order."""
    spaces = [FullConditionalManifold.of_joint(law, i) for law, i in zip(cycle, order, strict=True)]
    return float(np.mean([kl_to_manifold(p, space) for space in spaces]))


class Turn(NamedTuple):
    """The n + 1 players at one time: p, and the p_i."""

    p: FloatArray
    players: Sequence[FloatArray]

    @property
    def mixture(self) -> FloatArray:
        """The mean of the p_i: what player p chooses next."""
        return np.asarray(np.mean(self.players, axis=0))

    @property
    def costs(self) -> dict[str, float]:
        """The costs of the players p_i, and of player p."""
        return {
            "cost_players": float(np.mean([kl(self.p, q) for q in self.players])),
            "cost_mixture": float(np.mean([kl(q, self.p) for q in self.players])),
        }


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
    spaces, pi = manifolds(network), stationary(network, RandomScan())
    turns = itertools.islice(_turns(spaces, start, simultaneous), steps + 1)
    records = [
        {"t": t, **turn.costs, "kl": kl(turn.p, pi), "tv": total_variation(turn.p, pi)}
        for t, turn in enumerate(turns)
    ]
    equilibrium = Turn(pi, [m_projection(pi, space) for space in spaces])
    ending: dict[str, Any] = {"t": None, **equilibrium.costs, "kl": 0.0, "tv": 0.0}
    shown = [records[t] for t in sorted({0, *np.geomspace(1, steps, 12).round().astype(int).tolist()})]
    falls = all(b["kl"] <= a["kl"] + 1e-12 for a, b in itertools.pairwise(records))
    order = (
        "all players at once (the display)" if simultaneous else "p^t projected first (the text, Eq. p^(t+1))"
    )
    nash = "p = sum of c_i pi_i at the equilibrium, and no player gains by a deviation"
    claims = Claim("KL(p^t||pi) never rises", falls), Claim(nash, is_nash(equilibrium, spaces))
    title = f"The game of the network learned from {name}: {order}"
    notes = ("The last line is the Nash equilibrium (pi, {pi_i}); nats.",)
    return Report(title, GAME, [*shown, ending], claims, notes, records)


def _turns(spaces: Sequence[FullConditionalManifold], p: FloatArray, simultaneous: bool) -> Iterator[Turn]:
    players = [m_projection(p, space) for space in spaces]
    while True:
        turn = Turn(p, players)
        yield turn
        players = [m_projection(p if simultaneous else turn.mixture, space) for space in spaces]
        p = turn.mixture


def is_nash(turn: Turn, spaces: Sequence[FullConditionalManifold], deviations: int = 20) -> bool:
    """No tried deviation lowers a player's cost: towards random laws, by small steps and large ones."""
    rng = np.random.default_rng(0)
    if total_variation(turn.mixture, turn.p) > 1e-9:
        return False
    for step in np.geomspace(1e-3, 1, deviations):
        other = (1 - step) * turn.p + step * rng.dirichlet(np.ones(turn.p.size)).reshape(turn.p.shape)
        if Turn(other, turn.players).costs["cost_mixture"] < turn.costs["cost_mixture"] - 1e-12:
            return False
        for space, player in zip(spaces, turn.players, strict=True):
            if kl(turn.p, m_projection(other, space)) < kl(turn.p, player) - 1e-12:
                return False
    return True


def perturbation(
    *,
    stickiness: tuple[float, ...] = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4),
    couplings: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5),
    field: float = 0.01,
    height: int = 4,
    width: int = 3,
) -> Report:
    """Both families: size of the change, how far pi moves, and the FC-limit."""
    rows = [_compare("sticky pair", e, sticky_pair(e, e), sticky_pair(e, e / 10)) for e in stickiness]
    for coupling in couplings:
        before, after = (Network.from_joint(ising(height, width, coupling, h)) for h in (0.0, field))
        rows.append(_compare(f"Ising{height}x{width}, field {field:g}", coupling, before, after))
    kept = sum(within_limit(r["fc"], r["fc_limit"]) for r in rows)
    claim = Claim(f"FC(pi||pi') <= FC_lim(pi) in {kept} of {len(rows)} (Theorem 3)", kept == len(rows))
    title = "A small change of the transition matrix, and how far the stationary law moves"
    notes = (
        "||K' - K||: the largest total variation between rows of the two transition matrices (random scan).",
        "A small FC means near full conditionals; modes that are rarely crossed can still exchange their mass.",
    )
    return Report(title, PERTURBATION, rows, (claim,), notes)


def sticky_pair(up: float, down: float) -> Network:
    """Two binary variables that copy each other, but go 0 -> 1 with probability `up` and 1 -> 0 with `down`."""
    return two_nodes((1 - up, down), (1 - up, down))


def _compare(model: str, parameter: float, before: Network, after: Network) -> dict[str, Any]:
    """One line: `before` and its law pi against `after` and its law pi'."""
    pi, moved = stationary(before, RandomScan()), stationary(after, RandomScan())
    change, tv = transition_change(before, after), total_variation(pi, moved)
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
