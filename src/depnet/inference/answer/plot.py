"""Pictures of answers, by matplotlib: bars of states, histograms of numbers, groups beside each other, columns compared.

The table's own answer is an outline, or a circle, beside that which joins it with the model's.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from depnet import plots
from depnet.inference.answer.numbers import NumberLaw, NumberSummary, shown_long
from depnet.inference.answer.profile import DAY, HOUR, MINUTE, SECOND, bar_edges, share_of_bars
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.shown import SHOWN, facts_of
from depnet.inference.answer.table import AnswerTable
from depnet.wording import percent, plural

BARS, FEWEST_BARS = 30, 8
TIMES = ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes"), (SECOND, "seconds"))
MOST_GROUPS = 60
MOST_SERIES = 6
MOST_COLUMNS = 20
HEIGHT = 4.2
"""Of a histogram, in inches."""


def plot_result(result: QueryResult, ax: Any) -> Any:
    """A picture for each target; one of a joint."""
    tables = result.tables
    heights = [HEIGHT if t.is_number else plots.height_of(min(t.answer.size, SHOWN)) for t in tables]
    axes = plots.new_axes(ax, heights)
    for each, table in zip(axes, tables, strict=True):
        number = table.number if table.is_number else None
        if number is None:
            _draw_states(each, table)
        else:
            _draw_number(each, table, number)
        plots.head(each, f"{', '.join(table.names)}{facts_of(result)}", 1 if number is None else 2)
    return axes[0] if len(axes) == 1 else np.array(axes, dtype=object)


def _draw_states(ax: Any, table: AnswerTable) -> None:
    flat = table.flat
    order = list(flat.order(SHOWN))
    labels = [", ".join(map(str, table.labels[at])) for at in order]
    seen = None if flat.observed is None else flat.observed[order]
    plots.bars(ax, labels, flat.answer[order], flat.interval(order), seen)
    left = flat.answer.size - len(order)
    ax.set_xlabel(f"share; {left:,} less probable values are not shown" if left else "share")


def _draw_number(ax: Any, table: AnswerTable, number: NumberSummary) -> None:
    law, seen = number.law, table.result.seen.get(number.name)
    fitting = round(2 * table.rows ** (1 / 3))  # Rice's rule: bars of a few rows each say nothing
    edges = bar_edges(law, min(max(fitting, FEWEST_BARS), BARS) if table.rows else BARS)
    scale, unit = _scale(law)
    shares = share_of_bars(law, edges)
    ax.stairs(shares, edges / scale, fill=True, color=plots.FILL, label="answer")
    if seen is not None and table.observed is not None and not np.isnan(table.observed).any():
        own = f"table alone, {plural(table.rows, 'row')}"
        ax.stairs(share_of_bars(seen, edges), edges / scale, color=plots.EDGE, label=own)
    mean, look = law.centre[0] / scale, {"color": plots.CYCLE[4]}
    ax.axvline(mean, label=f"mean {shown_long(number.mean)}", **look)
    if number.plain_interval is not None and number.interval is not None:
        low, high = (end / scale for end in number.plain_interval)
        sure = f"{plots.SURE}: {' to '.join(map(shown_long, number.interval))}"
        ax.axvspan(low, high, alpha=0.25, linewidth=0, label=sure, **look)
    left = 1.0 - float(shares.sum())
    beyond = f"; {percent(left)} of the values lie beyond" if left > 1e-9 else ""
    ax.set(xlabel=f"{plots.plain(number.name)}{unit}{beyond}", ylabel="share")
    if law.kind in ("date", "datetime"):
        ax.xaxis_date()  # whose unit is a day since 1970, as ours
    else:
        plots.number_axis(ax.xaxis, float(np.abs(edges / scale).max()))
    plots.share_axis(ax.yaxis)
    plots.frame(ax)


def _scale(law: NumberLaw) -> tuple[float, str]:
    """By what plain numbers are divided, and how that is said beside a name."""
    if law.kind == "datetime":
        return DAY, ""
    if law.kind != "duration":
        return 1.0, ""
    most = float(np.abs(law.values).max())
    unit, name = next((each for each in TIMES if most >= 2 * each[0]), TIMES[-1])
    return unit, f" ({name})"


def plot_groups(
    result: QueryResult,
    by: Sequence[str],
    groups: Sequence[tuple[Any, ...]],
    columns: Mapping[str, list[Any]],
    ax: Any,
) -> Any:
    """Means or shares of all groups, one below the other, with their intervals.

    `result` is the answer of one of them, `groups` their states, `columns` what is said of them (`GroupAnswers.columns`).
    """
    (target,) = result.targets
    labels = [", ".join(map(str, each)) for each in groups[:MOST_GROUPS]]
    states = list(dict.fromkeys(columns[target])) if target in columns else [target]
    value = "mean" if "mean" in columns else "share"

    def series(at: int) -> plots.Series:
        values, low, high, own = (
            np.array([_number(each) for each in columns.get(name, [])[at :: len(states)][: len(labels)]])
            for name in (value, "low", "high", "table")
        )
        name = f"answer, {plots.SURE}" if len(states) == 1 else str(states[at])
        return plots.Series(name, values, np.stack([low, high], axis=1), own if len(own) else None)

    found = [series(at) for at in range(min(len(states), MOST_SERIES))]
    (ax,) = plots.new_axes(ax, [plots.height_of(len(labels) * (1 if len(states) == 1 else 2))])
    if value == "share" and len(states) == 1:
        plots.bars(ax, labels, *found[0][1:])
    else:
        plots.points(ax, labels, found, shares=value == "share")
    first = columns[value][0]
    if isinstance(first, dt.date):
        ax.xaxis_date()
    ax.set_xlabel(f"{value} (hours)" if isinstance(first, dt.timedelta) else value)
    more = f", the first {MOST_GROUPS} of {len(groups):,}" if len(groups) > MOST_GROUPS else ""
    plots.head(ax, f"{target}{facts_of(result, without=by)} by {', '.join(by)}{more}")
    return ax


def _number(value: Any) -> float:
    """A value along an axis: of a date days since 1970, of a length of time hours; nan where there is none."""
    if isinstance(value, dt.timedelta):
        return value / dt.timedelta(hours=1)
    if isinstance(value, dt.date):
        return float(np.datetime64(value, "us").astype(np.int64)) / DAY
    return np.nan if value is None else float(value)


def plot_distances(furthest: Sequence[tuple[str, float]], chance: float, ax: Any) -> Any:
    """How far the shares of columns are apart, beside what chance alone would give."""
    (ax,) = plots.new_axes(ax, [plots.height_of(len(furthest))])
    plots.bars(ax, [name for name, _ in furthest], np.array([far for _, far in furthest]))
    ax.axvline(chance, color=plots.EDGE, linestyle="--", label="chance alone, on average")
    ax.set_xlim(0, max(ax.get_xlim()[1], 1.15 * chance))
    ax.set_xlabel("share of the rows that would have to change")
    plots.head(ax, "How far the columns' shares are apart")
    return ax
