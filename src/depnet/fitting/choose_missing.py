r"""Which holes mean something: `missing="auto"`.

Whether X_j is known, M_j, is a variable of the table as any other. Where the other columns, or their holes, tell of M_j,
the law includes it: X_j gets one more state for its holes. Where they do not, a hole is an unknown
value, to be completed, and all there is to keep of M_j is its rate.

A decision graph is grown for each M_j, which reads all other columns with their holes as states. On rows held out it is
compared with the rate alone: rows R gain

.. math:: g_j(R) = \sum_{r \in R} \log\theta_j(m_j \mid x_{-j}) - \max_p \sum_{r \in R} \log p(m_j).

Column j gets the state if two things hold. The gain is *no chance*: exp g_j(R) has a mean of at most 1 where M_j does not
depend on the rest (its graph has not seen R, and no rate gives R more than the best one: "universal inference"), so that the
mean over the parts that are held out exceeds J / `FALSE_ALARM` with a probability of `FALSE_ALARM` / J at most, whatever the
table; J columns have holes. And it is *worth a state*: g_j a row is more than `SHARE` of the entropy of M_j. A state
costs the known cells something, since nodes that read X_j learn its holes' rows apart: in tables with a fifth of all
cells hidden, .01 to .03 nats a row and column, which is 2 to 6 % of that entropy.

The mutual information of M_j and the rest is the same both ways: a hole that tells of others is one that others tell of.
Holes that come together predict each other, and become states together.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from depnet.arrays import CodeArray, FloatArray, code_type, read_only, xlogy
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain, Variable, with_missing_state
from depnet.learning.cost import Mdl, StructuralMdl
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import LearnOptions
from depnet.learning.rows import held_out
from depnet.threads import Work

PENALTY = StructuralMdl(0.75, 1.0, 0.5 * Mdl())
SMOOTHING = 0.5
FALSE_ALARM = 0.02
"""The probability that any column of a table gets a state although its holes are independent of all else."""
SHARE = 0.05
"""The share of the entropy of M_j that other columns must explain."""


@dataclass(frozen=True, slots=True, eq=False)
class HoleGains:
    """How well the rest of a row predicts whether X_j is known, for each of the `columns` that have holes."""

    columns: tuple[int, ...]
    parts: FloatArray
    """[part, column]: g_j of the rows that each part holds out, in nats."""
    shares: FloatArray
    """The gain on all held-out rows over the entropy of M_j."""

    @property
    def telling(self) -> tuple[int, ...]:
        """The columns whose holes are no chance, and worth a state."""
        least = math.log(max(len(self.columns), 1) / FALSE_ALARM)
        evidence = np.logaddexp.reduce(self.parts, axis=0) - math.log(len(self.parts))
        good = (evidence > least) & (self.shares > SHARE)
        return tuple(j for j, switched in zip(self.columns, good.tolist(), strict=True) if switched)


def make_holes_states(table: Holed, *, n_jobs: int | None = 1) -> Holed:
    """The table with the holes that mean something as states of their columns; all others stay holes.

    >>> x = np.arange(400) % 2                                       # a cause of death of the living is no chance
    >>> hidden = np.column_stack([np.zeros(400, bool), x == 0])
    >>> table = Holed(Domain.from_cardinalities([2, 3]), np.column_stack([x, 2 * x]).astype(np.uint8), hidden)
    >>> make_holes_states(table).domain.variables[1].states
    (0, 1, 2, '(missing)')
    """
    empty = tuple(np.flatnonzero(table.hidden.all(axis=0)).tolist())  # nothing says what they could be
    if table.complete or table.total < 2:
        return with_hole_states(table, empty)
    return with_hole_states(table, sorted({*empty, *hole_gains(table, n_jobs=n_jobs).telling}))


def hole_gains(table: Holed, *, n_jobs: int | None = 1) -> HoleGains:
    """The gains of the columns with holes; rows are held out as for `penalty="auto"`, whatever their order."""
    columns = tuple(np.flatnonzero(table.hidden.any(axis=0)).tolist())
    rows, n = _beside(table, columns), len(table.domain)
    names = rows.domain.names
    parts, rates = [], []
    for learned, held in held_out(rows):
        options = LearnOptions(
            penalty=PENALTY,
            smoothing=SMOOTHING,
            roles={name: "input" if i < n else "target" for i, name in enumerate(names)},
            forbidden=[(names[j], names[n + k]) for k, j in enumerate(columns)],
            cuts=True,
        )
        network, _ = learn_with_choice(learned, options, Work.of(n_jobs))
        weights = np.ones(held.rows) if held.weights is None else held.weights.astype(np.float64)
        told = [weights @ np.log(node.own_probabilities(held.codes)) for node in network.nodes[n:]]
        rates.append(np.average(held.codes[:, n:], axis=0, weights=weights))
        parts.append(np.array(told) + weights.sum() * _entropy(rates[-1]))
    entropy = _entropy(np.mean(rates, axis=0)) * held.total * len(parts)
    shares = np.sum(parts, axis=0) / np.maximum(entropy, np.finfo(float).tiny)
    return HoleGains(columns, np.array(parts), shares)


def _entropy(rates: FloatArray) -> FloatArray:
    """The entropy of binary variables with these rates, in nats."""
    return np.asarray(-xlogy(rates, rates) - xlogy(1 - rates, 1 - rates))


def _beside(table: Holed, columns: Sequence[int]) -> Dataset:
    """The table with holes as states, and after its variables M_j of the columns, all under names of their own."""
    states = with_hole_states(table, columns)
    variables = [replace(variable, name=f"x{i}") for i, variable in enumerate(states.domain.variables)]
    domain = Domain((*variables, *(Variable(f"m{j}", (False, True)) for j in columns)))
    codes: CodeArray = np.empty((table.rows, len(domain)), dtype=code_type(domain.cardinalities), order="F")
    codes[:, : len(variables)] = states.codes
    codes[:, len(variables) :] = table.hidden[:, list(columns)]
    return Dataset.of_checked(domain, read_only(codes), table.weights)


def with_hole_states(table: Holed, columns: Iterable[int]) -> Holed:
    """The table with the holes of these columns as states of theirs; a column without holes stays as it is."""
    chosen = [j for j in columns if table.hidden[:, j].any()]
    if not chosen:
        return table
    variables = list(table.domain.variables)
    for j in chosen:
        variables[j] = with_missing_state(variables[j])
    domain = Domain(tuple(variables))
    codes: CodeArray = np.empty(table.codes.shape, dtype=code_type(domain.cardinalities), order="F")
    codes[:] = table.codes
    hidden = np.array(table.hidden, order="F")
    for j in chosen:
        codes[hidden[:, j], j] = variables[j].cardinality - 1
        hidden[:, j] = False
    return replace(table, domain=domain, codes=read_only(codes), hidden=read_only(hidden))
