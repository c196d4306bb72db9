"""Plots: each returns its figure, on the caller's axes where they are given, and draws what it says."""

import io
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from depnet import certificate, learn, sample, titanic
from depnet.errors import PictureError
from depnet.pictures import (
    dependency_graph,
    marginals,
    plot_certificate,
    plot_chains,
    plot_graph,
    plot_marginals,
    plot_node,
    plot_r_hat,
    plot_trace,
)
from tests.pictures.cases import chain, hostile, mixed

DATA = titanic()
NETWORK = learn(DATA, smoothing=0.5)
ROWS = sample(NETWORK, 1000, chains=20, thin=2, burn_in=10, rng=np.random.default_rng(0))

PLOTS: dict[str, Callable[[Any], Figure]] = {
    "graph": lambda ax: plot_graph(NETWORK, DATA, ax=ax),
    "node": lambda ax: plot_node(NETWORK, "survived", ax=ax),
    "marginals": lambda ax: plot_marginals(DATA, ROWS, ax=ax),
    "r_hat": lambda ax: plot_r_hat(ROWS, 20, ax=ax),
    "trace": lambda ax: plot_trace(ROWS, 20, ax=ax),
    "certificate": lambda ax: plot_certificate(certificate(NETWORK, DATA), ax=ax),
}


def bar_widths(axes: Any) -> list[float]:
    return sorted(bar.get_width() for bar in axes.patches)


def drawn(figure: Figure) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=60)
    return out.getvalue()


@pytest.mark.parametrize("name", PLOTS)
def test_a_figure_of_its_own_or_on_the_callers_axes(name: str) -> None:
    own = PLOTS[name](None)
    assert isinstance(own, Figure)
    assert drawn(own) == drawn(PLOTS[name](None))
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert PLOTS[name](left) is figure
    assert left.has_data() or left.texts or left.patches
    assert not right.has_data()
    assert [*right.texts, *right.patches] == []
    inside = Figure()
    part: Any = inside.subfigures()
    assert PLOTS[name](part.subplots()) is inside


def test_marginals_are_those_of_the_tables() -> None:
    found = {one.name: one for one in marginals(DATA, ROWS)}
    sex = DATA.domain.index("sex")
    np.testing.assert_allclose(found["sex"].data, [470 / 2201, 1731 / 2201])
    np.testing.assert_allclose(found["sex"].drawn[1], (ROWS.codes[:, sex] == 1).mean())
    ordered = [one.apart for one in marginals(DATA, ROWS)]
    assert ordered == sorted(ordered, reverse=True)
    widths = bar_widths(plot_marginals(DATA, ROWS).axes[0])
    expected = sorted(float(p) for one in found.values() for p in (*one.data, *one.drawn))
    np.testing.assert_allclose(widths, expected)
    rows = found["class"].shown(3)
    assert [state for state, _, _ in rows] == ["3rd", "Crew", "2 other states"]
    np.testing.assert_allclose(sum(a for _, a, _ in rows), 1.0)


def test_kept_counts_serve_as_data() -> None:
    counts = NETWORK.with_counts(DATA).counts
    assert counts is not None
    assert drawn(plot_marginals(counts, ROWS)) == drawn(plot_marginals(DATA, ROWS))


def test_chains_on_two_axes() -> None:
    assert len(plot_chains(ROWS, 20).axes) == 2
    figure = Figure()
    axes = figure.subplots(1, 2)
    assert plot_chains(ROWS, 20, ax=axes) is figure
    with pytest.raises(PictureError, match="two axes; got 1"):
        plot_chains(ROWS, 20, ax=[axes[0]])


def test_a_trace_ends_at_the_share_of_the_state() -> None:
    (axes,) = plot_trace(ROWS, 20, variable="class", state="Crew").axes
    whole = axes.lines[20]
    share = (ROWS.codes[:, 0] == 3).mean()
    np.testing.assert_allclose(np.asarray(whole.get_ydata())[-1], share)
    assert "class = Crew" in axes.get_title()


def test_certificate_bars() -> None:
    found = certificate(NETWORK, DATA)
    (axes,) = plot_certificate(found).axes
    np.testing.assert_allclose(
        bar_widths(axes),
        sorted([*(n.kl for n in found.nodes), *(n.one_leaf_kl for n in found.nodes)]),
    )
    assert f"{found.fc_limit:.4g}" in axes.get_title()


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_hostile_names_and_all_sizes() -> None:
    drawn(plot_graph(dependency_graph(chain(200, rows=200)[0])))
    for network, data in (hostile(), mixed(), chain(1)):
        drawn(plot_graph(dependency_graph(network, data)))
        rows = sample(network, 200, chains=10, burn_in=2, thin=1, rng=np.random.default_rng(0))
        drawn(plot_marginals(data, rows))
        drawn(plot_chains(rows, 10))
        drawn(plot_certificate(certificate(network, data)))
        drawn(plot_node(network, len(network) - 1))


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m == "matplotlib" or m.startswith("matplotlib.")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PictureError, match=r"pip install 'depnet\[plot\]'"):
        plot_node(NETWORK, 0)
