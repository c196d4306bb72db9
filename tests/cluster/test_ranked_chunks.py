from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depnet.cluster import ranked_chunks
from depnet.cluster.ranked_chunks import RankedChunks, Sketch, sketch
from depnet.data.binning.ranked import RankedArray


@given(
    st.lists(
        st.lists(st.one_of(st.integers(-3, 3).map(float), st.floats(-1e300, 1e300)), max_size=40),
        min_size=1,
        max_size=5,
    ).filter(any),
    st.integers(2, 10),
    st.data(),
)
def test_parts_answer_as_one_array(parts: list[list[float]], points: int, data: st.DataObject) -> None:
    ordered = [np.sort(np.array(part, dtype=np.float64)) for part in parts]

    def ask(function: Any, *arguments: Any) -> list[Any]:
        if function is ranked_chunks.sketch:
            return [sketch(part, points) for part in ordered]
        return [function(part, *arguments) for part in ordered]

    one = RankedArray.of(np.concatenate(ordered))
    many = RankedChunks(ask, np.dtype(np.float64))
    assert len(many) == len(one)
    limit = data.draw(st.integers(1, 50))
    assert many.distinct(limit).tolist() == one.distinct(limit).tolist()
    for _ in range(5):
        ranks = data.draw(st.lists(st.integers(0, len(one) - 1), max_size=6))
        assert many.at(ranks).tolist() == one.at(ranks).tolist()
        value = data.draw(st.one_of(st.sampled_from(one.ordered.tolist()), st.floats(-1e301, 1e301)))
        assert many.before(value) == one.before(value)
        assert many.until(value) == one.until(value)


def test_a_sketch_keeps_the_ends() -> None:
    found = sketch(np.arange(10_000), 100)
    assert isinstance(found, Sketch)
    assert (found.values[0], found.values[-1], len(found.values)) == (0, 9999, 100)
