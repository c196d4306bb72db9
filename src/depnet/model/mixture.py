"""Mixtures of ordered networks: a hidden class, each class with an order and nodes of its own."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from depnet.arrays import FloatArray, set_fields
from depnet.data.frames.within import Within
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain
from depnet.errors import ModelError, brief
from depnet.model.constraints import Constraint
from depnet.model.marginals import HeldOut, MarginalCounts
from depnet.model.network import Network, checked_network
from depnet.wording import plural


@dataclass(frozen=True, slots=True)
class Mixture:
    r"""Ordered networks of one domain, each with a weight: a law that is more than one network can say.

    .. math:: Q(x) = \sum_k w_k Q_k(x), \qquad
              Q(T \mid E) = \frac{\sum_k w_k Q_k(E)\, Q_k(T \mid E)}{\sum_k w_k Q_k(E)}

    A component answers for itself, and what is known says how much each counts: answers are exact where those of all
    components are. `order` is None, since a mixture has none. Components may share an order: those of a hidden class do.

    Args:
        components: ordered networks.
        weights: of each component; they are divided by their sum. None: all alike.
        within: where in their bins numbers lie, given all bins and the numbers before them in the order of the first
            component: that is the same in all components, so that these have none.

    >>> from depnet import learn, titanic
    >>> people = titanic()
    >>> orders = [["sex", "class", "age", "survived"], ["survived", "age", "class", "sex"]]
    >>> both = Mixture([learn(people, order=order, smoothing=0.5) for order in orders])
    >>> both.weights, both.order, len(both.components)
    ((0.5, 0.5), None, 2)
    """

    components: tuple[Network, ...]
    weights: tuple[float, ...]
    within: Within | None

    def __init__(
        self,
        components: Iterable[Network],
        weights: Iterable[float] | None = None,
        within: Within | None = None,
    ) -> None:
        parts = tuple(components)
        given = [1.0] * len(parts) if weights is None else [float(w) for w in weights]
        _check_components(parts)
        total = math.fsum(given)
        total = 1.0 if math.isclose(total, 1.0, rel_tol=1e-12) else total  # what a file holds stays as it is
        if len(given) != len(parts) or not all(w > 0 for w in given) or not math.isfinite(total):
            raise ModelError(
                f"a mixture of {plural(len(parts), 'component')} has one positive weight for each; got {brief(given)}."
            )
        if within is not None and (within.domain != parts[0].domain or within.order != parts[0].order):
            raise ModelError(
                "the trees within bins have another domain or order than the mixture's first component."
            )
        set_fields(self, components=parts, weights=tuple(w / total for w in given), within=within)

    @property
    def domain(self) -> Domain:
        """The variables."""
        return self.components[0].domain

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What every drawn row keeps: what rows of all components do."""
        first, *others = (part.constraints for part in self.components)
        return tuple(each for each in first if all(each in own for own in others))

    @property
    def order(self) -> None:
        """None: each component has an order of its own."""
        return None

    @property
    def ordered(self) -> bool:
        """Has it a density? So has every mixture."""
        return True

    @property
    def counts(self) -> MarginalCounts | None:
        """The 1- and 2-way counts of the rows learned from, where they are kept: those of the first component."""
        return self.components[0].counts

    @property
    def held_out(self) -> HeldOut | None:
        """What held-out rows said of the first component: less than they would say of all."""
        return self.components[0].held_out

    @property
    def surveyed(self) -> bool:
        """Have the rows that it was learned from weights of their own?"""
        return self.components[0].surveyed

    def __len__(self) -> int:
        return len(self.domain)

    def check_updatable(self, who: str) -> None:
        """Raise a `ModelError` where a node has no counts that rows could be added to."""
        for network in self.components:
            network.check_updatable(who)

    def updated(self, dataset: Dataset, known: Holed | None = None) -> "Mixture":
        """The same mixture with more rows added to the counts of each component, as `Network.updated` does."""
        parts = [network.updated(dataset, known) for network in self.components]
        return Mixture([replace(part, counts=parts[0].counts) for part in parts], self.weights, self.within)

    @property
    def log_weights(self) -> FloatArray:
        """The logs of the weights."""
        return np.log(self.weights)

    def __str__(self) -> str:
        names, lines = self.domain.names, [f"a mixture of {plural(len(self.components), 'ordered network')}"]
        for weight, network in zip(self.weights, self.components, strict=True):
            first = ", ".join(names[i] for i in (network.order or ())[:3])
            lines.append(f"  {weight:.3g} of the one that begins with {first}")
        return "\n".join(lines)


AnyNetwork: TypeAlias = Network | Mixture
"""What rows are scored by, drawn from, and asked of."""


def _check_components(components: tuple[Network, ...]) -> None:
    if not components:
        raise ModelError("a mixture has one component or more; got none.")
    for k, network in enumerate(components):
        if checked_network(network).order is None:
            raise ModelError(
                f"component {k} of a mixture has no order, and so no density. Learn it with an order: "
                'depnet.learn(dataset, order="auto").'
            )
        if network.domain != components[0].domain:
            raise ModelError(f"component {k} of a mixture has another domain than the first.")
        if network.within is not None:
            raise ModelError(
                f"component {k} of a mixture says where in their bins numbers lie, which a mixture says once, for "
                "all: leave it out with dataclasses.replace(network, within=None), and give one as Mixture(within=...)."
            )


def checked_any(network: object) -> AnyNetwork:
    return network if isinstance(network, Mixture) else checked_network(network)


def components_of(network: AnyNetwork) -> tuple[Network, ...]:
    """Those of a mixture; of a network itself."""
    return network.components if isinstance(network, Mixture) else (network,)


def within_of(network: AnyNetwork) -> Within:
    """Where in their bins numbers lie: by the law's trees, or, where it has none, anywhere."""
    order = components_of(network)[0].order
    return network.within or Within(network.domain, order or (), ())


def joined_logs(mixture: Mixture, logs: FloatArray) -> FloatArray:
    """[row]: log of the sum over k of w_k exp(logs[k, row])."""
    return np.asarray(np.logaddexp.reduce(logs + mixture.log_weights[:, None], axis=0))


def class_shares(mixture: Mixture, logs: FloatArray) -> FloatArray:
    """[component, row]: how likely each component is, given what has the log-probability `logs` under it."""
    own = logs + mixture.log_weights[:, None]
    top = own.max(axis=0)
    shares = np.exp(own - np.where(np.isfinite(top), top, 0.0))
    total = shares.sum(axis=0)
    even = np.broadcast_to(np.array(mixture.weights)[:, None], shares.shape)
    return np.asarray(np.where(total > 0, shares / np.where(total > 0, total, 1.0), even))
