"""Log-probabilities of rows under the exact law, where the domain is small enough."""

from dataclasses import dataclass
from typing import Never

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.dataset import Dataset
from depnet.errors import DataError, DomainTooLargeError
from depnet.exact import stationary
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.removed import refuse

EXACT_STATES = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class LogProbability:
    """`values[r]` is the log-probability of row r in nats, with its standard error (0 where exact).

    `law` says of which law: "pi" of the random scan, or "centroid" of the sequential scan.
    """

    values: FloatArray
    standard_errors: FloatArray
    law: str
    scan: Scan | None


def log_probability(
    network: Network, dataset: Dataset, *, scan: Scan | None = None, **removed: Never
) -> LogProbability:
    """The log-probability of every row under the chain's law, on small domains; `scan` None is the random scan.

    >>> from depnet import Dataset, Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> np.exp(log_probability(network, Dataset.from_codes([[0, 0]], [2, 2])).values).round(3).tolist()
    [0.4]
    """
    refuse("log_probability", removed)
    chosen = checked_scan(RandomScan() if scan is None else scan)
    if dataset.domain != network.domain:
        raise DataError("the rows have another domain than the network.")
    if network.domain.size > EXACT_STATES:
        raise DomainTooLargeError(
            f"the exact law over {len(network.domain)} variables has {network.domain.size:.3g} states, more than "
            f'{EXACT_STATES:,}. An ordered law has a density at any size (learn(dataset, order="auto")); the pseudo-log-'
            "likelihood is depnet.score."
        )
    law = stationary(network, chosen)
    with np.errstate(divide="ignore"):
        values = np.log(law[tuple(dataset.codes.T.astype(np.int64))])
    name = "pi" if isinstance(chosen, RandomScan) else "centroid"
    return LogProbability(values, np.zeros_like(values), name, chosen)
