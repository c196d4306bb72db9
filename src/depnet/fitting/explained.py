"""What a model is worth, in words for a person: how much it predicts, and how near rows drawn from it are."""

import numpy as np

from depnet.data.table.dataset import Holed
from depnet.inference.judge.marginals import Nearness, nearness
from depnet.learning.certificate import BIT
from depnet.model.marginals import MarginalCounts
from depnet.model.network import Network
from depnet.sampling import sample
from depnet.wording import counted, percent

DRAWN_ROWS = 20_000
"""Rows that stand for the law where its marginals are compared with the table's."""

DRAWN_CELLS = 5_000_000
"""A wide law is stood for by fewer rows, of this many cells."""


def plain_figures(network: Network | None, near: Nearness | None = None) -> list[str]:
    """Lines that say how good a model is; none where nothing is known.

    Where `network.held_out` is kept: how much of the uncertainty of single columns it removes, on rows that it was not
    learned from. Then how `near` the rows drawn from it are.

    >>> from dataclasses import replace
    >>> from depnet import learn, titanic
    >>> from depnet.model.marginals import HeldOut
    >>> network = replace(learn(titanic()), held_out=HeldOut(rows=660, score=-2.0, independent=-2.5))
    >>> plain_figures(network)
    ['on 660 rows that it had not seen, knowing the other columns removes 20 % of the uncertainty']
    >>> exact_figures(network)
    ['0.72 of the 3.61 bits a row that independent columns leave are explained']
    """
    lines = []
    held_out = None if network is None else network.held_out
    if held_out is not None:
        removed = f"removes {percent(held_out.predicted)} of the uncertainty"
        if held_out.gained < 0:
            removed = "does not help: they do better one by one"
        rows = counted(held_out.rows, "row")
        lines.append(f"on {rows} that it had not seen, knowing the other columns {removed}")
    return lines if near is None else [*lines, near.said]


def exact_figures(network: Network | None) -> list[str]:
    """The first of these in bits."""
    held_out = None if network is None else network.held_out
    if held_out is None:
        return []
    left = -held_out.independent / BIT
    return [
        f"{held_out.gained:.2f} of the {left:.2f} bits a row that independent columns leave are explained"
    ]


def law_nearness(law: Network, table: Holed | MarginalCounts | None = None) -> Nearness | None:
    """How near the marginals of rows drawn from the law, always the same ones, are to the table's.

    Without a table they are compared with the counts that the law keeps; None where there is nothing to compare with.
    """
    rows = law.counts if table is None else table
    if rows is None or not rows.total:
        return None
    drawn = min(DRAWN_ROWS, max(1000, DRAWN_CELLS // len(law)))
    return nearness(sample(law, drawn, rng=np.random.default_rng(0)), rows)
