r"""What a table says itself: frequencies, numbers and holes among the rows that match the evidence, and how many these are.

A row matches where what is known of each variable is known of it, and true: by its values, as the evidence was given,
whatever the bins are. A target counts in the rows where it is known. With soft evidence, weights w_j(x_j) of states, row r
counts m_r = n_r prod_j w_j(x_rj), n_r being its own weight, and the frequencies are

.. math:: \hat p(x_T) = \sum_r m_r 1(x_{rT} = x_T) \Big/ \sum_r m_r ,

both sums over the rows that know X_T. How many rows that is, is their sum where weights are 0 or 1; with soft ones, the
number of rows alike that would vary as much, (sum over r of n_r prod_j w_j)^2 / (sum over r of n_r prod_j w_j^2).

Eq. inference_KL: what learning makes small is an average over x_C weighted by p(x_C), so "inference for rare events may
become inaccurate". How many training rows match is therefore told. Without a table it is bounded from above: by the 1- and
2-way counts that the network keeps, and by the counts behind each learned table, since a row that matches the evidence lies
in a leaf which the evidence can reach, with a state it allows. A boosted node keeps no counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Domain
from depnet.errors import DataError
from depnet.inference.answer.numbers import NumberLaw
from depnet.inference.answer.part import Remark
from depnet.inference.answer.target import Target
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork, components_of
from depnet.model.sources.restrict import find_reached
from depnet.wording import plural

RARE_ROWS = 30
"""Evidence with fewer matching rows is called rare: a share of 30 rows is known to about 0.09."""


@dataclass(frozen=True, slots=True)
class Support:
    """`rows` of `total` training rows match the evidence; unless `exact`, that is a bound from above."""

    rows: int
    total: int
    exact: bool

    def __str__(self) -> str:
        count = f"{self.rows:,} of {plural(self.total, 'training row')}"
        return f"{self._how_sure}{count} {'matches' if self.rows == 1 else 'match'} what is given"

    @property
    def _how_sure(self) -> str:
        return "" if self.exact else "at most "

    @property
    def warning(self) -> str | None:
        """The paper's warning, where the evidence is rare or matches nothing."""
        if self.total == 0 or self.rows >= RARE_ROWS:
            return None
        if self.rows == 0:
            return "no training row matches what is given. The answer is the model's alone, and may be inaccurate."
        how_many = f"only {plural(self.rows, 'training row')}"
        if not self.exact:
            how_many = f"{self._how_sure}{plural(self.rows, 'training row')}"
        verb = "matches" if self.rows == 1 else "match"
        return f"{how_many} {verb} what is given. With so few, the answer may be inaccurate."


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the table says of a target, or of a joint of several, in the rows where they are known."""

    frequencies: FloatArray
    """Of the states but that of missing values; nan where there are no rows."""
    rows: float
    numbers: NumberLaw | None = None
    """The law of a target that is a number, by its values in these rows."""
    records: int | None = None
    """With survey weights, how many rows these are: they count as `rows` equal ones."""

    @property
    def matching(self) -> int:
        return round(self.rows) if self.records is None else self.records


@dataclass(frozen=True, slots=True, eq=False)
class MatchingRows:
    """The rows of a table that match the evidence."""

    data: Holed
    rows: IntArray
    times: FloatArray
    """n_r: how often each of the rows counts by itself."""
    soft: FloatArray
    """prod_j w_j(x_rj)."""

    @classmethod
    def of(cls, domain: Domain, evidence: Evidence, data: Holed) -> "MatchingRows":
        if data.domain != domain:
            raise DataError("the data given to count the matching rows have another domain than the network.")
        soft = matching(evidence, data)
        rows = np.flatnonzero(soft)
        times = np.ones(len(rows)) if data.weights is None else data.weights[rows].astype(np.float64)
        return cls(data, rows, times, soft[rows])

    def some(self, at: NDArray[np.bool_]) -> "MatchingRows":
        return MatchingRows(self.data, self.rows[at], self.times[at], self.soft[at])

    @property
    def support(self) -> Support:
        if self.data.surveyed:  # matching rows are rows, whatever they weigh
            return Support(int(np.count_nonzero(self.times)), self.data.rows, exact=True)
        return Support(int(self.times.sum()), self.data.total, exact=True)

    def missing_share(self, i: int) -> float:
        """The share of the rows in which X_i is a hole; nan where none matches."""
        weights, known = self.times * self.soft, self.data.known(i)
        total = float(weights.sum())
        if not total > 0:
            return math.nan
        return 0.0 if known is None else float(weights[~known[self.rows]].sum()) / total

    def seen(self, targets: Sequence[Target]) -> Seen:
        """What is said of a target, or of a joint of several, by the rows that know all of them."""
        (found,) = self.seen_by(targets, np.zeros(len(self.rows), dtype=np.int64), 1)
        return found

    def seen_by(self, targets: Sequence[Target], group: IntArray, groups: int) -> list[Seen]:
        """The same of each group of rows; `group` is that of each."""
        data, there = self.data, np.ones(len(self.rows), dtype=bool)
        for target in targets:
            known = target.known_rows(data)
            if known is not None:
                there &= known[self.rows]
        some, group = self.some(there), group[there]
        rows, times, soft = some.rows, some.times, some.soft
        weights = times * soft
        totals = np.bincount(group, weights, groups)
        squares = np.bincount(group, weights**2 if data.surveyed else times * soft**2, groups)
        counts = np.divide(totals**2, squares, out=np.zeros(groups), where=totals > 0).tolist()
        records: list[int | None] = [None] * groups
        if data.surveyed:
            records = np.bincount(group[weights > 0], minlength=groups).tolist()
        shape = tuple(target.variable.cardinality for target in targets)
        codes = [target.seen(data, rows) for target in targets]
        cells = np.ravel_multi_index((group, *codes), (groups, *shape))
        sums = np.bincount(cells, weights, groups * math.prod(shape)).reshape(groups, *shape)
        shares = read_only(sums / np.where(totals > 0, totals, np.nan).reshape(-1, *[1] * len(shape)))
        numbers: list[NumberLaw | None] = [None] * groups
        first = targets[0]
        values = None if first.event is not None else data.numbers(first.index)
        if values is not None and len(targets) == 1 and first.inside is None:
            bins, order = data.domain.variables[first.index].bins, np.argsort(group, kind="stable")
            assert bins is not None  # it has numbers
            ends = np.searchsorted(group[order], np.arange(1, groups))
            own = zip(
                np.split(values[rows[order]], ends), np.split(weights[order], ends), totals, strict=True
            )
            numbers = [NumberLaw.of_rows(bins.kind, v, w) if total > 0 else None for v, w, total in own]
        return [Seen(*each) for each in zip(shares, counts, numbers, records, strict=True)]


def matching(evidence: Evidence, data: Holed) -> FloatArray:
    """[row]: prod_j w_j(x_rj), 0 where a row does not match; the rows' own weights are not in it."""
    weights = np.ones(data.rows)
    for i, condition in evidence.allowed.items():
        weights[~condition.rows(data.column(i), data.known(i), data.numbers(i))] = 0.0
    for i, code in evidence.clamped.items():
        if i not in evidence.allowed:
            equal, known, variable = data.column(i) == code, data.known(i), data.domain.variables[i]
            # Of a hole the code says nothing, unless it is that of missing values.
            if known is not None and (variable.missing is None or code < variable.cardinality - 1):
                equal &= known
            weights[~equal] = 0.0
    for i, tilt in evidence.tilts.items():
        if i not in evidence.allowed:
            known = data.known(i)
            weights *= tilt[data.column(i)]
            if known is not None and data.domain.variables[i].missing is None:
                weights[~known] = 0.0
    if evidence.event is not None:
        weights[~evidence.event.rows(data)] = 0.0
    return weights


