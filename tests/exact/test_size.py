"""The size guard is on the free domain: what evidence leaves."""

import pytest

import depnet
from depnet import ConditionalTable, Domain, LosslessSource, Network, RandomScan, SequentialScan, TableNode
from depnet.errors import DomainTooLargeError
from depnet.exact.stationary import free_law
from depnet.geometry.chain import FreeChain
from tests.refusals import refuses


def chain_network(n: int) -> Network:
    """Each variable reads the one before."""
    table = ConditionalTable.from_probabilities([[0.9, 0.1], [0.2, 0.8]])
    nodes = tuple(TableNode(i, LosslessSource(((i - 1) % n,), (2,)), table) for i in range(n))
    return Network(Domain.from_cardinalities([2] * n), nodes)


def test_the_error_says_how_large_and_what_to_do() -> None:
    network = chain_network(40)
    for call in (
        lambda: depnet.stationary(network, RandomScan()),
        lambda: depnet.stationary_cycle(network, SequentialScan()),
        lambda: depnet.recurrent_classes(network, RandomScan()),
        lambda: depnet.law_path(network, RandomScan(), [0] * 40),
    ):
        refuses(DomainTooLargeError, r"1\.1e\+12 joint states and needs .* evidence", call)


def test_evidence_makes_a_large_network_small() -> None:
    """200 variables are more axes than numpy has; 3 free ones are 8 states."""
    network = chain_network(200)
    evidence = {f"X{i}": 1 for i in range(3, 200)}
    chain = FreeChain.of(network, evidence)
    assert chain.shape == (2, 2, 2)
    law = free_law(chain, network, RandomScan()).reshape(chain.shape)
    small = depnet.stationary(chain_network(4), RandomScan(), {"X3": 1})[..., 1]
    assert abs(law - small).max() < 1e-11
    with pytest.raises(DomainTooLargeError):
        depnet.stationary(network, RandomScan(), evidence)


def test_the_classes_of_a_large_network_given_evidence() -> None:
    network = chain_network(200)
    (found,) = depnet.recurrent_classes(network, RandomScan(), {f"X{i}": 1 for i in range(3, 200)})
    assert found.states.shape == (8, 200)
    assert (found.states[:, 3:] == 1).all()
