"""Rows with holes: their answers and scores, under a network without an order; imputation; which holes are filled."""

import itertools
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import (
    Dataset,
    Domain,
    Network,
    RandomScan,
    SequentialScan,
    Variable,
    learn,
    query_rows,
    score_samples,
)
from depnet.arrays import FloatArray
from depnet.data.table.dataset import Holed, nothing_hidden
from depnet.errors import ConvergenceError, DataError, ModelError
from depnet.inference import imputation as holes_module
from depnet.inference.answer.rows import METHODS
from depnet.inference.clamped import answer as clamped
from depnet.inference.holes import score_holed
from depnet.inference.imputation import (
    LEAST_KNOWN,
    ChunkedImputation,
    impute,
    open_holes,
    present_law,
    split_holes,
)
from depnet.learning.options import Boost
from depnet.model import Evidence, Scan
from tests.exact.drawing import any_scan
from tests.inference.cases import coupled, random_rows, slightly_wrong
from tests.law.cases import given_tables
from tests.laws import assert_same_law
from tests.reference.inference import query_law
from tests.refusals import refuses
from tests.strategies import mixed_networks, networks, seeds


def expected_marginals(network: Network, row: np.ndarray, scan: Scan) -> dict[int, np.ndarray]:
    evidence = Evidence({int(i): int(row[i]) for i in np.flatnonzero(row >= 0)}, {})
    return {int(i): query_law(network, [int(i)], evidence, scan) for i in np.flatnonzero(row < 0)}


@settings(max_examples=40)
@given(networks(max_states=80) | mixed_networks(max_states=80), seeds)
@pytest.mark.parametrize("table_states", [0, 1 << 12])
def test_exact_rows_are_what_each_would_be_alone(table_states: int, network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scan, rows = any_scan(rng, network), random_rows(rng, network)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "depnet.model.sources.limits.TABLE_STATES", table_states
        )  # walk stages, or look them up
        result = query_rows(replace(network), rows, scan=scan, rng=rng)
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
    scan, rows = any_scan(rng, network), random_rows(rng, network, 6)
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
    refuses(
        DataError,
        r"column 'X1', row 1: code 3 is outside 0\.\.2",
        query_rows,
        network,
        [[0, 1, -1], [0, 3, 1]],
    )
    refuses(DataError, r"shape \(1, 2\)", lambda: query_rows(network, [[0, 1]]))
    refuses(DataError, "codes are integers", lambda: query_rows(network, [[0.5, 1, 1]]))
    refuses(DataError, "hidden marks each cell", lambda: query_rows(network, [[0, 1, 1]], [[1, 0, 0]]))
    refuses(
        ModelError,
        "2 variables, the network 3",
        lambda: query_rows(network, Dataset.from_codes([[0, 1]], [2, 2])),
    )
    refuses(ValueError, "tolerance", lambda: query_rows(network, [[0, 1, -1]], tolerance=2))
    with pytest.raises(ValueError, match="n_jobs is a whole number of at least 1; got 0"):
        query_rows(network, [[0, 1, -1]], n_jobs=0)
    refuses(TypeError, "default_rng", lambda: query_rows(network, [[0, 1, -1]], rng=7))  # type: ignore[arg-type]  # that is the point
    refuses(ValueError, "'auto', 'sample'", lambda: query_rows(network, [[0, 1, -1]], method="guess"))  # type: ignore[arg-type]  # that is the point


def test_slow_mixing_is_left_to_the_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(reduced: object) -> None:
        raise ConvergenceError("too slow")

    monkeypatch.setattr(clamped, "exact_law", gives_up)
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


def test_complete_rows_have_their_pseudo_log_likelihood_and_holes_are_refused() -> None:
    network = Network.from_joint(np.random.default_rng(1).dirichlet(np.ones(24)).reshape(2, 3, 4))
    codes, hidden = np.array([[0, 1, 2], [1, 2, 3]]), np.zeros((2, 3), dtype=bool)
    expected = score_samples(network, Dataset.from_codes(codes, domain=network.domain))
    assert np.array_equal(score_holed(network, codes, hidden), expected)
    hidden[1, 0] = True
    refuses(DataError, 'order="auto"', lambda: score_holed(network, codes, hidden))


@settings(max_examples=25)
@given(networks(max_states=60), seeds)
@pytest.mark.parametrize("method", ["mode", "draw"])
def test_what_was_observed_is_untouched(method: str, network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, network)
    if method == "mode":
        made = impute(network, rows, tolerance=0.05, rng=rng)
    else:
        made = impute(network, rows, method="draw", n_imputations=3, tolerance=0.05, rng=rng)
    for codes in made.imputations:
        assert (codes[rows >= 0] == rows[rows >= 0]).all()
        assert (codes >= 0).all()
        assert (codes < np.array(network.domain.cardinalities)).all()
    if method == "mode":
        for i in range(len(network.domain)):
            best = made.cells.probabilities[f"X{i}"].argmax(axis=1)
            assert (made.codes[:, i] == best)[rows[:, i] < 0].all()


