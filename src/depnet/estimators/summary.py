"""What a fitted network is worth, in one text: proven, measured, and what to beware of."""

from dataclasses import dataclass

import numpy as np

from depnet.data.dataset import Dataset
from depnet.exact import Consistency, consistency
from depnet.inference.completion import Completed
from depnet.inference.marginals import Nearness, nearness
from depnet.learning.certificate import Certificate
from depnet.learning.links import Link, links
from depnet.model.links import OneSidedLink, one_sided_links
from depnet.model.network import Network
from depnet.sampling import sample
from depnet.wording import counted

CONSISTENCY_STATES = 1 << 16
"""Inconsistency needs the exact law, up to so many joint states."""

DRAWN_ROWS = 20_000
"""Rows that stand for the law where its marginals are compared with the data's."""

SHOWN = 5
QUICK_CODES = 5_000_000
"""A repr computes no certificate of more codes than this: it must come at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """The parts that `DependencyNetwork.summary` prints; None where there are no rows, or too many states."""

    network: Network
    strongest: tuple[Link, ...]
    certificate: Certificate | None
    completion: Completed | None
    marginals: Nearness | None
    one_sided: tuple[OneSidedLink, ...]
    consistency: Consistency | None

    def __str__(self) -> str:
        lines = [str(self.network).splitlines()[0], "", "strongest links, bits per row"]
        lines += [f"  {line_of(link)}" for link in self.strongest[:SHOWN]] or ["  none"]
        lines.append("")
        if self.certificate is None:
            lines.append("no certificate: the rows it would speak of are not all here (load, partial_fit)")
        else:
            lines += str(self.certificate).splitlines()
        if self.completion is not None and self.completion.rounds:
            lines += ["", *str(self.completion).splitlines()]
        if self.marginals is not None:
            lines += ["", *str(self.marginals).splitlines()]
        lines += ["", f"one-sided links: {len(self.one_sided):,}"]
        lines += [f"  {link}" for link in self.one_sided[:SHOWN]]
        if len(self.one_sided) > SHOWN:
            lines.append(f"  and {len(self.one_sided) - SHOWN:,} more")
        lines += ["", self._inconsistency()]
        return "\n".join(lines)

    def _inconsistency(self) -> str:
        if self.consistency is None:
            return (
                f"inconsistency: not computed, it needs the exact law of {self.network.domain.size:.3g} joint states "
                f"(up to {CONSISTENCY_STATES:,})"
            )
        worst = int(np.argmax(self.consistency.divergences))
        return (
            f"inconsistency: KL(pi‖E(theta_i)) is {np.mean(self.consistency.divergences):.3g} nats a node on average, "
            f"{self.consistency.divergences[worst]:.3g} at most ({self.consistency.nodes[worst]})"
        )


def summary_of(
    network: Network,
    *,
    data: Dataset | None,
    proven: Certificate | None,
    completed: Completed | None,
    rng: np.random.Generator,
) -> Summary:
    """Measure what there is to measure; see `Summary`."""
    small = network.domain.size <= CONSISTENCY_STATES
    return Summary(
        network=network,
        strongest=links(network, data)[:SHOWN],
        certificate=proven,
        completion=completed,
        marginals=None if data is None else nearness(sample(network, DRAWN_ROWS, rng=rng), data),
        one_sided=one_sided_links(network),
        consistency=consistency(network) if small else None,
    )


def short_lines(network: Network, data: Dataset | None, proven: Certificate | None) -> list[str]:
    """A few lines for a repr: size, the certificate, the strongest links."""
    found = links(network)
    leaves = sum(node.source.size for node in network.nodes)
    size = (
        f"{counted(len(network.domain), 'variable')}, {counted(len(found), 'link')}, "
        f"{counted(leaves, 'leaf', 'leaves')}"
    )
    lines = [size if data is None else f"{counted(data.total, 'row')} of {size}"]
    if proven is not None:
        lines.append(proven.said)
    return lines + [f"  {line_of(link)}" for link in found[:SHOWN]]


def line_of(link: Link) -> str:
    """`sex -> survived  0.142`."""
    return f"{link.source} -> {' x '.join(link.targets)}  {link.strength:.3f}"
