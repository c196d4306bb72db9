"""The dependency graph: variables, and how well each predicts others, ready to be drawn or exported.

An arrow j -> i says that the node of X_i reads X_j: X_j predicts X_i, X_i is predicted by X_j. Its strength
is the link's, in bits per row (`depnet.links`): measured on rows where they are given, else from the counts that the
network keeps; of a boosted node, what the input gained.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from depnet.data.table.dataset import Dataset
from depnet.learning.links import Link, links
from depnet.model.network import Network, check_same_domain


@dataclass(frozen=True, slots=True)
class Arrow:
    """How well variable `source` predicts variable `target`, in bits a row."""

    source: int
    target: int
    strength: float


@dataclass(frozen=True, slots=True)
class Tie:
    """Two variables, first < second, and the strength each way; None where there is no arrow."""

    first: int
    second: int
    forward: float | None
    """How well `first` predicts `second`."""
    backward: float | None

    @property
    def strength(self) -> float:
        return max(x for x in (self.forward, self.backward) if x is not None)

    @property
    def both(self) -> bool:
        return self.forward is not None and self.backward is not None

    @property
    def ends(self) -> tuple[int, int]:
        """The variable that tells and the one that is told; where both do, the first tells."""
        return (self.first, self.second) if self.forward is not None else (self.second, self.first)


@dataclass(frozen=True)
class DependencyGraph:
    """Variables by name, and arrows between them, the strongest first. Make one with `dependency_graph`.

    Attributes:
        names: of the variables.
        arrows: what a variable tells another, each with `source`, `target` and `strength`, in bits a row.
        measured: what the strengths were measured on, in words.
    """

    names: tuple[str, ...]
    arrows: tuple[Arrow, ...]
    measured: str = ""

    def __post_init__(self) -> None:
        order = sorted(self.arrows, key=lambda a: (-a.strength, a.source, a.target))
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "arrows", tuple(order))

    def _repr_svg_(self) -> str:
        from depnet.pictures.graph.svg import to_svg

        return to_svg(self)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """Both ways between two variables as one, the strongest first."""
        told = {(a.source, a.target): a.strength for a in self.arrows}
        pairs = {(min(way), max(way)) for way in told}
        found = [Tie(*pair, told.get(pair), told.get(pair[::-1])) for pair in pairs]
        return tuple(sorted(found, key=lambda tie: (-tie.strength, tie.first, tie.second)))

    @property
    def shares(self) -> tuple[tuple[Tie, float], ...]:
        """Every tie, the strongest first, with its strength as a share of the strongest's, at least 0."""
        ties = self.ties
        most = max(ties[0].strength, 0.0) if ties else 0.0
        return tuple((tie, max(tie.strength, 0.0) / most if most > 0 else 0.0) for tie in ties)

    def strongest(self, arrows: int) -> "DependencyGraph":
        """The same variables with the strongest arrows.

        Args:
            arrows: how many.

        Returns:
            A graph.
        """
        return replace(self, arrows=self.arrows[: max(arrows, 0)])

    def kept(self, variables: Iterable[int]) -> "DependencyGraph":
        """The graph of some of the variables, renumbered in ascending order.

        Args:
            variables: their numbers.

        Returns:
            A graph.
        """
        order = sorted(set(variables))
        place = {v: k for k, v in enumerate(order)}
        arrows = tuple(
            replace(a, source=place[a.source], target=place[a.target])
            for a in self.arrows
            if a.source in place and a.target in place
        )
        return replace(self, names=tuple(self.names[v] for v in order), arrows=arrows)


def dependency_graph(
    network: Network, dataset: Dataset | None = None, *, found: Sequence[Link] | None = None
) -> DependencyGraph:
    """The dependency graph of a network.

    Args:
        network: the network.
        dataset: the rows that strengths are measured on; None: what the network's own counts tell.
        found: the network's links, where `depnet.links` has been called already.

    Returns:
        A `DependencyGraph`.

    >>> from depnet import learn, titanic
    >>> graph = dependency_graph(learn(titanic()))
    >>> graph.names[graph.arrows[0].source], graph.names[graph.arrows[0].target]
    ('sex', 'class')
    """
    if dataset is not None:
        check_same_domain("dependency_graph", network.domain, dataset)
    found = links(network, dataset) if found is None else found
    arrows = tuple(Arrow(link.variable, link.node, link.strength) for link in found)
    return DependencyGraph(network.domain.names, arrows, _describe_measure(network, dataset))


def _describe_measure(network: Network, dataset: Dataset | None) -> str:
    plain = [node for node in network.nodes if not node.boosted]
    if dataset is not None:
        how = f"measured on {dataset.total:,} rows"
    elif all(node.table.counts is not None for node in plain):
        how = "from the counts that the network keeps"
    else:
        how = "from the network's tables, which keep no counts: their inputs taken as independent"
    if len(plain) == len(network):
        return how
    return "gained while nodes were boosted" + (f", or {how}" if plain else "")
