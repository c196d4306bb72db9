"""Histograms of numbers: equal widths at round values, the shapes of the table, and a brush that means what it covers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import DependencyNetwork, Variable
from depnet.data.binning.bins import Bins, Kind
from depnet.explorer.cards import Cards
from depnet.explorer.histogram import BARS, Axis
from depnet.explorer.known import Known, held_by
from depnet.explorer.known import given as evidence_of
from depnet.explorer.loaded import Loaded
from depnet.inference.answer.numbers import NumberLaw
from depnet.inference.judge.shifts import shifts_between
from depnet.model.conditions import interpret
from tests.narrowed import there


def axis_of(values: np.ndarray, kind: Kind, *, log: bool = False) -> tuple[Axis, NumberLaw]:
    bins = Bins((float("-inf"), float("inf")) if kind == "float" else (0, 1), ((0,),), kind)
    variable = Variable("x", ("any",), bins)
    law = NumberLaw.of_rows(kind, values, np.ones(len(values)))
    return Axis.of(variable, law, log=log), law


whole = st.lists(st.integers(-5000, 5000), min_size=3, max_size=200).map(lambda v: ("integer", np.array(v)))
days = st.lists(st.integers(-2000, 20000), min_size=3, max_size=60).map(lambda v: ("date", np.array(v)))
decimals = st.lists(st.decimals(-999, 999, places=2), min_size=3, max_size=200).map(
    lambda v: ("float", np.array([float(x) for x in v]))
)


@given(st.one_of(whole, decimals, days))
def test_bars_are_those_of_numpy(drawn: tuple[Kind, np.ndarray]) -> None:
    kind, values = drawn
    axis, law = axis_of(values, kind)
    assert 1 <= len(axis) <= BARS
    if axis.points:
        assert set(values) <= set(axis.points)
        expected = np.array([(values == point).mean() for point in axis.points])
    else:
        widths = np.diff(axis.edges)
        assert np.allclose(widths, widths[0])
        inside = np.clip(values, axis.edges[0], np.nextafter(axis.edges[-1], -np.inf))
        expected = np.histogram(inside, axis.edges)[0] / len(values)
    assert np.allclose(axis.bars(law.values, law.weights), expected)
    places = [at for at, _ in axis.ticks]
    assert places == sorted(places)
    assert all(0 <= at <= 100 for at in places)
    assert 0 <= axis.place(float(values.mean())) <= 100


@given(st.one_of(whole, decimals, days), st.data())
def test_a_brush_means_the_rows_of_its_bars(drawn: tuple[Kind, np.ndarray], data: st.DataObject) -> None:
    kind, values = drawn
    axis, law = axis_of(values, kind)
    first, last = sorted(data.draw(st.integers(0, len(axis) - 1)) for _ in range(2))
    held = axis.held(first, last)
    if held is None:
        assert (first, last) == (0, len(axis) - 1)
        return
    texts = (held,) if isinstance(held, str) else tuple(map(str, held))
    allowed = interpret(axis.variable, held if isinstance(held, str) else held[0])
    met = allowed.rows(np.zeros(len(values), dtype=int), None, values)
    codes = np.searchsorted(axis.edges[1:-1], values, side="right")
    covered = (codes >= first) & (codes <= last)
    if kind == "float" and last < len(axis) - 1 and not axis.points and first > 0:
        covered |= values == axis.edges[last + 1]  # "1..1.5" has both its ends
    assert (met == covered).all()
    if interpret(axis.variable, held if isinstance(held, str) else held[0]).weights().any():
        assert held_by(axis.variable, texts) in (held, None)  # as an address has it
    shares = np.array(axis.allowed(held, law))
    filled = axis.bars(law.values, law.weights) > 0
    assert (shares[first : last + 1][filled[first : last + 1]] == 1).all()


def test_ticks_and_labels_are_round() -> None:
    prices, _ = axis_of(np.arange(320, 18800, 7), "integer")
    assert [text for _, text in prices.ticks] == ["0", "5,000", "10,000", "15,000"]
    assert prices.label(3) == "2,400 to 3,199"
    assert prices.held(3, 4) == "2400..3999"
    assert (prices.held(0, 1), prices.held(20, len(prices) - 1)) == ("<=1599", ">=16000")
    rooms, _ = axis_of(np.array([1, 2, 2, 3, 7]), "integer")
    assert rooms.points == (1, 2, 3, 4, 5, 6, 7)
    assert (rooms.held(2, 2), rooms.held(1, 2)) == (("3",), "2..3")
    cold, _ = axis_of(np.linspace(-10, 5, 500), "float")
    assert cold.label(1) == "−9.6 to −8.8"
    dates, _ = axis_of(np.arange(19000, 19700), "date")
    assert [text for _, text in dates.ticks] == ["2022-01", "2022-07", "2023-01", "2023-07"]


def test_far_values_are_left_to_the_last_bar_and_a_skewed_number_has_a_log_axis() -> None:
    rng = np.random.default_rng(0)
    values = np.append(rng.normal(6, 1, 3000), 58.9)
    axis, law = axis_of(values, "float")
    assert axis.edges[-1] < 12
    assert axis.label(len(axis) - 1).endswith("and more")
    assert axis.bars(law.values, law.weights).sum() == pytest.approx(1)
    assert not axis.skewed
    skewed = np.exp(rng.normal(7, 1.2, 4000))
    assert axis_of(skewed, "float")[0].skewed
    log, law = axis_of(skewed, "float", log=True)
    shares = log.bars(law.values, law.weights)
    assert 8 < np.argmax(shares) < 16  # in the middle, where equal widths have it at the left
    assert np.ptp(np.diff(np.log(log.edges))) < 0.02
    assert log.place(float(log.edges[3])) == pytest.approx(300 / len(log), abs=1e-3)


def gems(rows: int = 6000) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    carat = np.round(np.exp(rng.normal(-0.35, 0.55, rows)).clip(0.2, 4.5), 2)
    cut = rng.choice(["Fair", "Good", "Ideal"], rows, p=[0.2, 0.4, 0.4])
    price = (4200 * carat**1.7 * np.exp(0.1 * (cut == "Ideal") + rng.normal(0, 0.16, rows))).round()
    return pd.DataFrame({"carat": carat, "cut": cut, "price": price.astype(int)})


@pytest.mark.parametrize("rows", [True, False])
def test_the_shape_is_that_of_the_rows_that_match(rows: bool) -> None:
    """With the table the bars are nearly its own; by the model alone their mode is right, within a bar."""
    frame = gems()
    model = DependencyNetwork(random_state=0).fit(frame)
    law = there(model.law_)
    data = depnet.data.encode(frame, law.domain, values=True) if rows else None
    loaded = Loaded(there(model.network_), law, data=data)
    cards = Cards(loaded)
    prior = loaded.prior()
    cards.compare_with()
    known: Known = {"cut": ("Ideal",), "carat": ">1"}
    found = {s.name: s for s in shifts_between(prior, loaded.answer(law.domain.names, evidence_of(known)))}
    axis = there(cards.number_card("price")).axis
    for some, now in ((frame, None), (frame[(frame.cut == "Ideal") & (frame.carat > 1)], found["price"])):
        shown = cards.show("price", now, None, given=now is not None)
        bars = np.array((shown["now"] or shown["card"]["base"])["p"])
        price = np.clip(some.price, axis.edges[0], axis.edges[-1] - 1)
        expected = np.histogram(price, axis.edges)[0] / len(some)
        apart = 0.5 * np.abs(bars - expected).sum()
        assert apart < (0.04 if rows else 0.12)
        assert abs(int(np.argmax(bars)) - int(np.argmax(expected))) <= (0 if rows else 1)
        # quantile bins drawn as equal bars have their tallest somewhere else
        assert bars.max() > 1.5 * np.sort(bars)[len(bars) // 2]
        if rows and now is not None:
            assert shown["now"]["o"] == pytest.approx(expected, abs=1e-6)
            assert axis.place(some.price.mean()) == pytest.approx(shown["now"]["at"], abs=1)
