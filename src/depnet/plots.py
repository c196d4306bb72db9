"""Pictures by matplotlib, which is imported when one is asked for and never before: Axes, bars, points, histograms.

A picture is drawn on the Axes that a caller gives, or on new ones of pyplot, which a notebook shows. Files carry no date.
"""

import importlib
import io
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from depnet.arrays import FloatArray
from depnet.errors import PictureError
from depnet.wording import percent, printable

FILL, EDGE = "#56B4E9", "#1b1f24"
"""Of an answer, and of a table's own beside it: as in `pictures.colours`."""
CYCLE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
"""Of states beside each other."""
LETTERS = 36
"""The most of a label."""
TITLE = 90
"""The most of a title."""
MOST_MARKS = 4
"""That are explained above a picture."""
FORMATS = ("png", "pdf", "svg")
UNDATED = {"png": {"Software": None}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}
FILES = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "depnet"}
"""The same picture is the same file, and its text is text."""
SURE = "90 % sure"
SEPARATED = 10_000
"""Numbers from here on have thousands separators; a year has none."""


def matplotlib(module: str) -> Any:
    """A module of matplotlib, or what to do where that is not installed."""
    try:
        return importlib.import_module(f"matplotlib.{module}")
    except ImportError:
        raise PictureError("drawing needs matplotlib; install it with: pip install 'depnet[plot]'.") from None


def new_axes(ax: Any, heights: Sequence[float], width: float = 7.0) -> list[Any]:
    """Axes for pictures of these heights in inches, one below the other: those given, or those of a new figure of pyplot."""
    if ax is None:
        figure = matplotlib("pyplot").figure(figsize=(width, sum(heights)), layout="constrained")
        return list(figure.subplots(len(heights), squeeze=False, height_ratios=heights).ravel())
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) != len(heights) or not all(hasattr(each, "barh") for each in given):
        raise PictureError(f"`ax` is {len(heights)} Axes of matplotlib, one a picture; got {ax!r}.")
    return given


def image(figure: Any, form: str) -> bytes:
    """A figure as a file of one of the `FORMATS`."""
    file = io.BytesIO()
    with matplotlib("style").context(FILES):
        figure.savefig(file, format=form, dpi=144, metadata=UNDATED[form])
    return file.getvalue()


def height_of(rows: int) -> float:
    """Inches of a picture of so many bars or points, one below the other."""
    return 1.3 + 0.3 * max(rows, 2)


def plain(label: object, letters: int = LETTERS) -> str:
    r"""A label as matplotlib shows it: one line of visible characters, and no formula.

    >>> plain("$5 to $10")
    '\\$5 to \\$10'
    """
    text = printable(str(label))
    return (text if len(text) <= letters else text[: letters - 1] + "…").replace("$", r"\$")


class Series(NamedTuple):
    """Values with the ends [value, 2] of their intervals, and a table's own beside them."""

    name: str
    values: FloatArray
    ends: FloatArray
    own: FloatArray | None


def bars(
    ax: Any,
    labels: Iterable[object],
    shares: FloatArray,
    ends: FloatArray | None = None,
    own: FloatArray | None = None,
) -> None:
    """Shares as bars, one below the other, each with the `ends` [bar, 2] of its interval and a table's own as an outline."""
    names, places = list(map(plain, labels)), np.arange(len(shares))
    ax.barh(places, shares, color=FILL, height=0.72, label=None if ends is None else "answer")
    top = shares
    if own is not None:
        ax.barh(places, own, color="none", edgecolor=EDGE, height=0.72, label="table alone")
        top = np.fmax(top, np.nan_to_num(own))
    if ends is not None:
        ax.errorbar(shares, places, xerr=_reach(shares, ends), fmt="none", ecolor=EDGE, capsize=3, label=SURE)
        top = np.fmax(top, ends[:, 1])
    for place, share, at in zip(places.tolist(), shares.tolist(), top.tolist(), strict=True):
        ax.annotate(percent(share), (at, place), (5, 0), textcoords="offset points", va="center")
    _list(ax, names)
    ax.set_xlim(0, 1.15 * max(float(top.max(initial=0.0)), 1e-9))
    share_axis(ax.xaxis)


def points(ax: Any, labels: Sequence[object], series: Sequence[Series], *, shares: bool) -> None:
    """Values as points beside each label, each series in its colour; a table's own are circles without a filling."""
    for k, (name, values, ends, own) in enumerate(series):
        places = np.arange(len(labels)) + 0.6 * ((k + 0.5) / len(series) - 0.5)
        look: dict[str, Any] = {"color": CYCLE[k % len(CYCLE)], "linestyle": "none", "marker": "o"}
        ax.errorbar(values, places, xerr=_reach(values, ends), capsize=3, label=plain(name), **look)
        if own is not None:
            circle = {**look, "color": EDGE, "markerfacecolor": "none", "markersize": 9}
            ax.plot(own, places, label="table alone" if k == 0 else None, **circle)
    _list(ax, list(map(plain, labels)))
    if shares:
        share_axis(ax.xaxis)
    else:
        number_axis(ax.xaxis, max(float(np.nanmax(np.abs(each.values))) for each in series))


def _reach(values: FloatArray, ends: FloatArray) -> FloatArray:
    """[2, bar]: how far an interval reaches below and above."""
    return np.maximum(np.stack([values - ends[:, 0], ends[:, 1] - values]), 0.0)


def _list(ax: Any, names: list[str]) -> None:
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    frame(ax)


def frame(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def head(ax: Any, title: str, rows: int = 1) -> None:
    """A title, and below it, above the picture, what the marks are, in so many rows; of many, to the right."""
    marks, _ = ax.get_legend_handles_labels()
    look = {"frameon": False, "fontsize": "small"}
    if len(marks) > MOST_MARKS:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **look)
    else:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=-(-len(marks) // rows), **look)
    ax.set_title(plain(title, TITLE), pad=8 + 18 * rows * (len(marks) <= MOST_MARKS))


def share_axis(axis: Any) -> None:
    axis.set_major_formatter(lambda share, _: f"{round(100 * share, 6):g} %")


def number_axis(axis: Any, largest: float) -> None:
    """Numbers along an axis, with thousands separators where they are long."""
    sign = "," if largest >= SEPARATED else ""
    axis.set_major_formatter(lambda x, _: f"{x:{sign}.8g}")
