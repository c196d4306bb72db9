"""The page of the quality of drawn rows: one file, nothing that runs, every measure and column on it."""

import numpy as np
import pytest

import depnet
from depnet.inference.judge import boosters
from depnet.pictures import quality_report
from depnet.pictures.labels import line
from tests.inference.judge.quality_cases import rows
from tests.pictures.cases import hostile
from tests.pictures.test_report import check

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boosters, "STEPS", 3)


def test_what_was_found_is_on_the_page() -> None:
    found = depnet.quality(*(rows(side) for side in (1, 0, 2)))
    page = check(quality_report(found, "A table"))
    words = "\n".join(page.words)
    for said in (*found.sentences, *found.measures, *found.each["column shapes"], "A table"):
        assert said in words
    shape = found.each["column shapes"]["city"]
    assert f"{shape.drawn:.3f} / {shape.fresh:.3f}" in words
    assert quality_report(found, "A table") == quality_report(found, "A table")


def test_without_rows_held_out() -> None:
    found = depnet.quality(rows(1), rows(0))
    words = "\n".join(check(quality_report(found)).words)
    assert "No rows were held out" in words
    assert "copies" not in words


def test_hostile_names() -> None:
    network, data = hostile()
    drawn = depnet.sample(network, 60, burn_in=5, thin=1, chains=20, rng=np.random.default_rng(0))
    found = depnet.quality(drawn, data)
    words = check(quality_report(found, data.domain.names[0])).words
    assert line(data.domain.names[0]) in words


def test_one_column() -> None:
    found = depnet.quality(*([{"x": each["rooms"]} for each in rows(side)] for side in (1, 0, 2)))
    assert "column pair trends" not in found.measures
    check(quality_report(found))
