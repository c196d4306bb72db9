"""What a query answers: probabilities with their errors, and everything needed to judge them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.table.variable import Label, Variable
from depnet.errors import InferenceError, brief
from depnet.inference.answer.intervals import SURE_MEANS, SURE_SHARES
from depnet.inference.answer.numbers import LAW_ROWS, NumberLaw, NumberSummary
from depnet.inference.answer.observed import Support
from depnet.inference.answer.part import Diagnostics, LevelLaw, PassDiagnostics, Remark, Spread
from depnet.inference.answer.table import Answer, AnswerTable
from depnet.model.scan import Scan, SequentialScan
from depnet.wording import nearest, plural, some_of

WORTH = 50.0
"""s of `QueryResult.combined` where held-out rows did not choose it."""

Of: TypeAlias = Literal["probabilities", "combined", "observed"]
"""Which probabilities of a result."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryResult:
    """The answer of `depnet.query`.

    Where rows were at hand, it has three: the law's `probabilities`, what was `observed`, and both joined, `combined`.

    Attributes:
        targets: what was asked for.
        states: the labels of each target's states.
        joint: whether the answer is one table of all targets together.
        probabilities: an array in the order of the states for one target, a tensor with axes as `targets` for a joint,
            else one array for each target's name.
        standard_errors: alike: the Monte Carlo error, 0 where the answer is exact. It does not speak of the error of
            learning.
        method: how the answer was found, in a word.
        scan: whose chain was asked; None where the answer is of an ordered network's law, which has no chain.
        closure: the variables that took part.
        evidence: what was known.
        evidence_used: the names of the evidence that the answer depends on.
        evidence_ignored: the names of clamped evidence that no relevant node reads.
        support: how many training rows match the evidence, where that is known.
        tolerance: the standard error that was asked for.
        converged: whether every standard error is under it.
        seconds: how long it took.
        diagnostics: of chains or passes, where the answer was sampled.
        warnings: what a person should know, a line each: strings with a `kind`, "note", "rare" (the evidence matches few
            rows), "difference" (of model and table) or "stopped" (less sharp than was asked).
        observed: the frequencies among the rows that match the evidence, in the shape of `probabilities` (nan where none
            does).
        matching: the rows in which the evidence is known and true and the target is known: a number for one target or a
            joint, else one for each target's name.
        missing: by the name of each variable asked about, P(it is missing | evidence); answers are given that it is known.
        missing_observed: the same, of the rows that match the evidence.
        worth: s, how many rows of a table the model's answer is worth in `combined`.
        learned: how many training rows match, where no rows are at hand and the model's own counts know it.
        effective: with survey weights, how many equal rows those that match and know a target count as.
        sure_shares, sure_means: s', how many rows more than those that match the interval of a share, or mean, rests on.
        variables: the targets as variables: with their bins, or the states False and True of a condition.
        spreads: how the errors of the states of each target hang together, but of conditions.
        levels: where in their bins the law's numbers lie, of the targets of which that is known.
        do: what is set, by name; empty where nothing is.
        seen_alone: where something is set, the answer where it is only seen to be so, with the table's own.
        seen: of targets that are numbers, their law by the values in the matching rows.

    >>> from depnet import learn, query, titanic
    >>> people = titanic()
    >>> found = query(learn(people, order="auto"), "survived", {"class": "1st"}, data=people)
    >>> found.states, found.matching, found.combined.round(2).tolist()
    ((('No', 'Yes'),), 325, [0.38, 0.62])
    """

    targets: tuple[str, ...]
    states: tuple[tuple[Label, ...], ...]
    joint: bool
    probabilities: Answer
    standard_errors: Answer
    method: str
    scan: Scan | None
    closure: tuple[str, ...]
    evidence: Mapping[str, Any]
    evidence_used: tuple[str, ...]
    evidence_ignored: tuple[str, ...]
    support: Support | None
    tolerance: float
    converged: bool
    seconds: float
    diagnostics: Diagnostics | PassDiagnostics | None = None
    warnings: tuple[Remark, ...] = field(default=())
    observed: Answer | None = None
    matching: int | dict[str, int] | None = None
    missing: Mapping[str, float] = field(default_factory=dict)
    missing_observed: Mapping[str, float] | None = None
    worth: float = WORTH
    learned: int = 0
    effective: Mapping[str, float] = field(default_factory=dict)
    sure_shares: float = SURE_SHARES
    sure_means: float = SURE_MEANS
    variables: tuple[Variable, ...] = field(default=(), repr=False)
    spreads: Mapping[str, Spread] = field(default_factory=dict, repr=False)
    levels: Mapping[str, LevelLaw] = field(default_factory=dict, repr=False)
    seen: Mapping[str, NumberLaw] = field(default_factory=dict, repr=False)
    do: Mapping[str, Any] = field(default_factory=dict)
    seen_alone: "QueryResult | None" = field(default=None, repr=False)

    @property
    def combined(self) -> Answer:
        """(n observed + s probabilities) / (n + s), n rows matching: `probabilities` where there are no such rows.

        With many matching rows it is the table's answer, with few the model's. It is no joint law: answers to several
        questions need not fit together, as those of `probabilities` do.
        """
        return self._each(lambda table: table.answer)

    @property
    def interval(self) -> Answer:
        """[..., 2]: where the shares of the population lie that the rows come from, 90 % sure: around `combined`.

        An array [state, 2] for one target, {name: [state, 2]} for several, a tensor with one axis more for a joint. It
        speaks of chance and of the model's error as held-out rows know it (`depnet.inference.answer.numbers`), each
        share taken alone, not of rows that were chosen in another way than those to come. `numbers[name].interval` is
        that of a mean.
        """
        return self._each(lambda table: table.interval())

    def table(self, name: str) -> AnswerTable:
        """What is said of a target; of a joint, of all of them together."""
        return AnswerTable.of(self, self.targets if self.joint else (name,))

    @property
    def tables(self) -> list[AnswerTable]:
        """Those of the targets, in their order; of a joint, the only one."""
        return [self.table(name) for name in (self.targets[:1] if self.joint else self.targets)]

    def _each(self, part: Callable[[AnswerTable], FloatArray]) -> Answer:
        """A part of every table, as the probabilities are."""
        if not isinstance(self.probabilities, dict):
            return part(self.table(self.targets[0]))
        return {table.names[0]: part(table) for table in self.tables}

    def rows_known(self, name: str, law_share: float) -> float:
        """The matching rows that an interval rests on, of a target: none where something of them is hidden."""
        if law_share < 1.0:
            return self.effective_rows(name)
        return self.learned * LAW_ROWS / (self.learned + LAW_ROWS)

    def rows_of(self, name: str) -> int:
        """In how many rows that match the evidence a target is known; 0 where there are no rows at hand."""
        if isinstance(self.matching, dict):
            return self.matching.get(name, 0)
        return self.matching or 0

    def effective_rows(self, name: str) -> float:
        """How many equal rows those that match count as: as many as match, unless they have survey weights."""
        return self.effective.get(name, self.rows_of(name)) if self.rows_of(name) else 0

    @property
    def rows_said(self) -> str:
        """How many rows took part in the answer, for people."""
        counts = sorted(map(self.rows_of, self.targets))
        last = plural(counts[-1], "matching row")
        said = last if counts[0] == counts[-1] else f"{counts[0]:,} to {last}"
        if not self.effective:
            return said
        return f"{said} (which count as {max(self.effective.values()):,.0f} by their weights)"

    @property
    def r_hat(self) -> float | None:
        """The largest split R-hat, where the answer was found by chains."""
        return self.diagnostics.r_hat if isinstance(self.diagnostics, Diagnostics) else None

    @property
    def scan_name(self) -> str:
        """Whose law it is, in words."""
        if self.scan is None:
            return "ordered law"
        return "sequential scan" if isinstance(self.scan, SequentialScan) else "random scan"

    @property
    def effective_sample_size(self) -> float | None:
        """The smallest effective sample size, where the answer was sampled."""
        return None if self.diagnostics is None else self.diagnostics.effective_sample_size

    @property
    def numbers(self) -> dict[str, NumberSummary]:
        """Mean, standard deviation and quantiles of each target that is a number, by `combined`; of a joint, of each alone.

        Not of a target that is missing with certainty. `summary` has the same by `probabilities` or `observed`.
        """
        found = ((variable.name, self.numbers_of(variable, "combined")) for variable in self.variables)
        return {name: summary for name, summary in found if summary is not None}

    def summary(self, name: str | None = None, of: Of = "combined") -> NumberSummary | None:
        """Mean, standard deviation and quantiles of a target that is a number.

        Standard errors are Monte Carlo errors: those of "combined" are the law's share in it, "observed" has none.

        Args:
            name: the target; that of an only target may be left out.
            of: by which probabilities: "combined", "probabilities" or "observed".

        Returns:
            A summary with `mean`, `standard_deviation`, `median`, `quantiles`; None where there are no such
            probabilities: no rows match, or counts are hidden.
        """
        if name is None and len(self.targets) > 1:
            raise InferenceError(f"there are several targets; name one of them: {', '.join(self.targets)}.")
        wanted = self.targets[0] if name is None else name
        if wanted not in self.targets:
            raise InferenceError(f"the target {wanted!r} was not asked for. {nearest(wanted, self.targets)}")
        if of not in get_args(Of):
            raise InferenceError(f"`of` is one of {', '.join(map(repr, get_args(Of)))}; got {brief(of)}.")
        variable = self.variables[self.targets.index(wanted)]
        if variable.scale != "number":
            raise InferenceError(
                f"{wanted!r} is not a number: it has the values {some_of([*map(str, variable.states)])}."
            )
        return self.numbers_of(variable, of)

    def numbers_of(self, variable: Variable, of: Of) -> NumberSummary | None:
        """What is said of a target; None where it is no number, or there are no such probabilities."""
        law = self.number_law(variable, of)
        if law is None:
            return None
        rows = self.rows_known(variable.name, self.table(variable.name).share) + self.sure_means
        return NumberSummary(variable, law, rows if of == "combined" else None)

    def number_law(self, variable: Variable, of: Of) -> NumberLaw | None:
        """The law of a target that is a number; None where it is none, or there are no such probabilities."""
        name, table = variable.name, self.table(variable.name)
        probabilities = {"combined": table.answer, "probabilities": table.law, "observed": table.observed}[of]
        if probabilities is None or name not in self.spreads or np.isnan(probabilities).any():
            return None
        spread, seen, share = self.spreads[name], self.seen.get(name), table.share
        with_rows = seen is not None and share < 1.0
        if of == "observed":
            if with_rows:
                return seen
            spread = spread.times(0.0)
        elif with_rows:
            probabilities = table.law
        elif of == "combined":
            spread = spread.times(share)
        law: NumberLaw | None
        if name in self.levels and of != "observed" and variable.bins is not None:
            law = NumberLaw.of_levels(variable.bins.kind, self.levels[name])
        else:
            axis = self.targets.index(name) if self.joint else 0
            others = tuple(a for a in range(probabilities.ndim) if a != axis)
            margin = np.asarray(probabilities.sum(axis=others))
            law = NumberLaw.of(variable, margin, spread, 1.0 - self.missing.get(name, 0.0))
        if law is None or seen is None or not (with_rows and of == "combined"):
            return law
        n = self.effective_rows(name)
        s = law.worth_beside(seen, n, self.worth)
        return law.joined(seen, s / (n + s))

    def frame(self, backend: str = "pandas") -> Any:
        """A tidy frame: a row a state (of a joint, a joint state), with its probability, standard error and so on.

        Args:
            backend: "pandas", "polars", "pyarrow", or any other that narwhals makes frames with.

        Returns:
            A frame with the columns `target` and `state` (of a joint, one a target), `probability`, `standard_error`,
            `observed`, `combined`, and the ends of its interval, `low` and `high`.
        """
        from depnet.inference.answer.shown import frame_of

        return frame_of(self, backend)

    def plot(self, ax: Any = None) -> Any:
        """A picture of the answer: bars of categories, of a number a histogram with its mean, both with their intervals.

        The table's own answer is an outline. Needs matplotlib (`pip install 'depnet[plot]'`).

        Args:
            ax: the Axes to draw on, of several targets that are no joint as many; None: new ones.

        Returns:
            The Axes, of several pictures an array of them.
        """
        from depnet.inference.answer.plot import plot_result

        return plot_result(self, ax)

    def text(self, *, bins: bool = False, theory: bool = False) -> str:
        """The answer as `print` shows it: `combined` where rows are at hand, with both of its parts beside it.

        Args:
            bins: whether the bins of numbers are shown, too; their means, medians and intervals are.
            theory: whether it also says how it was computed, in the words of the theory.

        Returns:
            Lines of text.
        """
        from depnet.inference.answer.shown import text_of

        return text_of(self, bins=bins, theory=theory)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """One self-contained `<div>` for notebooks; every label is escaped."""
        from depnet.inference.answer.shown import html_of

        return html_of(self)
