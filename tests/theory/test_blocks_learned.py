"""Learned block networks (ours): certificate, FC-limit, stationary law, links and imputation speak of their blocks."""

import numpy as np
import pytest
from hypothesis import given, settings

import depnet
from depnet import Dataset, Network, RandomScan, SequentialScan, geometry, impute, learn, links
from depnet.model import Evidence, Scan
from tests.laws import assert_same_law
from tests.reference.inference import query_law
from tests.strategies import datasets, random_blocks, random_network, random_weights, seeds


def learned(table: Dataset, rng: np.random.Generator) -> Network:
    names = table.domain.names
    blocks = [tuple(names[i] for i in block) for block in random_blocks(rng, len(names))]
    return learn(table, blocks=blocks, smoothing=0.5)


def assert_certified(network: Network, table: Dataset, c: tuple[float, ...], claimed: float) -> None:
    """`claimed` is the FC-limit of the data's law, and FC over the network's blocks keeps it (Theorem 3)."""
    p = depnet.empirical(table)
    assert claimed == pytest.approx(geometry.fc_limit(p, network, c), rel=1e-9, abs=1e-11)
    pi = depnet.stationary(network, RandomScan(c))
    blocks = [node.variables for node in network.nodes]
    divergence = geometry.full_conditional_divergence(p, pi, c, blocks=blocks)
    assert divergence <= claimed * (1 + 1e-9) + 1e-9


@settings(max_examples=40)
@given(datasets(max_variables=4), seeds)
def test_the_certificate_holds_for_blocks(table: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = learned(table, rng)
    c = random_weights(rng, len(network))
    found = depnet.certificate(network, table, c)
    assert [node.variables for node in found.nodes] == [node.variables for node in network.nodes]
    assert_certified(network, table, c, found.fc_limit)


def test_mutant_the_certificate_of_single_variables() -> None:
    """The bound belongs to the blocks: that of the single variables' network is another number."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, size=(300, 3))
    codes[:, 1] = codes[:, 0] ^ (rng.random(300) < 0.1)
    table = Dataset.from_codes(codes, [2, 2, 2])
    network = learn(table, blocks=[("X0", "X1"), ("X1", "X2")], smoothing=0.5)
    c = (0.5, 0.5)
    assert_certified(network, table, c, depnet.certificate(network, table, c).fc_limit)
    single = depnet.certificate(learn(table, smoothing=0.5), table)
    with pytest.raises(AssertionError):
        assert_certified(network, table, c, single.fc_limit)


@settings(max_examples=40)
@given(datasets(max_variables=4), seeds)
def test_links_of_a_block_name_all_its_variables_and_add_up(table: Dataset, seed: int) -> None:
    network = learned(table, np.random.default_rng(seed))
    found = links(network, table)
    names = table.domain.names
    known = depnet.certificate(network, table).nodes
    for number, node in enumerate(network.nodes):
        own = [link for link in found if link.node == number]
        assert all(link.targets == tuple(names[i] for i in node.variables) for link in own)
        assert not {link.source for link in own} & {names[i] for i in node.variables}
        bits = (known[number].entropy - known[number].source_entropy) / np.log(2)
        assert sum(link.strength for link in own) == pytest.approx(bits, abs=1e-9)


@pytest.mark.parametrize("sequential", [False, True])
def test_holes_in_part_of_a_block_are_filled_by_the_law(sequential: bool) -> None:
    """X2 is known and in two overlapping blocks, whose tables are tilted to it."""
    rng = np.random.default_rng(7)
    base = random_network(rng, (2, 3, 2))
    nodes = []
    for variables in ((0, 1), (1, 2), (0, 2)):
        other = next(i for i in range(3) if i not in variables)
        cards = base.domain.cardinalities
        source = depnet.LosslessSource((other,), (cards[other],))
        rows = rng.dirichlet(np.full(cards[variables[0]] * cards[variables[1]], 0.7), size=cards[other])
        nodes.append(depnet.Node(variables, source, depnet.ConditionalTable.from_probabilities(rows)))
    network = Network(base.domain, tuple(nodes))
    scan: Scan = SequentialScan((2, 0, 1)) if sequential else RandomScan((0.5, 0.2, 0.3))
    made = impute(network, [[-1, -1, 1]] * 4000, method="draw", n_imputations=5, scan=scan, rng=rng)
    drawn = np.concatenate(made.imputations)
    counts = np.zeros((2, 3))
    np.add.at(counts, (drawn[:, 0], drawn[:, 1]), 1)
    law = query_law(network, [0, 1], Evidence({2: 1}, {}), scan)
    assert_same_law(counts, law, detects_l1=0.1)
    unconditioned = query_law(network, [0, 1], Evidence({}, {}), scan)
    with pytest.raises(AssertionError):
        assert_same_law(counts, unconditioned, detects_l1=0.1)
