"""Rows read on their own and recoded are those that `encode` gives for the model's domain directly."""

import datetime as dt
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet.data import Dataset, Domain, Holed, Variable, describe, encode
from depnet.data.frames.recode import bins_for, recoded
from depnet.errors import DataError, UnknownStatesWarning

DAY = dt.date(2020, 1, 1)


def rows_of(draw: st.DataObject, count: int) -> list[dict[str, Any]]:
    cells = {
        "word": st.sampled_from(["a", "b", "c", None]),
        "few": st.one_of(st.integers(0, 3), st.none()),
        "many": st.one_of(st.integers(0, 1000), st.none()),
        "real": st.one_of(st.floats(-1, 1).map(lambda x: round(x, 3)), st.none()),
        "day": st.one_of(st.integers(0, 2000).map(lambda d: DAY + dt.timedelta(days=d)), st.none()),
        "flag": st.booleans(),
    }
    rows = [{name: draw.draw(cell) for name, cell in cells.items()} for _ in range(count)]
    known = {"word": "a", "few": 1, "many": 500, "real": 0.5, "day": DAY, "flag": True}
    return [*rows, known]  # no column without any value


@pytest.mark.filterwarnings("ignore::depnet.errors.UnknownStatesWarning")
@given(st.data())
def test_recoded_rows_are_the_encoded_ones(data: st.DataObject) -> None:
    old, new = rows_of(data, data.draw(st.integers(30, 60))), rows_of(data, data.draw(st.integers(1, 8)))
    domain, _ = describe(old)
    own, _ = describe(new, bins=bins_for(domain))
    expected = encode(new, domain, handle_unknown="missing")
    got = recoded(encode(new, own), domain, handle_unknown="missing")
    assert (got.codes == expected.codes).all()
    assert (got.hidden == expected.hidden).all()


def test_a_state_that_is_not_there_is_an_error_that_offers_the_nearest() -> None:
    domain = Domain((Variable("sex", ("female", "male")),))
    table = Dataset.from_codes([[0], [1]], domain=Domain((Variable("sex", ("male", "mael")),)))
    with pytest.raises(
        DataError, match=r"column 'sex', row 1: the model has no state 'mael'\. Did you mean 'male'"
    ):
        recoded(table, domain)
    with pytest.warns(UnknownStatesWarning, match="1 of 'sex', such as 'mael'. They count as missing"):
        assert recoded(table, domain, handle_unknown="missing").hidden.tolist() == [[False], [True]]
    with pytest.raises(DataError, match="has no column 'age'"):
        recoded(table, Domain((Variable("age", (1, 2)),)))


def test_missing_is_a_state_where_the_model_has_one() -> None:
    domain = Domain((Variable("x", ("a", "missing"), missing="missing"),))
    holed = Holed(
        Domain((Variable("x", ("a",)),)), np.zeros((2, 1), dtype=np.uint8), np.array([[False], [True]])
    )
    assert recoded(holed, domain).codes.tolist() == [[0], [1]]
    assert recoded(holed, domain).complete
    other = Dataset.from_codes([[0], [1]], domain=domain)
    back = recoded(other, Domain((Variable("x", ("a", "b")),)))
    assert back.hidden.tolist() == [[False], [True]]


def test_numbers_beyond_the_bins_have_the_outer_ones() -> None:
    domain, _ = describe([{"x": float(i) + 0.5} for i in range(100)], bins=4)
    new = [{"x": -1e9}, {"x": 1e9}, {"x": math.pi}]
    own, _ = describe(new, bins=bins_for(domain))
    assert recoded(encode(new, own), domain).codes[:2, 0].tolist() == [0, 3]
