r"""Log-probabilities of rows: under the exact law where the domain is small, else the sweep density.

A sweep of the sequential scan takes pi^0 to itself, so

.. math:: \pi^0(x) = E_{X' \sim \pi^0}\Big[\prod_i \theta_i(x_i \mid x_{<i}, X'_{>i})\Big],

the nodes in the order of the scan. The mean over draws X' of pi^0 is unbiased for pi^0(x); its log is
conservative, too small on average. Blocks: where a later node updates a variable again, its value in between
is drawn, and only what stays until the end of the sweep counts: unbiased by the same argument.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray
from depnet.data.dataset import Dataset
from depnet.errors import DataError, DomainTooLargeError
from depnet.exact import stationary
from depnet.inference.chains import Chains, Order
from depnet.inference.plan import planned, start_laws
from depnet.inference.rows import NOTHING
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, SequentialScan, checked_scan
from depnet.sampling.checks import whole_number
from depnet.sampling.words import generator

EXACT_STATES = 1 << 18
CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class LogProbability:
    """`values[r]` is the log-probability of row r in nats, with its standard error (0 where exact).

    `law` says of which law: "pi" of the random scan, "centroid" of the sequential scan, or "pi^0", the
    sequential scan's law just before a sweep, estimated from `draws` draws.
    """

    values: FloatArray
    standard_errors: FloatArray
    law: str
    scan: Scan
    draws: int = 0

    @property
    def estimated(self) -> bool:
        """The values are estimates, conservative on average."""
        return self.draws > 0


def log_probability(
    network: Network,
    dataset: Dataset,
    *,
    scan: Scan = RandomScan(),  # noqa: B008  # a frozen value
    draws: int = 1000,
    burn_in: int = 200,
    rng: np.random.Generator | None = None,
) -> LogProbability:
    """The log-probability of every row: exact on small domains, else the sweep density of a sequential scan.

    >>> from depnet import Dataset, Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> np.exp(log_probability(network, Dataset.from_codes([[0, 0]], [2, 2])).values).round(3).tolist()
    [0.4]
    """
    checked_scan(scan)
    if dataset.domain != network.domain:
        raise DataError("the rows have another domain than the network.")
    if network.domain.size <= EXACT_STATES:
        law = stationary(network, scan)
        with np.errstate(divide="ignore"):
            values = np.log(law[tuple(dataset.codes.T.astype(np.int64))])
        name = "pi" if isinstance(scan, RandomScan) else "centroid"
        return LogProbability(values, np.zeros_like(values), name, scan)
    if isinstance(scan, RandomScan):
        raise DomainTooLargeError(
            f"the exact law over {len(network.domain)} variables is too large, and the random scan has no sweep whose "
            "density could be estimated. Give scan=SequentialScan() for the sweep density, or use the pseudo-log-"
            "likelihood (depnet.score)."
        )
    return sweep_density(network, dataset, scan=scan, draws=draws, burn_in=burn_in, rng=rng)


def sweep_density(
    network: Network,
    dataset: Dataset,
    *,
    scan: SequentialScan = SequentialScan(),  # noqa: B008  # a frozen value
    draws: int = 1000,
    burn_in: int = 200,
    rng: np.random.Generator | None = None,
) -> LogProbability:
    """The log of the estimated density pi^0 of every row, from independent chains after `burn_in` sweeps."""
    draws = whole_number("draws", draws, at_least=2)
    burn_in = whole_number("burn_in", burn_in, at_least=0)
    if dataset.domain != network.domain:
        raise DataError("the rows have another domain than the network.")
    rng = generator(rng)
    before = _before_a_sweep(network, scan, draws, burn_in, rng)
    order = scan.order_of(len(network))
    last = {i: place for place, number in enumerate(order) for i in network.nodes[number].variables}
    values, errors = np.empty(dataset.rows), np.empty(dataset.rows)
    size = max(1, CHUNK // draws)
    for start in range(0, dataset.rows, size):
        rows = np.asarray(dataset.codes[start : start + size])
        logs = np.zeros((len(rows), draws))
        mixed = np.asfortranarray(np.tile(before, (len(rows), 1)))
        wanted = np.repeat(rows, draws, axis=0)
        for place, number in enumerate(order):
            logs += _updated(network, number, place, last, mixed, wanted, rng).reshape(len(rows), draws)
        top = logs.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            scaled = np.where(np.isfinite(top), np.exp(logs - top), 0.0)
            mean = scaled.mean(axis=1)
            chunk = slice(start, start + len(rows))
            values[chunk] = np.log(mean) + np.where(np.isfinite(top[:, 0]), top[:, 0], 0.0)
            errors[chunk] = scaled.std(axis=1, ddof=1) / np.sqrt(draws) / mean
    return LogProbability(values, errors, "pi^0", scan, draws)


def _before_a_sweep(
    network: Network, scan: SequentialScan, draws: int, burn_in: int, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """Independent draws of pi^0: the last states of chains of whole sweeps."""
    n = len(network.domain)
    codes = np.empty((draws, n), dtype=np.uint16)
    for i, law in enumerate(start_laws(network, NOTHING)):
        codes[:, i] = rng.choice(len(law), size=draws, p=law)
    clamped = np.zeros((1, n), dtype=bool)
    chains = Chains(
        planned(network, NOTHING, []), 0, Order.of(network, scan, clamped), codes, clamped, draws, rng
    )
    chains.run(burn_in, record=False)
    return chains.codes


def _updated(
    network: Network,
    number: int,
    place: int,
    last: dict[int, int],
    mixed: NDArray[np.uint16],
    wanted: NDArray[np.unsignedinteger],
    rng: np.random.Generator,
) -> FloatArray:
    """One step of the sweep: log theta of what stays; what a later node updates again is drawn."""
    node = network.nodes[number]
    cards = [network.domain.cardinalities[i] for i in node.variables]
    theta = node.table.probabilities[node.source(mixed)]
    states = np.array(list(np.ndindex(*cards))).reshape(-1, len(cards))
    possible = np.ones(theta.shape, dtype=bool)
    again = [axis for axis, i in enumerate(node.variables) if last[i] != place]
    for axis, i in enumerate(node.variables):
        if axis not in again:
            possible &= wanted[:, i][:, None] == states[:, axis]
            mixed[:, i] = wanted[:, i]
    left = np.where(possible, theta, 0.0)
    total = left.sum(axis=1)
    if again:
        cumulated = np.cumsum(left, axis=1)
        at = (rng.random((len(left), 1)) * total[:, None] >= cumulated).sum(axis=1)
        at = np.minimum(at, len(states) - 1)
        for axis in again:
            mixed[:, node.variables[axis]] = states[at, axis]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total))
