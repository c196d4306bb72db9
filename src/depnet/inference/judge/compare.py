"""Two models, or a model and a table, side by side.

What can be said of two laws: how well each one's conditional tables predict rows of the other, of itself and of a table
(the log-likelihood of a row under an ordered network's law, the pseudo-log-likelihood of any other, in nats); which
information sources read what in one and not in the other; and how far their 1- and 2-way marginals lie apart, in total
variation, beside a `floor`: the distance that chance alone gives, were the second's rows of the first's law
(`depnet.inference.judge.nearness`). Variables
that only one has, or whose states differ, are left out of the marginals, and rows of one are then not scored by the other.

A table may have holes. Its marginals are those of the cells that are known, its rows are scored by what they know, and the
rows of a law that stand beside them have the same holes put into them. Such scores take long, so that they are of a sample
of the rows where more than `MOST_HOLED` have holes: their standard errors say what that costs.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet import notebook
from depnet.arrays import FloatArray, generator
from depnet.data.table.dataset import Dataset, Holed, holed_rows
from depnet.data.table.variable import Domain
from depnet.errors import DataError
from depnet.inference.answer.plot import MOST_COLUMNS, plot_distances
from depnet.inference.holes import score_holed
from depnet.inference.judge.nearness import WAYS, Nearness, between, by_chance
from depnet.model.marginals import MarginalCounts
from depnet.model.mixture import AnyNetwork
from depnet.model.network import Network, check_same_domain
from depnet.model.scan import Scan
from depnet.model.score import score_samples
from depnet.sampling import sample
from depnet.wording import Grid, Part, once_in, percent, some_of, text_of_parts

ROWS = 100_000
MOST_HOLED = 2_000
"""Rows with holes that are scored."""
SHOWN = 20
"""Links, marginals and names of each kind."""
LinkPair = tuple[str, str]
"""(source, target): the information source of the target's node reads the source."""


@dataclass(frozen=True, slots=True)
class Scored:
    """How well `by` predicts the rows of `rows_of`, each "first", "second" or "data": nats per row."""

    rows_of: str
    by: str
    mean: float
    standard_error: float
    """Of the mean, the rows taken as independent."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What `compare` found; print it. `gained`, `lost` and `kept` are None where there is only one model.

    Attributes:
        shared: variables with the same states on both sides.
        differing: variables that one side does not have, or has with other states.
        gained: links of the second that the first does not have, between shared variables.
        lost: links of the first that the second does not have.
        kept: links of both.
        scores: how well each model predicts the rows of each side, and those of "data".
        difference: of the rows of "data", the second's score less the first's, paired row by row.
        marginals: how near the rows of both sides are.

    >>> import numpy as np
    >>> from depnet import compare, learn, titanic
    >>> found = compare(learn(titanic(), smoothing=0.5), titanic(), rows=1000, rng=np.random.default_rng(0))
    >>> found.shared, found.gained
    (('class', 'sex', 'age', 'survived'), None)
    >>> round(found.score("data", "first"), 2)  # nats a row, of the table by the model
    -2.07
    """

    shared: tuple[str, ...]
    differing: tuple[str, ...]
    gained: tuple[LinkPair, ...] | None
    lost: tuple[LinkPair, ...] | None
    kept: tuple[LinkPair, ...] | None
    scores: tuple[Scored, ...]
    difference: Scored | None
    marginals: Nearness

    def score(self, rows_of: str, by: str) -> float:
        """The mean score of the rows of one side by one model.

        Args:
            rows_of: "first", "second" or "data".
            by: "first" or "second".

        Returns:
            Nats a row; nan where it was not taken.
        """
        found = [s.mean for s in self.scores if (s.rows_of, s.by) == (rows_of, by)]
        return found[0] if found else math.nan

    def plot(self, ax: Any = None) -> Any:
        """A picture of how far the columns' shares are apart, beside what chance alone would give.

        Needs matplotlib (`pip install 'depnet[plot]'`).

        Args:
            ax: the Axes to draw on; None: new ones.

        Returns:
            The Axes.
        """
        near = self.marginals
        return plot_distances(near.furthest(MOST_COLUMNS), near.floor_one_way, ax)

    def parts(self, names: Mapping[str, str | None] | None = None, kind: str | None = None) -> Iterator[Part]:
        """What `print` and the command show; `names` are what "first", "second" and "data" are called.

        With a `kind` of score, such as "log-likelihood", scores are in its nats.
        """
        called = {side: str((names or {}).get(side) or side) for side in ("first", "second", "data")}
        yield self._scores(called, kind)
        if self.difference is not None:
            mean, error = self.difference.mean, self.difference.standard_error
            times = f"{math.exp(mean):.4g} times as likely by {called['second']} as by {called['first']}"
            nats = "" if kind is None else f"; second less first: {mean:+.4f} ± {error:.4f} per row"
            yield f"a typical row of {called['data']} is {times} (± {percent(error)}){nats}"
        if self.kept is not None:
            yield f"links: {len(self.kept):,} in both"
            for what, pairs in (("gained", self.gained), ("lost", self.lost)):
                yield f"  {what}: {some_of([f'{a} -> {b}' for a, b in pairs or ()], SHOWN) or 'none'}"
        apart = [
            [WAYS[ways], *(f"{each:.4f}" for each in found)] for ways, *found in self.marginals.by_ways()
        ]
        yield Grid(["shares of", "mean", "worst", "by chance"], apart, title="how far apart shares are")
        furthest = (f"{name} {distance:.4f}" for name, distance in self.marginals.furthest())
        yield f"furthest apart: {', '.join(furthest)}"
        if self.differing:
            said = ", ".join(self.differing)
            yield f"not compared, since one side lacks them or has different values: {said}"

    def _scores(self, called: Mapping[str, str], kind: str | None) -> Grid:
        """How well each model predicts the rows of each side."""
        title = "how likely a typical row is by each model: one in so many; the fewer, the better"
        heads, of_mean, of_error = ["one in", "±"], once_in, percent
        if kind is not None:
            title = f"how well rows are predicted: {kind} per row, the nearer to 0 the better"
            heads, of_mean, of_error = ["score", "± error"], "{:.4f}".format, "{:.4f}".format
        rows = [
            [called[s.rows_of], called[s.by], of_mean(s.mean), of_error(s.standard_error)]
            for s in self.scores
        ]
        return Grid(["rows of", "by the model", *heads], rows, left=2, title=title)

    def __str__(self) -> str:
        return text_of_parts(self.parts())

    def _repr_html_(self) -> str:
        return notebook.card("Comparison", *notebook.html_of_parts(self.parts()))


