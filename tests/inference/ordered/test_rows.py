"""Rows with holes under an ordered law: marginals, joint draws and log Q(o), by sums, elimination and moves."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings

from depnet import ConditionalTable, Network, RandomScan, TableNode, impute, query_rows
from depnet.arrays import FloatArray, IntArray
from depnet.errors import EvidenceError
from depnet.inference.answer.rows import METHODS
from depnet.inference.holes import score_holed
from depnet.inference.ordered import codes as engine
from depnet.inference.ordered import items
from depnet.law import limits
from tests.law.cases import given_tables
from tests.laws import assert_same_law
from tests.reference.law_rows import hole_laws, log_observed, of_row
from tests.reference.ordered import law
from tests.refusals import refuses
from tests.strategies import ordered_networks, seeds

EXACT, SAMPLE = METHODS.index("exact"), METHODS.index("sample")


def random_rows(rng: np.random.Generator, network: Network, count: int = 10) -> tuple[IntArray, np.ndarray]:
    """Codes and holes, some rows twice; about one of two cells is a hole."""
    codes = np.stack([rng.integers(0, k, size=count) for k in network.domain.cardinalities], axis=1)
    hidden = rng.random(codes.shape) < 0.5
    again = rng.integers(0, count, size=count // 3)
    codes[: len(again)], hidden[: len(again)] = codes[again], hidden[again]
    return codes, hidden


def assert_exact(network: Network, codes: IntArray, hidden: np.ndarray) -> Mapping[str, FloatArray]:
    result, q = query_rows(network, codes, hidden), law(network)
    scores = score_holed(network, codes, hidden, rng=np.random.default_rng(0))
    assert result.scan is None
    assert result.converged.all()
    for r, (row, holes) in enumerate(zip(codes.tolist(), hidden.tolist(), strict=True)):
        assert scores[r] == pytest.approx(log_observed(q, row, holes), abs=1e-11)
        assert result.method[r] == (EXACT if any(holes) else METHODS.index("observed"))
        laws = hole_laws(q, row, holes)
        for i in range(len(network)):
            p = laws[i] if holes[i] else np.eye(network.domain.cardinalities[i])[row[i]]
            np.testing.assert_allclose(result.probabilities[f"X{i}"][r], p, atol=1e-12)
            assert not result.standard_errors[f"X{i}"][r].any()
    return result.probabilities


LIMITS: dict[str, dict[str, int]] = {
    "sums": {},
    "eliminations": {"ROW_STATES": 2},
    "chunks": {"CHUNK_STATES": 7, "CELLS_AT_ONCE": 20},
}


@settings(max_examples=40)
@given(ordered_networks(max_variables=6, boosted=True), seeds)
@pytest.mark.parametrize("way", LIMITS)
def test_every_way_is_the_law_of_all_variables_and_of_some(way: str, network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes, hidden = random_rows(rng, network)
    targets = [f"X{i}" for i in np.flatnonzero(rng.random(len(network)) < 0.4)] or ["X0"]
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in LIMITS[way].items():
            patch.setattr(items if name == "CHUNK_STATES" else limits, name, limit)
        every = assert_exact(network, codes, hidden)
        some = query_rows(network, codes, hidden, targets=targets)
    assert list(some.probabilities) == list(some.standard_errors) == targets
    for name in targets:
        np.testing.assert_allclose(some.probabilities[name], every[name], atol=1e-12)


def test_a_target_that_is_moved_alone_is_within_its_error() -> None:
    network, row, hidden = chained(), [0, 1, 0, 1, 0, 2], [True, False, True, True, False, True]
    for target in (0, 5):  # upstream of something observed, and barren
        rng = np.random.default_rng(0)
        found = query_rows(
            network, [row], [hidden], method="sample", tolerance=0.0005, rng=rng, targets=[f"X{target}"]
        )
        p = hole_laws(law(network), row, hidden)[target]
        np.testing.assert_allclose(found.probabilities[f"X{target}"][0], p, atol=6 * 0.0005)


@settings(max_examples=15)
@given(ordered_networks(max_variables=5, boosted=True), seeds)
def test_moved_rows_are_within_their_errors(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes, hidden = random_rows(rng, network, 6)
    result = query_rows(network, codes, hidden, method="sample", tolerance=0.01, rng=rng)
    q = law(network)
    for r in np.flatnonzero(result.converged).tolist():
        for i, p in hole_laws(q, codes[r].tolist(), hidden[r].tolist()).items():
            error = result.standard_errors[f"X{i}"][r]
            assert (error <= 0.01).all()
            # 32 replicas: Student's t with 31 degrees passes 9 about once in 3e9 cells.
            assert (np.abs(result.probabilities[f"X{i}"][r] - p) <= 9 * error + 1e-9).all()


def chained(seed: int = 3, n: int = 6) -> Network:
    """Each variable reads the two before it."""
    rng, cards = np.random.default_rng(seed), [2, 3] * (n // 2)
    tables = []
    for i, k in enumerate(cards):
        before = list(range(max(i - 2, 0), i))
        tables.append((before, rng.dirichlet(np.ones(k), size=math.prod(cards[j] for j in before)).tolist()))
    return given_tables(*tables)


def slightly_wrong(network: Network, i: int) -> Network:
    """Node i with a little of every leaf's law moved to its first state."""
    nodes = list(network.nodes)
    table = 0.97 * nodes[i].table.probabilities
    table[:, 0] += 0.03
    nodes[i] = TableNode(i, nodes[i].source, ConditionalTable.from_probabilities(table))
    return Network(network.domain, tuple(nodes), order=network.order)


