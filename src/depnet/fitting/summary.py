"""What a fitted model is worth: in plain figures for a person, how near rows drawn from it are, and what is proven."""

from dataclasses import dataclass

import numpy as np

from depnet.data.table.dataset import Dataset, Holed
from depnet.fitting.complete import Completion
from depnet.inference.judge.nearness import Nearness, nearness
from depnet.learning.certificate import BIT, Certificate
from depnet.learning.links import Link, links
from depnet.model.marginals import MarginalCounts
from depnet.model.mixture import AnyNetwork, Mixture, components_of
from depnet.model.network import Network
from depnet.notebook import card, line, table
from depnet.sampling import sample
from depnet.wording import percent, plural, some_of

DRAWN_ROWS = 20_000
"""Rows that stand for the law where its marginals are compared with the table's."""

DRAWN_CELLS = 5_000_000
"""A wide law is stood for by fewer rows, of this many cells."""


def plain_figures(network: AnyNetwork | None, near: Nearness | None = None) -> list[str]:
    """Lines that say how good a model is; none where nothing is known.

    Where `network.held_out` is kept: how much of the uncertainty of single columns it removes, on rows that it was not
    learned from. Then how `near` the rows drawn from it are.

    >>> from dataclasses import replace
    >>> from depnet import learn, titanic
    >>> from depnet.model.marginals import HeldOut
    >>> network = replace(learn(titanic()), held_out=HeldOut(rows=660, score=-2.0, independent=-2.5))
    >>> plain_figures(network)
    ['tested on 660 rows held back from learning: knowing the other columns removes 20 % of the uncertainty']
    >>> exact_figures(network)
    ['0.72 of the 3.61 bits a row that independent columns leave are explained']
    """
    lines = []
    if network is not None and (held_out := network.held_out) is not None:
        removed = f"removes {percent(held_out.predicted)} of the uncertainty"
        if held_out.gained < 0:
            removed = "does not help: they do better one by one"
        rows = plural(held_out.rows, "row")
        every = network.counts is not None and network.counts.total == held_out.rows
        tested = f"all {rows}, each held back in turn" if every else f"{rows} held back from learning"
        lines.append(f"tested on {tested}: knowing the other columns {removed}")
    return lines if near is None else [*lines, near.said]


def exact_figures(network: AnyNetwork | None) -> list[str]:
    """The first of these in bits."""
    held_out = None if network is None else network.held_out
    if held_out is None:
        return []
    left = -held_out.independent / BIT
    return [
        f"{held_out.gained:.2f} of the {left:.2f} bits a row that independent columns leave are explained"
    ]


