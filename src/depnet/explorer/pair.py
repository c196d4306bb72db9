"""Two columns together, as a picture: which one it is follows from their kinds.

The joint law of the model is by states; a number's states are spread over the bars of its axis by the values that they
keep. The table's own is counted from the values of its rows.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from depnet.arrays import FloatArray, IntArray
from depnet.data import Variable
from depnet.explorer.cards import Cards
from depnet.explorer.histogram import Axis
from depnet.explorer.known import Known, given
from depnet.explorer.loaded import TOLERANCE, Loaded
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.judge.shifts import Pair, pair
from depnet.model.evidence import Evidence
from depnet.pictures import colours

STATES = 12
"""States of a category that are shown, the most probable."""

DOTS = 400
"""Rows of the table that are drawn over a heat map."""

FAINT = 1e-4
"""The share of the largest cell of a heat map up to which a cell is as empty."""

SECONDS = 6.0

Of = Literal["model", "table", "difference"]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two: its bars, by an axis or by the codes of its states."""

    variable: Variable
    axis: Axis | None
    codes: tuple[int, ...]

    @property
    def labels(self) -> list[str]:
        if self.axis is not None:
            return [self.axis.label(k) for k in range(len(self.axis))]
        return [str(self.variable.states[code]) for code in self.codes]

    @property
    def is_time(self) -> bool:
        return self.axis is not None and self.axis.kind in ("date", "datetime")

    def spread(self) -> FloatArray:
        """[state, bar]: how much of a state lies in each bar."""
        n = len(self.variable.present_states)
        if self.axis is None:
            return np.eye(n)[:, list(self.codes)]
        levels = self.variable.levels()
        assert levels is not None
        found = np.zeros((n, len(self.axis)))
        states = np.repeat(np.arange(n), levels.sizes)
        bars = np.searchsorted(self.axis.edges[1:-1], levels.values, side="right")
        np.add.at(found, (states, bars), 1 / levels.sizes[states])
        return found

    def bars_of(self, loaded: Loaded, rows: IntArray) -> IntArray:
        """The bar of each row; -1 where it has none."""
        assert loaded.data is not None
        i = loaded.domain.index(self.variable.name)
        numbers, known = loaded.data.numbers(i), loaded.data.known(i)
        if self.axis is not None:
            levels = self.variable.levels()
            assert levels is not None
            middle = np.array([levels.values[f] for f in levels.first])
            codes = np.minimum(loaded.data.column(i)[rows], len(middle) - 1)
            values = middle[codes] if numbers is None else numbers[rows]
            bars = np.searchsorted(self.axis.edges[1:-1], values, side="right")
        else:
            place = np.full(self.variable.cardinality + 1, -1)
            place[list(self.codes)] = np.arange(len(self.codes))
            bars = place[loaded.data.column(i)[rows]]
        return np.where(known[rows], bars, -1) if known is not None else bars

    def values(self) -> FloatArray:
        """A number for each bar: its middle."""
        if self.axis is None:
            return np.arange(len(self.codes), dtype=np.float64)
        if self.axis.points:
            return np.array(self.axis.points, dtype=np.float64)
        return (self.axis.edges[:-1] + self.axis.edges[1:]) / 2


@dataclass(frozen=True, slots=True, eq=False)
class PairPicture:
    """Both tables [bar of the first, bar of the second], which sum to 1; `table` is None without rows."""

    first: Side
    second: Side
    found: Pair
    model: FloatArray
    table: FloatArray | None
    rows: int
    dots: list[tuple[float, float]]

    def cells(self, of: Of) -> FloatArray:
        if of == "model" or self.table is None:
            return self.model
        return self.table if of == "table" else self.model - self.table

    @property
    def kind(self) -> Literal["heat", "line", "densities", "mosaic"]:
        if self.first.axis is not None and self.second.axis is not None:
            return "line" if self.first.is_time else "heat"
        return "mosaic" if self.first.axis is None and self.second.axis is None else "densities"


