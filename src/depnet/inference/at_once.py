"""An answer at once, before a better one: for a face where someone waits.

Where everything relevant is small, the first answer is exact and the last. Otherwise it is mean field, without
chains and without error bars, and sampled ones follow, each asked for a quarter of the standard error of the one before and
so sixteen times its work: all but the last cost together little beside the last.
"""

import math
from collections.abc import Sequence

from depnet.data.dataset import Dataset
from depnet.errors import DepnetError
from depnet.inference.mean_field import is_quick
from depnet.inference.query import EXACT_STATES, TOLERANCE, query
from depnet.inference.relevance import closure
from depnet.inference.result import QueryResult
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network

LADDER = (16 * TOLERANCE, 4 * TOLERANCE, TOLERANCE)
"""The standard errors to ask for, one after the other."""

HURRY = 0.1
"""Seconds of sampling where mean field cannot answer."""


def at_once(
    network: Network,
    targets: Sequence[str],
    evidence: Given | Evidence | None = None,
    *,
    data: Dataset | None = None,
    mean_field: bool | None = None,
) -> QueryResult:
    """The exact answer where all `targets` together need few states, else that of mean field or of a hurried sample.

    `mean_field` says whether that is quick (None: found out, which takes about as long as the answer).

    >>> import depnet
    >>> network = depnet.learn(depnet.titanic(), smoothing=0.5)
    >>> at_once(network, ["survived", "age"], {"sex": "female"}).method
    'exact'
    """
    known = Evidence.parse(network.domain, evidence)
    inside, _, _ = closure(network, [network.domain.index(name) for name in targets], known)
    if math.prod(network.domain.cardinalities[i] for i in inside) <= EXACT_STATES:
        return query(network, targets, evidence, data=data)
    if is_quick(network) if mean_field is None else mean_field:
        try:
            return query(network, targets, evidence, method="mean-field", data=data)
        except DepnetError:  # what mean field cannot do, chains may; what neither can, they say
            pass
    return query(
        network, targets, evidence, method="sample", tolerance=LADDER[0], max_seconds=HURRY, data=data
    )


def is_exact(result: QueryResult) -> bool:
    """Is there nothing to sharpen? True of look-ups, exact laws and what the evidence itself says."""
    return result.diagnostics is None and "mean-field" not in result.method
