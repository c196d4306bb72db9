"""Pictures of answers: what is drawn is what the answer says."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import depnet
from depnet.errors import PictureError

PEOPLE = depnet.titanic()
LAW = depnet.learn(PEOPLE, order="auto", smoothing=0.5)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def mixed() -> tuple[depnet.DependencyNetwork, pd.DataFrame]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(["a", "b"], 600), "size": rng.integers(0, 40, 600)})
    frame["price $5 to $9"] = rng.lognormal(10, 1, 600)
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 600), unit="D")
    frame["time"] = pd.to_timedelta(rng.exponential(5000, 600), unit="s")
    frame.loc[:49, "size"] = None
    return depnet.DependencyNetwork(random_state=0, max_seconds=5).fit(frame), frame


def widths(container: Any) -> list[float]:
    return [bar.get_width() for bar in container]


def labels(ax: Any) -> list[str]:
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_bars_outlines_and_whiskers_are_the_answer() -> None:
    found = depnet.query(LAW, "class", {"sex": "female"}, data=PEOPLE)
    ax = found.plot()
    answer, table, whiskers = ax.containers
    assert labels(ax) == ["1st", "2nd", "3rd", "Crew"]
    assert widths(answer) == pytest.approx(list(found.combined))
    assert found.observed is not None
    assert widths(table) == pytest.approx(list(found.observed))
    ends = [[x for x, _ in line] for line in whiskers[2][0].get_segments()]
    assert np.array(ends) == pytest.approx(found.interval)
    assert ax.get_title() == "class given sex = female"
    assert [text.get_text() for text in ax.texts] == ["31 %", "23 %", "42 %", "4.9 %"]


def test_axes_that_are_given_are_drawn_on_and_returned() -> None:
    _, (left, right) = plt.subplots(1, 2)
    assert depnet.query(LAW, "class").plot(ax=left) is left
    assert not right.containers
    several = depnet.query(LAW, ["class", "survived"])
    assert several.plot().shape == (2,)
    assert several.plot(ax=[left, right]).tolist() == [left, right]
    with pytest.raises(PictureError, match="2 Axes"):
        several.plot(ax=left)
    joint = depnet.query(LAW, ["class", "survived"], joint=True).plot()
    assert labels(joint)[1] == "1st, Yes"


def test_a_number_is_a_histogram_of_its_values(mixed: tuple[depnet.DependencyNetwork, pd.DataFrame]) -> None:
    model, frame = mixed
    found = model.query("size", {"kind": "a"})
    ax = found.plot()
    answer, table = ax.patches[:2]
    values = frame["size"][(frame["kind"] == "a")].dropna()
    shares, edges, _ = table.get_data()
    assert shares == pytest.approx(np.histogram(values, edges)[0] / len(values))
    assert answer.get_data().values.sum() == pytest.approx(1.0)
    assert np.ptp(np.diff(edges)) < 1e-9
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"table alone, {len(values)} rows" in said
    assert ax.lines[0].get_xdata()[0] == pytest.approx(found.numbers["size"].mean)


def test_numbers_dates_and_times_have_axes_of_their_kind(
    mixed: tuple[depnet.DependencyNetwork, pd.DataFrame],
) -> None:
    model, frame = mixed
    ticks = {}
    for name in ("price $5 to $9", "day", "time"):
        ax = model.query(name).plot()
        ax.figure.canvas.draw()
        ticks[name] = [tick.get_text() for tick in ax.get_xticklabels()]
        assert name.replace("$", r"\$") in ax.get_xlabel()
    assert any("," in tick for tick in ticks["price $5 to $9"]), "thousands have separators"
    assert any(tick.startswith("202") for tick in ticks["day"])
    assert ax.get_xlabel().startswith("time (hours)")
    hours = frame["time"] / pd.Timedelta(hours=1)
    assert hours.quantile(0.98) < ax.patches[0].get_data().edges[-1] < hours.max() + 1


def test_groups_are_what_their_frame_says(mixed: tuple[depnet.DependencyNetwork, pd.DataFrame]) -> None:
    found = depnet.query_by(LAW, "survived = Yes", ["class", "sex"], data=PEOPLE)
    ax, frame = found.plot(), found.frame()
    assert widths(ax.containers[0]) == pytest.approx(frame["share"].tolist())
    assert labels(ax) == [f"{a}, {b}" for a, b in zip(frame["class"], frame["sex"], strict=True)]
    states, by_state = depnet.query_by(LAW, "class", "sex", data=PEOPLE), {}
    for container in states.plot().containers:
        by_state[container.get_label()] = container[0].get_xdata().tolist()
    for state, part in states.frame().groupby("class"):
        assert by_state[state] == pytest.approx(part["share"].tolist())
    model, _ = mixed
    means = model.query_by("size", "kind")
    assert means.plot().containers[0][0].get_xdata() == pytest.approx(means.frame()["mean"].to_numpy())
    assert model.query("size", by="kind").equals(means.frame())
    for name, unit in (("day", "mean"), ("time", "mean (hours)")):
        assert model.query_by(name, "kind").plot().get_xlabel() == unit


def test_a_comparison_shows_what_is_furthest_apart() -> None:
    found = depnet.compare(LAW, PEOPLE, rows=1000, rng=np.random.default_rng(0))
    ax = found.plot()
    assert widths(ax.containers[0]) == pytest.approx([far for _, far in found.marginals.furthest(4)])
    assert ax.lines[0].get_xdata()[0] == found.marginals.floor_one_way


def test_where_matplotlib_is_missing_the_error_says_how_to_get_it() -> None:
    program = (
        "import sys, depnet; sys.modules['matplotlib'] = None\n"
        "found = depnet.query(depnet.learn(depnet.titanic(), order='auto'), 'survived')\n"
        "try:\n    found.plot()\nexcept depnet.errors.PictureError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'depnet[plot]'" in done.stdout
