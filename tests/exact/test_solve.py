"""The solver where it is hard: slow, sticky, nearly reducible and nearly periodic chains."""

import itertools

import numpy as np
import pytest

import depnet
from depnet import ConditionalTable, Domain, Network, RandomScan, SequentialScan, TableNode
from depnet.errors import ConvergenceError, DomainTooLargeError
from depnet.exact import solve
from depnet.exact.stationary import free_law
from depnet.geometry.chain import FreeChain
from tests.exact.drawing import inconsistent_network
from tests.law.cases import given_tables
from tests.reference import stationary as reference
from tests.refusals import refuses
from tests.strategies import random_source


def ising_ring(n: int, coupling: float) -> Network:
    """Genuine Gibbs sampling of spins on a ring."""
    nodes = []
    for i in range(n):
        field = 2 * coupling * np.array([-2.0, 0.0, 2.0])
        table = np.stack([1 / (1 + np.exp(field)), 1 / (1 + np.exp(-field))], axis=1)
        neighbours = tuple(sorted({(i - 1) % n, (i + 1) % n}))
        source = depnet.FunctionSource(lambda x: x.sum(axis=1), neighbours, 3)
        nodes.append(TableNode(i, source, ConditionalTable.from_probabilities(table)))
    return Network(Domain.from_cardinalities([2] * n), tuple(nodes))


@pytest.mark.parametrize("coupling", [0.3, 1.0, 3.0])
def test_ising_rings(coupling: float) -> None:
    n = 9
    energy = np.zeros([2] * n)
    for x in itertools.product(range(2), repeat=n):
        energy[x] = sum((2 * x[i] - 1) * (2 * x[i - 1] - 1) for i in range(n))
    boltzmann = np.exp(coupling * energy)
    boltzmann /= boltzmann.sum()
    for scan in (RandomScan(), SequentialScan()):
        law = depnet.stationary(ising_ring(n, coupling), scan)
        assert np.abs(law - boltzmann).sum() <= 1e-9
        with pytest.raises(AssertionError):
            assert np.abs(law - np.sqrt(boltzmann) / np.sqrt(boltzmann).sum()).sum() <= 1e-9


def near_deterministic(cards: tuple[int, ...], seed: int, slip: float) -> Network:
    """Each leaf has one likely state; every other has probability about `slip`."""
    rng = np.random.default_rng(seed)
    nodes = []
    for i, states in enumerate(cards):
        source = random_source(rng, cards, (i,))
        rows = np.full((source.size, states), slip)
        rows[np.arange(source.size), rng.integers(rows.shape[1], size=source.size)] = 1.0
        table = ConditionalTable.from_probabilities(rows / rows.sum(axis=1, keepdims=True))
        nodes.append(TableNode(i, source, table))
    return Network(Domain.from_cardinalities(cards), tuple(nodes))


@pytest.mark.parametrize("slip", [1e-2, 1e-5, 1e-9, 1e-14])
def test_near_deterministic_tables(slip: float) -> None:
    for seed, cards in enumerate([(2, 2, 2, 2, 2, 2, 2), (3, 2, 4, 2, 3)]):
        network = near_deterministic(cards, seed, slip)
        chain = reference.Chain(network)
        for scan in (RandomScan(), SequentialScan()):
            (found,) = depnet.recurrent_classes(network, scan)  # of a sequential scan: pi^0
            law = found.law
            K = chain.matrix(scan)
            flat = np.array([law[x] for x in chain.states])
            assert np.abs(flat @ K - flat).sum() <= 1.5e-12  # the product in the twin rounds too


def drifting(k: int, seed: int) -> Network:
    """X0 takes the value after that of X1, mostly; X1 copies X0: the pair drifts round k values at uneven speed.

    A sweep is nearly a cyclic shift, on which a Krylov basis shorter than the cycle gains next to nothing.
    """
    go = np.random.default_rng(seed).uniform(0.9, 1.0, size=(k, 1))
    turn = go * np.roll(np.eye(k), 1, axis=1) + (1 - go) * np.eye(k)
    return given_tables(([1], turn.tolist()), ([0], np.eye(k).tolist()), in_order=False)


def sticky(slip: float) -> Network:
    """Two binary variables that copy each other, but for slips; pi is near (0.4, 0.6) on (0, 0) and (1, 1)."""
    first, second = [1 - slip, slip], [1 - 2 * slip, 2 * slip]
    return given_tables(([1], [first, first[::-1]]), ([0], [second, first[::-1]]), in_order=False)


