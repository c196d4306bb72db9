"""Encoding later rows: other types, unknown values, absent columns, numbers beyond all edges."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Domain, Variable
from depnet.data import Bins, Holed, describe, encode
from depnet.errors import DataError, UnknownStatesWarning
from tests.refusals import refuses

AGES = Bins((0, 18, 65, 99), ((3, 9, 17), (30, 40), (70,)), "integer")
DAYS = Bins((0, 31, 59), ((1, 2), (40,)), "date")
MOMENTS = Bins((0, 86_400_000_000, 2 * 86_400_000_000), ((0,), (86_400_000_000,)), "datetime")
DOMAIN = Domain(
    (
        Variable("text", ("1", "2", "many")),
        Variable("number", (1, 2, 3)),
        Variable("flag", (False, True)),
        Variable("age", AGES.ranges, AGES),
    )
)


def codes(values: Any, variable: Variable, **options: Any) -> list[int | None]:
    """One column of a pandas frame, None where a cell is hidden."""
    return codes_of(encode(pd.DataFrame({variable.name: values}), Domain((variable,)), **options))


def codes_of(table: Holed, column: int = 0) -> list[int | None]:
    cells = zip(table.hidden[:, column].tolist(), table.codes[:, column].tolist(), strict=True)
    return [None if hole else code for hole, code in cells]


TEXT, NUMBER, FLAG, AGE = DOMAIN.variables


@pytest.mark.parametrize(
    ("variable", "values", "expected"),
    [
        (NUMBER, [1, 2, 3], [0, 1, 2]),
        (NUMBER, [1.0, None, 3.0], [0, None, 2]),
        (NUMBER, ["1", "2", "3"], [0, 1, 2]),
        (NUMBER, pd.Categorical(["3", "1"]), [2, 0]),
        (NUMBER, pd.Categorical([3, 1, None]), [2, 0, None]),
        (NUMBER, pd.array([1, None], dtype="Int64"), [0, None]),
        (TEXT, [1, 2], [0, 1]),
        (TEXT, [1.0, 2.0], [0, 1]),
        (TEXT, ["many", None], [2, None]),
        (TEXT, [None, None], [None, None]),
        (FLAG, [0, 1], [0, 1]),
        (FLAG, ["True", "False", None], [1, 0, None]),
        (FLAG, np.array([True, False]), [1, 0]),
        (AGE, [17, 18, 64, 65], [0, 1, 1, 2]),
        (AGE, [17.9, 18.0, np.nan], [0, 1, None]),
        (AGE, [-(2**63), 2**63 - 1], [0, 2]),
        (AGE, [-1e300, 1e300], [0, 2]),
        (AGE, ["20", "[65, 99)", "70.5"], [1, 2, 2]),
        (
            Variable("day", DAYS.ranges, DAYS),
            pd.to_datetime(["1970-02-01 05:00", "1969-01-01 00:00"]),
            [1, 0],
        ),
        (Variable("day", DAYS.ranges, DAYS), ["1970-02-01", None], [1, None]),
        (Variable("moment", MOMENTS.ranges, MOMENTS), [dt.date(1970, 1, 2), dt.date(1970, 1, 1)], [1, 0]),
        (Variable("date", ("1970-01-01", "1970-01-02")), [dt.date(1970, 1, 2)], [1]),
    ],
)
def test_the_same_meaning_in_another_type(
    variable: Variable, values: Any, expected: list[int | None]
) -> None:
    assert codes(values, variable) == expected


@pytest.mark.parametrize(
    ("variable", "values", "message"),
    [
        (TEXT, ["1", "manny"], "column 'text', row 1: the model has no state 'manny'. Did you mean 'many'"),
        (NUMBER, [1, 7], "column 'number', row 1: the model has no state 7. There are: 1, 2, 3."),
        (NUMBER, [1.5], "column 'number', row 0: the model has no state 1.5"),
        (NUMBER, [1.0, float("inf")], "column 'number', row 1: inf has no place"),
        (FLAG, [2], "column 'flag', row 0: the model has no state 2"),
        (AGE, ["old"], "column 'age', row 0: the model has no state 'old'"),
        (
            AGE,
            pd.to_datetime(["2020-01-01"]),
            "column 'age' has numbers, in bins such as .*; this one has dates",
        ),
        (
            Variable("d", DAYS.ranges, DAYS),
            [3],
            "column 'd' has dates, in bins such as .*; this one has numbers",
        ),
    ],
)
def test_an_unknown_value_is_named_with_its_row_and_the_nearest(
    variable: Variable, values: Any, message: str
) -> None:
    refuses(DataError, message, codes, values, variable)


@pytest.mark.filterwarnings("ignore::depnet.errors.UnknownStatesWarning")
@given(
    labels=st.lists(
        st.one_of(st.integers(-20, 20), st.integers(-(2**60), 2**60), st.floats(-20, 20), st.booleans()),
        min_size=1,
        max_size=12,
        unique=True,
    ),
    values=st.lists(st.one_of(st.integers(-25, 25), st.integers(-(2**60), 2**60)), min_size=1),
)
def test_numbers_are_the_states_they_equal(labels: list[Any], values: list[int]) -> None:
    variable = Variable("x", tuple(labels))
    expected = [next((code for code, label in enumerate(labels) if label == value), None) for value in values]
    for column in (values, [float(value) for value in values if abs(value) < 2**53]):
        frame = pl.DataFrame({"x": column}, schema={"x": pl.Float64 if column is not values else pl.Int64})
        table = encode(frame, Domain((variable,)), handle_unknown="missing")
        kept = [
            code
            for code, value in zip(expected, values, strict=True)
            if column is values or abs(value) < 2**53
        ]
        assert codes_of(table) == kept


def test_unknown_values_may_count_as_missing() -> None:
    with pytest.warns(UnknownStatesWarning, match="1 of 'text', such as 'x'. They count as missing"):
        assert codes(["1", "x"], TEXT, handle_unknown="missing") == [0, None]
    with pytest.warns(UnknownStatesWarning, match="1 of 'number', such as 9"):
        assert codes([1, 9, 2], NUMBER, handle_unknown="missing") == [0, None, 1]
    with_state = Variable("x", ("a", "(missing)"), missing="(missing)")
    with pytest.warns(UnknownStatesWarning, match="1 of 'x', such as 'b'"):
        assert codes(["a", None, "b"], with_state, handle_unknown="missing") == [0, 1, 1]
    assert codes(["1", None], TEXT, handle_unknown="missing") == [0, None], "holes are no news"
    with pytest.raises(DataError, match='handle_unknown is "error" or "missing"; got \'ignore\''):
        codes(["1"], TEXT, handle_unknown="ignore")


def test_unknown_values_of_all_columns_are_said_once() -> None:
    domain = Domain(tuple(Variable(name, ("a",)) for name in "pqrst"))
    frame = pl.DataFrame({name: ["z", "y", "a"] for name in "pqrst"})
    with pytest.warns(UnknownStatesWarning) as said:
        encode(frame, domain, handle_unknown="missing")
    (warning,) = said
    assert str(warning.message) == (
        "values that the model does not know: 2 of 'p', such as 'z'; 2 of 'q', such as 'z'; 2 of 'r', such as 'z'; and "
        '2 more columns. They count as missing (`handle_unknown="missing"`).'
    )


def test_columns_are_found_by_name() -> None:
    frame = pl.DataFrame({"more": [0], "flag": [True], "age": [70], "number": [2], "text": ["1"]})
    assert encode(frame, DOMAIN).codes.tolist() == [[0, 1, 1, 2]]
    with pytest.raises(DataError, match=r"the table has no column 'age'\. Did you mean 'ages'\?"):
        encode(frame.rename({"age": "ages"}), DOMAIN)
    table = encode(frame.drop("age"), DOMAIN, absent="missing")
    assert table.hidden.tolist() == [[False, False, False, True]]
    said = "the array has 2 columns; expected 4: 'text', 'number', 'flag', 'age'"
    refuses(DataError, said, encode, np.zeros((1, 2)), DOMAIN)


def test_names_that_are_no_text_are_found_by_their_text() -> None:
    frame = pd.DataFrame({0: ["a"], 1: ["b"]})
    domain, layout = describe(frame)
    assert domain.names == ("0", "1")
    assert layout.columns[1].key == 1
    assert encode(frame[[1, 0]], domain).codes.tolist() == [[0, 0]]


def test_no_rows_can_be_encoded() -> None:
    for frame in (
        pd.DataFrame({"text": pd.Series([], dtype=object)}),
        pl.DataFrame({"text": pl.Series([], dtype=pl.String)}),
        pa.table({"text": pa.array([], pa.string())}),
        np.empty((0, 1), dtype=object),
    ):
        assert encode(frame, Domain((TEXT,))).codes.shape == (0, 1)


def test_a_frame_of_another_kind_than_the_first() -> None:
    values = {"text": ["1", "many"], "number": [3, 1]}
    domain, _ = describe(pd.DataFrame(values))
    expected = encode(pd.DataFrame(values), domain).codes.tolist()
    for frame in (
        pl.DataFrame(values),
        pl.LazyFrame(values),
        pa.table(values),
        [{"text": "1", "number": 3}, {"number": 1, "text": "many"}],
        np.array([("1", 3), ("many", 1)], dtype=[("text", "U5"), ("number", "i8")]),
    ):
        assert encode(frame, domain).codes.tolist() == expected


@pytest.mark.filterwarnings("ignore::depnet.errors.UnknownStatesWarning")
def test_many_unknown_values() -> None:
    """Texts of states are looked up once: comparing each value with all of them would be 10^9 steps."""
    variable = Variable("x", tuple(f"state {i}" for i in range(20_000)))
    frame = pl.DataFrame({"x": [f"unknown {i}" for i in range(50_000)]})
    assert encode(frame, Domain((variable,)), handle_unknown="missing").hidden.all()
    numbers = pl.DataFrame({"x": np.arange(50_000)})
    assert encode(numbers, Domain((variable,)), handle_unknown="missing").hidden.all()
    refuses(DataError, "the model has no state 'unknown 0'", encode, frame, Domain((variable,)))
