"""Batches: every row as if asked alone; look-ups, exact solutions and chains."""

import itertools
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings

from depnet import Dataset, Network, RandomScan, SequentialScan, query_rows
from depnet.errors import ConvergenceError, DataError
from depnet.inference.answer.rows import METHODS
from depnet.inference.clamped import answer as module
from depnet.model import Evidence, Scan
from tests.inference.cases import coupled, random_rows, random_scan, slightly_wrong
from tests.law.cases import given_tables
from tests.reference.inference import query_law
from tests.refusals import refuses
from tests.strategies import mixed_networks, networks, seeds


def expected_marginals(network: Network, row: np.ndarray, scan: Scan) -> dict[int, np.ndarray]:
    evidence = Evidence({int(i): int(row[i]) for i in np.flatnonzero(row >= 0)}, {})
    return {int(i): query_law(network, [int(i)], evidence, scan) for i in np.flatnonzero(row < 0)}


@settings(max_examples=40)
@given(networks(max_states=80) | mixed_networks(max_states=80), seeds)
def test_exact_rows_are_what_each_would_be_alone(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scan, rows = random_scan(rng, network), random_rows(rng, network)
    result = query_rows(network, rows, scan=scan, rng=rng)
    assert set(result.method) <= {METHODS.index(m) for m in ("observed", "look-up", "exact")}
    for r, row in enumerate(rows):
        for i, p in expected_marginals(network, row, scan).items():
            np.testing.assert_allclose(result.probabilities[f"X{i}"][r], p, atol=1e-7)
        for i in np.flatnonzero(row >= 0).tolist():
            certain = np.eye(network.domain.cardinalities[i])[row[i]]
            assert result.probabilities[f"X{i}"][r].tolist() == certain.tolist()
            assert not result.standard_errors[f"X{i}"][r].any()
    assert result.distinct == len(np.unique(rows, axis=0))


@settings(max_examples=15)
@given(networks(max_states=60) | mixed_networks(max_states=60), seeds)
def test_sampled_rows_are_within_their_errors(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scan, rows = random_scan(rng, network), random_rows(rng, network, 6)
    result = query_rows(network, rows, scan=scan, rng=rng, method="sample", tolerance=0.01)
    assert result.converged.all()
    for r, row in enumerate(rows):
        for i, p in expected_marginals(network, row, scan).items():
            error = result.standard_errors[f"X{i}"][r]
            assert (error <= 0.01).all()
            # 64 chains: Student's t with 63 degrees passes 9 about once in 1e12 cells.
            assert (np.abs(result.probabilities[f"X{i}"][r] - p) <= 9 * error + 1e-9).all()


@pytest.mark.parametrize("scan", [RandomScan(), SequentialScan((2, 0, 1))])
@pytest.mark.parametrize("method", ["auto", "sample"])
def test_a_slightly_wrong_model_would_be_seen(scan: Scan, method: str) -> None:
    network, row = coupled(), np.array([-1, -1, -1])
    how: Literal["auto", "sample"] = "auto" if method == "auto" else "sample"
    rng = np.random.default_rng(0)
    asked = query_rows(network, [row], scan=scan, method=how, tolerance=0.0005, rng=rng)
    found = asked.probabilities["X1"][0]
    right = expected_marginals(network, row, scan)[1]
    wrong = expected_marginals(slightly_wrong(network), row, scan)[1]
    tolerance = 9 * 0.0005 if method == "sample" else 1e-7
    np.testing.assert_allclose(found, right, atol=tolerance)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(found, wrong, atol=tolerance)


def test_threads_change_nothing() -> None:
    network = coupled()
    rows = np.array([[-1, -1, 0], [-1, 2, -1], [-1, -1, -1]] * 3)
    one, *others = (
        query_rows(network, rows, method="sample", n_jobs=jobs, tolerance=0.02, rng=np.random.default_rng(4))
        for jobs in (1, 2, -1, None)
    )
    for other, name in itertools.product(others, network.domain.names):
        assert one.probabilities[name].tolist() == other.probabilities[name].tolist()


def test_holes_may_be_marked_in_a_dataset_too() -> None:
    network = coupled()
    data = Dataset.from_codes([[0, 2, 1]], [2, 3, 2])
    marked = query_rows(network, data, np.array([[True, False, False]]))
    negative = query_rows(network, [[-1, 2, 1]])
    assert marked.probabilities["X0"].tolist() == negative.probabilities["X0"].tolist()
    assert METHODS[marked.method[0]] == "look-up"
    assert "1 look-up" in str(marked)
    assert query_rows(network, np.zeros((0, 3), dtype=int)).probabilities["X1"].shape == (0, 3)


def test_rows_that_time_leaves_no_room_for_are_marked() -> None:
    network = coupled()
    result = query_rows(network, [[-1, -1, 0]], method="sample", tolerance=1e-6, max_seconds=0.2)
    assert not result.converged[0]
    assert np.isfinite(result.probabilities["X0"]).all()


def test_bad_rows_are_named() -> None:
    network = coupled()
    refuses(DataError, r"row 1, 'X1': code 3 is outside 0\.\.2", query_rows, network, [[0, 1, -1], [0, 3, 1]])
    refuses(DataError, r"shape \(1, 2\)", lambda: query_rows(network, [[0, 1]]))
    refuses(DataError, "integer codes", lambda: query_rows(network, [[0.5, 1, 1]]))
    refuses(DataError, "hidden marks each cell", lambda: query_rows(network, [[0, 1, 1]], [[1, 0, 0]]))
    refuses(DataError, "another domain", lambda: query_rows(network, Dataset.from_codes([[0, 1]], [2, 2])))
    refuses(ValueError, "tolerance", lambda: query_rows(network, [[0, 1, -1]], tolerance=2))
    with pytest.raises(ValueError, match="n_jobs is a whole number of at least 1; got 0"):
        query_rows(network, [[0, 1, -1]], n_jobs=0)
    refuses(TypeError, "default_rng", lambda: query_rows(network, [[0, 1, -1]], rng=7))  # type: ignore[arg-type]  # that is the point
    refuses(ValueError, "'auto', 'sample'", lambda: query_rows(network, [[0, 1, -1]], method="guess"))  # type: ignore[arg-type]  # that is the point


def test_slow_mixing_is_left_to_the_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(reduced: object) -> None:
        raise ConvergenceError("too slow")

    monkeypatch.setattr(module, "exact_law", gives_up)
    result = query_rows(coupled(), [[-1, -1, 0]], tolerance=0.05, rng=np.random.default_rng(0))
    assert METHODS[result.method[0]] == "sample"


def test_more_variables_than_numpy_has_axes() -> None:
    """70 variables in a ring, each a copy of the one before: holes get what the ring knows."""
    n = 70
    table = [[0.9, 0.1], [0.1, 0.9]]
    network = given_tables(*[([(i - 1) % n], table) for i in range(n)], in_order=False)
    rows = np.tile(np.arange(2)[:, None], (1, n))
    rows[:, 5] = -1
    found = query_rows(network, rows)
    assert np.allclose(found.probabilities["X5"], table)
    sampled = query_rows(network, rows, method="sample", rng=np.random.default_rng(0))
    assert np.allclose(sampled.probabilities["X5"], table)
