"""What a network is worth, in words for a person who wants one number: bits a row."""

from depnet.data.table.dataset import Dataset
from depnet.learning.certificate import BIT, certificate
from depnet.model.network import Network
from depnet.wording import counted


def plain_figures(network: Network, data: Dataset | None = None) -> list[str]:
    """Lines that say how much of the table the network explains, in bits a row; none where nothing is known.

    Where `network.held_out` is kept: of the bits a row that independent columns leave (what they need to say a row, on
    rows that the network was not learned from), those that it explains. With `data`, the rows it was learned from, how
    far the law of an ordered network is from them.

    >>> from dataclasses import replace
    >>> from depnet import learn, titanic
    >>> from depnet.model.held_out import HeldOut
    >>> network = replace(learn(titanic()), held_out=HeldOut(rows=660, score=-2.0, independent=-2.5))
    >>> plain_figures(network)
    ['the model explains 0.72 of the 3.61 bits a row that independent columns leave (660 held-out rows)']
    """
    lines = []
    held_out = network.held_out
    if held_out is not None:
        left, rows = -held_out.independent / BIT, counted(held_out.rows, "held-out row")
        lines.append(
            f"the model explains {held_out.gained:.2f} of the {left:.2f} bits a row that independent columns leave ({rows})"
            if held_out.gained >= 0
            else f"the model explains nothing of the {left:.2f} bits a row that independent columns leave: it needs "
            f"{-held_out.gained:.2f} more ({rows})"
        )
    if data is not None and data.total and network.order is not None:
        lines.append(certificate(network, data).said)
    return lines
