"""Splits at a cut are the paper's operations, and sources that use them read the variables alone."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, DecisionGraph, Merge, Network, Split, learn
from depnet.data import Domain, Variable, describe, encode
from depnet.learning.cost import Mdl, Penalty, StructuralMdl
from depnet.learning.cuts import Cut, Numbered, cuts_of, spell_out
from depnet.learning.grow import TrainingRows, learn_nodes
from depnet.learning.options import LearnOptions, NodeSpec, node_specs
from depnet.model import Operation
from depnet.model.table import leaf_counts
from depnet.threads import Work
from tests.reference.decision_graph import leaf_of


def numbers(rows: int, columns: int = 3, seed: int = 0) -> Dataset:
    """Columns of floats, of which each leans on the one before, and a category that leans on the first."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, columns)).cumsum(axis=1)
    frame = [{f"x{i}": float(x) for i, x in enumerate(row)} | {"high": bool(row[0] > 0.3)} for row in table]
    domain, _ = describe(frame)
    return encode(frame, domain).dataset()


def operations_of(cut: Cut, leaf: int, size: int) -> list[Operation]:
    """The split of `leaf` at a cut, one of `size` leaves, by the definition."""
    below = [Merge(size - 1, size)] * (cut.at - 1)
    above = [Merge(size - 1 + int(one), size + 1) for one in cut.told[cut.at + 1 :]]
    return [Split(leaf, cut.variable), *below, *above]


@st.composite
def cut_splits(draw: st.DrawFn) -> tuple[list[Split | Merge], int, int, Cut]:
    """Operations on three variables, a leaf to split, how many there are, and a cut."""
    cardinalities = (2, 3, 7)
    operations: list[Split | Merge] = []
    size = 1
    for _ in range(draw(st.integers(0, 4))):
        if size > 1 and draw(st.booleans()):
            second = draw(st.integers(1, size - 1))
            operations.append(Merge(draw(st.integers(0, second - 1)), second))
            size -= 1
        else:
            j = draw(st.integers(0, 2))
            operations.append(Split(draw(st.integers(0, size - 1)), j))
            size += cardinalities[j] - 1
    at = draw(st.integers(1, 6))
    others = draw(st.none() | st.sets(st.integers(at + 1, 6)).map(sorted).map(tuple)) if at < 6 else None
    return operations, draw(st.integers(0, size - 1)), size, Cut(2, at, 7, others)


@given(cut_splits())
def test_a_threshold_is_a_split_and_merges(case: tuple[list[Split | Merge], int, int, Cut]) -> None:
    operations, leaf, size, cut = case
    wide = [*operations, Split(leaf, 3)]  # variable 3 is x_2 >= cut, or x_2 in a set
    spelled = [*operations, *operations_of(cut, leaf, size)]
    rows = [(a, b, c) for a in range(2) for b in range(3) for c in range(7)]
    for row in rows:
        above = int(row[2] in (cut.at, *cut.others) if cut.others is not None else row[2] >= cut.at)
        assert leaf_of(row, spelled, (2, 3, 7)) == leaf_of((*row, above), wide, (2, 3, 7, 2))
    numbered = Numbered.of([cut], (2, 3, 7))
    graph = spell_out(DecisionGraph(tuple(wide), (2, 3, 7, 2)), numbered, (2, 3, 7))
    same = DecisionGraph(tuple(spelled), (2, 3, 7))
    assert graph == same
    assert graph.size == same.size == size + 1
    np.testing.assert_array_equal(graph(rows), same(rows))  # which walks the compiled graph


def test_another_cut_is_another_function() -> None:
    """The check above, on a cut that is off by one."""
    spelled = operations_of(Cut(0, 3, 7), 0, 1)
    leaves = [leaf_of((x,), spelled, (7,)) for x in range(7)]
    assert leaves == [0, 0, 0, 1, 1, 1, 1]
    assert leaves != [leaf_of((x,), operations_of(Cut(0, 4, 7), 0, 1), (7,)) for x in range(7)]


def with_cuts(
    rows: Dataset, specs: Sequence[NodeSpec], penalties: Sequence[Penalty], smoothings: Sequence[float]
) -> Network:
    nodes = learn_nodes(TrainingRows(rows), specs, penalties, LearnOptions(cuts=True), Work())
    return nodes.smoothed(smoothings)


def test_learned_tables_are_the_counts_of_their_sources() -> None:
    rows = numbers(400)
    specs = node_specs(rows.domain)
    smoothings = [0.1, 0.2, 0.3, 0.5]
    network = with_cuts(rows, specs, [Mdl()] * 4, smoothings)
    assert any(isinstance(o, Merge) for node in network.nodes for o in node.source.operations)  # type: ignore[attr-defined]
    for node, smoothing in zip(network.nodes, smoothings, strict=True):
        assert node.table.smoothing == smoothing
        np.testing.assert_array_equal(node.table.counts, leaf_counts(node.source, node.variable, rows))
    assert network.domain is rows.domain


def test_a_step_is_found_on_rows_too_few_for_a_split_into_all_bins() -> None:
    rows = numbers(60, columns=1)
    specs = node_specs(rows.domain)
    strict = [StructuralMdl(1.0, 1.0, 8.0 * Mdl())] * 2
    assert learn_nodes(TrainingRows(rows), specs, strict, LearnOptions(), Work()).nodes[1].source.size == 1
    assert with_cuts(rows, specs, strict, [0.0, 0.0]).nodes[1].source.size == 2


def test_without_bins_the_network_is_that_of_learn() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, size=(300, 4))
    codes[:, 1] = np.where(rng.random(300) < 0.7, codes[:, 0], codes[:, 1])
    rows = Dataset.from_codes(codes, [3] * 4)
    found = with_cuts(rows, node_specs(rows.domain), [Mdl()] * 4, [0.5] * 4)
    assert found == learn(rows, smoothing=0.5)


def test_forbidden_links_and_roles_hold_for_cuts() -> None:
    rows = numbers(400)
    specs = node_specs(
        rows.domain, LearnOptions(forbidden=[("x0", "high")], roles={"x1": "input", "x2": "target"})
    )
    network = with_cuts(rows, specs, [Mdl()] * 4, [0.0] * 4)
    inputs = {rows.domain.names[i]: network.nodes[i].source.inputs for i in range(4)}
    assert 0 not in inputs["high"]
    assert inputs["high"]
    assert inputs["x1"] == ()
    assert all(2 not in read for read in inputs.values())
    free = with_cuts(rows, node_specs(rows.domain), [Mdl()] * 4, [0.0] * 4)
    assert 0 in free.nodes[3].source.inputs


def test_thresholds_are_spread_and_their_names_are_new() -> None:
    domain, _ = describe([{"0 < 1": x + 0.5, "a": "b"} for x in range(5000)])
    found = cuts_of(domain)
    assert [t.at for t in found] == [2, 4, 6, 8, 10, 12, 14]
    assert [t.at for t in cuts_of(domain, most=20)] == list(range(1, 16))
    rows = Dataset.from_codes(np.zeros((5, 2), dtype=int), domain=domain)
    assert len(with_cuts(rows, node_specs(domain), [Mdl()] * 2, [0.5] * 2)) == 2
    assert [t.at for t in cuts_of(Domain((Variable("a", (1, 2, 3)), Variable("b", (0, 1)))))] == [1, 2]
