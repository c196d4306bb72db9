"""`DependencyNetworkImputer` in pipelines, beside scikit-learn's own imputers."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from depnet import Dataset, DependencyNetwork, DependencyNetworkImputer
from depnet.arrays import FloatArray
from depnet.data.table.dataset import Holed
from depnet.errors import DataError
from tests.estimators.tables import as_kind, people, with_holes
from tests.refusals import refuses


def iris(share: float = 0.2) -> tuple[FloatArray, FloatArray]:
    whole = load_iris().data
    holes = np.random.default_rng(0).random(whole.shape) < share
    return whole, np.where(holes, np.nan, whole)


def test_numbers_are_filled_nearer_than_by_their_means() -> None:
    """Iris, 20 % hidden: root mean square errors of about 0.4 and 0.9 of a standard deviation or so; half as margin."""
    whole, holed = iris()
    gone = np.isnan(holed)
    spread = whole.std(axis=0)
    filled = DependencyNetworkImputer(random_state=0).fit_transform(holed)
    assert np.array_equal(filled[~gone], whole[~gone])
    assert not np.isnan(filled).any()
    simple = SimpleImputer().fit_transform(holed)
    ours, theirs = (np.sqrt((((table - whole) / spread)[gone] ** 2).mean()) for table in (filled, simple))
    assert ours < 0.7 * theirs


def test_new_rows_are_filled_without_fitting_again() -> None:
    _, holed = iris()
    imputer = DependencyNetworkImputer(random_state=0).fit(holed[::2])
    network = imputer.model_.network_
    filled = imputer.transform(holed[1::2])
    assert imputer.model_.network_ is network
    assert not np.isnan(filled).any()


def test_many_imputations_differ_only_in_holes() -> None:
    _, holed = iris()
    options: dict[str, Any] = {"n_imputations": 12, "rounds": 2, "random_state": 0}
    tables = DependencyNetworkImputer(sample_posterior=True, **options).fit(holed).transform_many(holed)
    assert len({table.tobytes() for table in tables}) == len(tables) == 12
    seen = ~np.isnan(holed)
    for table in tables:
        assert np.array_equal(table[seen], holed[seen])
    assert (tables[0].min(axis=0) >= np.nanmin(holed, axis=0)).all()
    assert (tables[0].max(axis=0) <= np.nanmax(holed, axis=0)).all()


def test_whole_numbers_and_few_values_are_drawn_as_such() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 90, 300)
    table = pd.DataFrame({"x": x, "y": 2 * x + rng.integers(0, 9, 300), "few": x // 30 + 1}).astype("Int64")
    holed = table.mask(rng.random(table.shape) < 0.2)
    drawn = DependencyNetworkImputer(sample_posterior=True, rounds=1, random_state=0).fit_transform(holed)
    assert (drawn.dtypes == "Int64").all()
    assert set(drawn["few"]) == {1, 2, 3}
    gone = holed["y"].isna() & holed["x"].notna()
    assert np.corrcoef(drawn["y"][gone].astype(float), 2.0 * x[gone])[0, 1] > 0.9


@pytest.mark.usefixtures("few_trees")
def test_a_seed_and_threads() -> None:
    _, holed = iris()
    tables = [
        DependencyNetworkImputer(sample_posterior=True, rounds=2, random_state=3, n_jobs=n).fit_transform(
            holed
        )
        for n in (1, 1, 2)
    ]
    assert np.array_equal(tables[0], tables[1])
    assert np.array_equal(tables[0], tables[2])


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize(
    ("given", "kind"), [("pandas", "pandas"), ("polars", "polars"), ("polars", "pandas")]
)
def test_set_output(given: str, kind: str) -> None:
    frame = as_kind(with_holes(people(150)), given)
    imputer = DependencyNetworkImputer(penalty="mdl", rounds=1, random_state=0).set_output(transform=kind)
    out = imputer.fit_transform(frame)
    assert type(out) is type(as_kind(people(1), kind))
    assert set(out["sex"]) == {"female", "male"}
    assert list(out.columns) == list(imputer.get_feature_names_out()) == list(frame.columns)
    numbers = DependencyNetworkImputer(penalty="mdl", rounds=1, random_state=0).set_output(transform=kind)
    assert list(numbers.fit_transform(iris()[1]).columns) == ["x0", "x1", "x2", "x3"]


@pytest.mark.usefixtures("few_trees")
def test_in_pipelines_column_transformers_and_cross_validation() -> None:
    _, holed = iris()
    model = make_pipeline(
        DependencyNetworkImputer(penalty="mdl", rounds=2, random_state=0), LogisticRegression(max_iter=1000)
    )
    scores = cross_val_score(model, holed, load_iris().target, cv=3)
    assert scores.mean() > 0.8
    columns = ColumnTransformer(
        [("filled", DependencyNetworkImputer(penalty="mdl", rounds=2, random_state=0), ["sex", "fare"])],
        remainder="drop",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    out = columns.fit_transform(with_holes(people(200)))
    assert list(out.columns) == ["sex", "fare"]
    assert out.notna().all(axis=None)


def test_quantiles_cover_hidden_numbers_and_agree_with_laws() -> None:
    """800 rows of a line with noise, 15 % hidden: 90 % intervals cover about 90 % of some 240 numbers, 4 s.e. as margin."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=800)
    whole = np.column_stack([x, 2 * x + rng.normal(size=800)])
    gone = rng.random(whole.shape) < 0.15
    gone[gone.all(axis=1)] = False
    holed = np.where(gone, np.nan, whole)
    imputer = DependencyNetworkImputer(random_state=0).fit(holed)
    quantiles = imputer.quantiles(holed, (0.05, 0.5, 0.95))
    within = []
    for i, name in enumerate(imputer.model_.domain_.names):
        low, middle, high = quantiles[name].T
        assert np.array_equal(low[~gone[:, i]], whole[~gone[:, i], i])
        assert ((low <= middle) & (middle <= high)).all()
        within.append(((low <= whole[:, i]) & (whole[:, i] <= high))[gone[:, i]])
    covered = np.concatenate(within)
    assert abs(covered.mean() - 0.9) < 4 * np.sqrt(0.09 / len(covered))
    for law in imputer.laws(holed).values():
        assert np.allclose(law.sum(axis=1), 1)
    refuses(DataError, "needs a column of numbers", lambda: imputer.quantiles(imputer.model_._rows(holed)))


