"""A boosted law teaches the graphs of a law: what its tables are, that it helps, and that it changes nothing else."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import ConditionalTable, Dataset, Network
from depnet.errors import ModelError
from depnet.fitting.fit import FitOptions, fit_law
from depnet.learning import limits
from depnet.model.file import load_model
from depnet.model.node import Node, TableNode
from depnet.model.score import score
from tests.narrowed import there
from tests.reference.distil import taught_table


def additive(rows: int, seed: int) -> Dataset:
    """A class of the sum of six digits and some noise: many small effects, which one graph can only add up leaf by leaf."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, size=(rows, 6))
    total = codes.sum(axis=1) + rng.normal(0, 1.5, rows)
    return Dataset.from_codes(np.column_stack([codes, np.digitize(total, [6, 9, 12])]), [4] * 7)


ROWS, HELD = additive(1500, 0), additive(4000, 1)
ORDER = [f"X{i}" for i in range(7)]


@pytest.fixture(scope="module")
def law() -> Network:
    found: Network = fit_law(ROWS, FitOptions(order=ORDER))
    return found


def is_taught(law: Network) -> list[bool]:
    return [node.table.prior is not None for node in law.nodes]


pairs = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=20)


@given(pairs, pairs, st.sampled_from([0.5, 8.0, 300.0]))
def test_a_taught_table_is_its_equation(
    own: list[tuple[int, int]], drawn: list[tuple[int, int]], rows: float
) -> None:
    counts, prior = np.zeros((2, 3, 4), dtype=np.int64)
    for table, cells in ((counts, own), (prior, drawn)):
        for leaf, state in cells:
            table[leaf, state] += 1
    theta = ConditionalTable.from_counts(counts, rows / 4, prior).probabilities
    expected = taught_table(own, drawn, 3, 4, Fraction(rows))
    np.testing.assert_allclose(theta, [[float(p) for p in row] for row in expected], rtol=1e-13, atol=0)


def test_what_is_drawn_is_not_counted_as_rows(law: Network) -> None:
    assert is_taught(law)[6]
    assert all(np.sum(counts_of(node)) == ROWS.total for node in law.nodes)
    counts = np.zeros((law.nodes[6].source.size, 4), dtype=np.int64)
    np.add.at(counts, (law.nodes[6].source(ROWS.codes), ROWS.codes[:, 6]), 1)
    assert counts.tolist() == counts_of(law.nodes[6])


def counts_of(node: Node) -> list[list[int]]:
    assert node.table.counts is not None
    found: list[list[int]] = node.table.counts.tolist()
    return found


def test_held_out_rows_gain_by_it_as_is_said_and_would_not_by_another_prior(law: Network) -> None:
    alone = fit_law(ROWS, FitOptions(order=ORDER, distil=False))
    assert not any(is_taught(alone))
    gained = score(law, HELD) - score(alone, HELD)
    assert gained > 0.03
    said, before = there(law.held_out), there(alone.held_out)
    assert said.score - before.score == pytest.approx(gained, abs=0.05)
    assert said.independent == before.independent
    nodes = list(law.nodes)
    node = nodes[6]
    assert node.table.prior is not None
    wrong = np.roll(node.table.prior, 1, axis=1)
    table = ConditionalTable.from_counts(counts_of(node), 75.0, wrong)
    nodes[6] = TableNode(6, node.source, table)
    assert score(replace(law, nodes=tuple(nodes)), HELD) < score(alone, HELD)


def test_the_order_of_rows_and_threads_change_nothing(law: Network) -> None:
    shuffled = np.random.default_rng(2).permutation(ROWS.rows)
    rows = Dataset.from_codes(ROWS.codes[shuffled], domain=ROWS.domain)
    again = fit_law(rows, FitOptions(order=ORDER))
    assert again.nodes == law.nodes
    assert fit_law(ROWS, FitOptions(order=ORDER, n_jobs=2)).nodes == law.nodes


def test_a_file_keeps_the_prior_and_rows_are_added_to_counts(law: Network, tmp_path: Path) -> None:
    depnet.save(law, tmp_path / "law.json")
    loaded = depnet.load(tmp_path / "law.json")
    assert loaded.nodes == law.nodes
    more = loaded.updated(HELD)
    for before, after in zip(law.nodes, more.nodes, strict=True):
        assert np.sum(counts_of(after)) == ROWS.total + HELD.total
        if before.table.prior is not None:
            assert after.table.prior is not None
            assert before.table.prior.tolist() == after.table.prior.tolist()
    assert load_model(tmp_path / "law.json").law is not None


def test_columns_that_tell_nothing_of_each_other_stay_as_they_are() -> None:
    rng = np.random.default_rng(3)
    rows = Dataset.from_codes(rng.integers(0, 3, size=(2000, 5)).astype(np.uint8), [3] * 5)
    law, alone = (fit_law(rows, FitOptions(distil=each)) for each in (True, False))
    assert law.nodes == alone.nodes
    assert law.held_out == alone.held_out


@pytest.mark.parametrize("name", ["TAUGHT_ROWS", "TAUGHT_CELLS"])
def test_tables_too_small_or_too_large_have_no_teacher(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, name, ROWS.total + 1 if name == "TAUGHT_ROWS" else 1)
    assert not any(is_taught(fit_law(ROWS, FitOptions(order=ORDER))))


def test_without_time_the_graphs_of_the_table_stay() -> None:
    assert not any(is_taught(fit_law(ROWS, FitOptions(order=ORDER, max_seconds=0.0))))


def test_roles_and_forbidden_links_hold() -> None:
    roles, forbidden = {"X0": "input"}, [("X1", "X6")]
    law = fit_law(ROWS, FitOptions(roles=roles, forbidden=forbidden))  # type: ignore[arg-type]
    assert law.nodes[0].inputs == ()
    assert 1 not in law.nodes[6].inputs


@settings(max_examples=5)
@given(st.integers(1, 4))
def test_a_prior_of_another_shape_is_refused(states: int) -> None:
    counts = np.zeros((2, states), dtype=np.int64)
    with pytest.raises(ModelError, match="shape"):
        ConditionalTable.from_counts(counts, 0.5, np.zeros((3, states), dtype=np.int64))
