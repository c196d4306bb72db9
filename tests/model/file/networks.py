"""Networks of every kind of part that a model file can hold, and what makes two of them the same."""

import contextlib
import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

import depnet
from depnet import (
    ConditionalTable,
    Domain,
    FunctionSource,
    InformationSource,
    Mixture,
    Network,
    Node,
    TabulatedSource,
)
from depnet.arrays import IntArray
from depnet.data import Label
from depnet.data.frames.within import WHOLE, PlaceTrees, Within, level_count
from depnet.data.table.dataset import Holed
from depnet.errors import EvidenceError
from depnet.model.boosted import BoostedNode
from depnet.model.constraints import Before, Constraint, check_constraint
from depnet.model.marginals import HeldOut, MarginalCounts
from depnet.model.mixture import components_of
from depnet.model.model import Model
from depnet.model.stages import DigitTree
from tests.boosted import random_stages
from tests.data.strategies import binnings
from tests.strategies import cardinalities, random_source, random_table, seeds

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
        variables.append(depnet.Variable(name, states, bins, missing, draw(st.booleans())))
    return Domain(tuple(variables))


def save(model: Model, path: Path) -> None:
    depnet.save(model.network, path, model.law, layout=model.layout)


KINDS = ("network", "law", "both", "mixture", "mixture beside")


@composite
def models(draw: DrawFn) -> Model:
    """A network, a law, or both: every kind of source and of table, with and without counts and held-out rows."""
    domain = draw(domains())
    return model_of_all_kinds(domain, draw(st.sampled_from(KINDS)), np.random.default_rng(draw(seeds)))


def model_of_all_kinds(domain: Domain, kind: str, rng: np.random.Generator) -> Model:
    """One such model."""
    cards = domain.cardinalities
    counts = None
    if rng.random() < 0.5:
        rows = rng.integers(0, cards, size=(int(rng.integers(0, 30)), len(cards)))
        pair_cells = 10**6 if rng.random() < 0.7 else 0
        table = depnet.Dataset.from_codes(rows, domain=domain)
        hidden = np.asfortranarray(rng.random(rows.shape) < rng.choice([0.0, 0.3]))
        seen = np.where(hidden, 0, table.codes).astype(table.codes.dtype)
        counts = MarginalCounts.of(Holed(domain, np.asfortranarray(seen), hidden), pair_cells)
    order = tuple(rng.permutation(len(cards)).tolist())
    network = Network(domain, _any_nodes(rng, cards, None), counts, None, _any_held_out(rng))
    within = random_within(rng, domain, order) if rng.random() < 0.7 else None
    if kind.startswith("mixture"):
        orders = [order, *(tuple(rng.permutation(len(cards)).tolist()) for _ in range(rng.integers(0, 3)))]
        parts = [
            Network(domain, _any_nodes(rng, cards, each), counts, each, _any_held_out(rng)) for each in orders
        ]
        mixture = Mixture(parts, rng.random(len(parts)) + 1e-3, within)
        return Model.of(mixture) if kind == "mixture" else Model(network, mixture)
    law = Network(domain, _any_nodes(rng, cards, order), counts, order, _any_held_out(rng), within)
    law = replace(law, constraints=_any_constraints(rng, domain))
    return Model(law if kind == "law" else network, None if kind == "network" else law)


def _any_constraints(rng: np.random.Generator, domain: Domain) -> tuple[Constraint, ...]:
    """Of the first two numbers that can be compared."""
    for low, high in itertools.permutations(domain.names, 2):
        with contextlib.suppress(EvidenceError):
            constraint = Before(low, high, bool(rng.integers(2)))
            check_constraint(constraint, domain)
            return (constraint,)
    return ()


def _any_nodes(
    rng: np.random.Generator, cards: tuple[int, ...], order: tuple[int, ...] | None
) -> tuple[Node, ...]:
    nodes: list[Node] = []
    boosted = rng.choice([0.0, 0.5])
    for i, k in enumerate(cards):
        unread = (i,) if order is None else order[order.index(i) :]
        source = _any_source(rng, cards, unread)
        if rng.random() < boosted:
            nodes.append(_any_boosted(rng, i, source, cards, unread))
        else:
            nodes.append(depnet.TableNode(i, source, _any_table(rng, source.size, k)))
    return tuple(nodes)


def _any_boosted(
    rng: np.random.Generator,
    i: int,
    start: InformationSource,
    cards: tuple[int, ...],
    unread: tuple[int, ...],
) -> BoostedNode:
    inputs = [j for j in range(len(cards)) if j not in unread]
    most = int(rng.choice([2, 2**20, 2**27]))
    scores = rng.integers(-most, most, size=(start.size, cards[i]))
    stages = random_stages(rng, inputs, list(cards), cards[i], int(rng.integers(0, 4)))
    known = {*start.inputs, *stages.inputs}
    gains = rng.choice([0.0, 0.25, 1 / 3, 5e-324, -0.0, 1e300], len(known))
    digits = DigitTree.of(rng.integers(0, 9, size=cards[i])) if cards[i] > 2 and rng.random() < 0.5 else None
    if digits is not None and rng.random() < 0.5:  # as they are learned: each stage of one digit
        alone = np.zeros_like(stages.scores)
        of_stage = rng.integers(0, cards[i] - 1, size=len(stages))
        rows = np.arange(len(alone))
        column = np.repeat(of_stage, np.diff(stages.begin) + 1)
        alone[rows, column] = stages.scores[rows, column]
        stages = replace(stages, scores=alone)
    return BoostedNode(i, start, scores, stages, gains, digits)


