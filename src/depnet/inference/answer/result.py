"""What a query answers: probabilities with their errors, and everything needed to judge them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from depnet.inference.answer.part import Diagnostics, PassDiagnostics, Remark
from depnet.inference.answer.table import TargetAnswers
from depnet.model.scan import Scan, SequentialScan
from depnet.wording import plural


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class QueryResult(TargetAnswers):
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

    method: str
    scan: Scan | None
    closure: tuple[str, ...]
    evidence: Mapping[str, Any]
    evidence_used: tuple[str, ...]
    evidence_ignored: tuple[str, ...]
    tolerance: float
    converged: bool
    seconds: float
    diagnostics: Diagnostics | PassDiagnostics | None = None
    warnings: tuple[Remark, ...] = field(default=())
    do: Mapping[str, Any] = field(default_factory=dict)
    seen_alone: "QueryResult | None" = field(default=None, repr=False)

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
        from depnet.inference.answer.shown import parts_of
        from depnet.wording import text_of_parts

        return text_of_parts(parts_of(self, bins=bins, theory=theory))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """One self-contained `<div>` for notebooks; every label is escaped."""
        from depnet.inference.answer.shown import html_of

        return html_of(self)
