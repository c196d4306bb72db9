"""Imputation: observed cells stay, modes are modes, draws follow the joint law of the holes.

Long tables filled a chunk at a time: as `impute` fills them, in bounded memory.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Network, RandomScan, SequentialScan
from depnet.errors import DataError
from depnet.inference import holes as module
from depnet.inference.holes import ChunkedImputation, chunk_rows, impute
from depnet.model import Evidence, Scan
from tests.inference.cases import coupled, random_rows
from tests.laws import assert_same_law
from tests.reference.inference import query_law
from tests.refusals import refuses
from tests.strategies import networks, seeds


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
        patch.setattr(module, "MOST_ROWS", size)
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


def test_many_states_make_short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network.from_joint(JOINT)
    monkeypatch.setattr(module, "CHUNK_BYTES", 10 * 32 * (2 + 3 + 4))
    assert chunk_rows(network) == 10
    monkeypatch.setattr(module, "CHUNK_BYTES", 1)
    assert chunk_rows(network) == 1
