"""What a model is worth, in words for a person: bits a row that it explains, and how near rows drawn from it are."""

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.data.table.holed import Holed
from depnet.inference.judge.marginals import Nearness, nearness
from depnet.learning.certificate import BIT
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.sampling import sample
from depnet.wording import counted

DRAWN_ROWS = 20_000
"""Rows that stand for the law where its marginals are compared with the table's."""

DRAWN_CELLS = 5_000_000
"""A wide law is stood for by fewer rows, of this many cells."""


def plain_figures(network: Network | None, near: Nearness | None = None) -> list[str]:
    """Lines that say how good a model is; none where nothing is known.

    Where `network.held_out` is kept: of the bits a row that independent columns leave (what they need to say a row, on
    rows that the network was not learned from), those that it explains. Then how `near` the rows drawn from it are.

    >>> from dataclasses import replace
    >>> from depnet import learn, titanic
    >>> from depnet.model.held_out import HeldOut
    >>> network = replace(learn(titanic()), held_out=HeldOut(rows=660, score=-2.0, independent=-2.5))
    >>> plain_figures(network)
    ['the model explains 0.72 of the 3.61 bits a row that independent columns leave (660 held-out rows)']
    """
    lines = []
    held_out = None if network is None else network.held_out
    if held_out is not None:
        left, rows = -held_out.independent / BIT, counted(held_out.rows, "held-out row")
        lines.append(
            f"the model explains {held_out.gained:.2f} of the {left:.2f} bits a row that independent columns leave ({rows})"
            if held_out.gained >= 0
            else f"the model explains nothing of the {left:.2f} bits a row that independent columns leave: it needs "
            f"{-held_out.gained:.2f} more ({rows})"
        )
    return lines if near is None else [*lines, near.said]


def law_nearness(law: Network, table: Dataset | Holed | MarginalCounts | None = None) -> Nearness | None:
    """How near the marginals of rows drawn from the law, always the same ones, are to the table's.

    Without a table they are compared with the counts that the law keeps; None where there is nothing to compare with.
    """
    rows = law.counts if table is None else table
    if rows is None or not rows.total:
        return None
    drawn = min(DRAWN_ROWS, max(1000, DRAWN_CELLS // len(law)))
    return nearness(sample(law, drawn, rng=np.random.default_rng(0)), rows)
