r"""Calibration: tables tilted until the network's own marginals are the data's (ours, beyond the paper).

Tables learned one by one contradict each other a little, and the stationary law pi settles where the contradictions
balance: near the data's law in every full conditional (Theorem 3), but not in its marginals, since where variables are
tightly coupled small errors of rare states decide the weights of whole modes. `calibrate` tilts each node's table,

.. math:: \theta'_B(x_B \mid y) = t_B(x_B, y)\,\theta_B(x_B \mid y) / \sum_{x} t_B(x, y)\,\theta_B(x \mid y),

so that the law of the node's variables, and their joint law with each variable X_j that the node's source reads, come to
be the data's: pi(X_B) = p^D(X_B) and pi(X_B, X_j) = p^D(X_B, X_j) (pi of the random scan). This is stochastic
approximation: chains that start at rows of the data run on while in round r

.. math:: \log t_B(x_B, y) \mathrel{+}= \eta_r \log \frac{p^D(x_B) + \delta}{\hat\pi_r(x_B) + \delta} +
          \frac{\kappa_r}{\sqrt{m}} \sum_{j} \sum_{x_j} \left(p^D(x_j \mid y) - p^D(x_j)\right)
          \log \frac{p^D(x_B, x_j) + \epsilon}{\hat\pi_r(x_B, x_j) + \epsilon},

pi_r being the chains' marginals in round r and m the number of inputs j; the mean of log t_B over the later half of the
rounds is kept. A leaf y says of X_j what its rows of the data say, p^D(x_j | y): a state of X_j where the graph was split
on it, a mixture where leaves were merged. Nothing moves where these marginals are the data's. There are more of them than
tilts, so that not all can be matched, and what is left depends on the weights of the sum. Sources, counts and smoothing
stay as learned; the tables are no longer those of Theorem 4, so that the FC-limit, which `certificate` computes for any
tables, rises by the misfit, and the pseudo-likelihood falls a little. docs/blocks.md has the measurements.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.dataset import Dataset
from depnet.errors import CalibrationWarning, DataError
from depnet.inference.drift import distance, nearness
from depnet.model.counting import check_same_domain, joint_states
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.scan import RandomScan
from depnet.sampling.checks import whole_number
from depnet.sampling.kernels import Randomness, Task, choose_kernel
from depnet.sampling.plan import plan

ROUNDS, SWEEPS = 60, 10
CHAINS, CELLS = 4096, 800_000
"""So many chains, as far as they have no more cells; and 1,024 at least."""
STEP, PAIR_STEP = 0.3, 0.1
"""eta and kappa in the first round; they fall to a quarter of this."""
ROWS_ADDED = 5
"""delta, in chains: a state that few chains visit says little."""
PAIR_ADDED = 0.0125
"""epsilon: pairs of states are many, and the rare ones among them noise."""
LEAF_ROWS = 0.5
"""A leaf's p(x_j | y) is that of its rows and of so many with the marginal p(x_j)."""
MOST = 10.0
"""|log t_B| is kept below this: a state that no chain reaches is not pushed for ever."""
CHECKED = 6
"""In the end the network and the calibrated one run a sixth of all those sweeps, from rows of the data."""
AT_ONCE = 4096
"""Rows that are counted at once: memory grows with them times a node's inputs."""


