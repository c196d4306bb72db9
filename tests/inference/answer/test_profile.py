"""Bars: of equal widths, and counting values as they came."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.data.binning.bins import Kind
from depnet.inference.answer.numbers import NumberLaw
from depnet.inference.answer.profile import bar_edges, share_of_bars

FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3))


def of_rows(values: list[float], kind: Kind) -> NumberLaw:
    return NumberLaw.of_rows(kind, np.array(values), np.ones(len(values)))


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=60) | st.lists(FLOATS, min_size=1, max_size=60),
    st.integers(8, 40),
)
def test_bars_are_of_equal_widths_and_count_the_values(values: list[float], bars: int) -> None:
    law = of_rows(values, "integer" if isinstance(values[0], int) else "float")
    edges = bar_edges(law, bars)
    assert 1 <= len(edges) - 1 <= bars
    widths = np.diff(edges)
    assert widths == pytest.approx(widths[0], rel=1e-6)
    found = share_of_bars(law, edges)
    for k, share in enumerate(found):
        inside = sum(edges[k] <= v < edges[k + 1] for v in values)
        assert share == pytest.approx(inside / len(values), abs=1e-12)
    assert found.sum() == pytest.approx(1.0), "of so few values none lies beyond the quantiles"
    if isinstance(values[0], int):
        assert (edges != np.rint(edges)).all(), "no whole number is on an edge"


def test_few_values_far_out_do_not_leave_one_bar_for_all_others() -> None:
    law = of_rows([*np.linspace(0, 10, 1000).tolist(), 1e6], "float")
    edges = bar_edges(law, 20)
    shares = share_of_bars(law, edges)
    assert edges[-1] <= 11
    assert shares.max() < 0.12
    assert 1 / 1001 <= 1 - shares.sum() < 0.01
