"""A dependency network (Sec. 2), and compiled for the native core."""

import math
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from depnet._native import network as native
from depnet.data.frames.within import Within
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain
from depnet.errors import DataError, ModelError, brief, is_whole
from depnet.model.constraints import Constraint, check_constraint, keeps
from depnet.model.marginals import HeldOut, MarginalCounts
from depnet.model.node import Node, TableNode
from depnet.model.sources.source import LosslessSource
from depnet.model.table import ConditionalTable, leaf_counts
from depnet.notebook import card, note, table
from depnet.wording import plural

SHOWN_NODES = 20
"""A network prints no more of its nodes."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Network:
    """A domain and its nodes. Immutable; pseudo-Gibbs sampling joins the nodes into one law.

    With an `order` sources read earlier variables only, and the nodes have one law between them,
    Q(x) = product over i of theta_i(x_i | Y_i(x)): an *ordered* network.

    Args:
        domain: the variables.
        nodes: one for each variable, in order: `nodes[i].variables == (i,)`.
        counts: the 1- and 2-way counts of the data it was learned from, where they are kept.
        order: a permutation of the variables; None: the paper's network.
        held_out: what rows that it was not learned from said of it.
        tiers: of each variable of an order that the caller gave, its place there; those of one place have no order of
            causes between them. None: the order says nothing of causes.
        within: where in their bins the numbers of an ordered network's rows lie, given those before them.
        constraints: what every drawn row of an ordered network keeps (`depnet.model.constraints`); answers do not use it.

    >>> from depnet import learn, titanic
    >>> network = learn(titanic(), order=["sex", "class", "age", "survived"])
    >>> network.domain.names, network.order, network.nodes[3].inputs
    (('class', 'sex', 'age', 'survived'), (1, 0, 2, 3), (0, 1, 2))
    """

    domain: Domain
    nodes: tuple[Node, ...]
    counts: MarginalCounts | None = None
    order: tuple[int, ...] | None = None
    held_out: HeldOut | None = None
    within: Within | None = None
    tiers: tuple[int, ...] | None = field(default=None, compare=False)
    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.domain, Domain):
            raise ModelError(f"a network's domain is a Domain; got {brief(self.domain)}.")
        object.__setattr__(self, "nodes", tuple(self.nodes))
        cardinalities = self.domain.cardinalities
        if len(self.nodes) != len(cardinalities):
            raise ModelError(
                f"a network has one node for each of its {plural(len(cardinalities), 'variable')}, in order; got "
                f"{plural(len(self.nodes), 'node')}."
            )
        for number, node in enumerate(self.nodes):
            if not isinstance(node, Node):
                raise ModelError(f"node {number} of a network is a Node; got {brief(node)}.")
            if node.variable != number:
                raise ModelError(
                    f"node {number} of a network updates variable {number}, {self.domain.names[number]!r}; got one that "
                    f"updates variable {node.variable}. Nodes stand in the order of the variables."
                )
            try:
                node.check_domain(cardinalities)
            except ModelError as error:
                raise ModelError(f"node {number}: {error}") from None
            if node.states != cardinalities[number]:
                raise ModelError(
                    f"node {number}: the conditional table has {node.states} states, {self.domain.names[number]} has "
                    f"{cardinalities[number]}."
                )
        if self.counts is not None and tuple(map(len, self.counts.singles)) != cardinalities:
            raise ModelError("the 1- and 2-way counts have another domain than the network.")
        if self.held_out is not None and not isinstance(self.held_out, HeldOut):
            raise ModelError(f"held_out of a network is a HeldOut; got {brief(self.held_out)}.")
        if self.order is not None:
            object.__setattr__(self, "order", self._checked_order())
        if self.within is not None and (self.within.domain != self.domain or self.within.order != self.order):
            raise ModelError("the trees within bins have another domain or order than the network.")

    def _checked_order(self) -> tuple[int, ...]:
        """The order, if it names every variable once and every source reads earlier variables only."""
        given = tuple(self.order) if isinstance(self.order, Iterable) else ()
        n = len(self.domain)
        if not all(map(is_whole, given)) or sorted(given) != list(range(n)):
            raise ModelError(
                f"the order of a network names each of its variables 0..{n - 1} once; got {brief(self.order)}."
            )
        order = tuple(int(i) for i in given)
        if self.tiers is not None and sorted(order, key=tuple(self.tiers).__getitem__) != list(order):
            raise ModelError("the tiers of a network are those of its variables, ascending in its order.")
        for constraint in self.constraints:
            check_constraint(constraint, self.domain)
        place = {i: at for at, i in enumerate(order)}
        for i, node in enumerate(self.nodes):
            late = next((j for j in node.inputs if place[j] > place[i]), None)
            if late is not None:
                names = self.domain.names
                raise ModelError(
                    f"the information source of {names[i]!r} reads {names[late]!r}, which comes later in the order. In "
                    "an ordered network sources read earlier variables only."
                )
        return order

    @classmethod
    def from_joint(cls, p: ArrayLike, domain: Domain | None = None) -> "Network":
        """The network of genuine Gibbs sampling: every full conditional of `p`, with lossless sources.

        Contexts x_-i of probability 0, of which `p` says nothing, get the uniform distribution.

        Args:
            p: a tensor over the joint domain, axis i being variable i.
            domain: the variables; None: X0, X1, ...

        Returns:
            The network.

        >>> Network.from_joint([[0.1, 0.4], [0.3, 0.2]]).nodes[1].table.probabilities.tolist()
        [[0.2, 0.8], [0.6, 0.4]]
        """
        try:
            joint = np.asarray(p, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(f"a joint distribution is a tensor of numbers; {error}.") from None
        with np.errstate(
            invalid="ignore", over="ignore"
        ):  # of what is not finite, or far from a distribution
            total = float(joint.sum())
        if joint.ndim < 1 or not (joint >= 0).all() or not math.isclose(total, 1.0, abs_tol=1e-9):
            raise ModelError(
                f"a joint distribution is a tensor of non-negative numbers that sum to 1; got shape {joint.shape}, "
                f"sum {total:.12g}."
            )
        domain = Domain.from_cardinalities(joint.shape) if domain is None else domain
        if domain.cardinalities != joint.shape:
            raise ModelError(f"the joint has the shape {joint.shape}, the domain {domain.cardinalities}.")
        nodes = []
        for i, k in enumerate(joint.shape):
            rows = np.moveaxis(joint, i, -1).reshape(-1, k)
            totals = rows.sum(axis=1, keepdims=True)
            theta = np.divide(rows, totals, out=np.full_like(rows, 1.0 / k), where=totals > 0)
            source = LosslessSource.of_all_but(i, joint.shape)
            nodes.append(TableNode(i, source, ConditionalTable.from_probabilities(theta)))
        return cls(domain, tuple(nodes))

    def __len__(self) -> int:
        return len(self.nodes)

    def __str__(self) -> str:
        lines = [self._kind]
        for name, _, size, known in self._rows():
            lines.append(f"  {name} knows {known} ({size})")
        if len(self) > SHOWN_NODES:
            lines.append(f"  and {len(self) - SHOWN_NODES:,} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: a row a node, with its states, the size of its information source, and what that reads."""
        more = [note(f"... and {len(self) - SHOWN_NODES:,} more")] if len(self) > SHOWN_NODES else []
        return card(self._kind, table(["node", "states", "size", "knows"], self._rows(), left=4), *more)

    @property
    def _kind(self) -> str:
        kind = "a dependency network" if self.order is None else "an ordered network"
        return f"{kind} of {plural(len(self.domain), 'variable')}"

    def _rows(self) -> list[list[str]]:
        """The name, states, size and inputs of the first nodes."""
        names, rows = self.domain.names, []
        for node in self.nodes[:SHOWN_NODES]:
            known = ", ".join(names[j] for j in node.inputs) or "nothing"
            size = "boosted" if node.boosted else plural(node.source.size, "leaf", "leaves")
            rows.append([names[node.variable], f"{self.domain.cardinalities[node.variable]:,}", size, known])
        return rows

    @property
    def ordered(self) -> bool:
        """Has it an order, and so a density?"""
        return self.order is not None

    @property
    def surveyed(self) -> bool:
        """Have the rows that it was learned from weights of their own? Their counts are then no whole numbers."""
        return self.counts is not None and not float(self.counts.total).is_integer()

    def with_counts(self, dataset: Dataset) -> "Network":
        """The same network, keeping the 1- and 2-way counts of the data it was learned from.

        Args:
            dataset: these data.

        Returns:
            A new network.
        """
        check_same_domain("Network.with_counts", self.domain, dataset)
        return replace(self, counts=MarginalCounts.of(dataset))

    def smoothed(self, smoothing: float | Sequence[float]) -> "Network":
        """The same network, of the same counts, with other pseudo-counts.

        Args:
            smoothing: one for all nodes, or one for each.

        Returns:
            A new network.

        >>> from depnet import learn, titanic
        >>> people = titanic()
        >>> learn(people, smoothing=0.5).smoothed(2.0) == learn(people, smoothing=2.0)
        True
        """
        each = list(smoothing) if isinstance(smoothing, Sequence) else [smoothing] * len(self)
        if len(each) != len(self):
            raise ModelError(
                f"Network.smoothed: one smoothing, or one for each of the {len(self)} nodes; got {len(each)}."
            )
        nodes = tuple(node.smoothed(s) for node, s in zip(self.nodes, each, strict=True))
        return replace(self, nodes=nodes)

    def check_updatable(self, who: str) -> None:
        """Raise a `ModelError` where a node has no counts that rows could be added to."""
        for number, node in enumerate(self.nodes):
            if node.boosted:
                raise ModelError(
                    f"{who}: new rows are added to counts, and boosted nodes, such as that of "
                    f"{self.domain.names[number]!r}, have none. Fit again from all rows."
                )
            if node.table.counts is None or node.table.smoothing is None:
                raise ModelError(
                    f"{who}: the table of node {number} has no counts to add to, only probabilities. Learn "
                    "the network, or use learn_parameters(dataset, sources) with its sources."
                )

    def updated(self, dataset: Dataset, known: Holed | None = None) -> "Network":
        """The same network with more rows added to its counts; sources and smoothing stay.

        It equals the network that `learn_parameters` gives for the same sources on old and new rows
        together. The structure is not reconsidered, a certificate of the old rows no longer holds, and a constraint that a
        new row breaks is none any more.

        Args:
            dataset: the rows to add.
            known: the same rows before their holes were filled: the 1- and 2-way counts are of known cells.

        Returns:
            A new network.
        """
        check_same_domain("Network.updated", self.domain, dataset)
        self.check_updatable("Network.updated")
        nodes = []
        for node in self.nodes:
            counts = node.table.counts
            assert counts is not None  # as was checked
            table = node.table.with_counts(counts + leaf_counts(node.source, node.variable, dataset))
            nodes.append(TableNode(node.variable, node.source, table))
        kept = (
            None
            if self.counts is None
            else self.counts + MarginalCounts.of(dataset if known is None else known)
        )
        still = tuple(
            each for each in self.constraints if keeps(each, dataset if known is None else known).all()
        )
        return replace(self, nodes=tuple(nodes), counts=kept, constraints=still)