@pytest.mark.parametrize("scan", [RandomScan((0.5, 0.2, 0.3)), SequentialScan((1, 0, 2))])
def test_draws_follow_the_joint_law_of_the_holes(scan: Scan) -> None:
    network, row = coupled(), [-1, -1, 1]
    made = impute(
        network, [row] * 4000, method="draw", n_imputations=5, scan=scan, rng=np.random.default_rng(2)
    )
    drawn = np.concatenate(made.imputations)
    counts = np.zeros((2, 3))
    np.add.at(counts, (drawn[:, 0], drawn[:, 1]), 1)
    law = query_law(network, [0, 1], Evidence({2: 1}, {}), scan)
    assert_same_law(counts, law, detects_l1=0.1)
    independent = law.sum(axis=1, keepdims=True) * law.sum(axis=0, keepdims=True)
    with pytest.raises(AssertionError):  # cells drawn one by one would not fit together
        assert_same_law(counts, independent, detects_l1=0.1)
    assert made.converged


def test_an_imputation_says_what_it_did() -> None:
    drawn = impute(coupled(), [[0, -1, -1]], method="draw", n_imputations=3, rng=np.random.default_rng(0))
    assert str(drawn) == "2 holes of 1 row filled by draws, 3 imputations; converged"
    assert str(impute(coupled(), [[0, 1, -1], [0, -1, 1]])).startswith(
        "2 holes of 2 rows filled by their modes;"
    )


def test_bad_input_is_named() -> None:
    network = coupled()
    refuses(ValueError, "'mode', 'draw'", lambda: impute(network, [[0, -1, 0]], method="mean"))  # type: ignore[arg-type]  # that is the point
    refuses(ValueError, "n_imputations", lambda: impute(network, [[0, -1, 0]], n_imputations=0))
    refuses(ValueError, 'method "draw"', lambda: impute(network, [[0, -1, 0]], n_imputations=2))
    refuses(DataError, "no rows", lambda: impute(network, np.zeros((0, 3), dtype=int)))


JOINT = np.random.default_rng(3).dirichlet(np.ones(24)).reshape(2, 3, 4)


def table(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, c, rows) for c in JOINT.shape], axis=1)
    return codes, rng.random(codes.shape) < 0.3


@settings(max_examples=15, deadline=None)
@given(rows=st.integers(1, 60), size=st.integers(1, 70), seed=st.integers(0, 2**32 - 1))
def test_modes_do_not_depend_on_the_length_of_chunks(rows: int, size: int, seed: int) -> None:
    network = Network.from_joint(JOINT)
    codes, hidden = table(rows, seed)
    expected = impute(network, codes, hidden)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holes_module, "MOST_ROWS", size)
        filling = ChunkedImputation(network)
        found = list(filling.chunks(codes, hidden))
    assert [len(at) for at, _ in found[:-1]] == [size] * (len(found) - 1)
    full = codes.copy()
    for at, chunk in found:
        full[at] = chunk.codes
        for name, law in expected.cells.probabilities.items():
            np.testing.assert_allclose(chunk.cells.probabilities[name], law[at], rtol=1e-12, atol=1e-15)
    assert (full == expected.codes).all()
    assert filling.converged == expected.converged


def test_one_chunk_is_what_impute_draws() -> None:
    network = Network.from_joint(JOINT)
    codes, hidden = table(300, 0)
    filling = ChunkedImputation(network, method="draw", rng=np.random.default_rng(1))
    ((at, found),) = filling.chunks(codes, hidden)
    expected = impute(network, codes, hidden, method="draw", rng=np.random.default_rng(1))
    assert (found.codes == expected.codes[at]).all()


def test_rows_that_are_not_wanted_are_not_answered() -> None:
    network = Network.from_joint(JOINT)
    codes, hidden = table(50, 4)
    wanted = hidden.copy()
    wanted[10:] = False
    rows = np.concatenate([at for at, _ in ChunkedImputation(network).chunks(codes, hidden, wanted)])
    assert rows.tolist() == np.flatnonzero(hidden[:10].any(axis=1)).tolist()
    assert not list(ChunkedImputation(network).chunks(codes, np.zeros_like(hidden)))


DOMAIN = Domain(
    (
        Variable("dead", ("no", "yes")),
        Variable("cause", ("a", "b", "(missing)"), missing="(missing)"),
        Variable("test", ("low", "high", "(missing)"), missing="(missing)"),
    )
)


