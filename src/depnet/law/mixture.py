"""Rows of a mixture of ordered networks: each is drawn from one component, in proportion to what evidence leaves of each."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from depnet.arrays import CodeArray, code_type
from depnet.errors import EvidenceError
from depnet.law.draw import PIECE, Rows, accept_levels, cutting_plan
from depnet.law.elimination import IMPOSSIBLE
from depnet.law.program import words
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork, Mixture, class_shares

CLASS_STREAM = 144


@dataclass(frozen=True, slots=True, eq=False)
class MixtureRows:
    """Rows of Q(. | x_C), as many as wanted: row r is a function of the seed and of r alone, as of `Rows`."""

    network: Mixture
    evidence: Evidence
    seed: int
    n_jobs: int = 1
    variables: tuple[int, ...] | None = None
    """Those that are wanted; None: all."""

    def pieces(self, n: int, first: int = 0) -> Iterator[CodeArray]:
        """The rows `first` .. `first` + n - 1, some at a time, [rows, n variables], column-major."""
        if (plan := cutting_plan(self.network, self.evidence)) is not None:
            yield from accept_levels(self, plan, n, first)
            return
        seeds = np.random.SeedSequence([self.seed, len(self.network.components)]).generate_state(
            len(self.network.components), np.uint64
        )
        parts = [
            Rows(network, self.evidence, int(seed), self.n_jobs, self.variables)
            for network, seed in zip(self.network.components, seeds, strict=True)
        ]
        logs = np.array([part.log_evidence() for part in parts])
        if not np.isfinite(logs).any():
            raise EvidenceError(IMPOSSIBLE)
        ends = np.cumsum(class_shares(self.network, logs[:, None])[:, 0])
        pieces = range(first // PIECE, -(-(first + n) // PIECE))
        # Evidence is summed out once for all pieces, and its rows come in whole pieces anyway.
        going = [
            part.pieces(len(pieces) * PIECE, pieces.start * PIECE)
            if self.evidence.variables and math.isfinite(log)
            else None
            for part, log in zip(parts, logs, strict=True)
        ]
        cards = self.network.domain.cardinalities
        for piece in pieces:
            begin = piece * PIECE
            place = words(self.seed, CLASS_STREAM, 0, 1, begin, PIECE)[0] * (2.0**-32 * ends[-1])
            which = np.minimum(np.searchsorted(ends, place, side="right"), len(parts) - 1)
            codes: CodeArray = np.zeros((PIECE, len(cards)), dtype=code_type(cards), order="F")
            for k, part in enumerate(parts):
                at, drawn = np.flatnonzero(which == k), going[k]
                if drawn is not None:
                    codes[at] = next(drawn)[at]
                elif len(at):
                    codes[at] = np.concatenate(list(part.pieces(len(at), begin)))
            yield codes[max(first - begin, 0) : first + n - begin]


def rows_of(
    network: AnyNetwork,
    evidence: Evidence,
    seed: int,
    n_jobs: int = 1,
    variables: tuple[int, ...] | None = None,
) -> Rows | MixtureRows:
    """Rows of an ordered network, or of a mixture."""
    if isinstance(network, Mixture):
        return MixtureRows(network, evidence, seed, n_jobs, variables)
    return Rows(network, evidence, seed, n_jobs, variables)
