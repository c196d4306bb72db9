"""Joint draws of the holes of rows: states of each row's clamped chains, run until they have settled."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.inference.clamped.chains import ChainProgram, Chains, Order
from depnet.inference.clamped.rows import ROW_CHAINS, ClampedRows
from depnet.inference.effort import Effort, over_after
from depnet.inference.rows.answers import DistinctRows, pieces
from depnet.inference.rows.result import RowsResult
from depnet.model.network import Network
from depnet.model.scan import Scan, SequentialScan

PIECE_CODES = 20_000_000
SETTLED = 0.05
"""The standard error at which chains are compared, where states are wanted and not their mean."""


def clamped_draws(
    network: Network,
    codes: NDArray[np.uint16],
    cells: RowsResult,
    scan: Scan,
    imputations: int,
    burn_in: int,
    effort: Effort,
) -> tuple[IntArray, NDArray[np.bool_]]:
    """[imputation, row, variable]: states of settled chains, `burn_in` sweeps later; and which rows' have settled.

    `cells` are the answers of the rows: a row with one hole needs no chain, and is drawn from its law.
    """
    program, holes = ChainProgram(network), cells.hidden
    effort = replace(effort, tolerance=SETTLED, over=over_after(None))
    out = np.repeat(codes[None].astype(np.int64), imputations, axis=0)
    settled = np.ones(len(codes), dtype=bool)
    for rows in pieces(np.flatnonzero(holes.any(axis=1)), imputations * codes.shape[1], PIECE_CODES):
        free = np.tile(holes[rows], (imputations, 1))
        starts, forgotten, settled[rows] = settled_states(
            network, codes[rows], holes[rows], scan, imputations, effort
        )
        states = starts.reshape(len(free), -1)
        alone = np.tile(holes[rows].sum(axis=1) == 1, imputations)  # whose node's law is that of the hole
        for i, name in enumerate(network.domain.names):
            ends = np.cumsum(cells.probabilities[name][rows], axis=1)[:, :-1]
            drawn = (effort.rng.random((imputations, len(rows), 1)) >= ends[None]).sum(axis=2).reshape(-1)
            states[:, i] = np.where(free[:, i] & alone, drawn, states[:, i])
        more = np.tile(forgotten, imputations)
        for sweeps in np.unique(more).tolist():
            some = np.flatnonzero(more == sweeps)
            order = Order.of(scan, free[some])
            if isinstance(scan, SequentialScan):
                order = order.rotated(effort.rng)
            chains = Chains(program, order, states[some], effort.rng, effort.threads)
            chains.run(burn_in + sweeps, record=False)
            states[some] = chains.codes
        out[:, rows] = states.reshape(imputations, len(rows), -1)
    return out, settled


def settled_states(
    network: Network,
    codes: NDArray[np.uint16],
    holes: NDArray[np.bool_],
    scan: Scan,
    draws: int,
    effort: Effort,
) -> tuple[NDArray[np.uint16], IntArray, NDArray[np.bool_]]:
    """[draw, row, variable]: states of each row's clamped chains, run until they have settled.

    And the sweeps by which chains that go on from there have forgotten each other, 0 where all are different chains;
    and which rows have settled. Equal rows share their chains; rows with one hole need none, and have a 0 there.
    """
    distinct = DistinctRows.of(codes, holes)
    work = ClampedRows(network, distinct, effort, scan, keep_states=True)
    work.look_up()
    work.sample()
    which, copies = distinct.which, distinct.copies
    order = np.argsort(which, kind="stable")
    rank = np.empty(len(codes), dtype=np.int64)
    rank[order] = np.arange(len(codes)) - np.repeat(np.cumsum(copies) - copies, copies)
    chain = (rank * draws + np.arange(draws)[:, None]) % ROW_CHAINS
    shared = copies[which] * draws > ROW_CHAINS
    assert work.kept is not None
    return work.kept[chain, which], np.where(shared, work.sweeps[which], 0), work.converged[which]
