"""A model whose law is a mixture: Python, the command, HTTP, SQL and the page say the same of it."""

import functools
import threading
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import depnet
from depnet import DependencyNetwork, Mixture
from depnet.errors import EvidenceError, LearningError, ModelFileError
from depnet.explorer.loaded import Loaded
from depnet.explorer.session import Stop
from depnet.explorer.target import find
from depnet.learning.mixture import MixtureLike
from depnet.model.file import load_model
from tests.cli.entry import answer
from tests.cli.entry import depnet as command
from tests.doors.cases import shop
from tests.doors.running import running
from tests.explorer.cases import all_answers
from tests.refusals import refuses

QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("paid", {"city": "Bern"}),
    ("city", {"price": ">300"}),
    ("price > 200", {"rooms": 2}),
    ("note", {}),
)


@functools.cache
def mixture_model(mixture: MixtureLike = 3) -> DependencyNetwork:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DependencyNetwork(random_state=0, distil=False, mixture=mixture).fit(shop())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("mixture")
    mixture_model().save(place / "model.json.gz")
    shop().to_csv(place / "shop.csv", index=False)
    return place


def of_law(target: str, known: Any) -> np.ndarray:
    """What the mixture itself says, with the seed of all doors."""
    found = depnet.query(mixture_model().law_, target, known, rng=np.random.default_rng(0))
    assert isinstance(found.probabilities, np.ndarray)
    return found.probabilities


def test_the_law_is_a_mixture_and_stays_one_in_a_file(folder: Path) -> None:
    model, again = mixture_model(), DependencyNetwork.load(folder / "model.json.gz", random_state=0)
    assert isinstance(model.law_, Mixture)
    assert len(model.law_.components) == 3
    assert model.law_.within is not None
    assert again.law_ == model.law_
    assert again.network_ == model.network_
    assert depnet.load(folder / "model.json.gz", law=True) == model.law_
    assert "a mixture of 3 networks in different orders" in str(again.summary())
    refuses(ModelFileError, "BIF holds one", lambda: depnet.save(model.law_, folder / "law.bif"))


@pytest.mark.parametrize(("target", "known"), QUESTIONS)
def test_one_answer_by_python_command_and_page(folder: Path, target: str, known: dict[str, Any]) -> None:
    expected = of_law(target, known)
    again = (
        DependencyNetwork.load(folder / "model.json.gz", random_state=0).query(target, known).probabilities
    )
    assert isinstance(again, np.ndarray)
    np.testing.assert_allclose(again, expected, rtol=0, atol=0.01)
    given = [word for name, value in known.items() for word in ("--given", _condition(name, value))]
    said = answer("query", folder / "model.json.gz", target, *given)
    np.testing.assert_allclose(said["probabilities"][target], expected, rtol=0, atol=0.01)
    model = load_model(folder / "model.json.gz")
    on_page = Loaded(model.network, model.law).answer(target, known or None).probabilities
    assert isinstance(on_page, np.ndarray)
    np.testing.assert_allclose(on_page, expected, rtol=0, atol=0.03)


def _condition(name: str, value: Any) -> str:
    return f"{name}{value}" if str(value).startswith(">") else f"{name}={value}"


def test_one_answer_over_http_and_by_sql(folder: Path) -> None:
    with running(folder, "serve", folder / "model.json.gz", "--port", 0) as server:
        for target, known in QUESTIONS:
            status, said = server.ask("/query", {"targets": [target], "given": known})
            assert status == 200
            np.testing.assert_allclose(
                said["probabilities"][target], of_law(target, known), rtol=0, atol=0.01
            )
        status, said = server.ask("/query", {"targets": ["paid = True or rooms > 2"], "given": {}})
        assert status == 200
    with duckdb.connect() as connection:
        depnet.register(connection, str(folder / "model.json.gz"), "shop")
        rows = pd.DataFrame({"city": ["Bern", "Köln"], "rooms": [2, 1]})
        connection.register("orders", rows)
        found = connection.sql("SELECT shop_probability('paid = True', orders) FROM orders").fetchall()
        each = depnet.query_rows(mixture_model().law_, rows, targets=["paid"])
        np.testing.assert_allclose([x for (x,) in found], each.probabilities["paid"][:, 1], rtol=0, atol=0.01)


def test_the_page_shows_its_target_and_answers(folder: Path) -> None:
    model = mixture_model()
    loaded = Loaded(model.network_, model.law_, data=model.data_)
    found = find(loaded, "paid", {"city": ("Bern",)}, None, Stop(threading.Event()))
    share = of_law("paid", {"city": "Bern"})[1]
    assert abs(found.influence.value - share) < 0.03
    last = all_answers(loaded, {"city": ("Bern",)})[-1]
    shown = {shift.name: shift for shift in last.shifts}
    assert set(shown) == set(model.domain_.names)


def test_groups_samples_scores_and_holes(folder: Path) -> None:
    model = mixture_model()
    frame = model.query("paid", by="rooms")
    assert len(frame) == shop()["rooms"].nunique()
    rows = model.sample(500, "price > 200 or rooms > 3", random_state=1)
    assert ((rows["price"] > 200) | (rows["rooms"] > 3)).all()
    whole = model.impute(shop().head(40), all=True)
    assert not whole.drop(columns="note").isna().any().any()
    again = DependencyNetwork.load(folder / "model.json.gz").score_samples(shop().head(50))
    np.testing.assert_allclose(again, model.score_samples(shop().head(50)), rtol=1e-6)
    added = command("update", folder / "model.json.gz", folder / "shop.csv", "-o", folder / "more.json")
    assert b"800 rows added" in added.stdout
    assert load_model(folder / "more.json").counts.total == 1600  # type: ignore[union-attr]
    refuses(EvidenceError, "order of causes", lambda: model.query("paid", do={"rooms": 2}))


def test_the_command_fits_one(folder: Path) -> None:
    words = (
        "fit",
        folder / "shop.csv",
        "--no-distil",
        "--penalty",
        "mdl",
        "-o",
        folder / "own.json",
        "--mixture",
    )
    said = answer(*words, 2)
    assert len(said["law"]["orders"]) == len(said["law"]["weights"]) == 2
    assert isinstance(load_model(folder / "own.json").law, Mixture)
    for wrong in ("two", "0"):
        done = command(*words, wrong, "--force", code=1)
        assert b"how many orders" in done.stderr


def test_what_goes_with_no_mixture() -> None:
    names = list(shop().columns)
    wrong = DependencyNetwork(mixture=2, order=names)
    refuses(LearningError, "leave out the order, or the mixture", lambda: wrong.fit(shop()))
    plain = DependencyNetwork(mixture="auto", penalty="mdl")
    refuses(LearningError, 'needs penalty="auto", too', lambda: plain.fit(shop()))


def test_where_no_second_order_gains_the_law_is_one_network() -> None:
    rng = np.random.default_rng(0)
    apart = pd.DataFrame(rng.integers(0, 2, size=(400, 3)), columns=["a", "b", "c"])
    model = DependencyNetwork(mixture="auto", random_state=0).fit(apart)
    assert isinstance(model.law_, depnet.Network)
