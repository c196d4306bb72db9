"""An answer at once, before a better one: for a face where someone waits.

Where everything relevant is small, the first answer is exact and the last. Otherwise it is a hurried sample, and better
ones follow, each asked for a quarter of the standard error of the one before and so sixteen times its work: all but the
last cost together little beside the last.
"""

import math
from collections.abc import Sequence

from depnet.data.dataset import Dataset
from depnet.inference.query import EXACT_STATES, query
from depnet.inference.question import TOLERANCE
from depnet.inference.relevance import closure
from depnet.inference.result import QueryResult
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network

LADDER = (16 * TOLERANCE, 4 * TOLERANCE, TOLERANCE)
"""The standard errors to ask for, one after the other."""

HURRY = 0.1
"""Seconds of sampling for the first answer."""


def at_once(
    network: Network,
    targets: Sequence[str],
    evidence: Given | Evidence | None = None,
    *,
    data: Dataset | None = None,
) -> QueryResult:
    """The exact answer where all `targets` together need few states, else that of a hurried sample.

    >>> import depnet
    >>> network = depnet.learn(depnet.titanic(), smoothing=0.5)
    >>> at_once(network, ["survived", "age"], {"sex": "female"}).method
    'exact'
    """
    known = Evidence.parse(network.domain, evidence)
    inside, _, _ = closure(network, [network.domain.index(name) for name in targets], known)
    if math.prod(network.domain.cardinalities[i] for i in inside) <= EXACT_STATES:
        return query(network, targets, evidence, data=data)
    return query(
        network, targets, evidence, method="sample", tolerance=LADDER[0], max_seconds=HURRY, data=data
    )


def is_exact(result: QueryResult) -> bool:
    """Is there nothing to sharpen? True of look-ups, exact laws and what the evidence itself says."""
    return result.diagnostics is None
