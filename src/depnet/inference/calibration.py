r"""Calibration: tables tilted until the network's own marginals are the data's (ours, beyond the paper).

Tables learned one by one contradict each other a little, and the stationary law pi settles where the contradictions
balance: near the data's law in every full conditional (Theorem 3), but not in its marginals, since where variables are
tightly coupled small errors of rare states decide the weights of whole modes. `calibrate` gives each node B one
number for each of its states,

.. math:: \theta'_B(x_B \mid y) = t_B(x_B)\,\theta_B(x_B \mid y) / \sum_{x} t_B(x)\,\theta_B(x \mid y),

such that pi(X_B) = p^D(X_B) for every node (pi of the random scan), by stochastic approximation: chains that start at
rows of the data run on while log t_B moves by

.. math:: \log t_B(x_B) \mathrel{+}= \eta_r\,\log \frac{p^D(x_B) + \delta}{\hat\pi_r(x_B) + \delta},

pi_r being the chains' marginal in round r, and the mean of log t_B over the later half of the rounds is kept. With blocks
the 2-way marginals of pairs that move together are matched too. Information sources, counts and smoothing stay as
learned; the tables are no longer those of Theorem 4, so that the FC-limit, which `certificate` computes for any
tables, rises by the misfit, and the pseudo-likelihood falls a little. docs/blocks.md has the measurements.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from depnet.arrays import CodeArray, FloatArray
from depnet.data.dataset import Dataset
from depnet.errors import DataError
from depnet.model.counting import check_same_domain, joint_states
from depnet.model.network import Network
from depnet.model.scan import RandomScan
from depnet.sampling.checks import whole_number
from depnet.sampling.kernels import Randomness, Task, choose_kernel
from depnet.sampling.plan import plan

ROUNDS, SWEEPS = 60, 10
CHAINS, CELLS = 4096, 800_000
"""So many chains, as far as they have no more cells; and 1,024 at least."""
STEP = 0.3
"""eta in the first round; it falls to a quarter of this."""
ROWS_ADDED = 5
"""delta, in chains: a state that few chains visit says little."""
MOST = 10.0
"""|log t_B| is kept below this: a state that no chain reaches is not pushed for ever."""


def calibrate(
    network: Network,
    dataset: Dataset,
    *,
    rounds: int = ROUNDS,
    sweeps: int = SWEEPS,
    chains: int | Literal["auto"] = "auto",
    rng: np.random.Generator | None = None,
) -> Network:
    """The network with its tables tilted so that its marginals without evidence are those of `dataset`.

    `dataset` is the data that it was learned from. A round runs `chains` chains for `sweeps` sweeps; the whole takes
    about as long as drawing `rounds * sweeps * chains` rows without thinning. See the module.

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
    wanted = _marginals(network, dataset, share)
    started: CodeArray = dataset.codes[rng.choice(dataset.rows, size=chains, p=share)].T
    codes: CodeArray = started.copy(order="C")
    delta = ROWS_ADDED / chains
    logs = [np.zeros(node.table.states) for node in network.nodes]
    kept = [np.zeros(node.table.states) for node in network.nodes]
    for number in range(rounds):
        codes = _advanced(_tilted(network, logs), codes, sweeps, int(rng.integers(2**63)))
        drawn = Dataset.from_codes(codes.T, domain=network.domain)
        eta = STEP / (1 + 3 * number / rounds)
        found = _marginals(network, drawn, np.full(chains, 1 / chains))
        for log, goal, now in zip(logs, wanted, found, strict=True):
            log += eta * np.log((goal + delta) / (now + delta))
            np.clip(log, -MOST, MOST, out=log)
        if number >= rounds // 2:
            for total, log in zip(kept, logs, strict=True):
                total += log / (rounds - rounds // 2)
    return _tilted(network, kept)


def _marginals(network: Network, dataset: Dataset, share: FloatArray) -> list[FloatArray]:
    """The law of each node's variables, rows having these shares."""
    found = []
    for node in network.nodes:
        states = joint_states(dataset, node.variables)
        found.append(np.asarray(np.bincount(states, share, node.table.states), dtype=np.float64))
    return found


def _tilted(network: Network, logs: list[FloatArray]) -> Network:
    nodes = tuple(
        replace(node, table=node.table.tilted(np.exp(log - log.mean())))
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
