"""Calibration: tilted tables equal their definition, and the law of the calibrated network has the data's marginals."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import ConditionalTable, Dataset, Network, RandomScan, calibrate, learn
from depnet.errors import CalibrationWarning, DataError, ModelError, ModelFileError
from depnet.inference.calibration import Wanted
from tests.reference import calibration as reference
from tests.strategies import datasets, random_joint, random_network, seeds


def near_copies(rows: int, rng: np.random.Generator) -> Dataset:
    """Six variables around a loaded coin, each wrong now and then, and one that depends on two of them."""
    coin = rng.random(rows) < 0.3
    codes = [coin ^ (rng.random(rows) < wrong) for wrong in (0.01, 0.02, 0.02, 0.03, 0.05)]
    codes.append((codes[0] & codes[4]) ^ (rng.random(rows) < 0.1))
    return Dataset.from_codes(np.column_stack(codes).astype(int), [2] * 6)


def furthest(network: Network, table: Dataset) -> float:
    """The largest error of a probability of a node's joint states, by the exact law."""
    pi, p = depnet.stationary(network, RandomScan()), depnet.empirical(table)
    errors = []
    for node in network.nodes:
        others = tuple(i for i in range(p.ndim) if i not in node.variables)
        errors.append(np.abs(pi.sum(axis=others) - p.sum(axis=others)).max())
    return float(max(errors))


@given(datasets(min_variables=2, weighted=True), seeds, st.booleans())
def test_a_step_is_its_definition(table: Dataset, seed: int, blocks: bool) -> None:
    rng = np.random.default_rng(seed)
    cards = table.domain.cardinalities
    network = random_network(rng, cards, blocks=blocks)
    drawn = Dataset.from_codes(rng.integers(0, cards, size=(int(rng.integers(1, 9)), len(cards))), cards)
    assert table.weights is not None
    for node in network.nodes:
        wanted = Wanted.of(node, table, table.weights / table.total)
        found = wanted.step(drawn, 0.01)
        np.testing.assert_allclose(found, reference.step(node, table, drawn, 0.01), rtol=1e-9, atol=1e-12)


def test_rows_are_counted_in_parts_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table = near_copies(1000, np.random.default_rng(3))
    network = learn(table)
    share = np.full(1000, 1 / 1000)
    whole = [Wanted.of(node, table, share) for node in network.nodes]
    monkeypatch.setattr("depnet.inference.calibration.AT_ONCE", 7)
    for node, before in zip(network.nodes, whole, strict=True):
        after = Wanted.of(node, table, share)
        for name in ("states", "pairs", "leaves"):
            np.testing.assert_allclose(getattr(after, name), getattr(before, name), rtol=1e-9, atol=1e-12)


def test_no_step_where_the_marginals_are_the_data_s() -> None:
    table = near_copies(300, np.random.default_rng(3))
    share = np.full(300, 1 / 300)
    for node in learn(table).nodes:
        assert np.abs(Wanted.of(node, table, share).step(table, 0.01)).max() < 1e-12


def test_a_network_that_comes_out_farther_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    table = near_copies(3000, np.random.default_rng(5))
    network = learn(table, smoothing=0.5)
    assert calibrate(network, table, rng=np.random.default_rng(1)) != network
    forwards = Wanted.step
    monkeypatch.setattr(Wanted, "step", lambda self, drawn, delta: -forwards(self, drawn, delta))
    with pytest.warns(CalibrationWarning, match="farther from it than the network as given"):
        assert calibrate(network, table, rng=np.random.default_rng(1)) is network


@pytest.mark.parametrize("blocks", [None, [("X0", "X1"), ("X1", "X2"), ("X3", "X4", "X5")]])
def test_the_calibrated_law_has_the_data_s_marginals(blocks: list[tuple[str, ...]] | None) -> None:
    """The mutant is the network as learned. Everything is seeded: there is no false alarm."""
    table = near_copies(3000, np.random.default_rng(5))
    network = learn(table, penalty=lambda k, n: 3.0 * k * np.log(n) / n, blocks=blocks, smoothing=0.5)
    calibrated = calibrate(network, table, rng=np.random.default_rng(1))

    def assert_near(found: Network) -> None:
        assert furthest(found, table) < 0.02

    assert_near(calibrated)
    with pytest.raises(AssertionError):
        assert_near(network)
    for before, after in zip(network.nodes, calibrated.nodes, strict=True):
        assert after.source == before.source
        assert np.array_equal(after.table.counts, before.table.counts)  # type: ignore[arg-type]
        assert after.table.smoothing == before.table.smoothing


