r"""The same question for every group of a table: all combinations of some columns, answered together.

For each combination g of the columns' states the law's answer is P(x | g) = P(x, g) / P(g). The joint law of target and
groups is exact where elimination is small; elsewhere, and for where in their bins numbers lie, one set of rows is drawn
given the evidence, of which each group takes its own. What the table says of a group comes from the group's rows. So each
group has the answer, interval and warnings that a question of its own would have, but for the error of drawing.
"""

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import EvidenceError
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.answer.part import Part, Spread
from depnet.inference.answer.question import TOLERANCE, Question
from depnet.inference.answer.result import QueryResult
from depnet.inference.ordered.answer import QUICK_CELLS, exact
from depnet.inference.ordered.levels import level_rows
from depnet.law.elimination import Conditional
from depnet.law.levels import LevelPlan
from depnet.law.program import joint_codes
from depnet.law.sharpen import BATCHES
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.sampling.words import new_seeds

MOST_GROUPS = 10_000
ROWS_A_GROUP = 1 << 12
"""Rows drawn for each group, in the mean, and in all at least `LEAST_ROWS`, at most `MOST_ROWS`."""
LEAST_ROWS, MOST_ROWS = 1 << 15, 1 << 19
STRETCH = math.sqrt(BATCHES / (BATCHES - 1))


