"""Who reads whom: the links of a network, and those that go one way only.

Evidence on A acts on the nodes whose information sources read A. Where Y_A reads B but Y_B does not read A,
the link is one-sided: evidence on A does not change B directly, and never does unless other
variables carry it there. (In a genuine Gibbs sampler links are two-sided.)
"""

from dataclasses import dataclass

from depnet.model.network import Network


@dataclass(frozen=True, slots=True)
class OneSidedLink:
    """The information source of `reader` reads `source`, and that of `source` does not read `reader`.

    Evidence on `reader` never reaches `source`, unless it is `carried` there through other variables.
    """

    reader: str
    source: str
    carried: bool

    def __str__(self) -> str:
        how = "reaches {b} through other variables only" if self.carried else "never reaches {b}"
        return f"{self.reader} reads {self.source}: evidence on {self.reader} {how.format(b=self.source)}"


def one_sided_links(network: Network) -> tuple[OneSidedLink, ...]:
    """The one-sided links of a network, by reader, then by source, in the order of the domain.

    >>> from depnet import ConditionalTable, ConstantSource, Domain, LosslessSource, Node, TableNode
    >>> table = ConditionalTable.from_probabilities
    >>> alone = TableNode(0, ConstantSource(), table([[0.5, 0.5]]))
    >>> reader = TableNode(1, LosslessSource((0,), (2,)), table([[0.9, 0.1], [0.1, 0.9]]))
    >>> one_sided_links(Network(Domain.from_cardinalities([2, 2]), (alone, reader)))
    (OneSidedLink(reader='X1', source='X0', carried=False),)
    """
    names = network.domain.names
    tells = [0] * len(names)  # the readers of each variable, as bits: evidence on it acts on them directly
    for i, node in enumerate(network.nodes):
        for j in node.inputs:
            tells[j] |= 1 << i
    reached = list(tells)  # closed by Warshall's algorithm
    for k in range(len(names)):
        for i in range(len(names)):
            if reached[i] >> k & 1:
                reached[i] |= reached[k]
    return tuple(
        OneSidedLink(names[a], names[b], bool(reached[a] >> b & 1))
        for a in range(len(names))
        for b in range(len(names))
        if tells[b] >> a & 1 and not tells[a] >> b & 1
    )
