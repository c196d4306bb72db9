"""The command on a model with a boosted node: what it shows, exports and refuses."""

from pathlib import Path

import pytest

import depnet as library
from depnet.learning.boost import AutoBoost
from tests.cli.entry import answer, depnet
from tests.cli.test_documented import check_fields
from tests.mixed import boosts_asked, mixed_titanic


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("boosted") / "model.json"
    library.save(mixed_titanic(), path)
    return path


def test_show(model: Path, table: Path) -> None:
    assert answer("show", model, "--data", table)["certificate"]["fc_limit"] > 0
    summary = answer("show", model)
    assert (summary["leaves"], summary["boosted"], summary["rows"]) == (14, 1, 2201)
    assert [node["stages"] for node in summary["per_node"]] == [None, None, None, 3]
    assert summary["per_node"][3]["leaves"] is None
    check_fields("show", summary)
    text = depnet("show", model, "-v").stdout.decode()
    assert "dependency network: 14 leaves, 1 boosted node" in text
    assert "3 stages" in text


def test_show_a_node(model: Path) -> None:
    said = answer("show", model, "--node", "survived")
    check_fields("show", said)
    assert said["boosted"] is True
    assert said["reads"] == ["sex", "class", "age"]
    assert [one["variable"] for one in said["inputs"]] == said["reads"]
    assert said["first_graph"]["vertices"][0]["test"] == "sex"
    text = depnet("show", model, "--node", "survived").stdout.decode()
    assert "What its inputs gained, bits a row" in text
    assert depnet("show", model, "--node", "age").stdout.decode().startswith("age (adult, child), 2,201 rows")


def test_fit_boost_is_passed_on(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = boosts_asked(monkeypatch)
    depnet("fit", table, "-o", tmp_path / "m.json", "--penalty", "mdl", "--boost")
    depnet("fit", table, "-o", tmp_path / "n.json", "--penalty", "mdl")
    assert asked == [AutoBoost(), AutoBoost(), None, None]
