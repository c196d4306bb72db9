"""`Model`: what a fit gives and a model file holds."""

from dataclasses import dataclass

from depnet.data.table.layout import Layout
from depnet.errors import ModelError, brief
from depnet.model.network import Network

NO_LAW = (
    "this file has no ordered law: answers would be those of clamped chains. Fit again to get those of a law."
)
"""What a face says of a file in which a network was saved alone."""


@dataclass(frozen=True, slots=True)
class Model:
    """The paper's network and the ordered law of one table. At least one is there; they share domain and counts.

    `network` has full conditionals, for links, odd cells and decision graphs. `law` is ordered: what answers,
    samples, scores and most probable rows are of.
    """

    network: Network | None
    law: Network | None
    layout: Layout | None = None
    """Of the frame they were learned from, where it is known and its library is installed."""

    def __post_init__(self) -> None:
        network, law = self.network, self.law
        if not isinstance(self.first, Network) or (network is not None and network.order is not None):
            raise ModelError(
                f"a model's network is a Network without an order; got {brief(network)}. A law is its second part."
            )
        if law is None:
            return
        if not isinstance(law, Network) or law.order is None:
            got = "a Network without an order" if isinstance(law, Network) else brief(law)
            raise ModelError(
                f'the law of a model is an ordered Network; got {got}. Learn one with depnet.learn(dataset, order="auto").'
            )
        if network is None:
            return
        if network.domain != law.domain:
            raise ModelError("network and law are of different domains. Learn both from one dataset.")
        if network.counts is not None and law.counts is not None and network.counts != law.counts:
            raise ModelError(
                "network and law have 1- and 2-way counts of different rows, and a model has them once. Learn both from "
                "one dataset."
            )

    @classmethod
    def of(cls, network: Network, law: Network | None = None, layout: Layout | None = None) -> "Model":
        """A network and the law beside it; a network that is ordered is a law itself."""
        if law is None and isinstance(network, Network) and network.order is not None:
            return cls(None, network, layout)
        return cls(network, law, layout)

    @property
    def first(self) -> Network:
        """The paper's network where there is one, else the law: what `depnet.load` gives."""
        found = self.law if self.network is None else self.network
        if found is None:
            raise ModelError("a model has a network, a law, or both; got neither.")
        return found
