"""Bayesian networks of BIF files: a forward sampler, and exact inference by an elimination of its own."""

import itertools
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from depnet import Domain, load
from depnet.arrays import FloatArray, IntArray
from depnet.model.sources.source import JointStates


@dataclass(frozen=True)
class BayesianNetwork:
    """`parents[i]` and `tables[i]`: P(X_i | parents), axes as the parents and X_i last."""

    domain: Domain
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[FloatArray, ...]

    def order(self) -> list[int]:
        """The variables, each after its parents."""
        ordered: list[int] = []
        while len(ordered) < len(self.parents):
            ordered += [
                i for i, p in enumerate(self.parents) if i not in ordered and all(j in ordered for j in p)
            ]
        return ordered

    def sample(self, rows: int, rng: np.random.Generator) -> IntArray:
        """Rows drawn forward, parents first."""
        codes = np.zeros((rows, len(self.parents)), dtype=np.int64)
        for i in self.order():
            theta = self.tables[i][tuple(codes[:, j] for j in self.parents[i])]
            theta = np.broadcast_to(theta, (rows, theta.shape[-1]))
            codes[:, i] = (rng.random((rows, 1)) >= np.cumsum(theta, axis=1)[:, :-1]).sum(axis=1)
        return codes

    def joint(self, targets: Sequence[int], evidence: Mapping[int, int]) -> FloatArray:
        """P(targets, evidence): an unnormalised table whose sum is P(evidence)."""
        relevant = self._ancestors([*targets, *evidence])
        factors = []
        for i in relevant:
            axes, table = [*self.parents[i], i], self.tables[i]
            where = tuple(evidence.get(j, slice(None)) for j in axes)
            factors.append(([j for j in axes if j not in evidence], table[where]))
        hidden = {i for i in relevant if i not in evidence and i not in targets}
        while hidden:
            i = min(hidden, key=lambda i: len({j for axes, _ in factors if i in axes for j in axes}))
            hidden.remove(i)
            touching = [factor for factor in factors if i in factor[0]]
            factors = [factor for factor in factors if i not in factor[0]]
            axes = sorted({j for own, _ in touching for j in own} - {i})
            factors.append((axes, _product(touching, axes)))
        return _product(factors, list(targets))

    def _ancestors(self, variables: Sequence[int]) -> list[int]:
        """These variables, their parents, the parents of these, and so on."""
        found = set(variables)
        for i in reversed(self.order()):
            found.update(self.parents[i] if i in found else ())
        return sorted(found)


def _product(factors: Sequence[tuple[Sequence[int], FloatArray]], axes: Sequence[int]) -> FloatArray:
    letters = {
        j: string.ascii_letters[k] for k, j in enumerate(sorted({j for own, _ in factors for j in own}))
    }
    terms = ",".join("".join(letters[j] for j in own) for own, _ in factors)
    wanted = "".join(letters[j] for j in axes)
    return np.asarray(np.einsum(f"{terms}->{wanted}", *(table for _, table in factors), optimize="greedy"))


def read(path: Path) -> BayesianNetwork:
    """The network in a BIF file."""
    law = load(path)
    parents = tuple(node.inputs for node in law.nodes)
    tables = []
    for node in law.nodes:
        cards = [law.domain.cardinalities[j] for j in (*node.inputs, node.variable)]
        codes = JointStates(law.domain.cardinalities, node.inputs).codes()
        tables.append(node.probabilities(codes).reshape(cards))
    return BayesianNetwork(law.domain, parents, tuple(tables))


Query = tuple[int, dict[int, int], FloatArray]
"""A target, evidence, and the true answer."""


def random_queries(
    network: BayesianNetwork,
    count: int,
    rng: np.random.Generator,
    *,
    least: float = 0.01,
    as_it_occurs: bool = False,
) -> list[Query]:
    """Targets with one or two pieces of evidence, in turn, of probability above `least`; and the true answers.

    The variables are chosen alike, and so are the states of the evidence, unless it is drawn `as_it_occurs`: with
    the probability that it has in the network, like the evidence of a row that someone asks about.
    """
    queries: list[Query] = []
    for pieces in itertools.cycle((1, 2)):
        if len(queries) == count:
            break
        while True:
            chosen = rng.permutation(len(network.domain))[: pieces + 1].tolist()
            if as_it_occurs:
                row = network.sample(1, rng)[0]
                evidence = {j: int(row[j]) for j in chosen[1:]}
            else:
                evidence = {j: int(rng.integers(network.domain.cardinalities[j])) for j in chosen[1:]}
            table = network.joint([chosen[0]], evidence)
            if table.sum() > least:
                queries.append((chosen[0], evidence, table / table.sum()))
                break
    return queries