@pytest.mark.parametrize("method", ["auto", "sample"])
def test_a_slightly_wrong_model_would_be_seen(method: str) -> None:
    network, row, hidden = chained(), [0, 1, 0, 1, 0, 2], [True, False, True, True, False, True]
    how: Literal["auto", "sample"] = "auto" if method == "auto" else "sample"
    found = query_rows(network, [row], [hidden], method=how, tolerance=0.0005, rng=np.random.default_rng(0))
    q = law(network)
    within = 1e-12 if method == "auto" else 6 * 0.0005
    for i, p in hole_laws(q, row, hidden).items():
        np.testing.assert_allclose(found.probabilities[f"X{i}"][0], p, atol=within)
    for j in (2, 4):  # a hole, and a reader of holes
        laws = hole_laws(law(slightly_wrong(network, j)), row, hidden)
        away = [np.abs(found.probabilities[f"X{i}"][0] - p).max() for i, p in laws.items()]
        assert max(away) > within


def two_modes(n: int = 9) -> Network:
    """A hidden switch X0 that n copies follow nearly always, and a last variable that tells little of it."""
    copy = [[1 - 1e-6, 1e-6], [1e-6, 1 - 1e-6]]
    told = [[0.6, 0.4], [0.4, 0.6]] * 2 ** (n - 2)
    return given_tables(([], [[0.3, 0.7]]), *[([0], copy)] * (n - 1), (range(1, n), told))


def test_what_does_not_mix_is_not_called_converged() -> None:
    network = two_modes()
    row = [[-1] * 9 + [0]]
    found = query_rows(network, row, method="sample", tolerance=0.01, rng=np.random.default_rng(0))
    assert not found.converged.any()
    assert found.r_hat[0] > limits.R_HAT_REPLICAS
    exact = query_rows(network, row)
    p = 0.3 * 0.6 / (0.3 * 0.6 + 0.7 * 0.4)
    np.testing.assert_allclose(exact.probabilities["X0"][0, 0], p, atol=1e-5)
    assert exact.converged.all()


def joint_counts(drawn: Sequence[IntArray], r: int, cards: Sequence[int]) -> FloatArray:
    counts = np.zeros(cards)
    for codes in drawn:
        counts[tuple(codes[r])] += 1
    return counts