def picture_pair(loaded: Loaded, names: tuple[str, str], known: Known) -> PairPicture:
    """Two columns given what is known."""
    loaded.prior(max_seconds=1.0)
    found = pair(
        loaded.asked, *names, given(known), tolerance=TOLERANCE / 4, max_seconds=SECONDS, data=loaded.data
    )
    sides = [_side(loaded, name, found.joint.sum(axis=1 - k)) for k, name in enumerate(names)]
    model = sides[0].spread().T @ found.joint @ sides[1].spread()
    table, rows, dots = None, 0, []
    if loaded.data is not None:
        matching = MatchingRows.of(loaded.domain, Evidence.parse(loaded.domain, given(known)), loaded.data)
        bars = [side.bars_of(loaded, matching.rows) for side in sides]
        there = (bars[0] >= 0) & (bars[1] >= 0)
        rows = int(there.sum())
        if rows:
            table = np.zeros(model.shape)
            np.add.at(table, (bars[0][there], bars[1][there]), (matching.times * matching.soft)[there])
            table /= table.sum()
            dots = _dots(loaded, sides, matching.rows[there])
    return PairPicture(sides[0], sides[1], found, model / model.sum(), table, rows, dots)


def _side(loaded: Loaded, name: str, margin: FloatArray) -> Side:
    variable, card = loaded.variable(name), Cards(loaded).number_card(name)
    likely = np.sort(np.argsort(-margin, kind="stable")[:STATES])
    return Side(variable, None if card is None else card.axis, tuple(likely.tolist()))


def _dots(loaded: Loaded, sides: list[Side], rows: IntArray) -> list[tuple[float, float]]:
    """Some rows of two numbers, in percent of both axes."""
    assert loaded.data is not None
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), DOTS)).astype(np.int64)]
    each = []
    for side in sides:
        numbers = loaded.data.numbers(loaded.domain.index(side.variable.name))
        if side.axis is None or numbers is None:
            return []
        each.append([round(side.axis.place(float(value)), 2) for value in numbers[some].tolist()])
    return list(zip(*each, strict=True))


def mean_line(cells: FloatArray, side: Side) -> list[float | None]:
    """The mean of the second in each bar of the first, in percent of its axis; None where there is hardly anything."""
    totals = cells.sum(axis=1)
    means = cells @ side.values() / np.where(totals > 0, totals, 1)
    enough = totals > 1e-4
    assert side.axis is not None
    return [side.axis.place(m) if ok else None for m, ok in zip(means.tolist(), enough.tolist(), strict=True)]


GREY = "#8a929c"