@dataclass(frozen=True, slots=True, eq=False)
class GroupAnswers:
    """The answers of `depnet.query_by` for all groups.

    Attributes:
        by: the columns whose combinations are the groups.
        labels: their states in each group.
        results: a `QueryResult` for each group.

    >>> import depnet
    >>> found = depnet.query_by(depnet.learn(depnet.titanic(), order="auto"), "survived", "class")
    >>> found.labels[0], found.results[0].probabilities.round(2).tolist()
    (('1st',), [0.38, 0.62])
    """

    by: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    results: tuple[QueryResult, ...]

    def columns(self) -> dict[str, list[Any]]:
        """The columns of `frame`, as lists."""
        rows = [
            dict(zip(self.by, labels, strict=True)) | row
            for labels, result in zip(self.labels, self.results, strict=True)
            for row in _rows(result)
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def frame(self, backend: Any = "pandas") -> Any:
        """A tidy frame: a row a group, of a category a row for each group and state.

        Args:
            backend: "pandas", "polars", "pyarrow", or any other that narwhals makes frames with.

        Returns:
            The columns of `by`; of a number `mean`, `low`, `high` (the interval of the mean), `median`, of all else the
            state and its `share`, `low`, `high`; the matching `rows`; and what `model` and `table` alone say (without a
            table, only what the model says).
        """
        import narwhals

        return narwhals.from_dict(self.columns(), backend=backend).to_native()


def query_by(
    network: Network,
    target: str,
    by: str | Sequence[str],
    evidence: Given | Evidence | None = None,
    *,
    tolerance: float = TOLERANCE,
    data: Dataset | Holed | None = None,
    rng: np.random.Generator | None = None,
) -> GroupAnswers:
    """What is likely of a target in every group, given evidence: a group-by that the model takes part in.

    Args:
        network: an ordered network.
        target: a column by its name, or a condition as text.
        by: the columns whose combinations are the groups; numbers by their bins.
        evidence: what is known of all groups, as in `depnet.query`.
        tolerance: as in `depnet.query`.
        data: the rows of a table, whose own answers join those of the model.
        rng: the generator of what is drawn; None: the same rows each time.

    Returns:
        `GroupAnswers`; its `frame` is a tidy one.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> law = depnet.learn(people, order="auto", smoothing=0.5)
    >>> frame = depnet.query_by(law, "survived = Yes", ["class", "sex"], data=people).frame()
    >>> frame.columns.tolist(), len(frame), round(float(frame["share"][0]), 2), int(frame["rows"][0])
    (['class', 'sex', 'share', 'low', 'high', 'rows', 'model', 'table'], 8, 0.97, 145)
    """
    names = (by,) if isinstance(by, str) else tuple(by)
    if network.order is None:
        raise EvidenceError(
            '`by` asks an ordered law; this network has no order. Learn one: learn(dataset, order="auto").'
        )
    base = Question(network, target, evidence, tolerance=tolerance)
    groups = _Groups.of(base, names)
    drawn = _Drawn.of(base, groups, new_seeds(np.random.default_rng(0) if rng is None else rng, 1)[0])
    rows = None if data is None else groups.split(base, data)
    results = []
    for at, states in enumerate(groups.states()):
        given = {**base.given, **dict(zip(names, states, strict=True))}
        own = None if data is None or rows is None else data.rows_at(rows[at])
        asked = replace(base, known=given, data=own, started=time.monotonic())
        part = drawn.part(at)
        results.append(
            asked.result(
                [(asked.free, part)], method=part.method, scan=None, closure=(), used=asked.evidence.variables
            )
        )
    return GroupAnswers(names, tuple(groups.states()), tuple(results))


@dataclass(frozen=True, slots=True)
class _Groups:
    """The columns whose combinations are the groups, each with the number of its known states."""

    network: Network
    columns: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, question: Question, names: Sequence[str]) -> "_Groups":
        domain = question.network.domain
        columns = tuple(domain.index(name) for name in names)
        if not columns or len(set(columns)) < len(columns):
            raise EvidenceError("`by` needs the names of columns, each once.")
        taken = [
            name
            for name, i in zip(names, columns, strict=True)
            if i in question.wanted or name in question.given
        ]
        if taken:
            raise EvidenceError(f"{taken[0]!r} cannot be a group: it is asked for, or known.")
        sizes = tuple(len(domain.variables[i].present_states) for i in columns)
        if math.prod(sizes) > MOST_GROUPS:
            raise EvidenceError(
                f"there are {math.prod(sizes):,} combinations of {', '.join(names)}, more than {MOST_GROUPS:,}. Take fewer "
                "columns."
            )
        return cls(question.network, columns, sizes)

    @property
    def count(self) -> int:
        return math.prod(self.sizes)

    def states(self) -> Iterator[tuple[Any, ...]]:
        """The labels of each group, in the order of the states."""
        domain = self.network.domain
        return itertools.product(*(domain.variables[i].present_states for i in self.columns))

    def of_rows(self, codes: Any) -> IntArray:
        """The group of each row of codes [row, variable]; -1 where a column is missing."""
        found = joint_codes(codes, self.columns, self.sizes_by_column).astype(np.int64)
        for i, size in zip(self.columns, self.sizes, strict=True):
            found[codes[:, i] >= size] = -1
        return found

    @property
    def sizes_by_column(self) -> Sequence[int]:
        sizes = [0] * len(self.network.domain)
        for i, size in zip(self.columns, self.sizes, strict=True):
            sizes[i] = size
        return sizes

    def split(self, question: Question, data: Dataset | Holed) -> list[IntArray]:
        """The rows of each group that match the evidence, of those that know the group."""
        rows = MatchingRows.of(self.network.domain, question.evidence, data).rows
        for i in self.columns:
            known = data.known(i)
            rows = rows if known is None else rows[known[rows]]
        group = np.zeros(len(rows), dtype=np.int64)
        for i, size in zip(self.columns, self.sizes, strict=True):
            group = group * size + data.column(i)[rows]
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(self.count + 1))
        return [rows[order[a:b]] for a, b in itertools.pairwise(ends)]


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Rows drawn given the evidence, summed by batch and group; and the joint law of target and groups, where exact."""

    target: int
    joint: FloatArray | None
    """[group, state]."""
    counts: FloatArray
    """[batch, group, state]: weights of codes; beside it, with those of levels, which evidence that cuts bins has."""
    weighted: FloatArray
    levels: FloatArray | None
    """[batch, group, level] of a number."""
    plan: LevelPlan | None

    @classmethod
    def of(cls, question: Question, groups: _Groups, seed: int) -> "_Drawn":
        network, evidence = question.network, question.evidence
        (i,) = question.wanted
        cards = network.domain.cardinalities
        part = exact(Conditional(network, evidence, ((*groups.columns, i),)), QUICK_CELLS)
        joint = None
        if part is not None:
            within = tuple(slice(size) for size in groups.sizes)
            joint = part.values[0][within].reshape(groups.count, cards[i])
        plan = LevelPlan.of(network, evidence, (i,))
        drawer = None if plan is None else plan.drawers.get(i)
        levels = 0 if drawer is None else len(drawer.levels.values)
        rows = []
        if joint is None or plan is not None:
            left = min(max(ROWS_A_GROUP * groups.count, LEAST_ROWS), MOST_ROWS)
            for codes, weights, drawn in level_rows(network, evidence, plan, (i, *groups.columns), seed):
                batch = np.arange(len(codes)) * BATCHES // len(codes)
                group = groups.of_rows(codes)
                both = weights if drawn is None else weights * drawn.weights
                place = drawn.places[i] if drawn is not None and levels else np.zeros(len(codes))
                some = np.stack(
                    [batch * groups.count + group, codes[:, i], weights, both, place], dtype=np.float64
                )
                rows.append(some[:, group >= 0])
                left -= len(codes)
                if left <= 0:
                    break
        cell, state, weights, both, place = np.concatenate([np.empty((5, 0)), *rows], axis=1)
        shape = (BATCHES, groups.count)
        counts = _summed(cell, state, weights, (*shape, cards[i]))
        weighted = _summed(cell, state, both, (*shape, cards[i]))
        inside = place >= 0
        of_levels = _summed(cell[inside], place[inside], both[inside], (*shape, levels)) if levels else None
        return cls(i, joint, counts, weighted, of_levels, plan)

    def part(self, group: int) -> Part:
        """The law of the target in a group, as an answer of its own has it."""
        counts, weighted = self.counts[:, group], self.weighted[:, group]
        rows = counts.sum(axis=0)
        if self.joint is None:
            law, own = _shares(counts)
        else:
            total = self.joint[group].sum()
            law = self.joint[group] / total if total > 0 else np.full(len(rows), 1 / len(rows))
            own = np.zeros_like(counts)
        if self.plan is not None and self.plan.cuts and rows.any():
            means = np.divide(
                weighted.sum(axis=0),
                rows,
                out=np.full(len(rows), weighted.sum() / rows.sum()),
                where=rows > 0,
            )
            if law @ means > 0:
                law, (_, own) = law * means / (law @ means), _shares(weighted)
        errors = np.sqrt((own**2).sum(axis=0))
        sampled = bool(own.any())
        method = "exact" if not sampled else "drawn rows"
        levels, spreads = {}, {}
        if self.levels is not None and self.plan is not None and self.levels[:, group].any():
            levels[self.target], spreads[self.target] = self._levels(group, law, own)
        return Part(
            [law],
            [errors],
            method,
            deviations=[[own]] if sampled else (),
            levels=levels,
            level_spreads=spreads,
        )

    def _levels(self, group: int, law: FloatArray, own: FloatArray) -> tuple[FloatArray, Spread]:
        """The law of a number's levels given that it is known: that of its bins, and drawn levels in each of them."""
        assert self.plan is not None
        assert self.levels is not None
        kept = self.plan.drawers[self.target].levels
        sums, everywhere = self.levels[:, group], self.levels.sum(axis=(0, 1))
        bins = np.repeat(np.arange(len(kept.sizes)), kept.sizes)
        present = law[: len(kept.sizes)].sum() or 1.0
        of_bin = law[: len(kept.sizes)] / present
        in_bin = np.add.reduceat(sums, kept.first, axis=1)
        totals = in_bin.sum(axis=0)
        of_all = np.add.reduceat(everywhere, kept.first)
        alike = np.divide(everywhere, of_all[bins], out=1.0 / kept.sizes[bins], where=of_all[bins] > 0)
        inside = np.divide(sums.sum(axis=0), totals[bins], out=alike, where=totals[bins] > 0)
        scale = np.divide(of_bin, totals, out=np.zeros_like(of_bin), where=totals > 0)
        moved = STRETCH * (sums - inside * in_bin[:, bins]) * scale[bins]
        of_codes = own[:, : len(kept.sizes)] / present
        of_codes = of_codes - of_bin * of_codes.sum(axis=1, keepdims=True)
        moved = moved + of_codes[:, bins] * inside
        return of_bin[bins] * inside, Spread(np.sqrt((moved**2).sum(axis=0)), moved)


