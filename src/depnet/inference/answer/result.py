"""What a query answers: probabilities with their errors, and everything needed to judge them."""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.table.variable import Label
from depnet.inference.answer.support import Support
from depnet.model.conditions import said_of
from depnet.model.scan import Scan, SequentialScan
from depnet.wording import counted

Answer: TypeAlias = FloatArray | dict[str, FloatArray]

WORTH = 50.0
"""s of `QueryResult.combined` where held-out rows did not choose it."""

SHOWN = 12
"""States listed in the text of a result."""


ROUNDING = 1e-12
"""A standard error below this is that of sums of floats, not of chains: the estimator does not vary."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How a sampled answer was found.

    `r_hat` is the largest split R-hat of any probability reported; `effective_sample_size` the smallest
    number of independent draws of the targets that would have the same standard error (infinite where no probability
    varies from chain to chain); `updates` are site
    updates in all, burn-in included.
    """

    r_hat: float
    effective_sample_size: float
    chains: int
    sweeps: int
    burn_in: int
    updates: int
    largest_error: float

    @property
    def effective_draws(self) -> str:
        """`effective_sample_size` to be shown."""
        return _shown_size(self.effective_sample_size)

    def __str__(self) -> str:
        chains = f"{self.chains} chains of {counted(self.sweeps, 'sweep')}"
        return f"R-hat {self.r_hat:.3f}, effective sample size {self.effective_draws}, {chains}"


@dataclass(frozen=True, slots=True)
class PassDiagnostics:
    """How an answer of an ordered law was found where it is not exact: from weighted passes, which are independent.

    `effective_sample_size` is the number of passes without weights that would be as good. Where a few had most of the
    weight, they were `moved`, and standard errors are between independent batches.
    """

    passes: int
    effective_sample_size: float
    moved: bool
    largest_error: float

    @property
    def effective_draws(self) -> str:
        """`effective_sample_size` to be shown."""
        return _shown_size(self.effective_sample_size)

    def __str__(self) -> str:
        return f"{counted(self.passes, 'pass', 'passes')} worth {self.effective_draws} without weights"


def _shown_size(size: float) -> str:
    return f"{size:,.0f}" if math.isfinite(size) else "unlimited"


def effective_sample_size(values: FloatArray, errors: FloatArray) -> float:
    """The smallest p (1 - p) / error^2 of the probabilities that vary; infinite where none does."""
    vary = errors > ROUNDING
    return float(((values * (1 - values))[vary] / errors[vary] ** 2).min(initial=math.inf))


@dataclass(frozen=True, slots=True, eq=False)
class QueryResult:
    """The answer of `depnet.query`.

    `probabilities` is an array in the order of the states for one target, a tensor with axes as
    `targets` for a joint, else one array for each target's name; `standard_errors` is alike: the Monte
    Carlo error, 0 where the answer is exact. Neither speaks of the error of learning. `scan` is None where the answer is
    of an ordered network's law, which has no chain.

    Where rows were at hand, `observed` has the frequencies among the rows that match the evidence, in the shape of
    `probabilities` (nan where none does), `matching` their number, and `combined` joins both.
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
    warnings: tuple[str, ...] = field(default=())
    observed: Answer | None = None
    matching: int | None = None
    worth: float = WORTH
    """s: how many rows of a table the model's answer is worth in `combined`."""

    @property
    def combined(self) -> Answer:
        """(n observed + s probabilities) / (n + s), n rows matching: `probabilities` where there are no such rows.

        With many matching rows it is the table's answer, with few the model's. It is no joint law: answers to several
        questions need not fit together, as those of `probabilities` do.
        """
        if self.observed is None or not self.matching:
            return self.probabilities
        return each_table(self._joined, self.probabilities, self.observed)

    def _joined(self, law: FloatArray, frequencies: FloatArray) -> FloatArray:
        if np.isnan(frequencies).any():  # some are hidden
            return law
        n = float(self.matching or 0)
        return read_only((n * frequencies + self.worth * law) / (n + self.worth))

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

    def __str__(self) -> str:
        """The answer: `combined` where rows are at hand, with both of its parts beside it."""
        given = ", ".join(_shown(name, known) for name, known in self.evidence.items())
        lines = [f"P({', '.join(self.targets)}{' | ' + given if given else ''})"]
        if isinstance(self.probabilities, dict):
            for name, states in zip(self.targets, self.states, strict=True):
                lines += [f"  {name}", *self._table(name, list(map(str, states)), indent="    ")]
        else:
            joint_states = [", ".join(map(str, row)) for row in itertools.product(*self.states)]
            lines += self._table("", joint_states, indent="  ")
        relevant = counted(len(self.closure), "relevant variable")
        lines.append(f"{self.method}, {self.scan_name}, {relevant}, {self.seconds:.3g} s")
        if self.diagnostics is not None:
            error = f"{self.diagnostics.largest_error:.2g} (asked: {self.tolerance:.2g})"
            lines.append(f"standard errors up to {error}, {self.diagnostics}")
        if self.evidence_ignored:
            lines.append(f"evidence without effect: {', '.join(self.evidence_ignored)}")
        if self.support is not None and self.evidence:
            lines.append(str(self.support))
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(lines)

    def _table(self, name: str, rows: list[str], *, indent: str) -> list[str]:
        """A line a state of the target, or of the one table; the combined answer comes first where rows are at hand."""
        values, errors = (_flat(answer, name) for answer in (self.probabilities, self.standard_errors))
        combined, seen = values, np.full(len(rows), np.nan)
        if self.observed is not None and self.matching:
            combined, seen = _flat(self.combined, name), _flat(self.observed, name)
        order = np.arange(len(rows))
        if len(rows) > SHOWN:
            order = np.argsort(-combined, kind="stable")[:SHOWN]
        width = max(len(rows[at]) for at in order)
        lines = []
        for at in order:
            error = "" if errors[at] == 0 or np.isnan(errors[at]) else f" ± {errors[at]:.2g}"
            answer = f"{values[at]:.4f}{error}"
            if not np.isnan(seen[at]):
                answer = f"{combined[at]:.4f}  (model {answer}, table {seen[at]:.4f})"
            lines.append(f"{indent}{rows[at]:<{width}}  {answer}")
        if len(rows) > SHOWN:
            lines.append(f"{indent}... and {len(rows) - SHOWN:,} less probable")
        return lines


def each_table(function: Callable[..., FloatArray], *answers: Answer) -> Answer:
    """A function of the one table of each of the answers, or of each target's tables, by its name."""
    if not isinstance(answers[0], dict):
        return function(*answers)
    return {name: function(*(cast("dict[str, FloatArray]", a)[name] for a in answers)) for name in answers[0]}


def _flat(answer: Answer, name: str) -> FloatArray:
    """The table of a target, or the only one, flat."""
    return (answer[name] if isinstance(answer, dict) else answer).ravel()


def _shown(name: str, known: object) -> str:
    if isinstance(known, Mapping):
        weights = ", ".join(f"{state}: {float(weight):.3g}" for state, weight in known.items())
        return f"{name} ~ {{{weights}}}"
    return said_of(name, known)
