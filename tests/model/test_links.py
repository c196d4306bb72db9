"""One-sided links: who reads whom without being read."""

import numpy as np
from hypothesis import given

import depnet
from depnet import ConditionalTable, ConstantSource, Domain, InformationSource, Network, RandomScan
from depnet.model.links import OneSidedLink, one_sided_links
from tests.strategies import networks


def reading(*inputs: tuple[int, ...]) -> Network:
    """Binary variables; node i reads inputs[i]."""
    nodes = []
    for i, read in enumerate(inputs):
        source: InformationSource = (
            depnet.LosslessSource(read, (2,) * len(read)) if read else ConstantSource()
        )
        rows = np.random.default_rng(i).dirichlet((1, 1), size=source.size)
        nodes.append(depnet.TableNode(i, source, ConditionalTable.from_probabilities(rows)))
    return Network(Domain.from_cardinalities([2] * len(inputs)), tuple(nodes))


def test_evidence_on_the_reader_does_not_reach_the_source() -> None:
    network = reading((), (0,))
    assert one_sided_links(network) == (OneSidedLink("X1", "X0", carried=False),)
    law = depnet.stationary(network, RandomScan())
    given_reader = depnet.stationary(network, RandomScan(), {"X1": 1})
    np.testing.assert_allclose(given_reader.sum(axis=1), law.sum(axis=1), rtol=0, atol=1e-12)
    given_source = depnet.stationary(network, RandomScan(), {"X0": 1})
    assert abs(given_source.sum(axis=0) - law.sum(axis=0)).max() > 1e-3


def test_evidence_may_be_carried_round() -> None:
    network = reading((1,), (2,), (0,))  # 0 reads 1, 1 reads 2, 2 reads 0: a ring
    assert one_sided_links(network) == (
        OneSidedLink("X0", "X1", carried=True),
        OneSidedLink("X1", "X2", carried=True),
        OneSidedLink("X2", "X0", carried=True),
    )
    marginal = depnet.stationary(network, RandomScan()).sum(axis=(0, 2))
    moved = depnet.stationary(network, RandomScan(), {"X0": 1}).sum(axis=(0, 2))
    assert abs(marginal - moved).max() > 1e-4


@given(networks(max_states=100))
def test_links_by_their_definition(network: Network) -> None:
    """A tells B directly: the node of B reads A."""
    n = len(network.domain)

    def tells(a: int, b: int) -> bool:
        return a in network.nodes[b].inputs

    names = network.domain.names
    wanted = {(names[a], names[b]) for a in range(n) for b in range(n) if tells(b, a) and not tells(a, b)}
    links = one_sided_links(network)
    assert {(link.reader, link.source) for link in links} == wanted
    for link in links:
        seen = {names.index(link.reader)}
        while more := {b for b in range(n) if b not in seen and any(tells(a, b) for a in seen)}:
            seen |= more
        assert link.carried == (names.index(link.source) in seen)