def _shares(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The shares of states, of sums [batch, state], and what each batch adds to their errors."""
    total = float(sums.sum())
    if not total > 0:
        return np.full(sums.shape[1], 1 / sums.shape[1]), np.full_like(sums, 1 / math.sqrt(BATCHES))
    shares = sums.sum(axis=0) / total
    return shares, STRETCH * (sums - shares * sums.sum(axis=1, keepdims=True)) / total


def _summed(cell: FloatArray, at: FloatArray, weights: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """[batch, group, at]: the weights of rows by their cell and their place in it."""
    flat = (cell * shape[-1] + at).astype(np.int64)
    return np.bincount(flat, weights, math.prod(shape)).astype(np.float64).reshape(shape)


def _rows(result: QueryResult) -> list[dict[str, Any]]:
    """What a frame says of one group: a row, of a category a row a state; of rows and table only where there is one."""
    (name,) = result.targets
    table = result.table(name)
    counted = {} if result.matching is None else {"rows": table.rows}
    if table.is_number:
        number = result.numbers[name]
        low, high = number.interval or (None, None)
        said = {"mean": number.mean, "low": low, "high": high, "median": number.median} | counted
        model, own = (result.summary(name, of) for of in ("probabilities", "observed"))
        said |= {"model": model and model.mean}
        return [said | ({"table": own and own.mean} if counted else {})]
    ends = table.interval()
    found = []
    for x, (state,) in enumerate(table.labels):
        said = {
            name: state,
            "share": float(table.answer[x]),
            "low": float(ends[x, 0]),
            "high": float(ends[x, 1]),
        }
        said |= counted | {"model": float(table.law[x])}
        if counted:
            said["table"] = None if table.observed is None else float(table.observed[x])
        found.append(said)
    if table.variable.states == (False, True):
        return [{key: value for key, value in found[1].items() if key != name}]
    return found