def calibrate(
    network: Network,
    dataset: Dataset,
    *,
    rounds: int = ROUNDS,
    sweeps: int = SWEEPS,
    chains: int | Literal["auto"] = "auto",
    rng: np.random.Generator | None = None,
) -> Network:
    """The network with its tables tilted so that its 1- and 2-way marginals without evidence come near those of `dataset`.

    `dataset` is the data that it was learned from. A round runs `chains` chains for `sweeps` sweeps; the whole takes
    about as long as drawing `rounds * sweeps * chains` rows without thinning, and a third more for a look at what came of
    it: a network that is farther from the data than the one given is not returned, but a `CalibrationWarning` says so.
    See the module.

    >>> from depnet import learn, titanic
    >>> network = learn(titanic(), smoothing=0.5)
    >>> calibrated = calibrate(network, titanic(), rounds=4, rng=np.random.default_rng(0))
    >>> [node.source for node in calibrated.nodes] == [node.source for node in network.nodes]
    True
    """
    check_same_domain("calibrate", network.domain, dataset)
    rounds = whole_number("rounds", rounds, at_least=2)
    sweeps = whole_number("sweeps", sweeps, at_least=1)
    if chains == "auto":
        chains = min(CHAINS, max(1024, CELLS // len(network.domain)))
    chains = whole_number("chains", chains, at_least=1)
    if dataset.total == 0:
        raise DataError("calibrate: the dataset has no rows to be like.")
    rng = np.random.default_rng() if rng is None else rng
    share = np.ones(dataset.rows) if dataset.weights is None else dataset.weights.astype(np.float64)
    share /= share.sum()
    wanted = [Wanted.of(node, dataset, share) for node in network.nodes]
    chosen: CodeArray = dataset.codes[rng.choice(dataset.rows, size=chains, p=share)].T
    codes = started = chosen.copy(order="C")
    logs = [np.zeros(node.table.probabilities.shape) for node in network.nodes]
    kept = [np.zeros(node.table.probabilities.shape) for node in network.nodes]
    for number in range(rounds):
        codes = _advanced(_tilted(network, logs), codes, sweeps, int(rng.integers(2**63)))
        drawn = Dataset.from_codes(codes.T, domain=network.domain)
        slower = 1 / (1 + 3 * number / rounds)
        for log, goal in zip(logs, wanted, strict=True):
            log += slower * goal.step(drawn, ROWS_ADDED / chains)
            log -= log.mean(axis=1, keepdims=True)
            np.clip(log, -MOST, MOST, out=log)
        if number >= rounds // 2:
            for total, log in zip(kept, logs, strict=True):
                total += log / (rounds - rounds // 2)
    calibrated = _tilted(network, kept)
    longer = max(1, rounds * sweeps // CHECKED)
    data = MarginalCounts.of(dataset)

    def far(rows: CodeArray) -> float:
        found = MarginalCounts.of(Dataset.from_codes(rows.T, domain=network.domain))
        return nearness(distance(found, data, ()))

    before, after = (
        far(_advanced(one, started, longer, int(rng.integers(2**63)))) for one in (network, calibrated)
    )
    if after > max(before, 2 * far(started)):  # so few chains are never nearer than rows of the data
        warnings.warn(
            f"calibrate: after {longer} sweeps from the data the calibrated network is farther from it than the network as "
            f"given ({after:.4f} for {before:.4f}), which is returned as it was. Its chains are slow: give "
            f"more than {rounds} rounds or {chains:,} chains.",
            CalibrationWarning,
            stacklevel=2,
        )
        return network
    return calibrated


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What the data say of a node: the marginals to reach, and what a leaf says of the inputs.

    Columns are the inputs' states, one input after the other.
    """

    node: Node
    states: FloatArray
    """p(x_B)."""
    pairs: FloatArray
    """p(x_B, x_j), [state, column]."""
    leaves: FloatArray
    """p(x_j | y) - p(x_j), [leaf, column]."""

    @classmethod
    def of(cls, node: Node, dataset: Dataset, share: FloatArray) -> "Wanted":
        """Of rows that have these shares of the whole."""
        state, leaf = joint_states(dataset, node.variables), node.source(dataset.codes).astype(np.int64)
        states, size = node.table.states, node.table.size
        inputs = node.source.inputs
        with_leaf = _joint(leaf, size, dataset, inputs, share)
        alone = with_leaf.sum(axis=0)
        added = LEAF_ROWS / dataset.total
        rows = _shares(leaf, share, size)[:, None] + added
        return cls(
            node,
            _shares(state, share, states),
            _joint(state, states, dataset, inputs, share),
            (with_leaf + added * alone) / rows - alone,
        )

    def step(self, drawn: Dataset, delta: float) -> FloatArray:
        """By how much log t_B moves in the first round, [leaf, state], where the chains are at `drawn`."""
        state, inputs = joint_states(drawn, self.node.variables), self.node.source.inputs
        found = _shares(state, None, len(self.states))
        move = STEP * np.log((self.states + delta) / (found + delta))[None, :]
        if not inputs:
            return np.repeat(move, self.node.table.size, axis=0)
        pairs = _joint(state, len(self.states), drawn, inputs, None)
        gaps = np.log((self.pairs + PAIR_ADDED) / (pairs + PAIR_ADDED))
        result: FloatArray = move + PAIR_STEP / np.sqrt(len(inputs)) * (self.leaves @ gaps.T)
        return result


def _joint(
    group: IntArray, groups: int, dataset: Dataset, inputs: tuple[int, ...], share: FloatArray | None
) -> FloatArray:
    """[group, column]: the share of the rows of each group in each state of each input."""
    cards = [dataset.domain.cardinalities[j] for j in inputs]
    width = sum(cards)
    first = np.cumsum([0, *cards], dtype=np.int64)[:-1, None]
    found = np.zeros(groups * width)
    for start in range(0, dataset.rows if inputs else 0, AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        cells = dataset.codes.T[list(inputs), rows] + (first + width * group[rows])
        weights = None if share is None else np.tile(share[rows], len(inputs))
        found += np.bincount(cells.ravel(), weights, groups * width)
    return found.reshape(groups, width) / (dataset.rows if share is None else 1)


def _shares(group: IntArray, share: FloatArray | None, groups: int) -> FloatArray:
    """The share of the rows of each group; all rows alike without `share`."""
    found = np.bincount(group, share, groups)
    return np.asarray(found / (len(group) if share is None else 1), dtype=np.float64)


def _tilted(network: Network, logs: list[FloatArray]) -> Network:
    nodes = tuple(
        replace(node, table=node.table.tilted(np.exp(log)))
        for node, log in zip(network.nodes, logs, strict=True)
    )
    return replace(network, nodes=nodes)


def _advanced(network: Network, codes: CodeArray, sweeps: int, seed: int) -> CodeArray:
    """Chains at `codes` [variables, chains], so many sweeps of the random scan later."""
    chosen = plan(network, RandomScan())
    kernel = choose_kernel(chosen, codes.shape[1])
    state, out = kernel.state(codes), np.empty_like(codes)
    task = Task(0, codes.shape[1], lead=sweeps, records=1, record_stride=codes.shape[1])
    kernel.run(task, Randomness(seed), state, out)
    return out
