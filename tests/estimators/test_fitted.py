"""Summaries, reprs and the small picture."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import depnet
from depnet import DependencyNetwork
from depnet.errors import ModelError
from depnet.learning.options import AutoBoost
from tests.estimators.tables import people, with_holes
from tests.mixed import boosts_asked, mixed_titanic
from tests.narrowed import there
from tests.refusals import refuses


@pytest.fixture(scope="module")
def model() -> DependencyNetwork:
    return DependencyNetwork(random_state=0).fit(with_holes(people()))


def test_a_summary_says_plain_figures_first_then_the_theory(model: DependencyNetwork) -> None:
    summary = model.summary()
    text = str(summary)
    parts = (
        "knowing the other columns removes",
        "drawn rows against the data",
        "strongest links",
        "missing at random",
        "theory",
        "KL(data || law)",
        "FC(data || model)",
    )
    places = [text.find(part) for part in parts]
    assert min(places) > 0
    assert places == sorted(places)
    assert summary.certificate == model.certificate_
    assert summary.law_certificate == model.law_certificate_
    near = there(summary.marginals)
    assert near.one_way < 2 * near.floor_one_way
    assert summary.strongest == model.links()[:5]


def test_a_repr_shows_what_is_explained_and_the_strongest_links(model: DependencyNetwork) -> None:
    text = repr(model)
    assert text.startswith("DependencyNetwork(random_state=0)")
    assert "knowing the other columns removes" in text
    assert not re.search(r"\b(law|lea(f|ves)|nats|KL|FC)\b", text)  # nobody needs the theory to read it
    first = model.links()[0]
    assert f"{first.source} -> {first.target}" in text
    assert repr(DependencyNetwork()) == "DependencyNetwork()"
    assert "DependencyNetwork" in repr(make_pipeline(model))


def test_html_needs_nothing_from_elsewhere(model: DependencyNetwork) -> None:
    html = model._repr_html_()
    assert "<svg" in html
    assert html.count("http") == 1  # the name space of SVG: nothing is fetched
    assert model._repr_mimebundle_()["text/html"] == html


def test_a_picture_of_no_links_is_empty() -> None:
    alone = DependencyNetwork(penalty="mdl").fit(pd.DataFrame({"a": [0, 1] * 20}))
    assert "<svg" not in alone._repr_html_()
    assert "sk-" in DependencyNetwork()._repr_html_()  # scikit-learn's own before fit


def test_a_loaded_model_shows_what_its_file_knows(model: DependencyNetwork, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    again = DependencyNetwork.load(tmp_path / "model.json", random_state=0)
    text = str(again.summary())
    assert "knowing the other columns removes" in text
    assert "drawn rows against the data" in text  # whose counts the file has
    assert "no certificate" in text
    assert "knowing the other columns removes" in repr(again)


@pytest.mark.parametrize(
    "estimator",
    [depnet.DependencyNetwork, depnet.DependencyNetworkClassifier, depnet.DependencyNetworkImputer],
)
def test_boost_is_a_parameter_that_is_passed_on(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = boosts_asked(monkeypatch)
    rows = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5)
    assert "boost" in estimator().get_params()
    estimator(boost="auto", penalty="mdl", random_state=0).fit(rows, rows[:, 0])
    averaged = estimator is depnet.DependencyNetworkClassifier  # which learns the chosen stages several times
    assert set(asked) == {AutoBoost(runs=4) if averaged else AutoBoost()}


def test_a_model_with_boosted_nodes_shows_itself_and_cannot_be_updated(tmp_path: Path) -> None:
    depnet.save(mixed_titanic(), tmp_path / "m.json")
    model = depnet.DependencyNetwork.load(tmp_path / "m.json")
    cells = ["".join(cell.itertext()) for cell in ET.fromstring(model._repr_html_()).iter("td")]
    assert cells[:2] == ["sex", "survived"]
    assert model.links()[0].target == "survived"
    refuses(ModelError, r"^partial_fit: .* Fit again from all rows\.$", model.partial_fit, people())
