"""The certificate equals the definitions, on rows, for any table and any source; its bound holds wherever it gives one."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import ConstantSource, Dataset, LosslessSource, Network, certificate, empirical, learn_parameters
from depnet.arrays import FloatArray
from depnet.errors import LearningError, ModelError, NoSuchBoundError, ScanError
from depnet.geometry import full_conditional_divergence, kl
from depnet.learning import limits
from depnet.learning.certificate import hub_leads_to, why_no_bound
from depnet.learning.rows import Contexts
from depnet.model.scan import RandomScan
from tests.reference import counting
from tests.reference import geometry as literal
from tests.reference.stationary import stationary_laws
from tests.refusals import refuses
from tests.strategies import datasets, random_network, random_order, random_ordered_network, seeds


def network_on(dataset: Dataset, seed: int, zeros: float = 0.0) -> Network:
    """Random sources and tables over the dataset's domain."""
    return replace(
        random_network(np.random.default_rng(seed), dataset.domain.cardinalities, zeros),
        domain=dataset.domain,
    )


def law_on(dataset: Dataset, seed: int, zeros: float = 0.0) -> Network:
    """The same in a random order."""
    rng, cards = np.random.default_rng(seed), dataset.domain.cardinalities
    found = random_ordered_network(rng, cards, random_order(rng, len(cards)), zeros)
    return replace(found, domain=dataset.domain)


@given(datasets(weighted=True), seeds, st.sampled_from([0.0, 0.2]))
def test_every_number_equals_its_definition(dataset: Dataset, seed: int, zeros: float) -> None:
    network = network_on(dataset, seed, zeros)
    proven = certificate(network, dataset, penalty=depnet.Aic())
    one_leaf = learn_parameters(dataset, [ConstantSource()] * len(network))
    for node, part, constant in zip(network.nodes, proven.nodes, one_leaf.nodes, strict=True):
        table = depnet.ConditionalTable.from_counts(counting.counts_of(node, dataset))
        learned = depnet.TableNode(node.variable, node.source, table)
        for found, expected in (
            (part.full_entropy, counting.entropy_given_the_others(node.variable, dataset)),
            (part.source_entropy, -counting.node_score(learned, dataset)),
            (part.kl, counting.kl_to_manifold(node, dataset)),
            (part.one_leaf_kl, counting.kl_to_manifold(constant, dataset)),
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        k = node.source.size * (node.table.states - 1)
        assert part.parameters == k
        assert part.penalty == k * (1 / dataset.total)
        assert part.cost == part.kl + part.penalty
    np.testing.assert_allclose(proven.total("kl"), np.mean([part.kl for part in proven.nodes]))
    assert proven.fc_limit == (proven.total("kl") if proven.no_bound is None else math.inf)
    np.testing.assert_allclose(proven.cost, np.mean([part.cost for part in proven.nodes]))
    np.testing.assert_allclose(proven.one_leaf_limit, np.mean([part.one_leaf_kl for part in proven.nodes]))


# An ordered network: KL(p^D || Q), exactly


def joint_of(network: Network) -> FloatArray:
    """Q(x), state by state."""
    cards = network.domain.cardinalities
    q = np.ones(cards)
    for x in np.ndindex(*cards):
        for node in network.nodes:
            q[x] *= node.probabilities(np.array([x]))[0, x[node.variable]]
    return q


def assert_is_kl(proven: depnet.Certificate, dataset: Dataset, q: FloatArray) -> None:
    np.testing.assert_allclose(proven.kl, kl(empirical(dataset), q), rtol=1e-9, atol=1e-11)


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds, st.sampled_from([0.0, 0.0, 0.2]))
def test_the_certificate_of_a_law_is_its_kl(dataset: Dataset, seed: int, zeros: float) -> None:
    law = law_on(dataset, seed, zeros)
    proven = certificate(law, dataset)
    q, p = joint_of(law), empirical(dataset)
    assert proven.kind == "law"
    assert_is_kl(proven, dataset, q)
    entropy = literal.entropy(literal.law_of(p))
    score = sum(counting.network_scores(law, dataset))
    np.testing.assert_allclose(proven.kl, -score - entropy, rtol=1e-9, atol=1e-11)
    assert all(part.kl >= 0 for part in proven.nodes)
    assert full_conditional_divergence(p, q) <= proven.kl * (1 + 1e-9) + 1e-9
    independent = learn_parameters(dataset, [ConstantSource()] * len(law))
    np.testing.assert_allclose(proven.one_leaf_limit, kl(p, joint_of(independent)), rtol=1e-9, atol=1e-11)


