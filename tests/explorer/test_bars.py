"""Ranges of bars are read back as the same states, whatever the bins are; labels stay short."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Variable
from depnet.data.binning.bins import Bins, Kind
from depnet.errors import EvidenceError
from depnet.explorer.cards import between, has_ranges, is_histogram, short_labels, typed
from depnet.explorer.known import held_by, weights

KINDS: tuple[Kind, ...] = ("float", "integer", "date")


@st.composite
def numbers(draw: st.DrawFn) -> Variable:
    kind = draw(st.sampled_from(KINDS))
    edge = st.floats(-1e6, 1e6, allow_nan=False) if kind == "float" else st.integers(-50_000, 50_000)
    edges = sorted(draw(st.sets(edge, min_size=4, max_size=9)))
    values = tuple((low,) for low in edges[:-1])
    bins = Bins(tuple(edges), values, kind)
    missing = draw(st.booleans())
    labels = (*bins.labels, "?") if missing else bins.labels
    return Variable("x", labels, bins, "?" if missing else None)


@given(numbers(), st.data())
def test_a_range_of_bars_means_those_bars(variable: Variable, data: st.DataObject) -> None:
    ends = st.integers(0, len(variable.present_states) - 1)
    first, last = sorted((data.draw(ends), data.draw(ends)))
    held = between(variable, first, last)
    wanted = np.zeros(variable.cardinality)
    wanted[first : last + 1] = 1.0
    if held is None:
        assert wanted.all()
        return
    assert np.array_equal(weights(variable, held), wanted)
    texts = (held,) if isinstance(held, str) else tuple(map(str, held))
    assert held_by(variable, texts) == held  # as an address has it


def test_ranges_are_written_by_their_edges() -> None:
    bins = Bins((0.0, 1.5, 2.5, 4.0, 9.0), ((0.5,), (1.5, 2.0), (2.5, 3.9), (4.0, 8.0)), "float")
    x = Variable("x", bins.ranges, bins)
    assert between(x, 1, 2) == "1.5..3.9"  # 4 is of the next bin, and in its data
    assert between(x, 2, 3) == ">=2.5"
    assert between(x, 0, 1) == "<2.5"
    assert short_labels(x) == ["< 1.5", "1.5–2.5", "2.5–4", "≥ 4"]
    counts = Variable("n", (1, 2, 3, 7))
    assert between(counts, 1, 2) == "2..3"
    assert between(counts, 0, 1) == "<=2"
    size = Variable("size", ("small", "medium", "large"), ordered=True)
    assert between(size, 0, 1) == ("small", "medium")
    assert (has_ranges(size), is_histogram(size)) == (True, False)
    assert not has_ranges(Variable("sex", ("f", "m")))
    assert not has_ranges(Variable("survived", (0, 1)))


def test_a_written_condition_is_checked() -> None:
    bins = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70,)), "integer")
    age = Variable("age", bins.ranges, bins)
    assert typed(age, ">= 18") == ">= 18"
    assert typed(age, "20..40") == "20..40"
    assert typed(age, "30") == ("30",)  # itself, and not its bin
    assert typed(age, "[18, 65)") == ("[18, 65)",)
    assert typed(age, '"[18, 65)" | 70') == ("[18, 65)", "70")
    for wrong in ("old", "> x", ">200"):
        with pytest.raises(EvidenceError):
            typed(age, wrong)
