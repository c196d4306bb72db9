r"""Drift: how far a network's own 1- and 2-way marginals lie from the data's.

A network's law pi is not the data's. What users see first of the difference is

.. math:: \frac12 \sum_x |\pi(X_i = x) - p^D(X_i = x)| \quad\text{and}\quad
          \frac12 \sum_{x, x'} |\pi(X_i = x, X_j = x') - p^D(X_i = x, X_j = x')|,

total variation distances, over all variables and pairs. The FC-limit does not show it: with tightly coupled
variables FC is small while whole modes have the wrong weight. Rows drawn from pi stand for pi, so that even a
perfect network shows a distance, the `floor`: that of as many rows of the data drawn with replacement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from depnet.arrays import FloatArray, IntArray, read_only
from depnet.data.dataset import Dataset
from depnet.errors import DataError
from depnet.model.counting import check_same_domain
from depnet.model.marginals import MarginalCounts, PairTables
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan
from depnet.sampling import sample

ROWS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class MarginalDrift:
    """Total variation distances between two tables' 1- and 2-way marginals. Printing it shows a summary."""

    names: tuple[str, ...]
    singles: FloatArray
    """Of each variable."""
    pairs: FloatArray | None
    """Of each pair (0, 1), (0, 2), ..., (1, 2), ...; None where there are too many cells to count."""
    rows: int
    """Rows that stand for the network's law."""
    floor: "MarginalDrift | None" = None
    """The same where there is nothing but chance: in a drift, for as many rows of the data, drawn with replacement."""

    @property
    def mean(self) -> float:
        """The mean over variables."""
        return float(self.singles.mean())

    @property
    def worst(self) -> float:
        """The largest of a variable."""
        return float(self.singles.max())

    @property
    def pair_mean(self) -> float:
        """The mean over pairs; nan where they were not counted or there are none."""
        return float(self.pairs.mean()) if self.pairs is not None and self.pairs.size else float("nan")

    @property
    def pair_worst(self) -> float:
        """The largest of a pair; nan where they were not counted or there are none."""
        return float(self.pairs.max()) if self.pairs is not None and self.pairs.size else float("nan")

    def by_ways(self) -> list[tuple[str, float, float, float | None]]:
        """("1-way", mean, worst, the floor's mean), and the same of pairs where they were counted."""
        floor = self.floor
        found = [("1-way", self.mean, self.worst, None if floor is None else floor.mean)]
        if self.pairs is not None and self.pairs.size:
            found.append(
                ("2-way", self.pair_mean, self.pair_worst, None if floor is None else floor.pair_mean)
            )
        return found

    def __str__(self) -> str:
        furthest = ", ".join(f"{self.names[i]} {self.singles[i]:.4f}" for i in np.argsort(-self.singles)[:3])
        lines = [f"drift of marginals, {self.rows:,} rows of the model against the data (total variation)"]
        for ways, mean, worst, _ in self.by_ways():
            lines.append(f"{ways}: mean {mean:.4f}, worst {worst:.4f}" + f" ({furthest})" * (ways == "1-way"))
        if self.floor is not None:
            floors = ", ".join(f"{ways} mean {mean:.4f}" for ways, mean, _, _ in self.floor.by_ways())
            lines.append(f"floor, as many rows of the data: {floors}")
        return "\n".join(lines)


def marginal_drift(
    network: Network,
    dataset: Dataset,
    *,
    rows: int = ROWS,
    scan: Scan = RandomScan(),  # noqa: B008  # a frozen value
    burn_in: int | Literal["auto"] = "auto",
    thin: int | Literal["auto"] = "auto",
    rng: np.random.Generator | None = None,
    n_jobs: int = 1,
) -> MarginalDrift:
    """The distance between the marginals of `rows` rows drawn from `network` and those of `dataset`.

    `dataset` may be training rows or held-out ones. `burn_in`, `thin`, `rng` and `n_jobs` are those of `sample`.
    To see what blocks are worth, compare with the drift of the network learned without them.

    >>> from depnet import Dataset, Network
    >>> table = Dataset.from_codes([[0, 0], [1, 1]] * 50, cardinalities=[2, 2])
    >>> copies = Network.from_joint([[0.49, 0.01], [0.01, 0.49]])
    >>> marginal_drift(copies, table, rows=10_000, rng=np.random.default_rng(0)).pair_mean < 0.05
    True
    """
    check_same_domain("marginal_drift", network.domain, dataset)
    if dataset.total == 0:
        raise DataError("marginal_drift: the dataset has no rows to compare with.")
    rng = np.random.default_rng() if rng is None else rng
    drawn = sample(network, rows, scan=scan, burn_in=burn_in, thin=thin, rng=rng, n_jobs=n_jobs)
    return drift_of(drawn, dataset, rng)