def test_mutants_of_the_kl() -> None:
    """The law of slightly other tables, and the parts of another order, are seen."""
    rng = np.random.default_rng(3)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(60, 3)) * [1, 1, 1], [2, 2, 2])
    law = law_on(dataset, 6)
    proven = certificate(law, dataset)
    q = joint_of(law)
    assert_is_kl(proven, dataset, q)
    with pytest.raises(AssertionError):
        assert_is_kl(proven, dataset, 0.999 * q + 0.001 / q.size)
    less = replace(proven.nodes[0], full_entropy=proven.nodes[0].full_entropy / 2)
    with pytest.raises(AssertionError):
        assert_is_kl(replace(proven, nodes=(less, *proven.nodes[1:])), dataset, q)


def test_a_law_says_bits_first_and_has_no_fc_limit() -> None:
    dataset = Dataset.from_codes([[0, 0], [1, 1], [1, 1], [0, 1]], [2, 2])
    law = replace(learn_parameters(dataset, [ConstantSource()] * 2, smoothing=0.5), order=(0, 1))
    proven = certificate(law, dataset)
    text = str(proven)
    assert text.splitlines()[0] == proven.said
    assert f"{proven.kl / math.log(2):.4g} bits a row" in proven.said
    assert f"independent columns are {proven.one_leaf_limit / math.log(2):.4g}" in proven.said
    assert "H(X|before)" in text
    assert not hasattr(proven, "fc_limit")
    with pytest.raises(NoSuchBoundError, match=r"FC\(data \|\| law\) is never more"):
        _ = proven.fc_limit
    with pytest.raises(NoSuchBoundError, match="fc_limit"):
        _ = certificate(replace(law, order=None), dataset).kl
    refuses(ScanError, "ordered network has no weights", certificate, law, dataset, (0.5, 0.5))


def test_what_gives_a_row_0_is_infinitely_far() -> None:
    dataset = Dataset.from_codes([[0], [1]], [2])
    node = depnet.TableNode(0, ConstantSource(), depnet.ConditionalTable.from_probabilities([[1.0, 0.0]]))
    proven = certificate(Network(dataset.domain, (node,), order=(0,)), dataset)
    assert proven.kl == math.inf
    assert "infinitely far" in proven.said
    assert "smoothing" in str(proven)
    proven = certificate(Network(dataset.domain, (node,)), dataset)
    assert proven.fc_limit == math.inf
    assert "the table of X0 gives 0 to a state that the rows have" in str(proven)


# Where Theorem 3 holds


def assert_bound_holds(network: Network, dataset: Dataset, limit: float) -> None:
    """FC(p^D || pi) <= limit for the law of every recurrent class."""
    p = empirical(dataset)
    for pi in stationary_laws(network, RandomScan()):
        assert full_conditional_divergence(p, pi) <= limit * (1 + 1e-9) + 1e-9


def transient_example() -> Dataset:
    return Dataset.from_codes([[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 0]], [2, 2, 2], weights=[22, 8, 2, 8])


def test_a_state_of_the_data_that_the_chain_leaves_for_good_has_no_bound() -> None:
    dataset = transient_example()
    network = depnet.learn(dataset)
    proven = certificate(network, dataset)
    assert proven.total("kl") == pytest.approx(0.0156, abs=1e-4)
    assert proven.fc_limit == math.inf
    assert proven.no_bound is not None
    assert "leaves (X0=0, X1=1, X2=1) for good" in proven.no_bound
    assert "smoothing of 0.5" in str(proven)
    assert "<=" not in str(proven)
    with pytest.raises(AssertionError):
        assert_bound_holds(network, dataset, proven.total("kl"))
    smooth = network.smoothed(0.5)
    proven = certificate(smooth, dataset)
    assert proven.no_bound is None
    assert_bound_holds(smooth, dataset, proven.fc_limit)


def copies() -> Dataset:
    return Dataset.from_codes([[0, 0], [1, 1]], [2, 2])


def test_several_classes_have_no_bound() -> None:
    both = copies()
    network = learn_parameters(both, [LosslessSource((1,), (2,)), LosslessSource((0,), (2,))])
    proven = certificate(network, both)
    assert proven.fc_limit == math.inf
    assert re.search(r"from \(X0=., X1=.\) the chain never comes to .* the rows have both", str(proven))
    one = Dataset.from_codes([[0, 0]], [2, 2])
    proven = certificate(network, one)
    assert proven.fc_limit == math.inf
    assert "several recurrent classes" in str(proven)