def checked_network(network: object) -> Network:
    if not isinstance(network, Network):
        way_out = "depnet.learn makes one from a table."
        if hasattr(network, "components"):
            way_out = "A mixture is queried, sampled, scored, and fills holes; for all else take one of its components."
        raise ModelError(f"expected a depnet.Network; got {brief(network)}. {way_out}")
    return network


def check_same_domain(who: str, domain: Domain, dataset: Holed) -> None:
    """Raise a `ModelError` unless `dataset` has the network's variables with the network's states."""
    if not isinstance(dataset, Holed):
        raise DataError(
            f"{who}: expected rows as codes, a depnet.Dataset; got {type(dataset).__name__}. "
            "depnet.data.encode(frame, network.domain) makes them of a frame, without holes its .dataset()."
        )
    if dataset.domain == domain:
        return
    if len(dataset.domain) != len(domain):
        raise ModelError(f"{who}: the rows have {len(dataset.domain)} variables, the network {len(domain)}.")
    ours, theirs = next(
        (a, b) for a, b in zip(domain.variables, dataset.domain.variables, strict=True) if a != b
    )
    difference = (
        f"the network's variable {ours.name!r} is called {theirs.name!r} in the rows"
        if ours.name != theirs.name
        else f"variable {ours.name!r} has other states in the rows than in the network"
    )
    raise ModelError(f"{who}: {difference}. Encode the rows with the network's domain.")


