"""Log-probabilities of rows, whole or in part: of an ordered law at any size, of a chain's law where it is small."""

from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.dataset import Dataset
from depnet.errors import DataError, DomainTooLargeError
from depnet.exact import stationary
from depnet.inference.answer.question import TOLERANCE
from depnet.inference.ordered.answer import log_evidence
from depnet.law.factors import weighted
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import score_samples

EXACT_STATES = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class LogProbability:
    """What `log_probability` found, a number for each row.

    Attributes:
        values: the log-probability of each row, in nats.
        standard_errors: of each; 0 where it is exact.
        law: of which law: "Q" of an ordered network, "pi" of the random scan, or "centroid" of the sequential scan.
        scan: the scan of a chain's law; None of an ordered network's.

    >>> from depnet import Dataset, Network
    >>> found = log_probability(Network.from_joint([[0.4, 0.1], [0.2, 0.3]]), Dataset.from_codes([[0, 0]], [2, 2]))
    >>> found.law, np.exp(found.values).round(3).tolist(), found.standard_errors.tolist()
    ('pi', [0.4], [0.0])
    """

    values: FloatArray
    standard_errors: FloatArray
    law: str
    scan: Scan | None


def log_probability(
    network: Network,
    rows: Dataset | Given | Evidence,
    *,
    scan: Scan | None = None,
    tolerance: float = TOLERANCE,
    rng: np.random.Generator | None = None,
) -> LogProbability:
    """The log-probability of every row of a dataset, or of evidence: a row of which only some cells are known.

    An ordered network has a density at any size. That of evidence is exact by elimination where it is small, else the
    mean weight of passes. Of any other network it is that of the chain's law, on small domains.

    Args:
        network: the network.
        rows: a `Dataset`, or evidence, by name and label.
        scan: asks for the chain of the tables under this scan; None: the law of an ordered network, the random scan of
            any other.
        tolerance: passes are drawn until the standard error is under this.
        rng: the generator of what is drawn; None: fresh entropy.

    Returns:
        A `LogProbability`.

    >>> from depnet import Dataset, Network
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> np.exp(log_probability(network, Dataset.from_codes([[0, 0]], [2, 2])).values).round(3).tolist()
    [0.4]
    >>> np.exp(log_probability(network, {"X0": 0}).values).round(3).tolist()
    [0.5]
    """
    if isinstance(rows, Dataset) and rows.domain != network.domain:
        raise DataError("the rows have another domain than the network.")
    if network.order is not None and scan is None:
        if isinstance(rows, Dataset):
            values = score_samples(network, rows)
            return LogProbability(values, np.zeros_like(values), "Q", None)
        value, error = log_evidence(network, Evidence.parse(network.domain, rows), tolerance, rng)
        return LogProbability(np.array([value]), np.array([error]), "Q", None)
    chosen = checked_scan(RandomScan() if scan is None else scan)
    if network.domain.size > EXACT_STATES:
        raise DomainTooLargeError(
            f"the exact law over {len(network.domain)} variables has {network.domain.size:.3g} states, more than "
            f'{EXACT_STATES:,}. An ordered law has a density at any size (learn(dataset, order="auto")); the pseudo-log-'
            "likelihood is depnet.score."
        )
    law = stationary(network, chosen)
    with np.errstate(divide="ignore"):
        if isinstance(rows, Dataset):
            values = np.log(law[tuple(rows.codes.T.astype(np.int64))])
        else:
            values = np.log(np.array([weighted(law, Evidence.parse(network.domain, rows)).sum()]))
    name = "pi" if isinstance(chosen, RandomScan) else "centroid"
    return LogProbability(values, np.zeros_like(values), name, chosen)
