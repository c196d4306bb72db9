"""Networks of every kind of part that a model file can hold, and what makes two of them the same."""

import itertools
import math

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from depnet import (
    ConditionalTable,
    Dataset,
    Domain,
    FunctionSource,
    InformationSource,
    Network,
    Node,
    TabulatedSource,
    Variable,
)
from depnet.data import Label
from depnet.model.marginals import MarginalCounts
from tests.data.strategies import binnings
from tests.strategies import cardinalities, random_blocks, random_source, random_table, seeds

labels: st.SearchStrategy[Label] = st.one_of(
    st.text(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**4000), 2**4000),
    st.floats(allow_nan=False, allow_infinity=False),
)


@composite
def domains(draw: DrawFn) -> Domain:
    """A small domain with labels of all types, bins of all kinds, and states for missing values."""
    names = st.text(min_size=1)
    cards = draw(cardinalities())
    chosen = draw(st.lists(names, min_size=len(cards), max_size=len(cards), unique=True))
    variables = []
    for name, k in zip(chosen, cards, strict=True):
        states = tuple(draw(st.lists(labels, min_size=k, max_size=k, unique=True)))
        missing = states[-1] if draw(st.booleans()) else None
        number = k - (missing is not None)
        bins = draw(binnings(number)) if number and draw(st.booleans()) else None
        variables.append(Variable(name, states, bins, missing))
    return Domain(tuple(variables))


@composite
def all_kinds(draw: DrawFn) -> Network:
    """Blocks, every kind of source, learned and given tables, with and without the counts of the data."""
    domain = draw(domains())
    rng = np.random.default_rng(draw(seeds))
    return network_of_all_kinds(domain, rng)


def network_of_all_kinds(domain: Domain, rng: np.random.Generator) -> Network:
    """One such network."""
    cards = domain.cardinalities
    blocks = random_blocks(rng, len(cards)) if rng.random() < 0.5 else [(i,) for i in range(len(cards))]
    nodes = []
    for variables in blocks:
        source = _any_source(rng, cards, variables)
        states = math.prod(cards[i] for i in variables)
        nodes.append(Node(variables, source, _any_table(rng, source.size, states)))
    counts = None
    if rng.random() < 0.5:
        rows = rng.integers(0, cards, size=(int(rng.integers(0, 30)), len(cards)))
        pair_cells = 10**6 if rng.random() < 0.7 else 0
        counts = MarginalCounts.of(Dataset.from_codes(rows, domain=domain), pair_cells)
    return Network(domain, tuple(nodes), counts)


def _any_source(
    rng: np.random.Generator, cards: tuple[int, ...], variables: tuple[int, ...]
) -> InformationSource:
    if rng.random() < 0.6:
        return random_source(rng, cards, variables)
    others = tuple(j for j in range(len(cards)) if j not in variables and rng.random() < 0.7)
    size = int(rng.integers(1, 5))
    salt = int(rng.integers(100))
    function = FunctionSource(lambda x: (x @ np.arange(3, 3 + x.shape[1]) + salt) % size, others, size)
    return function if rng.random() < 0.5 else TabulatedSource.of(function, cards)


def _any_table(rng: np.random.Generator, leaves: int, states: int) -> ConditionalTable:
    kind = rng.random()
    if kind < 0.3:
        return random_table(rng, leaves, states, zeros=0.2)
    if kind < 0.5:
        rows = (
            rng.gamma(0.01, size=(leaves, states)) + 1e-300
        )  # tiny probabilities, subnormal ones among them
        return ConditionalTable.from_probabilities(rows / rows.sum(axis=1, keepdims=True))
    top = int(rng.choice([2, 100, 2**50 // states]))
    counts = rng.integers(0, top, size=(leaves, states))
    return ConditionalTable.from_counts(counts, float(rng.choice([0.0, 0.5, 0.1, 1e-300, 7.3])))


def assert_same(loaded: Network, saved: Network) -> None:
    """Equal bit for bit, label types included; a function is equal where it has the same values."""
    for ours, theirs in zip(loaded.domain.variables, saved.domain.variables, strict=True):
        assert ours.name == theirs.name
        assert list(map(repr, ours.states)) == list(map(repr, theirs.states)), "types and signs, too"
        assert repr(ours.bins) == repr(theirs.bins)
        assert repr(ours.missing) == repr(theirs.missing)
    assert loaded.counts == saved.counts
    cards = saved.domain.cardinalities
    rows = np.array(list(itertools.product(*map(range, cards))))
    for node, original in zip(loaded.nodes, saved.nodes, strict=True):
        assert node.variables == original.variables
        assert node.table.probabilities.tobytes() == original.table.probabilities.tobytes()
        assert node.table == original.table
        assert node.source.size == original.source.size
        assert node.source.inputs == original.source.inputs
        assert node.source(rows).tolist() == original.source(rows).tolist()
        if isinstance(original.source, FunctionSource):
            assert isinstance(node.source, TabulatedSource)
        else:
            assert node.source == original.source