def small_case(rng: np.random.Generator) -> tuple[Dataset, Network]:
    """Few rows of 2 or 3 variables with 2 or 3 states, often tied, and what is learned of them without smoothing."""
    n = int(rng.integers(2, 4))
    cards = rng.integers(2, 4, size=n)
    p = rng.dirichlet(np.full(int(np.prod(cards)), 0.2))
    rows = rng.choice(len(p), size=int(rng.integers(5, 60)), p=p)
    dataset = Dataset.from_codes(np.array(np.unravel_index(rows, cards)).T, cards.tolist())
    penalty = depnet.Aic() if rng.random() < 0.5 else depnet.StructuralMdl(0.3)
    return dataset, depnet.learn(dataset, penalty=penalty)


def search(seed: int, cases: int) -> tuple[int, int]:
    """How many of the cases have no bound; and in how many of all the sum would be broken as a bound."""
    rng = np.random.default_rng(seed)
    without = broken = 0
    for _ in range(cases):
        dataset, network = small_case(rng)
        proven = certificate(network, dataset)
        laws = stationary_laws(network, RandomScan())
        there = empirical(dataset) > 0
        applies = len(laws) == 1 and bool((laws[0][there] > 0).all())
        assert (proven.no_bound is None) == applies
        without += not applies
        if applies:
            assert_bound_holds(network, dataset, proven.fc_limit)
        try:
            assert_bound_holds(network, dataset, proven.total("kl"))
        except AssertionError:
            broken += 1
        codes = Contexts(dataset).distinct.codes
        assert applies or not hub_leads_to(network, codes), "a hub suffices"
    return without, broken


@pytest.mark.parametrize(("cases", "least"), [(250, 20), pytest.param(3000, 200, marks=pytest.mark.long)])
def test_wherever_a_bound_is_given_it_holds(cases: int, least: int) -> None:
    """And it is given exactly where the chain has one class with all rows in it. The sum alone is a mutant."""
    without, broken = search(0, cases)
    assert without > least
    assert broken > least / 2


@given(datasets(max_variables=4, max_cardinality=3, weighted=True), seeds)
def test_of_any_tables_the_search_finds_what_the_matrix_says(dataset: Dataset, seed: int) -> None:
    network = network_on(dataset, seed, zeros=0.4)
    laws = stationary_laws(network, RandomScan())
    there = empirical(dataset) > 0
    applies = len(laws) == 1 and bool((laws[0][there] > 0).all())
    rows = Contexts(dataset).distinct
    assert (why_no_bound(network, rows) is None) == applies
    assert applies or not hub_leads_to(network, rows.codes[np.asarray(rows.weights) > 0])


def test_large_domains_with_zeros_have_a_bound_where_there_is_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(50, 30)), [3] * 30)  # nobody has state 2
    network = learn_parameters(dataset, [ConstantSource()] * 30)
    assert certificate(network, dataset).fc_limit == certificate(network, dataset).total("kl")
    monkeypatch.setattr(limits, "SEARCHED_STATES", 0)
    for rows, sources in (
        (transient_example(), None),
        (copies(), [LosslessSource((1,), (2,)), LosslessSource((0,), (2,))]),
    ):
        learned = depnet.learn(rows) if sources is None else learn_parameters(rows, sources)
        found = certificate(learned, rows)
        assert found.fc_limit == math.inf
        assert "not checked" in str(found)
        assert certificate(learned.smoothed(0.5), rows).no_bound is None


def test_wide_tables_have_distinct_contexts_and_an_empty_bound() -> None:
    rng = np.random.default_rng(0)
    dataset = Dataset.from_codes(rng.integers(0, 2, size=(500, 80)), [2] * 80)
    network = learn_parameters(dataset, [ConstantSource()] * 80)
    proven = certificate(network, dataset)
    assert proven.total("full_entropy") == 0.0
    assert proven.fc_limit == proven.one_leaf_limit
    text = str(proven)
    assert "... and 60 nodes nearer to the data" in text
    assert "FC(data || model) <=" in text
    law = certificate(replace(network, order=tuple(range(80))), dataset)
    assert law.total("full_entropy") == pytest.approx(math.log(500))
    assert law.kl == law.one_leaf_limit


def test_bad_input() -> None:
    empty = Dataset.from_codes(np.zeros((0, 1), dtype=int), [2])
    network = learn_parameters(Dataset.from_codes([[0]], [2]), [ConstantSource()])
    refuses(LearningError, "no rows", certificate, network, empty)
    refuses(ModelError, "other states", certificate, network, Dataset.from_codes([[0]], [3]))
    refuses(ScanError, "weights", certificate, network, Dataset.from_codes([[0]], [2]), (0.5, 0.5))