def compare(
    first: AnyNetwork,
    second: AnyNetwork | Holed,
    data: Holed | None = None,
    *,
    rows: int = ROWS,
    scan: Scan | None = None,
    rng: np.random.Generator | None = None,
    n_jobs: int = 1,
) -> Comparison:
    """Compare two networks, also on the rows of `data` if given, or a network with a table.

    Two tables are compared by a model of one of them: `compare(learn(one), other)`.

    Args:
        first: a network, or a mixture, whose links are then not compared.
        second: another network, or a table, with holes or without.
        data: rows that both networks are to predict, with holes or without.
        rows: how many rows are drawn from a law to stand for it.
        scan: of which chain; None: an ordered network's own law, and the random scan of any other.
        rng: the generator of what is drawn; None: fresh entropy.
        n_jobs: threads.

    Returns:
        A `Comparison`.

    >>> from depnet import learn, titanic
    >>> people = titanic()
    >>> found = compare(learn(people), learn(people, max_leaves=4), rows=1000)
    >>> len(found.kept), len(found.lost), len(found.gained)
    (9, 3, 0)
    """
    rng = generator(rng)
    sides, links, table = {"first": first}, None, None
    if isinstance(second, AnyNetwork):
        sides["second"] = second
        if isinstance(first, Network) and isinstance(second, Network):
            links = changed_links(first, second)
        if scan is None and first.ordered != second.ordered:
            raise DataError(
                "compare: one of the two is an ordered law and the other is not, so that their scores are of two kinds. "
                "Compare two laws (depnet.load(path, law=True)), or two networks."
            )
    else:
        table = data = second
        check_same_domain("compare", first.domain, table)
        if table.total == 0:
            raise DataError("compare: the table has no rows.")
    shared, differing = _shared(first.domain, second.domain)
    if not shared:
        raise DataError(
            "compare: the two models have no variable in common with the same states. Learn both from tables with "
            "the same columns."
        )
    drawn = {who: sample(net, rows, scan=scan, rng=rng, n_jobs=n_jobs) for who, net in sides.items()}
    names = tuple(first.domain.names[i] for i, _ in shared)
    ours = MarginalCounts.of(_columns(drawn["first"], [i for i, _ in shared]))
    theirs = MarginalCounts.of(_columns(drawn["second"] if table is None else table, [j for _, j in shared]))
    marginals = between(ours, theirs, names, by_chance(ours, rows, theirs))
    tables: dict[str, Holed] = {**drawn}
    if data is not None:
        tables["data"] = _to_score(data, rng)
    if table is not None:
        tables["first"] = _with_holes_of(drawn["first"], tables["data"], rng)
    logs = {
        (rows_of, by): _logs(network, scored_rows, rng)
        for rows_of, scored_rows in tables.items()
        for by, network in sides.items()
        if rows_of == "data" or scored_rows.domain == network.domain
    }
    scores = tuple(scored(rows_of, by, each, tables[rows_of]) for (rows_of, by), each in logs.items())
    difference = None
    if data is not None and table is None:
        paired = logs["data", "second"] - logs["data", "first"]
        difference = scored("data", "difference", paired, tables["data"])
    gained, lost, kept = links or (None, None, None)
    return Comparison(names, differing, gained, lost, kept, scores, difference, marginals)