def drift_of(drawn: Dataset, dataset: Dataset, rng: np.random.Generator) -> MarginalDrift:
    """The drift of rows that are drawn already, and its floor, for which `rng` draws as many rows of the data."""
    data = MarginalCounts.of(dataset)
    found = distance(MarginalCounts.of(drawn), data, dataset.domain.names)
    return replace(found, floor=by_chance(dataset, data, drawn.total, rng))


def by_chance(table: Dataset, counts: MarginalCounts, rows: int, rng: np.random.Generator) -> MarginalDrift:
    """The distance between a table, whose counts are given, and `rows` of its rows drawn with replacement."""
    weights = np.ones(table.rows) if table.weights is None else table.weights.astype(np.float64)
    again = rng.multinomial(rows, weights / weights.sum())
    chosen = Dataset(table.domain, table.codes, read_only(again.astype(np.int64)))
    return distance(MarginalCounts.of(chosen), counts, table.domain.names)


@dataclass(frozen=True, slots=True, eq=False)
class DriftReport:
    """The drift of several networks of one table, such as with blocks and without. Printing it shows a line each."""

    drifts: Mapping[str, MarginalDrift]
    """By the networks' names, in the order given."""
    floor: MarginalDrift
    """That of as many rows of the data."""

    @property
    def nearest(self) -> str:
        """The name of the network whose marginals are nearest: 2-way, or 1-way where pairs were not counted."""
        return min(self.drifts, key=lambda name: nearness(self.drifts[name]))

    def halved(self, name: str, against: str) -> bool:
        """Whether `name` has at most half the distance of `against`, or is at twice the floor or below."""
        mine, theirs = nearness(self.drifts[name]), nearness(self.drifts[against])
        return mine <= max(theirs / 2, 2 * nearness(self.floor))

    def __str__(self) -> str:
        lines = ["drift of marginals (total variation)", f"{'':20} 1-way mean  worst   2-way mean  worst"]
        for name, drift in (*self.drifts.items(), ("floor", self.floor)):
            lines.append(
                f"{name:20} {drift.mean:10.4f} {drift.worst:6.4f} {drift.pair_mean:12.4f} {drift.pair_worst:6.4f}"
            )
        return "\n".join([*lines, f"nearest to the data: {self.nearest}"])


def drift_report(
    networks: Mapping[str, Network],
    dataset: Dataset,
    *,
    rows: int = ROWS,
    burn_in: int | Literal["auto"] = "auto",
    thin: int | Literal["auto"] = "auto",
    rng: np.random.Generator | None = None,
    n_jobs: int = 1,
) -> DriftReport:
    """The drift of each network from `dataset`, side by side: with blocks and without, calibrated and not.

    >>> from depnet import learn, titanic
    >>> both = {"single variables": learn(titanic()), "blocks": learn(titanic(), blocks="auto")}
    >>> report = drift_report(both, titanic(), rows=5000, rng=np.random.default_rng(0))
    >>> list(report.drifts)
    ['single variables', 'blocks']
    """
    if not networks:
        raise DataError("drift_report: no network was given.")
    rng = np.random.default_rng() if rng is None else rng
    drifts = {
        name: marginal_drift(network, dataset, rows=rows, burn_in=burn_in, thin=thin, rng=rng, n_jobs=n_jobs)
        for name, network in networks.items()
    }
    floor = next(iter(drifts.values())).floor
    assert floor is not None, "marginal_drift measures it"
    return DriftReport(drifts, floor)


def nearness(drift: MarginalDrift) -> float:
    """The mean 2-way distance, or the 1-way one where pairs were not counted."""
    return drift.mean if np.isnan(drift.pair_mean) else drift.pair_mean


def distance(first: MarginalCounts, second: MarginalCounts, names: Sequence[str]) -> MarginalDrift:
    """The distances between two tables' 1- and 2-way marginals, of whatever numbers of rows."""

    def apart(a: IntArray, b: IntArray) -> float:
        return float(np.abs(a / first.total - b / second.total).sum()) / 2

    singles = read_only(np.array([apart(a, b) for a, b in zip(first.singles, second.singles, strict=True)]))
    pairs = None
    if isinstance(first.pairs, PairTables) and isinstance(second.pairs, PairTables):
        gaps = np.abs(first.pairs.cells / first.total - second.pairs.cells / second.total)
        pairs = read_only(first.pairs.sums(gaps) / 2)
    elif first.pairs is not None and second.pairs is not None:
        theirs = second.pairs
        pairs = read_only(np.array([apart(first.pairs[pair], theirs[pair]) for pair in sorted(first.pairs)]))
    return MarginalDrift(tuple(names), singles, pairs, first.total)
