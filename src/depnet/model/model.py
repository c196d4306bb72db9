"""What a fit gives, and every face asks: the paper's network, and the law beside it."""

import warnings
from dataclasses import dataclass, replace

from depnet.data.table.columns import Layout
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain
from depnet.errors import ModelError, brief, outside
from depnet.model.marginals import MarginalCounts
from depnet.model.mixture import AnyNetwork, Mixture, components_of
from depnet.model.network import Network

NO_LAW = (
    "this file has no ordered law: answers would be those of clamped chains. Fit again to get those of a law."
)
"""What a face says of a file in which a network was saved alone."""


@dataclass(frozen=True, slots=True)
class Model:
    """The paper's network and the ordered law of one table. They share domain and counts.

    `network` has full conditionals, for links, odd cells and decision graphs. `law` is ordered: what answers, samples,
    scores and most probable rows are of: one network, or a mixture. A network that is ordered is the law itself, and then
    both are one.
    """

    network: Network
    law: AnyNetwork | None = None
    layout: Layout | None = None
    """The layout of the training frame, where it is known and its library is installed."""

    @classmethod
    def of(cls, network: AnyNetwork, law: AnyNetwork | None = None, layout: Layout | None = None) -> "Model":
        """A network and the law beside it, or a law alone; that of a mixture alone is its first component's network."""
        if isinstance(network, Mixture) and law is None:
            return cls(network.components[0], network, layout)
        return cls(network, law, layout)  # type: ignore[arg-type]  # checked below

    def __post_init__(self) -> None:
        network, law = self.network, self.law
        if not isinstance(network, Network):
            raise ModelError(f"a model's network is a Network; got {brief(network)}.")
        if network.order is not None:
            if law is not None and components_of(law)[0] is not network:
                raise ModelError(
                    "a model's network is a Network without an order; got one with an order, and a law beside it."
                )
            object.__setattr__(self, "law", network if law is None else law)
            return
        if law is None:
            return
        if not isinstance(law, (Network, Mixture)) or not law.ordered:
            got = "a Network without an order" if isinstance(law, Network) else brief(law)
            raise ModelError(
                f'the law of a model is an ordered Network; got {got}. Learn one with depnet.learn(dataset, order="auto").'
            )
        if network.domain != law.domain:
            raise ModelError("network and law are of different domains. Learn both from one dataset.")
        if network.counts is not None and law.counts is not None and network.counts != law.counts:
            raise ModelError(
                "network and law have 1- and 2-way counts of different rows, and a model has them once. Learn both from "
                "one dataset."
            )

    @property
    def alone(self) -> bool:
        """Is there a law, and no network beside it?"""
        return self.network.order is not None

    @property
    def networks(self) -> tuple[AnyNetwork, ...]:
        """The network, and the law where there is one beside it."""
        if self.law is None:
            return (self.network,)
        return (self.law,) if self.alone else (self.network, self.law)

    @property
    def domain(self) -> Domain:
        return self.network.domain

    @property
    def counts(self) -> MarginalCounts | None:
        """The 1- and 2-way counts of the rows, where they are kept."""
        return next((each.counts for each in self.networks if each.counts is not None), None)

    @property
    def asked(self) -> AnyNetwork:
        """What answers, draws and scores are of: the law; where there is none, the network's clamped chains."""
        return self.network if self.law is None else self.law

    def ask(self) -> AnyNetwork:
        """`asked`, with a warning where there is no law."""
        if self.law is None:
            warnings.warn(NO_LAW, UserWarning, stacklevel=outside())
        return self.asked

    def updated(self, rows: Dataset, known: Holed) -> "Model":
        """The same model with more rows added to its counts; `known` are these rows with their holes."""
        new = [each.updated(rows, known) for each in self.networks]
        return replace(self, network=components_of(new[0])[0], law=None if self.law is None else new[-1])