def test_pairs_that_a_source_links_have_the_data_s_marginals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant tilts for the marginals of single variables alone. Everything is seeded: there is no false alarm."""
    table = near_copies(3000, np.random.default_rng(5))
    network = learn(table, penalty=lambda k, n: 3.0 * k * np.log(n) / n, smoothing=0.5)
    p = depnet.empirical(table)

    def assert_near() -> None:
        pi = depnet.stationary(calibrate(network, table, rng=np.random.default_rng(1)), RandomScan())
        for i, node in enumerate(network.nodes):
            for j in node.source.inputs:
                others = tuple(k for k in range(p.ndim) if k not in (i, j))
                assert np.abs(pi.sum(axis=others) - p.sum(axis=others)).sum() / 2 < 0.02

    assert_near()
    monkeypatch.setattr("depnet.inference.calibration.PAIR_STEP", 0.0)
    with pytest.raises(AssertionError):
        assert_near()


def test_a_network_that_has_the_marginals_keeps_its_law() -> None:
    p = random_joint(np.random.default_rng(0), (2, 3, 2))
    cells = np.stack(np.unravel_index(np.arange(p.size), p.shape), axis=1)
    table = Dataset.from_codes(cells, p.shape, np.rint(1e6 * p.ravel()).astype(int))
    network = Network.from_joint(p)
    again = calibrate(network, table, rng=np.random.default_rng(2))
    assert np.abs(depnet.stationary(again, RandomScan()) - p).max() < 0.01


def test_the_seed_decides_and_the_file_keeps_it(tmp_path: Path) -> None:
    table = near_copies(500, np.random.default_rng(1))
    network = learn(table, blocks=[("X0", "X1")], smoothing=0.5)
    first, second, third = (
        calibrate(network, table, rounds=4, sweeps=2, chains=300, rng=np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )
    assert first == second
    assert first != third
    path = tmp_path / "calibrated.json"
    depnet.save(first, path)
    assert depnet.load(path) == first
    more = first.updated(table)
    assert all(
        np.array_equal(a.table.tilt, b.table.tilt)  # type: ignore[arg-type]
        for a, b in zip(first.nodes, more.nodes, strict=True)
    )


@pytest.mark.parametrize(
    ("tilt", "says"),
    [
        ([1.0], "tilt: expected 2 entries"),
        ([1.0, "a"], r"tilt\[1\]: expected a number"),
        ([1.0, -1.0], "a tilt is"),
        ("a", "tilt: expected a list"),
        ([[1.0, 1.0]] * 99, "tilt: expected 2 entries; got 99"),
        ([[1.0, 1.0], 1.0], r"tilt\[1\]: expected a list"),
        ([[1.0, 1.0], [1.0]], r"tilt\[1\]: expected 2 entries"),
        ([[1.0, 1.0], [1.0, None]], r"tilt\[1\]\[1\]: expected a number"),
        ([[1.0, 1.0], [1.0, 0.0]], "a tilt is"),
    ],
)
def test_a_file_with_a_bad_tilt_is_refused(tilt: list[object], says: str, tmp_path: Path) -> None:
    table = near_copies(100, np.random.default_rng(1))
    path = tmp_path / "network.json"
    sources = [depnet.LosslessSource(((i + 1) % 6,), (2,)) for i in range(6)]
    depnet.save(depnet.learn_parameters(table, sources), path)
    document = json.loads(path.read_text())
    del document["checksum"]
    document["nodes"][0]["table"]["tilt"] = tilt
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match=says):
        depnet.load(path)


def test_a_file_may_tilt_all_leaves_alike(tmp_path: Path) -> None:
    table = near_copies(100, np.random.default_rng(1))
    network = learn(table, smoothing=0.5)
    path = tmp_path / "network.json"
    depnet.save(network, path)
    document = json.loads(path.read_text())
    del document["checksum"]
    document["nodes"][0]["table"]["tilt"] = [1, 3]
    path.write_text(json.dumps(document))
    assert depnet.load(path).nodes[0].table == network.nodes[0].table.tilted([1, 3])


@given(seeds, st.booleans(), st.booleans(), st.integers(1, 4))
def test_a_tilted_table_is_its_definition(seed: int, learned: bool, alike: bool, states: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, size=(3, states))
    table = ConditionalTable.from_counts(counts, 0.5)
    if not learned:
        table = ConditionalTable.from_probabilities(table.probabilities)
    first, second = rng.uniform(0.1, 3, size=(3, states)), rng.uniform(0.1, 3, size=states)
    if alike:
        first[:] = first[0]
    tilted = table.tilted(first[0] if alike else first).tilted(second)
    for leaf in range(3):
        weights = [table.probabilities[leaf, x] * first[leaf, x] * second[x] for x in range(states)]
        for x in range(states):
            assert tilted.probabilities[leaf, x] == pytest.approx(weights[x] / sum(weights), rel=1e-12)
    assert (tilted.counts is not None) == learned
    if learned:
        assert tilted.smoothing == 0.5
        assert tilted == ConditionalTable.from_counts(counts, 0.5, tilted.tilt)
        assert tilted != table


@pytest.mark.parametrize(
    "tilt", [[1.0], [1.0, 0.0], [1.0, -1.0], [1.0, np.inf], [1.0, np.nan], ["a", "b"], [[1.0, 1.0]] * 2]
)
def test_what_is_no_tilt_is_refused(tilt: list[object]) -> None:
    with pytest.raises(ModelError, match="a tilt is a"):
        ConditionalTable.from_counts([[1, 2]]).tilted(tilt)  # type: ignore[arg-type]


def test_a_table_without_counts_has_no_tilt() -> None:
    with pytest.raises(ModelError, match="without counts has no tilt"):
        ConditionalTable(np.array([[0.5, 0.5]]), tilt=np.array([1.0, 2.0]))


def test_bad_arguments_are_clear_errors() -> None:
    table = near_copies(10, np.random.default_rng(0))
    network = learn(table)
    with pytest.raises(DataError, match="no rows"):
        calibrate(network, Dataset.from_codes(np.zeros((0, 6), int), [2] * 6))
    with pytest.raises(ValueError, match="rounds"):
        calibrate(network, table, rounds=1)