def test_floats_of_a_few_whole_values_get_their_expected_value() -> None:
    """A rating of 1, 2 or 3, drawn at random: its mean is between, where its mode would be one of them."""
    rng = np.random.default_rng(2)
    rating = rng.integers(1, 4, 300).astype(float)
    table = pd.DataFrame({"rating": rating, "sex": rng.choice(["f", "m"], 300)})
    table.loc[:9, "rating"] = np.nan
    filled = DependencyNetworkImputer(random_state=0).fit_transform(table)["rating"][:10]
    assert ((filled > 1.5) & (filled < 2.5)).all()
    answered = (
        DependencyNetwork(penalty="mdl", rounds=1, random_state=0).fit(table).impute(table)["rating"][:10]
    )
    assert ((answered > 1.5) & (answered < 2.5)).all()
    whole = table.assign(rating=table["rating"].astype("Int64"))
    counts = DependencyNetworkImputer(random_state=0).fit_transform(whole)["rating"]
    assert set(counts) <= {1, 2, 3}


def test_two_numbers_are_a_category() -> None:
    rng = np.random.default_rng(3)
    table = np.column_stack([rng.normal(size=200), rng.integers(0, 2, 200)])
    table[:20, 1] = np.nan
    assert set(DependencyNetworkImputer(random_state=0).fit_transform(table)[:20, 1]) <= {0.0, 1.0}


def test_nested_lists_are_filled() -> None:
    """What scikit-learn takes for a table: lists of lists."""
    rows = [[float(i % 7), float(2 * (i % 7))] for i in range(100)] + [[3.0, float("nan")]]
    filled = DependencyNetworkImputer(random_state=0).fit_transform(rows)
    assert 5 < filled[-1, 1] < 7


def test_codes_are_learned_from_and_filled() -> None:
    rng = np.random.default_rng(4)
    codes = np.repeat(rng.integers(0, 3, (200, 1)), 3, axis=1)
    hidden = rng.random(codes.shape) < 0.2
    dataset = Dataset.from_codes(codes, cardinalities=[3, 3, 3])
    imputer = DependencyNetworkImputer(random_state=0).fit(dataset)
    assert imputer.n_features_in_ == 3
    seen = Dataset.from_codes(np.where(hidden, 0, codes), cardinalities=[3, 3, 3])
    filled = imputer.transform(Holed(dataset.domain, seen.codes, hidden))
    single = hidden.sum(axis=1) == 1
    assert np.array_equal(filled.codes[single], codes[single])


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2"])
def test_a_wrong_number_of_imputations_is_said(wrong: Any) -> None:
    rows = np.array([[0.0, 0.0], [1.0, 1.0]] * 10 + [[1.0, np.nan]])
    imputer = DependencyNetworkImputer(n_imputations=wrong, random_state=0).fit(rows)
    refuses(ValueError, "n_imputations is a whole number of at least 1", lambda: imputer.transform_many(rows))
