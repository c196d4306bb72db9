r"""The table's own answer beside a model's: frequencies among the rows that match the evidence.

With evidence weights w_j(x_j) (a state or a set of states: 0 or 1; soft evidence: any), row r of the table counts
m_r = n_r prod_j w_j(x_rj), n_r being its own weight, and the frequencies are

.. math:: \hat p(x_T) = \sum_r m_r 1(x_{rT} = x_T) \Big/ \sum_r m_r .

How many rows match is their sum where weights are 0 or 1; with soft ones, the number of rows alike that would vary as
much, (sum over r of n_r prod_j w_j)^2 / (sum over r of n_r prod_j w_j^2). Rows are codes: where a range cuts a bin, a row
of that bin counts by the bin's share inside, so that there are no more than sum over r of n_r prod_j share_j(x_rj).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.errors import DataError
from depnet.model.evidence import Evidence
from depnet.wording import counted

FALSE_ALARM = 1e-3
"""How often a true law is said to differ from its own rows, at most, but for the error of the law's own estimate."""

LAW_ERRORS = 4.0
"""The standard errors by which the law is taken nearer to the table before the two are compared."""

LEAST_DIFFERENCE = 0.01
"""With very many rows any model differs by more than chance allows: less than this is not worth a warning."""


DIFFERENCE = "the model says "
"""How a warning of such a difference begins."""


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """`tables` are the frequencies of each tuple of variables asked for, nan where no row matches; `rows` match."""

    tables: tuple[FloatArray, ...]
    rows: float


def matching(evidence: Evidence, data: Dataset) -> FloatArray:
    """[row]: prod_j w_j(x_rj), 0 where a row does not match; the rows' own weights are not in it."""
    weights = np.ones(data.rows)
    for i, code in evidence.clamped.items():
        weights[data.column(i) != code] = 0.0
    for i, tilt in evidence.tilts.items():
        weights *= tilt[data.column(i)]
    return weights


def expected(evidence: Evidence, data: Dataset) -> float:
    """How many rows match, where a row of a bin that a range cuts counts by the bin's share inside."""
    weights = (matching(evidence, data) > 0).astype(np.float64)
    for i, share in evidence.shares.items():
        weights *= share[data.column(i)]
    return float(weights.sum() if data.weights is None else weights @ data.weights)


def observed(domain: Domain, asked: Sequence[Sequence[int]], evidence: Evidence, data: Dataset) -> Observed:
    """The frequencies of each tuple of variables among the rows that match.

    >>> from depnet import titanic
    >>> table = titanic()
    >>> found = observed(table.domain, [(3,)], Evidence.parse(table.domain, {"sex": "female"}), table)
    >>> found.rows, found.tables[0].round(3).tolist()
    (470.0, [0.268, 0.732])
    """
    if data.domain != domain:
        raise DataError("the data given to count the matching rows have another domain than the network.")
    soft = matching(evidence, data)
    rows = np.flatnonzero(soft)
    times = np.ones(len(rows)) if data.weights is None else data.weights[rows].astype(np.float64)
    weights = times * soft[rows]
    total, squares = float(weights.sum()), float((times * soft[rows] ** 2).sum())
    tables = []
    for variables in asked:
        shape = tuple(domain.cardinalities[i] for i in variables)
        cells = np.ravel_multi_index(tuple(data.column(i)[rows].astype(np.int64) for i in variables), shape)
        sums = np.bincount(cells, weights=weights, minlength=int(np.prod(shape))).reshape(shape)
        tables.append(read_only(sums / total if total > 0 else np.full(shape, np.nan)))
    alike = total**2 / squares if total > 0 else 0.0
    return Observed(tuple(tables), min(alike, expected(evidence, data)) if evidence.shares else alike)


def differing(
    law: FloatArray, errors: FloatArray, frequencies: FloatArray, rows: float
) -> tuple[int, float] | None:
    """The state (flat) where law and table differ most beyond chance, and how seldom chance does that; None: nowhere.

    Each state's count is binomial under the law; the two tails of all states share `FALSE_ALARM` (Bonferroni).
    """
    from scipy import special  # slow to import

    p, q, e = law.ravel(), frequencies.ravel(), np.nan_to_num(errors.ravel())
    if rows <= 0:
        return None
    gap = q - p
    nearer = np.clip(p + np.sign(gap) * np.minimum(np.abs(gap), LAW_ERRORS * e), 0.0, 1.0)
    hits = rows * q
    tail = np.where(
        gap > 0,
        special.betainc(np.maximum(hits, 1e-9), rows - hits + 1, nearer),
        _at_most(hits, rows, nearer),
    )
    tail = np.where(np.abs(gap) > LEAST_DIFFERENCE, tail, 1.0)
    worst = int(np.argmin(tail))
    return (worst, float(tail[worst])) if tail[worst] < FALSE_ALARM / 2 / len(p) else None


def _at_most(hits: FloatArray, rows: float, p: FloatArray) -> FloatArray:
    """P(K <= hits) of a binomial K; hits may be a fraction, where rows are weighted."""
    from scipy import special

    return np.asarray(special.betaincc(hits + 1, np.maximum(rows - hits, 1e-9), p))


def warning_of(name: str, law: float, frequency: float, rows: float) -> str:
    """What a person reads where law and table differ."""
    return (
        f"{DIFFERENCE}{law:.3g} for {name} where the table has {frequency:.3g} of "
        f"{counted(round(rows), 'matching row')}: more than chance allows (one answer in {1 / FALSE_ALARM:,.0f})."
    )
