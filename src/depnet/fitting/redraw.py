"""Holes drawn: at first from the marginals of what was observed, then moved on by a network's clamped chains."""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.table.domain import Domain
from depnet.errors import DataError, Hint
from depnet.inference.clamped.chains import ChainProgram, Chains, Order
from depnet.model.network import Network
from depnet.model.scan import RandomScan

SWEEPS = 10
"""Sweeps of each row's chain at a time; it starts where the last have left it."""

CHUNK_CODES = 20_000_000


def marginal_fill(
    domain: Domain,
    codes: CodeArray,
    hidden: NDArray[np.bool_],
    weights: IntArray | None,
    rng: np.random.Generator,
) -> CodeArray:
    """The codes with every hole drawn from what was observed of its variable, whatever its row knows."""
    filled = codes.copy(order="F")
    for i, variable in enumerate(domain.variables):
        holes = hidden[:, i]
        if not holes.any():
            continue
        seen = np.bincount(
            codes[~holes, i],
            weights=None if weights is None else weights[~holes],
            minlength=variable.cardinality,
        )
        if not seen.sum() > 0:
            raise DataError(
                f"column {variable.name!r} has no observed value: nothing can be completed. Leave it out, or make "
                "missing a state of its own (",
                Hint("missing", "state"),
                ").",
            )
        filled[holes, i] = rng.choice(variable.cardinality, size=int(holes.sum()), p=seen / seen.sum())
    return read_only(filled)


def redrawn(
    network: Network,
    codes: CodeArray,
    hidden: NDArray[np.bool_],
    *,
    sweeps: int = SWEEPS,
    rng: np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> CodeArray:
    """The codes with their holes moved on: each row's chain, clamped at what it knows, for `sweeps` sweeps.

    The holes' codes are where the chains start. They depend on `rng` alone, not on the number of threads.
    """
    rng = np.random.default_rng() if rng is None else rng
    program = ChainProgram(network)
    out = codes.copy(order="F")
    open_rows = np.flatnonzero(hidden.any(axis=1))
    size = max(1, CHUNK_CODES // codes.shape[1])
    for start in range(0, len(open_rows), size):
        rows = open_rows[start : start + size]
        order = Order.of(RandomScan(), hidden[rows])
        chains = Chains(program, order, codes[rows].astype(np.uint16), rng, n_jobs)
        chains.run(sweeps, record=False)
        out[rows] = chains.codes
    return read_only(out)