@pytest.mark.parametrize("slip", [1e-8, 1e-15, 1e-100, 1e-305])
def test_a_random_scan_is_solved_however_rarely_it_moves(slip: float) -> None:
    pi = depnet.stationary(sticky(slip), RandomScan())
    np.testing.assert_allclose([pi[0, 0], pi[1, 1]], [0.4, 0.6], rtol=0, atol=1e-7)
    np.testing.assert_allclose([pi[0, 1] / slip, pi[1, 0] / slip], [0.7, 0.5], rtol=1e-6, atol=0)


def test_probabilities_without_an_inverse_are_an_error() -> None:
    with pytest.raises(ConvergenceError, match="a float cannot hold their inverse"):
        depnet.stationary(sticky(1e-320), RandomScan())


def test_the_basis_grows_where_a_short_one_stalls() -> None:
    network = drifting(80, seed=0)
    chain = FreeChain.of(network)
    diagonal = np.arange(80) * 81  # X0 = X1 before place 0
    effort = solve.SolveReport()
    (law,) = solve.sequential_laws(chain, (0, 1), [diagonal], effort)
    assert effort.basis > solve.FIRST_BASIS
    pi = law[diagonal]
    go = network.nodes[0].table.probabilities[np.arange(80), (np.arange(80) + 1) % 80]
    np.testing.assert_allclose(pi * go / (pi * go).sum(), 1 / 80, rtol=1e-9)  # the same flow everywhere
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(pi, 1 / 80, rtol=1e-9)


def test_what_does_not_converge_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    network = drifting(80, seed=0)
    assert depnet.stationary(network, SequentialScan()).sum() == pytest.approx(1)
    monkeypatch.setattr(solve, "LARGEST_BASIS", 5)
    monkeypatch.setattr(solve, "FIRST_BASIS", 5)
    monkeypatch.setattr(solve, "MAX_APPLICATIONS", 300)
    said = r"6,400 states was not found: after .* above 1e-12.*smoothing"
    refuses(ConvergenceError, said, depnet.stationary, network, SequentialScan())


def test_larger_domains_than_the_twin_can_solve() -> None:
    """Each law is one that a step of the chain leaves alone, and one step from another law is not."""
    for cards in [(2,) * 12, (3, 2, 5, 2, 4, 3, 2, 3), (2, 2, 2, 2, 2, 40, 2)]:
        network = inconsistent_network(cards)
        for scan in (RandomScan(), SequentialScan()):
            law = depnet.stationary(network, scan)
            start = law if scan == RandomScan() else depnet.stationary_cycle(network, SequentialScan())[0]
            *_, end = depnet.law_path(network, scan, start, steps=len(cards))
            assert np.abs(end - start).sum() <= len(cards) * 1e-12
            *_, end = depnet.law_path(network, scan, np.roll(start, 1), steps=len(cards))
            assert np.abs(end - np.roll(start, 1)).sum() > 1e-3


def chain_network(n: int) -> Network:
    """Each variable reads the one before."""
    step = [[0.9, 0.1], [0.2, 0.8]]
    return given_tables(*[([(i - 1) % n], step) for i in range(n)], in_order=False)


def test_the_error_says_how_large_and_what_to_do() -> None:
    network = chain_network(40)
    for call in (
        lambda: depnet.stationary(network, RandomScan()),
        lambda: depnet.stationary_cycle(network, SequentialScan()),
        lambda: depnet.recurrent_classes(network, RandomScan()),
        lambda: depnet.law_path(network, RandomScan(), [0] * 40),
    ):
        refuses(DomainTooLargeError, r"1,099,511,627,776 joint states and needs .* evidence", call)


def test_evidence_makes_a_large_network_small() -> None:
    """200 variables are more axes than numpy has; 3 free ones are 8 states."""
    network = chain_network(200)
    evidence = {f"X{i}": 1 for i in range(3, 200)}
    chain = FreeChain.of(network, evidence)
    (found,) = depnet.recurrent_classes(network, RandomScan(), evidence)
    assert chain.shape == (2, 2, 2)
    assert found.states.shape == (8, 200)
    assert (found.states[:, 3:] == 1).all()
    law = free_law(chain, network, RandomScan()).reshape(chain.shape)
    small = depnet.stationary(chain_network(4), RandomScan(), {"X3": 1})[..., 1]
    assert abs(law - small).max() < 1e-11
    with pytest.raises(DomainTooLargeError):
        depnet.stationary(network, RandomScan(), evidence)
