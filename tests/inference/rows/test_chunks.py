"""Long tables filled a chunk at a time: as `impute` fills them, in bounded memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet.inference.rows import impute as module
from depnet.inference.rows.impute import ChunkedImputation, chunk_rows, impute
from depnet.model.network import Network

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


def test_draws_are_a_function_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network.from_joint(JOINT)
    codes, hidden = table(300, 0)
    monkeypatch.setattr(module, "MOST_ROWS", 70)

    def drawn(seed: int) -> list[list[list[int]]]:
        filling = ChunkedImputation(network, method="draw", rng=np.random.default_rng(seed))
        made = [found.codes.tolist() for _, found in filling.chunks(codes, hidden)]
        assert filling.converged
        return made

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert len(drawn(1)) > 2


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
