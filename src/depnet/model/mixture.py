"""Mixtures of ordered networks: a hidden class, each class with an order and nodes of its own."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from depnet.arrays import FloatArray, set_fields
from depnet.data.table.variable import Domain
from depnet.errors import ModelError, brief
from depnet.model.network import Network, checked_network
from depnet.wording import plural


@dataclass(frozen=True, slots=True)
class Mixture:
    r"""Ordered networks of one domain, each with a weight: a law that is more than one network can say.

    .. math:: Q(x) = \sum_k w_k Q_k(x), \qquad
              Q(T \mid E) = \frac{\sum_k w_k Q_k(E)\, Q_k(T \mid E)}{\sum_k w_k Q_k(E)}

    A component answers for itself, and what is known says how much each counts: answers are exact where those of all
    components are. `order` is None, since a mixture has none.

    Args:
        components: ordered networks.
        weights: of each component; they are divided by their sum. None: all alike.

    >>> from depnet import learn, titanic
    >>> people = titanic()
    >>> orders = [["sex", "class", "age", "survived"], ["survived", "age", "class", "sex"]]
    >>> both = Mixture([learn(people, order=order, smoothing=0.5) for order in orders])
    >>> both.weights, both.order, len(both.components)
    ((0.5, 0.5), None, 2)
    """

    components: tuple[Network, ...]
    weights: tuple[float, ...]

    def __init__(self, components: Iterable[Network], weights: Iterable[float] | None = None) -> None:
        parts = tuple(components)
        given = [1.0] * len(parts) if weights is None else [float(w) for w in weights]
        _check_components(parts)
        total = math.fsum(given)
        if len(given) != len(parts) or not all(w > 0 for w in given) or not math.isfinite(total):
            raise ModelError(
                f"a mixture of {plural(len(parts), 'component')} has one positive weight for each; got {brief(given)}."
            )
        set_fields(self, components=parts, weights=tuple(w / total for w in given))

    @property
    def domain(self) -> Domain:
        """The variables."""
        return self.components[0].domain

    @property
    def order(self) -> None:
        """None: each component has an order of its own."""
        return None

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
                f"component {k} of a mixture says where in their bins numbers lie, which mixtures do not take: leave it out "
                "with dataclasses.replace(network, within=None)."
            )


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