def law_nearness(law: AnyNetwork, table: Holed | MarginalCounts | None = None) -> Nearness | None:
    """How near the marginals of rows drawn from the law, always the same ones, are to the table's.

    Without a table they are compared with the counts that the law keeps; None where there is nothing to compare with.
    """
    rows = law.counts if table is None else table
    if rows is None or not rows.total:
        return None
    drawn = min(DRAWN_ROWS, max(1000, DRAWN_CELLS // len(law)))
    return nearness(sample(law, drawn, rng=np.random.default_rng(0)), rows)


SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """The parts that `DependencyNetwork.summary` prints; None where there are no rows, or no law."""

    network: Network
    law: AnyNetwork | None
    figures: tuple[str, ...]
    """What the model explains, in bits a row."""
    marginals: Nearness | None
    """How near rows drawn from the law are."""
    strongest: tuple[Link, ...]
    completion: Completion | None
    law_certificate: Certificate | None
    certificate: Certificate | None
    """The certificate of the dependency network."""

    def __str__(self) -> str:
        lines = [str(self.network).splitlines()[0] + _order_of(self.law), *self.figures]
        if self.marginals is not None:
            lines += ["", *str(self.marginals).splitlines()]
        lines += ["", "strongest links, bits per row"]
        lines += [f"  {line_of(link)}" for link in self.strongest[:SHOWN]] or ["  none"]
        if self.completion is not None and self.completion.rounds:
            lines += ["", *str(self.completion).splitlines()]
        return "\n".join([*lines, "", *self._theory()])

    def _repr_html_(self) -> str:
        """For notebooks: the figures and the strongest links first, then the certificates."""
        found = [[link.source, link.target, f"{link.strength:.3f}"] for link in self.strongest]
        parts = [line(said) for said in self.figures]
        parts += [] if self.marginals is None else [line(self.marginals.said)]
        parts += [] if self.completion is None else [line(said) for said in str(self.completion).splitlines()]
        proven = [each._repr_html_() for each in (self.law_certificate, self.certificate) if each is not None]
        links_said = table(["strongest links: source", "node", "bits per row"], found, left=2)
        title = str(self.network).splitlines()[0] + _order_of(self.law)
        return card(title, *parts, links_said, *proven)

    def _theory(self) -> list[str]:
        lines = ["theory"]
        if self.law_certificate is not None:
            lines += ["the law (answers, samples, scores):", *_indent(self.law_certificate)]
        if self.certificate is not None:
            lines += ["the dependency network (predictions, links, odd cells):", *_indent(self.certificate)]
        if self.certificate is None and self.law_certificate is None:
            lines.append("no certificate: the rows it would speak of are not all here (load, partial_fit)")
        return lines


def _indent(proven: Certificate) -> list[str]:
    return [f"  {line}" for line in str(proven).splitlines()]


def _order_of(law: AnyNetwork | None) -> str:
    if isinstance(law, Mixture):
        return f", and its law, {said_of_mixture(law)}"
    if law is None or law.order is None:
        return ""
    return f", and its law in the order {some_of([law.domain.names[i] for i in law.order], SHOWN)}"


def said_of_mixture(law: Mixture) -> str:
    """What a mixture is, in a few words."""
    return f"a mixture of {plural(len(law.components), 'network')} in different orders"


def summary_of(
    network: Network,
    law: AnyNetwork | None,
    *,
    data: Dataset | None,
    proven: Certificate | None,
    law_proven: Certificate | None,
    completed: Completion | None,
) -> Summary:
    return Summary(
        network=network,
        law=law,
        figures=tuple(plain_figures(network if law is None else law)),
        marginals=None if law is None else law_nearness(law, data),
        strongest=links(network, data)[:SHOWN],
        completion=completed,
        law_certificate=law_proven,
        certificate=proven,
    )


def short_lines(network: Network, law: AnyNetwork | None, data: Dataset | None) -> list[str]:
    """A few lines for a repr: size, what the model explains, the strongest links."""
    found = links(network)
    size = f"{plural(len(network.domain), 'column')}, {plural(len(found), 'link')}"
    rows = "" if data is None else plural(data.rows if data.surveyed else data.total, "row")
    weighed = (
        f" (they count as {data.total:,} by their weights)" if data is not None and data.surveyed else ""
    )
    lines = [size if data is None else f"{rows}{weighed} of {size}"]
    lines += plain_figures(network if law is None else law)
    lines += ["strongest links, bits per row"] if found else []
    return lines + [f"  {line_of(link)}" for link in found[:SHOWN]]


def sizes(network: AnyNetwork) -> dict[str, int]:
    """Leaves and links of a network, or of all components; boosted nodes, which have no leaves of this kind, are counted."""
    nodes = [node for part in components_of(network) for node in part.nodes]
    return {
        "leaves": sum(node.source.size for node in nodes if not node.boosted),
        "boosted": sum(node.boosted for node in nodes),
        "links": sum(len(node.inputs) for node in nodes),
    }


def size_text(size: dict[str, int]) -> str:
    """Leaves, and boosted nodes where there are some: "12 leaves, 3 boosted nodes"."""
    leaves = [plural(size["leaves"], "leaf", "leaves")] if size["leaves"] or not size["boosted"] else []
    return ", ".join([*leaves, *([plural(size["boosted"], "boosted node")] if size["boosted"] else [])])


def line_of(link: Link) -> str:
    """`sex -> survived  0.142`."""
    return f"{link.source} -> {link.target}  {link.strength:.3f}"


def count_rows(network: Network) -> int | None:
    """How many rows a network was learned from; None where it keeps no counts."""
    if network.counts is not None:
        return int(network.counts.total + 0.5)
    counts = network.nodes[0].counts
    return None if counts is None else int(counts.sum())
