"""A node grown from counts of parts of the rows is the node grown from the rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Aic, Dataset, DecisionGraph, Mdl, Merge, NoPenalty, StructuralMdl
from depnet._native import learner as native
from depnet.arrays import CodeArray
from depnet.learning.grow.native import native_settings
from depnet.learning.grow.node_specs import NodeSpec, node_specs
from depnet.learning.grow.nodes import learn_nodes
from depnet.learning.options import Limits
from depnet.learning.penalty import Penalty, per_parameter
from depnet.learning.rows.table import TableRows


def grown_from_counts(
    dataset: Dataset, spec: NodeSpec, penalty: Penalty, limits: Limits, parts: list[slice]
) -> tuple[list[tuple[int, int, int]], list[int], list[list[int]]]:
    """The operations and counts of the node, and the kinds of operations that each round told the parts."""
    cards = dataset.domain.cardinalities
    state = np.ravel_multi_index((dataset.codes[:, spec.target].astype(np.int64),), [cards[spec.target]])
    weights = np.ones(dataset.rows, dtype=np.int64) if dataset.weights is None else dataset.weights
    root = np.zeros(cards[spec.target], dtype=np.int64)
    np.add.at(root, state, weights)
    settings = native_settings(penalty, per_parameter(penalty, dataset.total), limits, dataset.total)
    node = native.CountedNode(settings, cards, root, target=spec.target, inputs=spec.inputs)
    rows = []
    for part in parts:
        held: CodeArray = dataset.codes[part].copy(order="F")
        weighed = None if dataset.weights is None else np.ascontiguousarray(dataset.weights[part])
        table = native.Table(held, cards, weighed)
        rows.append(native.NodeRows(table, target=spec.target, inputs=spec.inputs))
    counts = None
    rounds = []
    while True:
        kinds, first, second, wanted, done = node.advance(counts)
        rounds.append(kinds.tolist())
        if done:
            break
        counts = np.zeros(len(wanted) * node.width, dtype=np.int64)
        for part_rows in rows:
            part_rows.apply(kinds, first, second)
            part_rows.add_counts(wanted, counts)
    kinds, a, b, cells = node.result()
    return list(zip(kinds.tolist(), a.tolist(), b.tolist(), strict=True)), cells.tolist(), rounds


@st.composite
def partitioned_tables(draw: st.DrawFn) -> tuple[Dataset, list[slice]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    variables = draw(st.integers(1, 6))
    rows = draw(st.sampled_from([1, 2, 7, 63, 64, 65, 300, 2000]))
    cards = [draw(st.sampled_from([1, 2, 2, 2, 3, 5, 40])) for _ in range(variables)]
    hidden = rng.integers(0, 4, rows)
    codes = np.stack(
        [
            np.where(rng.random(rows) < 0.7, hidden * (i + 1), rng.integers(0, 100, rows)) % k
            for i, k in enumerate(cards)
        ],
        axis=1,
    )
    weights = rng.integers(0, 4, rows) + (np.arange(rows) == 0) if draw(st.booleans()) else None
    cuts = sorted({0, rows, *(draw(st.integers(0, rows)) for _ in range(draw(st.integers(0, 4))))})
    parts = [slice(a, b) for a, b in itertools.pairwise(cuts)]
    return Dataset.from_codes(codes, cards, weights), parts


@pytest.mark.parametrize("isa", ["portable", None])
@given(
    partitioned_tables(),
    st.sampled_from([Mdl(), Aic(), NoPenalty(), StructuralMdl(), lambda k, n: k**0.9 / n]),
    st.sampled_from([Limits(), Limits(max_leaves=7), Limits(min_leaf_rows=5)]),
    st.booleans(),
)
@settings(deadline=None)
def test_counts_of_parts_grow_the_same_node(
    isa: str | None, table: tuple[Dataset, list[slice]], penalty: Penalty, limits: Limits, barred: bool
) -> None:
    dataset, parts = table
    names = dataset.domain.names
    specs = node_specs(dataset.domain, forbidden=[(names[1], names[0])] if barred and len(names) > 2 else ())
    with pytest.MonkeyPatch.context() as patch:
        if isa is not None:
            patch.setenv("DEPNET_ISA", isa)
        network = learn_nodes(TableRows(dataset, specs, limits), [penalty] * len(specs))
        for spec, node in zip(specs, network.nodes, strict=True):
            operations, cells, _ = grown_from_counts(dataset, spec, penalty, limits, parts)
            assert isinstance(node.source, DecisionGraph)
            expected = [(int(isinstance(o, Merge)), *o) for o in node.source.operations]
            assert operations == expected
            assert node.table.counts is not None
            assert cells == node.table.counts.ravel().tolist()


def test_splits_are_foreseen_and_taken_back() -> None:
    rng = np.random.default_rng(3)
    inputs = rng.integers(0, 2, (20_000, 8))
    # Pairs of the first four inputs that have the same number of ones act alike: there are merges.
    chance = np.array([0.1, 0.35, 0.6, 0.8, 0.95])[inputs[:, :4].sum(axis=1)]
    dataset = Dataset.from_codes(np.column_stack([inputs, rng.random(20_000) < chance]).astype(int), [2] * 9)
    spec = NodeSpec(8, tuple(range(8)))
    operations, _, rounds = grown_from_counts(dataset, spec, Aic(), Limits(), [slice(0, 20_000)])
    splits, merges = (sum(kind == each for each, _, _ in operations) for kind in (0, 1))
    told = [kind for kinds in rounds for kind in kinds]
    assert merges > 0
    assert told.count(1) > merges  # some splits were foreseen, and their leaves merged instead
    assert told.count(0) - (told.count(1) - merges) >= splits
    assert len(rounds) < splits  # a round for each split, and one for the root, without foresight