@pytest.mark.parametrize("how", ["sums", "elimination", "moves"])
def test_draws_are_joint(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two equal rows and another, 4,000 draws of each: an L1 error of .35 would be seen."""
    if how != "sums":
        monkeypatch.setattr(limits, "ROW_STATES", 1)
    if how == "moves":
        monkeypatch.setattr(limits, "ROW_CELLS", 1)
    network = chained(n=4)
    codes = np.array([[0, 1, 1, 2], [1, 0, 0, 0], [0, 1, 1, 2]])
    hidden = np.array([[True, False, True, False], [True, True, False, True], [True, False, True, False]])
    done = impute(
        network,
        codes,
        hidden,
        method="draw",
        n_imputations=4000,
        rng=np.random.default_rng(1),
        tolerance=0.02,
    )
    assert done.converged
    assert set(done.cells.method) == {SAMPLE if how == "moves" else EXACT}
    q = law(network)
    for r in range(3):
        right = of_row(q, codes[r].tolist(), hidden[r].tolist())
        counts = joint_counts(done.imputations, r, network.domain.cardinalities)
        states = right > 0
        assert counts[~states].sum() == 0
        assert_same_law(counts[states], (right / right.sum())[states], detects_l1=0.35)
    same = [np.array_equal(codes[0], codes[2]) for codes in done.imputations]
    assert not all(same)  # equal rows have draws of their own


@pytest.mark.parametrize("how", ["passes", "replicas"])
def test_rows_too_large_to_be_solved(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By passes, as a question is, or moved where these do not suffice; of one target as of all."""
    monkeypatch.setattr(limits, "ROW_STATES", 1)
    monkeypatch.setattr(limits, "ROW_CELLS", 1)
    if how == "replicas":
        monkeypatch.setattr(limits, "ROW_UPDATES", 0)
    network, row, hidden = chained(), [0, 1, 0, 1, 0, 2], [True, False, True, True, False, False]
    for targets in (None, ["X0"]):
        found = query_rows(
            network, [row], [hidden], tolerance=0.005, rng=np.random.default_rng(0), targets=targets
        )
        assert (found.method == SAMPLE).all()
        assert found.converged.all()
        assert np.isnan(found.r_hat[0]) == (how == "passes")
        for i, p in hole_laws(law(network), row, hidden).items():
            if f"X{i}" in found.probabilities:
                errors = found.standard_errors[f"X{i}"][0]
                assert (errors > 0).all()
                assert (np.abs(found.probabilities[f"X{i}"][0] - p) <= 6 * errors).all()


def test_holes_drawn_one_by_one_would_be_noticed() -> None:
    """Two holes that are nearly copies: by their marginals half of the draws would differ in them."""
    network = given_tables(([], [[0.5, 0.5]]), ([0], [[0.99, 0.01], [0.01, 0.99]]))
    rows = np.full((2000, 2), -1)
    drawn = impute(network, rows, method="draw", rng=np.random.default_rng(0)).codes
    counts = np.bincount(drawn @ [2, 1], minlength=4)
    assert_same_law(counts, [0.495, 0.005, 0.005, 0.495], detects_l1=0.4)
    refuses(AssertionError, "L1 distance", lambda: assert_same_law(counts, [0.25] * 4, detects_l1=0.4))


def test_log_observed_by_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROW_STATES", 1)
    monkeypatch.setattr(engine, "_worth", lambda *_: 1)
    network = chained()
    rng = np.random.default_rng(2)
    codes, hidden = random_rows(rng, network, 30)
    holes = hidden & (np.array(network.domain.cardinalities) > 1)
    values, errors = items.log_observed(network, codes.astype(np.uint16), holes, rng)
    q = law(network)
    right = np.array([log_observed(q, c.tolist(), h.tolist()) for c, h in zip(codes, hidden, strict=True)])
    assert (errors > 0).any()
    assert (errors <= limits.LOG_ERROR).all()
    assert (np.abs(values - right) <= 5 * errors + 1e-11).all()


def test_a_scan_asks_for_clamped_chains() -> None:
    network = chained()
    row = [[-1, -1, 0, 1, 0, 2]]
    clamped = query_rows(network, row, scan=RandomScan())
    assert clamped.scan == RandomScan()
    assert query_rows(network, row).scan is None
    assert np.abs(clamped.probabilities["X0"] - query_rows(network, row).probabilities["X0"]).max() > 1e-3


def test_threads_change_nothing() -> None:
    network = chained()
    codes, hidden = random_rows(np.random.default_rng(0), network)
    one, *others = (
        query_rows(
            network, codes, hidden, method="sample", n_jobs=jobs, tolerance=0.02, rng=np.random.default_rng(4)
        )
        for jobs in (1, 2, None)
    )
    for other, name in itertools.product(others, network.domain.names):
        assert one.probabilities[name].tolist() == other.probabilities[name].tolist()


def test_time_that_is_over_leaves_rows_unconverged() -> None:
    network = chained()
    found = query_rows(network, [[-1, -1, 0, -1, 0, 2]], max_seconds=1e-9, rng=np.random.default_rng(0))
    assert not found.converged.any()
    for name in network.domain.names:
        np.testing.assert_allclose(found.probabilities[name].sum(axis=1), 1)


def test_what_contradicts_itself_is_named() -> None:
    network = given_tables(([], [[0.5, 0.5]]), *[([0], [[1.0, 0.0], [0.0, 1.0]])] * 2)
    refuses(EvidenceError, "probability 0 under the law", lambda: query_rows(network, [[-1, 0, 1]]))
    codes, hidden = np.array([[0, 0, 1]]), np.array([[True, False, False]])
    assert score_holed(network, codes, hidden)[0] == -np.inf
    assert query_rows(network, [[-1, -1, 1]]).probabilities["X0"].tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("how", ["sums", "elimination"])
def test_wide_rows_of_which_little_is_hidden(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """60 variables, each a function of the one before: a hole's law is that of its neighbours' tables."""
    if how == "elimination":
        monkeypatch.setattr(limits, "ROW_STATES", 1)
    step = np.array([[0.8, 0.2], [0.3, 0.7]])
    network = given_tables(([], [[0.5, 0.5]]), *[([i - 1], step.tolist()) for i in range(1, 60)])
    codes = np.random.default_rng(0).integers(0, 2, size=(1, 60))
    hidden = np.zeros((1, 60), dtype=bool)
    hidden[0, [20, 40, 59]] = True
    found = query_rows(network, codes, hidden)
    score = np.log(0.5)
    x = codes[0]
    for i in range(1, 59):
        if i not in (20, 21, 40, 41):
            score += np.log(step[x[i - 1], x[i]])
    for i in (20, 40):
        both = step[x[i - 1]] * step[:, x[i + 1]]
        np.testing.assert_allclose(found.probabilities[f"X{i}"][0], both / both.sum(), atol=1e-12)
        score += np.log(both.sum())
    np.testing.assert_allclose(found.probabilities["X59"][0], step[x[58]], atol=1e-12)
    assert score_holed(network, codes, hidden)[0] == pytest.approx(score, abs=1e-10)


@pytest.mark.parametrize("slip", [0.3, 0.03, 0.003])
def test_errors_hold_where_variables_are_nearly_copies(slip: float) -> None:
    """Rows of a chain of 12 near copies: of cells that converged, 88 of 100 lie within 2 errors and 98 within 4."""
    step = [[1 - slip, slip], [slip, 1 - slip]]
    network = given_tables(([], [[0.5, 0.5]]), *[([i - 1], step) for i in range(1, 12)])
    rng = np.random.default_rng(3)
    codes, hidden = rng.integers(0, 2, size=(60, 12)), rng.random((60, 12)) < 0.7
    exact = query_rows(network, codes, hidden)
    moved = query_rows(network, codes, hidden, method="sample", rng=rng)
    away = [
        np.abs(exact.probabilities[name] - moved.probabilities[name])[cells, 0]
        / moved.standard_errors[name][cells, 0]
        for i, name in enumerate(network.domain.names)
        if (cells := hidden[:, i] & moved.converged).any()
    ]
    distance = np.concatenate(away)
    assert len(distance) > 300
    assert (distance <= 2).mean() >= 0.88
    assert (distance <= 4).mean() >= 0.98
