"""`DependencyNetworkRegressor`: means, quantiles and shares of numbers not seen."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

import depnet
from depnet import DependencyNetworkRegressor
from tests.estimators.tables import people, with_holes
from tests.refusals import refuses


def uneven(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A step, a line, and noise that grows with the second column."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    return X, 4.0 * (X[:, 0] > 0.5) + 2.0 * X[:, 2] + (0.2 + X[:, 1]) * rng.normal(size=n)


@pytest.fixture(scope="module")
def model() -> DependencyNetworkRegressor:
    return DependencyNetworkRegressor(random_state=0).fit(*uneven(2000))


def test_the_mean_is_near_the_best_there_is(model: DependencyNetworkRegressor) -> None:
    """The noise leaves an R2 of 0.83 or so to the truth itself; a line has 0.65."""
    X, y = uneven(1000, seed=1)
    best = 4.0 * (X[:, 0] > 0.5) + 2.0 * X[:, 2]
    ceiling = 1 - ((y - best) ** 2).mean() / y.var()
    assert model.score(X, y) > ceiling - 0.02
    assert LinearRegression().fit(*uneven(2000)).score(X, y) < ceiling - 0.05


def test_intervals_hold_their_share_and_follow_the_noise(model: DependencyNetworkRegressor) -> None:
    """Of 1,000 rows the share within is off by more than 4 points in fewer than 1e-4 of all seeds, if the law is right."""
    X, y = uneven(1000, seed=2)
    low, middle, high = model.predict_quantiles(X).T
    assert (low <= middle).all()
    assert (middle <= high).all()
    assert ((low <= y) & (y <= high)).mean() == pytest.approx(0.9, abs=0.04)
    quiet, loud = X[:, 1] < 0.2, X[:, 1] > 0.8
    assert (high - low)[loud].mean() > 1.8 * (high - low)[quiet].mean()


def test_the_law_sums_to_one_and_is_that_of_the_quantiles(model: DependencyNetworkRegressor) -> None:
    X, _ = uneven(50, seed=3)
    edges = [0.0, 1.0, 3.0]
    law = model.predict_law(X, edges)
    assert law.shape == (50, 4)
    assert np.allclose(law.sum(axis=1), 1)
    assert (law >= 0).all()
    median = model.predict_quantiles(X, [0.5])[:, 0]
    assert ((law[:, :2].sum(axis=1) > 0.5) == (median < 1.0)).all()


def test_small_tables_have_the_linear_start() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DependencyNetworkRegressor(random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.4


def test_frames_with_categories_and_holes() -> None:
    table = people(400)
    rng = np.random.default_rng(0)
    y = np.where(table["sex"] == "female", 10.0, 20.0) + rng.normal(size=len(table))
    X = with_holes(table, 0.1)
    model = DependencyNetworkRegressor(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.7
    assert model.feature_names_in_.tolist() == list(table.columns)
    whole = DependencyNetworkRegressor(random_state=0).fit(table, y)
    assert np.isfinite(whole.predict(X)).all()  # no column had holes
    refuses(depnet.errors.DataError, "missing", DependencyNetworkRegressor(missing="error").fit, X, y)


def test_columns_may_have_the_names_of_its_own() -> None:
    X, y = uneven(100)
    table = [{"mean": a, "residual": b, "y": c} for a, b, c in X.tolist()]
    model = DependencyNetworkRegressor(random_state=0).fit(table, y)
    assert model.network_.domain.names == ("mean", "residual", "y", "mean_", "residual_")


def test_the_seed_threads_and_order_of_rows_do_not_matter() -> None:
    X, y = uneven(300)
    one = DependencyNetworkRegressor(random_state=0).fit(X, y).predict_quantiles(X)
    turned = np.random.default_rng(1).permutation(300)
    other = DependencyNetworkRegressor(random_state=5, n_jobs=2).fit(X[turned], y[turned])
    assert np.array_equal(other.predict_quantiles(X), one)


@pytest.mark.parametrize(
    ("call", "name", "wrong"),
    [
        *(("predict_quantiles", "levels", wrong) for wrong in ([0.0], [0.5, 1.0], 0.5, [np.nan])),
        *(("predict_law", "edges", wrong) for wrong in ([], [1.0, 1.0], [2.0, 1.0], [np.inf], 1.0)),
    ],
)
def test_levels_are_shares_and_edges_ascend(
    model: DependencyNetworkRegressor, call: str, name: str, wrong: object
) -> None:
    refuses(depnet.errors.DataError, f"`{name}` is a list", getattr(model, call), uneven(5)[0], wrong)
