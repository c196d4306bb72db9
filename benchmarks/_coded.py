"""Rows of a frame in a model's own states and bins, with their holes: what is counted, and how far two tables are apart."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks._frames import Frame
from depnet import Dataset, Domain
from depnet.arrays import FloatArray, IntArray
from depnet.data import encode


@dataclass(frozen=True, eq=False)
class Coded:
    """`codes[r, i]`, and whether row r has a value of X_i; a value that the model does not know counts as a hole."""

    domain: Domain
    codes: IntArray
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: Frame, domain: Domain) -> "Coded":
        """The rows of a frame, or of a `Dataset`."""
        if isinstance(frame, Dataset):
            codes = np.asfortranarray(frame.codes, dtype=np.int64)
            return cls(domain, codes, np.ones(codes.shape, dtype=bool, order="F"))
        holed = encode(frame, domain, handle_unknown="missing")
        known = np.asfortranarray(~holed.hidden)
        for i, variable in enumerate(domain.variables):
            if variable.missing is not None:
                known[:, i] &= holed.codes[:, i] != variable.cardinality - 1
        return cls(domain, np.asfortranarray(holed.codes, dtype=np.int64), known)

    def __len__(self) -> int:
        return len(self.codes)

    def rows(self, chosen: IntArray) -> "Coded":
        """Some of the rows."""
        return Coded(
            self.domain, np.asfortranarray(self.codes[chosen]), np.asfortranarray(self.known[chosen])
        )

    def matching(self, evidence: Mapping[int, int]) -> NDArray[np.bool_]:
        """Which rows have the evidence."""
        each = [self.known[:, j] & (self.codes[:, j] == x) for j, x in evidence.items()]
        return np.logical_and.reduce(each, initial=True) if each else np.ones(len(self), dtype=bool)

    def counts(self, target: int, evidence: Mapping[int, int]) -> IntArray:
        """Rows that have the evidence, for each state of the target; rows without a value of it are left out."""
        chosen = self.known[:, target] & self.matching(evidence)
        states = len(self.domain.variables[target].present_states)
        return np.bincount(self.codes[chosen, target], minlength=states)

    def marginal(self, subset: Sequence[int]) -> FloatArray:
        """The frequencies of the joint states of some variables, among rows that have values of all."""
        cards = [self.domain.cardinalities[i] for i in subset]
        state = np.zeros(len(self), dtype=np.int64)
        known = np.ones(len(self), dtype=bool)
        for i, k in zip(subset, cards, strict=True):
            state = state * k + self.codes[:, i]
            known &= self.known[:, i]
        if not known.all():
            state = state[known]
        return np.bincount(state, minlength=int(np.prod(cards))) / max(len(state), 1)


def total_variation(p: FloatArray, q: FloatArray) -> float:
    """Half the sum of |p - q|."""
    return float(np.abs(p - q).sum()) / 2


def apart(ours: Coded, theirs: Coded, subsets: Sequence[Sequence[int]]) -> float:
    """The mean total variation distance between the marginals of two tables."""
    return float(np.mean([total_variation(ours.marginal(s), theirs.marginal(s)) for s in subsets]))


def ways(n: int, of: int) -> list[tuple[int, ...]]:
    """All subsets of n variables that have `of` members."""
    return list(itertools.combinations(range(n), of))