def _any_held_out(rng: np.random.Generator) -> HeldOut | None:
    if rng.random() < 0.3:
        return None
    score, independent = rng.choice([-1.5, -0.0, 5e-324, -1.7e308, 1 / 3, 1e22], 2).tolist()
    worth = [None if rng.random() < 0.5 else float(rng.choice([50.0, 5e-324, 1e300, 0.1])) for _ in range(3)]
    return HeldOut(int(rng.choice([1, 1000, 2**53])), score, independent, *worth)


def random_within(
    rng: np.random.Generator, domain: Domain, order: tuple[int, ...], bare: float = 0.25
) -> Within:
    """Trees of bins of variables but for a share of each, which read any other variable."""
    trees = []
    for i, variable in enumerate(domain.variables):
        others = [j for j in range(len(domain)) if j != i]
        if variable.bins is None or rng.random() < bare:
            continue
        roots: list[int] = []
        nodes: list[tuple[int, int, int]] = []
        laws: list[list[int]] = []
        for kept in variable.bins.quantiles:
            roots.append(-1 if rng.random() < bare else len(nodes))
            inner = int(rng.integers(0, 3)) if roots[-1] >= 0 and others else 0
            for t in range(inner):  # rows that do not pass go on at the next test
                j = int(rng.choice(others))
                level = int(rng.integers(0, level_count(domain.variables[j])))
                nodes += [(j, level, len(nodes) + 1), (-1, 0, len(laws) + t)]
            if roots[-1] >= 0:
                nodes.append((-1, 0, len(laws) + inner))
                most = max(map(len, variable.bins.quantiles))
                for _ in range(inner + 1):
                    own = rng.multinomial(WHOLE, rng.dirichlet(np.ones(len(kept)))).tolist()
                    laws.append([*own, *[0] * (most - len(kept))])
        lists = (roots, *zip(*nodes, strict=True)) if nodes else (roots, (), (), ())
        arrays = [np.array(each, dtype=np.int32) for each in (*lists, np.array(laws).ravel())]
        trees.append(PlaceTrees(i, *arrays))
    return Within(domain, order, tuple(trees))


def _any_source(
    rng: np.random.Generator, cards: tuple[int, ...], unread: tuple[int, ...]
) -> InformationSource:
    if rng.random() < 0.6:
        return random_source(rng, cards, unread)
    others = tuple(j for j in range(len(cards)) if j not in unread and rng.random() < 0.7)
    size = int(rng.integers(1, 5))
    salt = int(rng.integers(100))
    function = FunctionSource(lambda x: (x @ np.arange(3, 3 + x.shape[1]) + salt) % size, others, size)
    return function if rng.random() < 0.5 else TabulatedSource.of(function, cards)


def _any_table(rng: np.random.Generator, leaves: int, states: int) -> ConditionalTable:
    kind = rng.random()
    if kind < 0.3:
        return random_table(rng, leaves, states, zeros=0.2)
    if kind < 0.5:
        rows = rng.gamma(0.01, size=(leaves, states)) + 1e-300  # tiny ones, and subnormal ones
        return ConditionalTable.from_probabilities(rows / rows.sum(axis=1, keepdims=True))
    top = int(rng.choice([2, 100, 2**50 // states]))
    counts = rng.integers(0, top, size=(leaves, states))
    return ConditionalTable.from_counts(counts, float(rng.choice([0.0, 0.5, 0.1, 1e-300, 7.3])))


def assert_same_model(loaded: Model, saved: Model) -> None:
    """Both networks are, where there are both."""
    for ours, theirs in ((loaded.network, saved.network), (loaded.law, saved.law)):
        assert type(ours) is type(theirs)
        if isinstance(ours, Mixture) and isinstance(theirs, Mixture):
            assert ours.weights == theirs.weights
            assert ours.within == theirs.within
        if ours is not None and theirs is not None:
            for one, other in zip(components_of(ours), components_of(theirs), strict=True):
                assert_same(one, other)


def assert_same(loaded: Network, saved: Network) -> None:
    """Equal bit for bit, label types included; a function is equal where it has the same values."""
    for ours, theirs in zip(loaded.domain.variables, saved.domain.variables, strict=True):
        assert ours.name == theirs.name
        assert list(map(repr, ours.states)) == list(map(repr, theirs.states)), "types and signs, too"
        assert repr(ours.bins) == repr(theirs.bins)
        assert (repr(ours.missing), ours.ordered) == (repr(theirs.missing), theirs.ordered)
    assert loaded.counts == saved.counts
    assert loaded.order == saved.order
    assert repr(loaded.held_out) == repr(saved.held_out)
    assert loaded.within == saved.within
    cards = saved.domain.cardinalities
    rows = np.array(list(itertools.product(*map(range, cards))))
    for node, original in zip(loaded.nodes, saved.nodes, strict=True):
        assert node.variable == original.variable
        assert node.boosted == original.boosted
        assert node.probabilities(rows).tobytes() == original.probabilities(rows).tobytes()
        if isinstance(node, BoostedNode) and isinstance(original, BoostedNode):
            assert node.stages == original.stages
            assert node.start_scores.tobytes() == original.start_scores.tobytes()
            assert node.gains.tobytes() == original.gains.tobytes()
            _assert_same_source(node.start, original.start, rows)
            continue
        assert node.table.probabilities.tobytes() == original.table.probabilities.tobytes()
        assert node.table == original.table
        _assert_same_source(node.source, original.source, rows)


def _assert_same_source(loaded: InformationSource, saved: InformationSource, rows: IntArray) -> None:
    assert loaded.size == saved.size
    assert loaded.inputs == saved.inputs
    assert loaded(rows).tolist() == saved(rows).tolist()
    if isinstance(saved, FunctionSource):
        assert isinstance(loaded, TabulatedSource)
    else:
        assert loaded == saved
