r"""Answers of a mixture of ordered networks: each component answers, and what is known says how much each counts.

.. math:: Q(T \mid E) = \sum_k v_k Q_k(T \mid E), \qquad v_k = \frac{w_k Q_k(E)}{\sum_l w_l Q_l(E)}

Where Q_k(E) or Q_k(T | E) is drawn, errors add up to first order: with s_k the standard error of Q_k(T | E) and r_k that
of log Q_k(E), the squared error is sum over k of v_k^2 (s_k^2 + r_k^2 (Q_k(T | E) - Q(T | E))^2).

All of it is about codes. Where in their bins numbers lie is the same in all components: that is asked of the mixture as a
whole, as of one network.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.answer.part import Part, margins
from depnet.inference.answer.question import Effort, Over, Question, over_after
from depnet.inference.answer.rows import DistinctRows, RowAnswers
from depnet.inference.ordered.codes import answer_codes, exact_log_of_codes, log_of_codes
from depnet.inference.ordered.items import log_observed
from depnet.inference.ordered.rows import LawRows
from depnet.law import limits
from depnet.law.elimination import IMPOSSIBLE
from depnet.law.program import Conditional
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork, Mixture, class_shares, components_of, joined_logs
from depnet.model.network import Network

LEAST_SHARE = 1e-7
"""A component that counts for less is not asked."""


def answer_mixture(
    network: Mixture,
    question: Question,
    tables: tuple[tuple[int, ...], ...],
    share: float,
    rng: np.random.Generator | None,
    stop: Over | None,
) -> tuple[Part, tuple[int, ...]]:
    """What a mixture says of tables, within a share of the tolerance; and the variables that took part."""
    timed, tolerance = question.max_seconds is not None, share * question.tolerance
    over = over_after(question.seconds_left, stop)
    logs, errors = logs_of_codes(network, question.evidence, limits.LOG_ERROR, rng, over)
    shares = class_shares(network, logs[:, None])[:, 0]
    counting = np.flatnonzero(shares >= LEAST_SHARE)
    shares = shares[counting] / shares[counting].sum()
    # Errors of components are independent: together they are within the tolerance.
    tolerance = min(tolerance / float(np.linalg.norm(shares)), 0.5)
    parts, variables = [], set[int]()
    for left, k in enumerate(counting.tolist()):
        asked = Conditional(network.components[k], question.evidence, tables)
        seconds = question.seconds_left
        over = over_after(None if seconds is None else seconds / (len(counting) - left), stop)
        parts.append(answer_codes(asked, question.method, tolerance, rng, timed, over))
        variables |= set(asked.variables)
    return _join(parts, shares, errors[counting]), tuple(sorted(variables))


def logs_of_codes(
    network: AnyNetwork, known: Evidence, tolerance: float, rng: np.random.Generator | None, over: Over = bool
) -> tuple[FloatArray, FloatArray]:
    """The log-probability of what is known under each component, and its standard error; -inf where it is impossible."""
    parts = components_of(network)
    logs, errors = np.zeros(len(parts)), np.zeros(len(parts))
    if not known.variables:
        return logs, errors
    for k, part in enumerate(parts):
        try:
            logs[k], errors[k] = log_of_codes(part, known, tolerance, rng, over)
        except EvidenceError:
            logs[k] = -math.inf
    if not np.isfinite(logs).any():
        raise EvidenceError(IMPOSSIBLE)
    return logs, errors


def log_evidence(
    network: AnyNetwork,
    known: Evidence,
    tolerance: float,
    rng: np.random.Generator | None,
    over: Over = bool,
) -> tuple[float, float]:
    """The log-probability of what is known, and its standard error (0: exact)."""
    if not isinstance(network, Mixture):
        return log_of_codes(network, known, tolerance, rng, over)
    logs, errors = logs_of_codes(network, known, tolerance, rng, over)
    shares = class_shares(network, logs[:, None])[:, 0]
    return float(joined_logs(network, logs[:, None])[0]), float(np.linalg.norm(shares * errors))


def exact_log_of_any(network: AnyNetwork, known: Evidence, tolerance: float) -> float | None:
    """The same by elimination; None where that is too large."""
    logs = []
    for part in components_of(network):
        log = exact_log_of_codes(part, known, tolerance)
        if log is None:
            return None
        logs.append(log)
    return (
        float(joined_logs(network, np.array(logs)[:, None])[0]) if isinstance(network, Mixture) else logs[0]
    )


def _join(parts: Sequence[Part], shares: FloatArray, of_logs: FloatArray) -> Part:
    """The answers of components as one."""
    values, errors, deviations = [], [], []
    for at in range(len(parts[0].values)):
        each = np.stack([part.values[at] for part in parts])
        column = shares.reshape(-1, *[1] * (each.ndim - 1))
        joined = (column * each).sum(axis=0)
        moved = column * of_logs.reshape(column.shape) * (each - joined)
        own = column * np.stack([part.errors[at] for part in parts])
        values.append(joined)
        errors.append(np.sqrt((own**2).sum(axis=0) + (moved**2).sum(axis=0)))
        batches = [margins(moved)] if moved.any() else []
        for share, part in zip(shares, parts, strict=True):
            if part.deviations and len(part.deviations[at]):
                batches.append([share * axis for axis in part.deviations[at]])
        deviations.append([np.concatenate(axis) for axis in zip(*batches, strict=True)])
    drawn = [part for part in parts if part.diagnostics is not None]
    diagnostics = (
        max(drawn, key=lambda part: max(float(e.max()) for e in part.errors)).diagnostics if drawn else None
    )
    if diagnostics is not None:
        diagnostics = replace(diagnostics, largest_error=max(float(each.max()) for each in errors))
    return Part(
        values,
        errors,
        ", ".join(dict.fromkeys(part.method for part in parts)),
        all(part.converged for part in parts),
        diagnostics,
        tuple(dict.fromkeys(remark for part in parts for remark in part.warnings)),
        deviations if any(map(len, deviations)) else (),
    )


class MixtureAnswers(RowAnswers):
    """Rows with holes, answered by each component; a row's known cells say how much each counts.

    With `copies`, also draws: each copy of a row is of one component.
    """

    def __init__(
        self,
        mixture: Mixture,
        distinct: DistinctRows,
        effort: Effort,
        copies: IntArray,
        targets: Sequence[int] | None = None,
    ) -> None:
        super().__init__(mixture.components[0], distinct, effort, targets)
        logs, self._log_errors = np.stack(
            [log_observed(network, self.codes, self.holes, effort.rng) for network in mixture.components],
            axis=1,
        )
        if len(self.codes) and not np.isfinite(logs).any(axis=0).all():
            raise EvidenceError(IMPOSSIBLE)
        shares = class_shares(mixture, logs)
        shares = np.where(shares < LEAST_SHARE, 0.0, shares)
        self._shares = shares / shares.sum(axis=0)
        self._copies = copies
        of_each = np.array(
            [effort.rng.multinomial(n, share) for n, share in zip(copies, self._shares.T, strict=True)],
            dtype=np.int64,
        ).reshape(len(copies), len(mixture.components))
        self._rows = [np.flatnonzero(share) for share in self._shares]
        self._parts = [
            self._part(network, rows, of_each[rows, k], targets)
            for k, (network, rows) in enumerate(zip(mixture.components, self._rows, strict=True))
        ]
        self._of_each = of_each
        self.drawn = np.repeat(self.codes, copies, axis=0)

    def _part(
        self, network: Network, rows: IntArray, copies: IntArray, targets: Sequence[int] | None
    ) -> LawRows:
        own = DistinctRows(self.codes[rows], self.holes[rows], np.arange(len(rows)))
        return LawRows(network, own, self.effort, copies, targets)

    def run(self, method: str) -> None:
        """Answer all rows: "auto", or "sample" also what could be solved."""
        for part in self._parts:
            part.run(method)
        hidden = np.repeat(self.holes, self.cardinalities, axis=1)
        self.values = np.where(hidden, 0.0, self.values)
        squares = np.zeros_like(self.values)
        for k, (part, rows) in enumerate(zip(self._parts, self._rows, strict=True)):
            share = self._shares[k][rows, None]
            self.values[rows] += np.where(hidden[rows], share * part.values, 0.0)
            squares[rows] += (share * part.errors) ** 2
            self.method[rows] = np.maximum(self.method[rows], part.method)
            self.r_hat[rows] = np.fmax(self.r_hat[rows], part.r_hat)
            self.converged[rows] &= part.converged
            self.updates += part.updates
        for k, (part, rows) in enumerate(zip(self._parts, self._rows, strict=True)):
            moved = (self._shares[k] * self._log_errors[k])[rows, None] * (part.values - self.values[rows])
            squares[rows] += np.where(hidden[rows], moved, 0.0) ** 2
        self.errors = np.sqrt(squares)
        self._take_draws()

    def _take_draws(self) -> None:
        """The draws of all components, those of each row together and in an order that says nothing of the component."""
        row = np.concatenate([np.repeat(rows, self._of_each[rows, k]) for k, rows in enumerate(self._rows)])
        drawn = np.concatenate([part.drawn for part in self._parts])
        mixed = self.effort.rng.permutation(len(row))
        self.drawn = np.ascontiguousarray(drawn[mixed][np.argsort(row[mixed], kind="stable")])
