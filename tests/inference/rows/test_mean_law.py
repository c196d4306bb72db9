"""Laws of holes averaged over networks, against exact laws."""

import numpy as np
import pytest

from depnet import Network
from depnet.arrays import FloatArray
from depnet.inference.rows.mean_law import laws_and_tables


def joints() -> list[FloatArray]:
    rng = np.random.default_rng(3)
    return [rng.dirichlet(np.ones(24)).reshape(2, 3, 4) for _ in range(3)]


ROW = np.array([[1, 0, 0]])
HIDDEN = np.array([[False, True, True]])


def exact(axis: int) -> FloatArray:
    each = [p[1] / p[1].sum() for p in joints()]
    return np.asarray(np.mean([law.sum(axis=axis) for law in each], axis=0))


def test_the_mean_of_exact_laws() -> None:
    """Tolerance 0.002 makes 62,500 visits in all; 0.02 is beyond six standard errors, even were a tenth independent."""
    networks = [Network.from_joint(p) for p in joints()]
    found, _ = laws_and_tables(networks, ROW, HIDDEN, tolerance=0.002, rng=np.random.default_rng(0))
    assert np.allclose(found["X1"][0], exact(1), atol=0.02)
    assert np.allclose(found["X2"][0], exact(0), atol=0.02)
    assert found["X0"].tolist() == [[0.0, 1.0]]
    alone, _ = laws_and_tables(networks[:1], ROW, HIDDEN, tolerance=0.002, rng=np.random.default_rng(0))
    with pytest.raises(AssertionError):  # one network alone is not the mean
        assert np.allclose(alone["X1"][0], exact(1), atol=0.02)


def test_equal_rows_and_threads() -> None:
    networks = [Network.from_joint(p) for p in joints()]
    rows, hidden = np.repeat(ROW, 5, axis=0), np.repeat(HIDDEN, 5, axis=0)
    hidden[3] = False
    one, two = (
        laws_and_tables(networks, rows, hidden, rng=np.random.default_rng(1), n_jobs=n)[0] for n in (1, 2)
    )
    for name, law in one.items():
        assert np.array_equal(law, two[name])
        assert np.array_equal(law[0], law[4])
    assert one["X1"][3].tolist() == [1.0, 0.0, 0.0]


def test_a_wrong_tolerance_is_an_error() -> None:
    with pytest.raises(ValueError, match="tolerance"):
        laws_and_tables([Network.from_joint(joints()[0])], ROW, HIDDEN, tolerance=0)