Value = TypeVar("Value")


class Kept(Generic[Value]):
    """A function of networks that computes its value once for each.

    Networks are values that hold arrays and have no quick hash, so the object itself is the key; the value must not
    hold on to the network.
    """

    def __init__(self, make: Callable[[Network], Value]) -> None:
        self._make = make
        self._values: dict[int, tuple[weakref.ref[Network], Value]] = {}

    def __call__(self, network: Network) -> Value:
        """The value, computed now or before."""
        key = id(network)
        found = self._values.get(key)
        if found is not None and found[0]() is network:
            return found[1]
        value = self._make(network)
        self._values[key] = (weakref.ref(network, lambda _: self._values.pop(key, None)), value)
        return value


def compile_network(network: Network) -> native.Network:
    """The network for the native core; a `DomainTooLargeError` where a source is a function of too many joint states."""
    cards = network.domain.cardinalities
    compiled = native.Network(np.array(cards, dtype=np.int32))
    for i in places_of(network):
        network.nodes[i].compile(compiled, cards)
    return compiled


compiled_of: Kept[native.Network] = Kept(compile_network)


def places_of(network: Network) -> Sequence[int]:
    """The variable of the node at each place of the compiled network: its order, or the numbers one after the other."""
    return range(len(network)) if network.order is None else network.order
