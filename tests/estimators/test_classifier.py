"""`DependencyNetworkClassifier`: y's node, quick on complete rows, all nodes where there are holes."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

import depnet
from depnet import DependencyNetworkClassifier
from tests.estimators.tables import people, with_holes
from tests.narrowed import there


def test_it_classifies() -> None:
    """Breast cancer: 0.93 or so in cross-validation; always answering the larger class gives 0.63."""
    X, y = load_breast_cancer(return_X_y=True)
    scores = cross_val_score(DependencyNetworkClassifier(random_state=0), X, y, cv=3)
    assert scores.mean() > 0.87


def test_only_the_node_of_y_is_learned_from_complete_rows() -> None:
    table = people(400)
    model = DependencyNetworkClassifier(penalty="mdl", boost=None).fit(
        table.drop(columns="survived"), table["survived"]
    )
    assert model.classes_.tolist() == ["No", "Yes"]
    *inputs, y = model.network_.nodes
    assert all(node.inputs == () and not node.boosted for node in inputs)
    assert y.source.size > 1
    everything = depnet.learn(model.completion_.dataset, smoothing=0.5, cuts=True)
    assert y == everything.nodes[-1]
    table = table.drop(columns="survived")
    codes = np.column_stack([depnet.data.encode(table, model._inputs).codes, np.zeros(400)]).astype(np.uint8)
    assert np.array_equal(model.predict_proba(table), y.table.probabilities[y.source(codes)])
    assert np.array_equal(model.predict(table), model.classes_[model.predict_proba(table).argmax(axis=1)])


def test_holes_are_integrated_out() -> None:
    """What the holes' own columns say about y is used: against the marginal fill, accuracy is not lost."""
    whole = people(1500)
    X, y = with_holes(whole.drop(columns="survived"), 0.3), whole["survived"]
    model = DependencyNetworkClassifier(random_state=0).fit(X[:1000], y[:1000])
    assert any(node.inputs for node in model.network_.nodes[:-1])
    assert model.completion_.rounds
    assert all(variable.missing is None for variable in model.network_.domain.variables)
    proba = model.predict_proba(X[1000:])
    assert np.allclose(proba.sum(axis=1), 1)
    assert (model.predict(X[1000:]) == y[1000:]).mean() > max(y[1000:].value_counts(normalize=True)) + 0.03


def test_holes_to_predict_without_learned_inputs() -> None:
    table = people(300)
    X, y = table.drop(columns="survived"), table["survived"]
    model = DependencyNetworkClassifier(penalty="mdl", inputs=False, random_state=0).fit(X, y)
    proba = model.predict_proba(with_holes(X))
    assert np.allclose(proba.sum(axis=1), 1)
    assert not any(node.inputs for node in model.network_.nodes[:-1])


def test_a_column_may_be_called_y() -> None:
    table = people(200).rename(columns={"sex": "y"})
    model = DependencyNetworkClassifier(penalty="mdl").fit(table.drop(columns="survived"), table["survived"])
    assert model.network_.domain.names[-1] == "y_"


def test_holes_of_columns_that_are_nearly_copies_are_summed_out_by_one_law() -> None:
    """Clamped chains would hardly move between copies that are all unknown; the law's last variable is y."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 6, size=600)
    X = np.column_stack([np.where(rng.random(600) < 0.01, rng.integers(0, 6, 600), first) for _ in range(6)])
    y = (first + (rng.random(600) < 0.1)) % 2
    holed = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = DependencyNetworkClassifier(random_state=0, boost=None).fit(holed, y)
    assert there(model.network_.order)[-1] == 6
    unknown = np.full((1, 6), np.nan)
    np.testing.assert_allclose(model.predict_proba(unknown)[0, 1], y.mean(), atol=0.03)
    assert model.score(holed, y) > 0.85


def test_holes_that_mean_something_are_states() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(4, size=600)
    y = (x > 1) ^ (rng.random(600) < 0.1)
    told = pd.DataFrame({"a": x.astype(float), "b": np.where(y, np.nan, 1.0 * (x % 3))})
    model = DependencyNetworkClassifier(boost=None).fit(told, y)
    states = [variable.missing for variable in model.network_.domain.variables]
    assert states == [None, "(missing)", None]
    assert model.completion_.rounds == ()
    few = told.assign(b=np.where(np.arange(600) % 50 == 0, np.nan, x % 3))  # 2 % of the rows
    assert DependencyNetworkClassifier(boost=None).fit(few, y).completion_.rounds == ()