def support(network: AnyNetwork, evidence: Evidence) -> Support | None:
    """A bound of the support from the counts in the network; None where it has none."""
    bounds, total = [], None
    if network.counts is not None:
        bounds.append(network.counts.support_bound(evidence))
        total = round(network.counts.total)
    allowed = {i: [code] for i, code in evidence.clamped.items()}
    allowed |= {i: np.flatnonzero(weights).tolist() for i, weights in evidence.tilts.items()}
    for node in chain.from_iterable(part.nodes for part in components_of(network)):
        i, counts = node.variable, node.counts
        if counts is None:
            continue
        total = int(counts.sum()) if total is None else total
        if not allowed.keys().isdisjoint((i, *node.inputs)):
            _, leaves = find_reached(node.source, allowed)
            within = counts if leaves is None else counts[leaves]
            bounds.append(int(within[:, allowed.get(i, slice(None))].sum()))
    return None if total is None else Support(min([total, *bounds]), total, exact=False)


def few_known(names: Sequence[str], seen: Seen, matching: Support) -> Remark | None:
    """The warning where many rows match, and few of them know what is asked."""
    if seen.matching >= RARE_ROWS:
        return None
    known = f"only {seen.matching:,} of the {plural(matching.rows, 'matching row')}"
    verb = "has" if seen.matching == 1 else "have"
    return Remark(
        f"{known} {verb} a value of {', '.join(names)}. With so few, the answer may be inaccurate.", "rare"
    )