def rows_of(rng: np.random.Generator, rows: int = 4000) -> Dataset:
    """The living have no cause; a test is missing for a third, more often of the dead, and tells of the cause."""
    dead = rng.random(rows) < 0.4
    cause = np.where(dead, rng.integers(2, size=rows), 2)
    test = np.where(rng.random(rows) < 0.8, cause % 2, rng.integers(2, size=rows))
    test = np.where(rng.random(rows) < np.where(dead, 0.5, 0.2), 2, test)
    return Dataset.from_codes(np.stack([dead, cause, test], axis=1).astype(np.int64), domain=DOMAIN)


def law_of(seed: int = 0) -> Network:
    return learn(rows_of(np.random.default_rng(seed)), smoothing=0.5, order="auto")


def joint(network: Network) -> FloatArray:
    cards = network.domain.cardinalities
    codes = np.stack(np.unravel_index(np.arange(np.prod(cards)), cards), axis=1).astype(np.uint8)
    each = [node.own_probabilities(codes) for node in network.nodes]
    return np.asarray(np.prod(each, axis=0)).reshape(cards)


def test_the_living_keep_no_cause_and_the_dead_get_one() -> None:
    law = law_of()
    codes = np.array([[0, 2, 0], [1, 2, 0], [1, 2, 2], [0, 2, 2], [1, 0, 1]], dtype=np.uint8)
    table = Holed(DOMAIN, codes, nothing_hidden(codes.shape))
    holes = open_holes(table)
    assert holes.tolist() == (codes == 2).tolist()
    plain, fill = split_holes(law, codes, holes)
    assert fill[:, 1].tolist() == [False, True, True, False, False]
    assert fill[:, 2].tolist() == [False, False, True, True, False]
    assert plain[:, 1].tolist() == [2, 0, 0, 2, 0]  # what stays is a fact
    assert split_holes(law, codes, holes, everything=True)[1].tolist() == holes.tolist()
    found = query_rows(present_law(law), plain, fill)
    for name in ("cause", "test"):
        i = DOMAIN.index(name)
        assert (found.probabilities[name][fill[:, i], -1] < 1e-8).all()


@given(st.integers(0, 2**32))
def test_what_fills_is_the_law_given_known_and_facts_weigh_as_before(seed: int) -> None:
    law = law_of(seed % 7)
    filling = present_law(law)
    assert isinstance(filling, Network)
    whole, filled = joint(law), joint(filling)
    np.testing.assert_allclose(filled.sum(), 1.0)
    order = law.order or ()
    # One hole, all else known: theta(X_j | known, rest) where X_j is the last that is drawn.
    last = order[-1]
    if DOMAIN.variables[last].missing is not None:
        given_rest = np.moveaxis(whole, last, -1)[..., :-1]
        ours = np.moveaxis(filled, last, -1)[..., :-1]
        wanted = given_rest / given_rest.sum(axis=-1, keepdims=True)
        got = ours / ours.sum(axis=-1, keepdims=True)
        often = given_rest.sum(axis=-1) > 0.02  # leaves that know little of it say what all say together
        assert np.abs(wanted - got)[often].max() < 0.02
    for i in (1, 2):  # the state of a hole weighs the states of others as it did
        odds = filling.nodes[i].table.probabilities[:, -1] / law.nodes[i].table.probabilities[:, -1]
        np.testing.assert_allclose(odds, odds[0])


def test_a_leaf_that_never_knows_says_what_all_leaves_say() -> None:
    law = learn(rows_of(np.random.default_rng(0)), smoothing=0.5, order=["dead", "cause", "test"])
    found = query_rows(present_law(law), np.array([[0, 0, 2]]), np.array([[False, True, False]]))
    assert np.abs(found.probabilities["cause"][0, :2] - 0.5).max() < 0.1


def test_boosted_nodes_never_fill_with_missing() -> None:
    law = learn(rows_of(np.random.default_rng(0)), smoothing=0.5, order="auto", boost=Boost(stages=5))
    codes = np.array([[1, 0, 1]])
    found = query_rows(present_law(law), codes, np.array([[False, True, True]]))
    assert max(found.probabilities[name][0, -1] for name in ("cause", "test")) < 1e-6


def test_a_network_of_probabilities_alone_and_one_without_such_states() -> None:
    plain = Network.from_joint(np.full((2, 2), 0.25))
    assert present_law(plain) is plain
    law = law_of()
    assert pytest.approx(0.02) == LEAST_KNOWN
    again = Network(law.domain, tuple(node.smoothed(0.5) for node in law.nodes), None, law.order)
    filling = present_law(again)
    assert isinstance(filling, Network)
    assert filling.nodes[1].table.counts is None
