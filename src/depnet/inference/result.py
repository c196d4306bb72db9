"""What a query answers: probabilities with their errors, and everything needed to judge them."""

import itertools
import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from depnet.arrays import FloatArray
from depnet.data.variable import Label
from depnet.inference.support import Support
from depnet.model.scan import Scan, SequentialScan
from depnet.wording import counted

Answer: TypeAlias = FloatArray | dict[str, FloatArray]

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
    updates in all, burn-in included. `matches` are the states of a `Pool` that have the evidence, where the answer
    comes from one; `r_hat` is then that of its pilot run.
    """

    r_hat: float
    effective_sample_size: float
    chains: int
    sweeps: int
    burn_in: int
    updates: int
    largest_error: float
    matches: int | None = None

    @property
    def effective_draws(self) -> str:
        """`effective_sample_size` to be shown."""
        size = self.effective_sample_size
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
    Carlo error, 0 where the answer is exact and nan where it is not known (mean field). Neither speaks of
    the error of learning.
    """

    targets: tuple[str, ...]
    states: tuple[tuple[Label, ...], ...]
    joint: bool
    probabilities: Answer
    standard_errors: Answer
    method: str
    scan: Scan
    closure: tuple[str, ...]
    evidence: Mapping[str, Any]
    evidence_used: tuple[str, ...]
    evidence_ignored: tuple[str, ...]
    support: Support | None
    tolerance: float
    converged: bool
    seconds: float
    diagnostics: Diagnostics | None = None
    warnings: tuple[str, ...] = field(default=())

    @property
    def r_hat(self) -> float | None:
        """The largest split R-hat, where the answer was sampled."""
        return None if self.diagnostics is None else self.diagnostics.r_hat

    @property
    def effective_sample_size(self) -> float | None:
        """The smallest effective sample size, where the answer was sampled."""
        return None if self.diagnostics is None else self.diagnostics.effective_sample_size

    def __str__(self) -> str:
        given = ", ".join(_shown(name, known) for name, known in self.evidence.items())
        lines = [f"P({', '.join(self.targets)}{' | ' + given if given else ''})"]
        if isinstance(self.probabilities, dict):
            assert isinstance(self.standard_errors, dict)
            for name, states in zip(self.targets, self.states, strict=True):
                lines += [f"  {name}"]
                lines += _table(
                    [str(state) for state in states],
                    self.probabilities[name],
                    self.standard_errors[name],
                    indent="    ",
                )
        else:
            assert not isinstance(self.standard_errors, dict)
            rows = [", ".join(map(str, row)) for row in itertools.product(*self.states)]
            lines += _table(rows, self.probabilities.ravel(), self.standard_errors.ravel(), indent="  ")
        scan = "sequential scan" if isinstance(self.scan, SequentialScan) else "random scan"
        relevant = counted(len(self.closure), "relevant variable")
        lines.append(f"{self.method}, {scan}, {relevant}, {self.seconds:.3g} s")
        if self.diagnostics is not None:
            d = self.diagnostics
            lines.append(
                f"standard errors up to {d.largest_error:.2g} (asked: {self.tolerance:.2g}), R-hat {d.r_hat:.3f}, "
                f"effective sample size {d.effective_draws}, {d.chains} chains of {counted(d.sweeps, 'sweep')}"
                + ("" if d.matches is None else f", {counted(d.matches, 'state')} of the pool match")
            )
        if self.evidence_ignored:
            lines.append(f"evidence without effect: {', '.join(self.evidence_ignored)}")
        if self.support is not None and self.evidence:
            lines.append(str(self.support))
        lines += [f"warning: {text}" for text in self.warnings]
        return "\n".join(lines)


def _shown(name: str, known: object) -> str:
    if isinstance(known, Mapping):
        weights = ", ".join(f"{state}: {float(weight):.3g}" for state, weight in known.items())
        return f"{name} ~ {{{weights}}}"
    if isinstance(known, (Set, list, tuple)):
        return f"{name} in {{{', '.join(sorted(map(str, known)))}}}"
    return f"{name} = {known}"


def _table(rows: list[str], values: FloatArray, errors: FloatArray, *, indent: str) -> list[str]:
    order = np.arange(len(rows))
    if len(rows) > SHOWN:
        order = np.argsort(-values, kind="stable")[:SHOWN]
    width = max(len(rows[at]) for at in order)
    lines = []
    for at in order:
        error = "" if errors[at] == 0 or np.isnan(errors[at]) else f" ± {errors[at]:.2g}"
        lines.append(f"{indent}{rows[at]:<{width}}  {values[at]:.4f}{error}")
    if len(rows) > SHOWN:
        lines.append(f"{indent}... and {len(rows) - SHOWN:,} less probable")
    return lines
