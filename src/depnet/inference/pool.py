r"""A pool: states of unclamped chains, drawn once, from which many questions are answered by Bayes' rule.

The stationary law pi is the model, and pi(x_T | x_C) = pi(x_T, x_C) / pi(x_C) its conditional. Both are averages over
states x of the unclamped chain (random scan; A is T and C together, c_A the weight of the nodes that update any of it):

.. math:: \pi(x_T, x_C) = \sum_{B \cap A \ne \emptyset} \frac{c_B}{c_A}
    E_\pi\left[\theta_B(x_{B \cap A} \mid Y_B)\, 1(X_{A \setminus B} = x_{A \setminus B})\right]

so that a question costs a look through the pool, milliseconds, and not chains of its own. Chains are independent of each
other: the standard error of the ratio is that of its residuals' mean over groups of chains. Rare evidence matches few
states, or in few groups, and is not answered from the pool.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, FloatArray, IntArray, LeafArray, strides_of
from depnet.errors import ScanError
from depnet.inference.result import Diagnostics, effective_sample_size
from depnet.model.network import Network
from depnet.model.node import Node
from depnet.model.scan import RandomScan
from depnet.sampling import Sampler
from depnet.sampling.checks import checked_network, whole_number
from depnet.sampling.mixing import Mixing, estimate_mixing
from depnet.sampling.plan import plan
from depnet.sampling.words import new_seeds

CHAINS = 4096
STATES = 1 << 18
CELLS = 1 << 26
"""A pool has so many states, as far as they have no more cells; and one of each chain at least."""

GROUPS = 64
"""Chains are summed in so many groups, whose sums are independent of each other."""

LEAST_MATCHES = 100
LEAST_GROUPS = 32
"""Evidence that matches fewer states, or effectively in fewer groups, has no standard error to trust."""


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """Joint laws of targets given evidence, with standard errors, one tensor for each that was asked."""

    values: list[FloatArray]
    errors: list[FloatArray]
    diagnostics: Diagnostics


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """States of a network's unclamped chains under the random scan: `depnet.query(..., method="bayes", pool=pool)`.

    >>> from depnet import Network, query
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> pool = Pool.draw(network, 10_000, rng=np.random.default_rng(0))
    >>> len(pool), pool.chains
    (12288, 4096)
    """

    network: Network
    scan: RandomScan
    codes: CodeArray
    """[variables, states]; states s and s + chains are of one chain."""
    chains: int
    mixing: Mixing
    burn_in: int
    thin: int
    _leaves: dict[int, LeafArray] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def draw(
        cls,
        network: Network,
        states: int | None = None,
        *,
        scan: RandomScan = RandomScan(),  # noqa: B008  # a frozen value
        rng: np.random.Generator | None = None,
        n_jobs: int = 1,
    ) -> "Pool":
        """Run 4,096 chains until they have recorded so many states (262,144, fewer of very wide networks).

        Burn-in is ten times the mixing time that a pilot run finds, and a chain records four times in it.
        """
        network = checked_network(network)
        if not isinstance(scan, RandomScan):
            raise ScanError(f"a pool is of chains under a RandomScan; got {scan!r}.")
        n = len(network.domain)
        most = min(STATES, CELLS // n) if states is None else whole_number("states", states, at_least=1)
        rng = np.random.default_rng() if rng is None else rng
        mixing = estimate_mixing(plan(network, scan), new_seeds(rng, 1)[0])
        thin = math.ceil(mixing.time / 4)
        sampler = Sampler(
            network, scan=scan, burn_in=mixing.burn_in, thin=thin, chains=CHAINS, rng=rng, n_jobs=n_jobs
        )
        drawn = sampler.draw(max(1, -(-most // CHAINS)) * CHAINS)
        return cls(network, scan, drawn.codes.T, CHAINS, mixing, mixing.burn_in, thin)

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    def matching(self, given: Mapping[int, int]) -> NDArray[np.bool_]:
        """Which states have these codes."""
        kept = np.ones(len(self), dtype=bool)
        for i, code in given.items():
            kept &= self.codes[i] == code
        return kept

    def answer(self, asked: Sequence[Sequence[int]], given: Mapping[int, int]) -> Pooled | None:
        """The joint law of each tuple of variables asked for, given codes of others; None where too little matches."""
        matches = int(self.matching(given).sum())
        if matches < LEAST_MATCHES:
            return None
        values, errors = [], []
        for targets in asked:
            sums = self._sums(targets, given)
            of_group = sums.sum(axis=1)
            total = of_group.sum()
            if total**2 < LEAST_GROUPS * (of_group**2).sum():
                return None
            value = sums.sum(axis=0) / total
            residuals = sums - of_group[:, None] * value
            spread = np.sqrt((residuals**2).sum(axis=0) * GROUPS / (GROUPS - 1))
            shape = [self.network.domain.cardinalities[i] for i in targets]
            values.append(value.reshape(shape))
            errors.append((spread / total).reshape(shape))
        return Pooled(values, errors, self._diagnostics(values, errors, matches))

    def _sums(self, targets: Sequence[int], given: Mapping[int, int]) -> FloatArray:
        """[group, cell of the targets]: the terms of all nodes, summed over the states of a group of chains."""
        cards = self.network.domain.cardinalities
        stride = _strides(targets, cards)
        touching = self.network.updating((*targets, *given))
        chances = self.scan.weights_of(len(self.network))
        share = chances[list(touching)].sum()
        sums = np.zeros((GROUPS, math.prod(cards[i] for i in targets)))
        for number in touching:
            node = self.network.nodes[number]
            at = np.flatnonzero(
                self.matching({i: code for i, code in given.items() if i not in node.variables})
            )
            theta, inside = _inside(node, cards, targets, given)
            outside = [i for i in targets if i not in node.variables]
            where, cells = at % GROUPS, np.zeros(1, dtype=np.int64)
            for i in outside:
                where = where * cards[i] + self.codes[i, at]
                cells = np.add.outer(cells, np.arange(cards[i]) * stride[i]).ravel()
            where = where * len(theta) + self._leaves_of(number)[at]
            seen = np.bincount(where, minlength=GROUPS * len(cells) * len(theta))
            terms = seen.reshape(GROUPS, len(cells), len(theta)) @ theta * (chances[number] / share)
            sums[:, np.add.outer(cells, inside).ravel()] += terms.reshape(GROUPS, -1)
        return sums

    def _leaves_of(self, number: int) -> LeafArray:
        """The leaf of each state at a node, found when it is first asked for."""
        if number not in self._leaves:
            self._leaves[number] = self.network.nodes[number].source(self.codes.T)
        return self._leaves[number]

    def _diagnostics(self, values: list[FloatArray], errors: list[FloatArray], matches: int) -> Diagnostics:
        value, error = (np.concatenate([part.ravel() for part in parts]) for parts in (values, errors))
        sweeps = self.burn_in + (len(self) // self.chains - 1) * self.thin
        return Diagnostics(
            r_hat=self.mixing.r_hat,
            effective_sample_size=effective_sample_size(value, error),
            chains=self.chains,
            sweeps=sweeps,
            burn_in=self.burn_in,
            updates=sweeps * self.chains * len(self.network),
            largest_error=float(error.max()),
            matches=matches,
        )


def _strides(targets: Sequence[int], cards: Sequence[int]) -> dict[int, int]:
    return dict(zip(targets, strides_of([cards[i] for i in targets]), strict=True))


def _inside(
    node: Node, cards: Sequence[int], targets: Sequence[int], given: Mapping[int, int]
) -> tuple[FloatArray, IntArray]:
    """Theta of the node's own targets, [leaf, cell], at the codes given of its other variables; and the cells' places."""
    theta: FloatArray = node.table.probabilities.reshape(-1, *(cards[i] for i in node.variables))
    for axis, i in reversed(list(enumerate(node.variables, start=1))):
        if i in given:
            theta = np.take(theta, given[i], axis=axis)
        elif i not in targets:
            theta = np.asarray(theta.sum(axis=axis))
    stride, places = _strides(targets, cards), np.zeros(1, dtype=np.int64)
    for i in node.variables:
        if i in stride:
            places = np.add.outer(places, np.arange(cards[i]) * stride[i]).ravel()
    return theta.reshape(len(theta), -1), places