def _logs(network: AnyNetwork, table: Holed, rng: np.random.Generator) -> FloatArray:
    """The score of every row, by what it knows: of an ordered network with which cells these are."""
    check_same_domain("compare", network.domain, table)
    if table.complete:
        return score_samples(network, table.dataset())
    return score_holed(network, table.codes, table.hidden, rng=rng)


def _to_score(table: Holed, rng: np.random.Generator) -> Holed:
    """The rows that are scored: all, or where too many have holes some, drawn without replacement."""
    holed = 0 if table.complete else int(table.hidden.any(axis=1).sum())
    if holed <= MOST_HOLED:
        return table
    size = max(1, table.rows * MOST_HOLED // holed)
    return table.rows_at(np.sort(rng.choice(table.rows, size, replace=False)))


def _with_holes_of(rows: Dataset, table: Holed, rng: np.random.Generator) -> Holed:
    """As many drawn rows as those of a table, with its holes put into them; all of them where it has none."""
    if table.complete:
        return rows
    which = rng.integers(table.rows, size=min(rows.rows, table.rows))
    return holed_rows(rows.domain, rows.codes[: len(which)], np.asfortranarray(table.hidden[which]))


def changed_links(
    first: Network, second: Network
) -> tuple[tuple[LinkPair, ...], tuple[LinkPair, ...], tuple[LinkPair, ...]]:
    """(gained, lost, kept): links between variables that are the same in both."""
    shared, _ = _shared(first.domain, second.domain)
    inside = {first.domain.names[i] for i, _ in shared}

    def links(network: Network) -> dict[LinkPair, None]:
        names = network.domain.names
        every = ((names[j], names[node.variable]) for node in network.nodes for j in node.inputs)
        return dict.fromkeys(link for link in every if inside.issuperset(link))

    ours, theirs = links(first), links(second)
    return (
        tuple(link for link in theirs if link not in ours),
        tuple(link for link in ours if link not in theirs),
        tuple(link for link in ours if link in theirs),
    )


def _shared(first: Domain, second: Domain) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """The places (i, j) of the variables that are the same in both, and the names of the others."""
    theirs = {variable: j for j, variable in enumerate(second.variables)}
    both = [(i, theirs[variable]) for i, variable in enumerate(first.variables) if variable in theirs]
    same = {first.names[i] for i, _ in both}
    return both, tuple(name for name in dict.fromkeys((*first.names, *second.names)) if name not in same)


def _columns(table: Holed, places: Sequence[int]) -> Holed:
    if list(places) == list(range(len(table.domain))):
        return table
    domain = Domain(tuple(table.domain.variables[i] for i in places))
    return Dataset.of_checked(
        domain, Dataset.from_codes(table.codes[:, places], domain=domain).codes, table.weights
    )


def scored(rows_of: str, by: str, logs: FloatArray, table: Holed) -> Scored:
    """The mean of every row's score, with the rows' weights, and its standard error."""
    weights = np.ones(len(logs)) if table.weights is None else table.weights.astype(np.float64)
    if not weights.sum() > 0:
        raise DataError(f"compare: there are no rows of {rows_of} to score.")
    kept = logs[weights > 0]
    weights = weights[weights > 0] / weights.sum()
    mean = float(weights @ kept)
    if not np.isfinite(kept).all():
        return Scored(rows_of, by, mean, math.nan)
    variance = float(weights @ (kept - mean) ** 2)
    return Scored(rows_of, by, mean, math.sqrt(variance / table.total))