def chart_options(drawn: PairPicture, of: Of) -> dict[str, Any]:
    """The picture as options of ECharts. Tooltips are rich text, in which a label is never markup."""
    cells, kind = drawn.cells(of), drawn.kind
    text = {"color": GREY}
    names = [drawn.first.variable.name, drawn.second.variable.name]
    base: dict[str, Any] = {
        "animation": False,
        "tooltip": {"renderMode": "richText", "confine": True},
        "grid": {"left": 90, "right": 30, "top": 40, "bottom": 70},
    }
    axes = [
        {"type": "category", "data": [label.replace(" to ", to) for label in side.labels], "name": name,
         "nameLocation": "middle", "axisLabel": text | {"lineHeight": 14}, "nameTextStyle": text, "nameGap": gap}
        for side, name, gap, to in zip((drawn.first, drawn.second), names, (48, 74), (" to\n", " to "), strict=True)
    ]  # fmt: skip
    scale = {"type": "value", "axisLabel": text, "nameTextStyle": text, "nameLocation": "middle", "nameGap": 60,
             "splitLine": {"lineStyle": {"color": "#8884"}}}  # fmt: skip
    hidden = {"type": "value", "min": 0, "max": 100, "show": False}
    if kind == "densities":
        number, other = (
            (drawn.first, drawn.second) if drawn.first.axis is not None else (drawn.second, drawn.first)
        )
        table = cells if number is drawn.first else cells.T
        series = [
            {"type": "line", "name": label, "step": "middle", "symbol": "none", "data": _shares(table[:, k], of),
             "color": colours.CYCLE[k % len(colours.CYCLE)]}
            for k, label in enumerate(other.labels)
        ]  # fmt: skip
        return base | {
            "xAxis": axes[0 if number is drawn.first else 1] | {"nameGap": 48},
            "yAxis": scale | {"name": "share of the group"},
            "legend": {"textStyle": text, "type": "scroll", "top": 0, "left": 90, "right": 60},
            "tooltip": base["tooltip"] | {"trigger": "axis"},
            "series": series,
        }
    if kind == "line":
        return base | {
            "xAxis": axes[0],
            "yAxis": scale | {"name": names[1], "scale": True},
            "legend": {"textStyle": text, "data": ["mean", "middle half"], "top": 0},
            "tooltip": base["tooltip"] | {"trigger": "axis"},
            "series": _band(drawn.cells("table" if of == "table" else "model"), drawn.second),
        }
    middles = [100 * (k + 0.5) / len(cells) for k in range(len(cells))]
    mean = list(
        zip(middles, mean_line(drawn.cells("table" if of == "table" else "model"), drawn.second), strict=True)
    )
    line = {"type": "line", "name": f"mean of {names[1]}", "data": mean, "xAxisIndex": 1, "yAxisIndex": 1, "symbol": "none",
            "lineStyle": {"width": 3, "color": "#e69f00"}, "itemStyle": {"color": "#e69f00"}}  # fmt: skip
    dots = {"type": "scatter", "name": "rows of the table", "data": drawn.dots, "xAxisIndex": 1, "yAxisIndex": 1,
            "symbolSize": 4, "itemStyle": {"color": "#cc3d8f", "opacity": 0.6}, "silent": True}  # fmt: skip
    top = float(np.abs(cells).max())
    depth = np.sign(cells) * np.sqrt(np.abs(cells) / top)  # small shares can be seen beside large ones
    filled = [
        [int(x), int(y), round(float(cells[x, y]), 6), round(float(depth[x, y]), 4)]
        for x, y in np.argwhere(np.abs(cells) > FAINT * top)
    ]
    heat = {"type": "heatmap", "name": "share of rows", "data": filled, "encode": {"tooltip": [2]}}
    ramp = ["#d55e00", "#8883", "#0072b2"] if of == "difference" else ["#56b4e900", "#0072b2"]
    return base | {
        "xAxis": [axes[0], hidden],
        "yAxis": [axes[1], hidden],
        "legend": {"textStyle": text, "data": [line["name"], dots["name"]], "top": 0},
        "visualMap": {"min": -1 if of == "difference" else 0, "max": 1, "show": False, "seriesIndex": 0, "dimension": 3,
                      "inRange": {"color": ramp}},
        "series": [heat, line, *([dots] if of != "difference" and drawn.dots else [])],
    }  # fmt: skip


def _band(cells: FloatArray, side: Side) -> list[dict[str, Any]]:
    """The mean of the second along the first, and the half of it that lies in the middle."""
    totals, values = cells.sum(axis=1), side.values()
    upto = np.cumsum(cells, axis=1) / np.where(totals > 0, totals, 1)[:, None]
    if side.axis is None or side.axis.points:
        low, high = (
            values[np.minimum((upto < level).sum(axis=1), len(values) - 1)] for level in (0.25, 0.75)
        )
    else:  # evenly within a bar
        each = [np.interp((0.25, 0.75), np.concatenate([[0], some]), side.axis.edges) for some in upto]
        low, high = np.array(each).T
    mean = cells @ values / np.where(totals > 0, totals, 1)
    plain = {"type": "line", "symbol": "none"}
    stacked = plain | {"stack": "band", "stackStrategy": "all", "lineStyle": {"opacity": 0}}  # below 0, too
    return [
        stacked | {"name": "lower quarter", "data": low.tolist()},
        stacked | {"name": "middle half", "data": (high - low).tolist(), "areaStyle": {"color": "#0072b2", "opacity": 0.25},
                   "itemStyle": {"color": "#0072b240"}},
        plain | {"name": "mean", "data": mean.round(6).tolist(), "lineStyle": {"width": 3, "color": "#0072b2"},
                 "itemStyle": {"color": "#0072b2"}},
    ]  # fmt: skip


def _shares(column: FloatArray, of: Of) -> list[float]:
    total = float(column.sum()) if of != "difference" else 1.0
    return [round(float(value) / total, 6) if total else 0.0 for value in column]
