"""The support of evidence: how many training rows match it.

Eq. inference_KL: what learning makes small is an average over x_C weighted by p(x_C), so "inference for
rare events may become inaccurate". The count is exact where the data are given. Without them it is bounded
from above: by the 1- and 2-way counts that the network keeps, and by the counts behind each learned table,
since a row that matches the evidence lies in a leaf which the evidence can reach, with a state it allows. A boosted node
keeps no counts.
"""

import math
from dataclasses import dataclass

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.data.table.holed import Holed
from depnet.errors import DataError
from depnet.inference.answer.observed import count_matching
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.sources.restrict import reached
from depnet.wording import counted

RARE_ROWS = 30
"""Evidence with fewer matching rows is called rare: a share of 30 rows is known to about 0.09."""


@dataclass(frozen=True, slots=True)
class Support:
    """`rows` of `total` training rows match the evidence; unless `exact`, that is a bound from above."""

    rows: int
    total: int
    exact: bool

    def __str__(self) -> str:
        count = f"{self.rows:,} of {counted(self.total, 'training row')}"
        verb = "matches" if self.rows == 1 else "match"
        return f"{self._how_sure}{count} {verb} the evidence"

    @property
    def _how_sure(self) -> str:
        return "" if self.exact else "at most "

    @property
    def warning(self) -> str | None:
        """The paper's warning, where the evidence is rare or matches nothing."""
        if self.total == 0 or self.rows >= RARE_ROWS:
            return None
        how_many = "no training row" if self.rows == 0 else f"only {counted(self.rows, 'training row')}"
        if not self.exact and self.rows > 0:
            how_many = f"{self._how_sure}{counted(self.rows, 'training row')}"
        verb = "matches" if self.rows in (0, 1) else "match"
        return (
            f"{how_many} {verb} the evidence. Inference for rare events may be inaccurate: they weigh little in "
            "what learning made small (Sec. 5)."
        )


def support(network: Network, evidence: Evidence, data: Dataset | Holed | None = None) -> Support | None:
    """The support of `evidence`, exact from `data`, else a bound from the counts in the network, else None."""
    if data is not None:
        if data.domain != network.domain:
            raise DataError("the data given to count the support have another domain than the network.")
        return Support(count_matching(evidence, data), data.total, exact=True)
    bounds, total = [], None
    if network.counts is not None:
        bounds.append(network.counts.support_bound(evidence))
        total = network.counts.total
    allowed = {i: [code] for i, code in evidence.clamped.items()}
    allowed |= {i: np.flatnonzero(weights).tolist() for i, weights in evidence.tilts.items()}
    for i, node in enumerate(network.nodes):
        counts = None if node.boosted else node.table.counts
        if counts is None:
            continue
        total = int(counts.sum()) if total is None else total
        if not allowed.keys().isdisjoint((i, *node.inputs)):
            _, leaves = reached(node.source, allowed)
            within = counts if leaves is None else counts[leaves]
            bounds.append(int(within[:, allowed.get(i, slice(None))].sum()))
    return None if total is None else Support(min([total, *bounds]), total, exact=False)


def how_often(log_probability: float) -> str:
    """How often something of this log-probability (nats) comes, for people.

    >>> [how_often(math.log(p)) for p in (1.0, 0.34, 0.00294, 3e-8)]
    ['every row', 'about 34 in 100 rows', 'about 1 in 340 rows', 'about 1 in 33 million rows']
    >>> how_often(-90.0), how_often(-12.0)
    ('about 1 in 10^39 rows', 'about 1 in 160,000 rows')
    """
    if log_probability > math.log(0.9995):
        return "every row"
    if log_probability > math.log(0.095):
        share = 100 * math.exp(log_probability)
        return f"about {share:.1f} in 100 rows" if share > 99 else f"about {share:.0f} in 100 rows"
    tens = -log_probability / math.log(10)
    if tens >= 15:
        return f"about 1 in 10^{tens:.0f} rows"
    rows = float(f"{math.exp(-log_probability):.2g}")
    for size, name in ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"), (1.0, "")):
        if rows >= size:
            count = rows / size
            return f"about 1 in {f'{count:,.0f}' if count >= 10 else f'{count:g}'}{name} rows"
    return "about every row"
