"""Which states a column has: the rules, and a clear error for what is no column."""

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, Variable
from depnet.data import Layout, decode, describe, encode
from depnet.data.table.variable import ordered_states, with_missing_state
from depnet.errors import DataError
from tests.data.frames.test_frames import dtypes
from tests.refusals import refuses


def states(values: Any, **options: Any) -> tuple[Any, ...]:
    """The states of one column of a pandas frame."""
    return describe(pd.DataFrame({"x": values}), **options)[0].variables[0].states


@given(values=st.lists(st.text(max_size=3), min_size=1))
def test_text_is_sorted_by_code_points(values: list[str]) -> None:
    expected = tuple(sorted(set(values)))
    assert ordered_states(values) == expected
    assert describe(pl.DataFrame({"x": values}))[0].variables[0].states == expected
    assert describe([{"x": value} for value in values])[0].variables[0].states == expected


def test_the_order_of_states() -> None:
    assert states(["b", "a", None, "B"]) == ("B", "a", "b")
    assert states([10, 9, 10]) == (9, 10)
    assert states([True, True]) == (False, True)
    # declared, unused kept
    assert states(pd.Categorical(["b"], categories=["c", "b", "a"])) == ("c", "b", "a")
    assert states(pd.Categorical([2], categories=[3, 2, 1], ordered=True)) == (3, 2, 1)
    enum = pl.DataFrame({"x": pl.Series(["b"], dtype=pl.Enum(["c", "b", "a"]))})
    assert describe(enum)[0].variables[0].states == ("c", "b", "a")
    unordered = pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert describe(unordered)[0].variables[0].states == ("a", "b"), "polars' Categorical declares no order"
    dictionary = pa.table({"x": pa.array(["b", "a"]).dictionary_encode()})
    assert describe(dictionary)[0].variables[0].states == ("b", "a")
    refuses(DataError, r"mix int \(1\) and str \('a'\)", ordered_states, [1, "a"])


FIRST, SECOND = pa.array(["b", None, "a"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()
NULL_AMONG = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None, 0]), pa.array(["b", None, "a"]))


@pytest.mark.parametrize(
    ("column", "labels", "codes"),
    [
        (pa.chunked_array([FIRST, SECOND]), ("b", "a", "c"), [0, None, 1, 2, 1]),
        (NULL_AMONG, ("b", "a"), [0, None, 1, None, 0]),
    ],
    ids=["chunks with their own", "a null among the values"],
)
def test_dictionaries_of_arrow(column: Any, labels: tuple[str, ...], codes: list[int | None]) -> None:
    table = pa.table({"x": column})
    domain, _ = describe(table)
    assert domain.variables[0].states == labels
    held = encode(table, domain)
    assert held.hidden[:, 0].tolist() == [code is None for code in codes]
    assert held.codes[:, 0].tolist() == [code or 0 for code in codes]


def test_whole_numbers_stay_categories_up_to_16() -> None:
    assert states(list(range(16)) * 9) == tuple(range(16))
    # also as floats, as beside missing values
    assert states([float(i) for i in range(16)] * 9) == tuple(range(16))
    binned = describe(pd.DataFrame({"x": list(range(17)) * 9}))[0].variables[0]
    assert binned.bins is not None
    assert binned.bins.kind == "integer"
    assert states(list(range(17)) * 9, bins={"x": "categories"}) == tuple(range(17))
    assert states([0.5, 1.5], bins="categories") == (0.5, 1.5)
    assert len(states(list(range(16)) * 9, bins={"x": 4})) == 4, "bins that are asked for"
    assert len(states(list(range(16)) * 9, bins=4)) == 16, "only columns with more values are binned"


def test_edges_and_numbers_of_bins_by_column() -> None:
    frame = pd.DataFrame(
        {
            "age": range(10, 110),
            "income": np.linspace(0, 1, 100),
            "day": pd.date_range("2024-01-01", periods=100),
        }
    )
    domain, _ = describe(
        frame, bins={"age": [0, 18, 65, 120], "day": ["2024-01-01", dt.date(2024, 2, 1), "2025-01-01"]}
    )
    assert domain.variables[0].states == ("[0, 18)", "[18, 65)", "[65, 120)")
    assert domain.variables[2].states == ("[2024-01-01, 2024-02-01)", "[2024-02-01, 2025-01-01)")
    assert domain.variables[1].cardinality == 5, "ceil of the cube root of 100"
    assert describe(frame, max_bins=3)[0].cardinalities == (3, 3, 3)
    assert describe(frame, bins=np.array([0, 50, 100]))[0].variables[0].cardinality == 2


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ({"y": 3}, "bins: there is no column 'y'"),
        ({"x": 0}, "column 'x': the number of bins is a whole number of at least 1; got 0"),
        ({"x": "deciles"}, "column 'x': bins are \"quantile\", a number of bins"),
        ({"x": [3, 2]}, "column 'x': edges ascend"),
        ({"x": [3]}, "column 'x': K bins have K"),
        ({"x": ["a", "b"]}, "column 'x': expected a number; got 'a'"),
        ({"x": None}, "column 'x': bins are .* got None"),
        (True, "column 'x': bins are .* got True"),
    ],
)
def test_what_is_no_way_to_bin(bins: Any, message: str) -> None:
    refuses(DataError, message, states, np.linspace(0, 1, 50), bins=bins)


def test_other_options() -> None:
    refuses(DataError, "max_bins is a whole number of at least 1; got 0", states, [1.5], max_bins=0)
    refuses(DataError, 'missing is "keep", "state" or "error"; got \'drop\'', states, [1.5], missing="drop")
    with pytest.raises(DataError, match='missing is "error" or "state"; got \'keep\''):
        Dataset.from_frame([{"x": 1}], missing="keep")  # type: ignore[arg-type]  # on purpose


def test_missing_values() -> None:
    frame = pd.DataFrame({"x": ["a", None, "(missing)"], "y": [1.5, np.nan, 2.5], "z": [1, 2, 3]})
    said = r"column 'x', row 1: the value is missing\. Make \"missing\" a state"
    refuses(DataError, said, Dataset.from_frame, frame)
    data = Dataset.from_frame(frame, missing="state")
    x, y, z = data.domain.variables
    assert x.states == ("(missing)", "a", "(missing 2)")
    assert x.missing == "(missing 2)"
    assert y.states[-1] == y.missing == "(missing)"
    assert z.missing is None
    assert data.codes.tolist() == [[1, 0, 0], [2, 2, 1], [0, 1, 2]]
    back = decode(data.codes, data.domain, describe(frame, missing="state")[1])
    pd.testing.assert_frame_equal(back, frame)


def test_a_label_for_missing_values_never_collides() -> None:
    variable = Variable("x", ("(missing)", "(missing 2)", "(missing 3)"))
    assert with_missing_state(variable).states[-1] == "(missing 4)"
    with pytest.raises(DataError, match="the state for missing values is the last one, 'b'; got 'a'"):
        Variable("x", ("a", "b"), missing="a")
    refuses(DataError, "the last one, 1; got True", Variable, "x", (0, 1), missing=True)


BAD: dict[str, tuple[Any, str]] = {
    "mixed": (pd.DataFrame({"x": [1, "a"]}), r"'x' mixes whole numbers \(row 0: 1\) and text \(row 1: 'a'\)"),
    "booleans and numbers": ([{"x": True}, {"x": 2}], "'x' mixes booleans .* and whole numbers"),
    "dates and moments": (
        [{"x": dt.date(2020, 1, 1)}, {"x": dt.datetime(2020, 1, 1)}],
        "'x' mixes dates .* and dates with times",
    ),
    "a name twice": (pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"]), "two columns have the same name"),
    "a name twice, Arrow": (pa.table([[1], [2]], names=["a", "a"]), "two columns have the same name"),
    "one name as text": (pd.DataFrame([[1, 2]], columns=[1, "1"]), "columns 0 and 1 are both named '1'"),
    "no name": (pd.DataFrame({"": [1]}), "column 0 has no name"),
    "None for a name": (pd.DataFrame([[1]], columns=[None]), "column 0 has no name"),
    "NaN for a name": (pd.DataFrame([[1, 2]], columns=["a", np.nan]), "column 1 has no name"),
    "no rows": (
        pl.DataFrame({"x": []}, schema={"x": pl.Float64}),
        "'x' has no value in its 0 rows. Leave it out",
    ),
    "no rows, objects": (pd.DataFrame({"x": pd.Series([], dtype=object)}), "'x' has no value in its 0 rows"),
    "no columns": (pd.DataFrame(index=[0]), "a table needs at least one column"),
    "nothing": ([], "a table needs at least one column"),
    "all missing": (
        pd.DataFrame({"x": [None, np.nan]}),
        r"no column is left to learn from. Left out: 'x' \(no value\)\.$",
    ),
    "infinity": (pd.DataFrame({"x": [0.5, -np.inf]}), "column 'x', row 1: -inf has no place"),
    "infinity, polars": (pl.DataFrame({"x": [np.inf]}), "column 'x', row 0: inf has no place"),
    "decimals": (pa.table({"x": [decimal.Decimal("1.5")]}), "column 'x': a column holds .* got decimal"),
    "decimal objects": (pd.DataFrame({"x": [None, decimal.Decimal(1)]}), "'x', row 1: .* got Decimal"),
    "times": (pl.DataFrame({"x": [dt.time(1)]}), "got Time"),
    "time objects": (pd.DataFrame({"x": [dt.time(1)]}), "row 0: .* got time"),
    "bytes": (pl.DataFrame({"x": [b"a"]}), "got Binary"),
    "byte objects": (pd.DataFrame({"x": [b"a"]}), "got bytes"),
    "lists": (pd.DataFrame({"x": [[1]]}), "row 0: .* got list"),
    "structs": (pl.DataFrame({"x": [{"a": 1}]}), "got Struct"),
    "complex": (np.array([[1j]]), "got complex128"),
    "periods": (pd.DataFrame({"x": pd.period_range("2020-01", periods=2, freq="M")}), "got period"),
    "64 bits without a sign": (np.array([[2**64 - 1]], dtype=np.uint64), "does not fit in 64 bits"),
    "128 bits": (pl.DataFrame({"x": pl.Series([2**100], dtype=pl.Int128)}), "got Int128"),
    "long numbers": (pd.DataFrame({"x": [1, 2**100]}), "column 'x', row 1: .* does not fit in 64 bits"),
    "half a character": (pd.DataFrame({"x": ["\ud800"]}, dtype=object), "not valid Unicode text"),
    "a series": (pd.Series([1]), "a table is a pandas, .* got a pandas.*Series"),
    "one axis": (np.array([1]), r"2-D, \[rows, columns\]; got the shape \(1,\)"),
    "None": (None, "got None"),
    "a path": ("table.csv", "got a builtins.str"),
    "lists of lists": ([[1, 2]], r"row 0 is \[1, 2\]"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_table(case: str) -> None:
    frame, message = BAD[case]
    with pytest.raises(DataError, match=message) as error:
        describe(frame)
    assert len(str(error.value)) < 500


def test_one_row_and_constant_columns() -> None:
    domain, layout = describe(
        pd.DataFrame({"f": [1.5], "s": ["a"], "i": [3], "t": [pd.Timestamp("2020-02-29 12:00")]})
    )
    assert domain.cardinalities == (1, 1, 1, 1)
    assert domain.variables[3].states == ("2020-02-29 12:00",)
    back = decode([[0, 0, 0, 0]], domain, layout)
    assert back["t"].tolist() == [pd.Timestamp("2020-02-29 12:00")]
    assert back["f"].tolist() == [1.5]


def test_declared_categories_need_no_rows() -> None:
    frame = pd.DataFrame({"x": pd.Categorical([], categories=["b", "a"]), "y": pd.Series([], dtype=bool)})
    domain, layout = describe(frame)
    assert domain.cardinalities == (2, 2)
    pd.testing.assert_frame_equal(
        decode(np.empty((0, 2), dtype=int), domain, layout), frame, check_index_type=False
    )


def test_columns_with_no_value_at_all_can_be_a_state() -> None:
    for frame in (
        pd.DataFrame({"x": [None, None], "y": [np.nan, np.nan]}),
        pl.DataFrame({"x": [None, None], "y": pl.Series([None, None], dtype=pl.Float64)}),
        pa.table({"x": pa.nulls(2), "y": pa.nulls(2, pa.float64())}),
    ):
        domain, layout = describe(frame, missing="state")
        assert domain.cardinalities == (1, 1)
        back = decode(encode(frame, domain).codes, domain, layout)
        assert type(back) is type(frame)
        assert dtypes(back) == dtypes(frame)
        assert encode(back, domain).codes.tolist() == [[0, 0], [0, 0]]


def test_categories_of_other_objects_come_back() -> None:
    frame = pd.DataFrame(
        {"x": pd.cut([1.0, 5.0, np.nan, 9.0], [0, 4, 8, 12]), "y": pd.Categorical([1.5, 2.5, 1.5, None])}
    )
    domain, layout = describe(frame)
    assert domain.variables[0].states == ("(0, 4]", "(4, 8]", "(8, 12]")
    held = encode(frame, domain)
    back = decode(np.where(held.hidden, -1, held.codes.astype(int)), domain, layout)
    pd.testing.assert_frame_equal(back, frame)


def test_the_index_and_the_keys_of_pandas() -> None:
    frame = pd.DataFrame(
        [["a", "b"], ["c", "d"]], columns=pd.MultiIndex.from_tuples([("m", 1), ("m", 2)]), index=[7, 8]
    )
    domain, layout = describe(frame)
    codes = encode(frame, domain).codes
    pd.testing.assert_frame_equal(decode(codes, domain, layout, index=frame.index), frame)
    assert decode(codes, domain, layout).index.equals(pd.RangeIndex(2))


def test_a_layout_for_a_domain_without_a_frame() -> None:
    frame = pd.DataFrame(
        {
            "s": ["a", None],
            "b": [True, False],
            "i": [1, 2],
            "f": [1.5, 2.5],
            "d": pd.date_range("2020", periods=2),
        }
    )
    domain, _ = describe(frame, missing="state")
    codes = encode(frame, domain).codes
    for kind in ("pandas", "polars", "pyarrow", "numpy", "dicts"):
        back = decode(codes, domain, Layout.of(domain, kind))
        assert encode(back, domain).codes.tolist() == codes.tolist(), kind
    with pytest.raises(DataError, match=r"the kind of a frame is one of pandas, polars, .* got 'spark'"):
        Layout.of(domain, "spark")  # type: ignore[arg-type]  # on purpose


def test_codes_that_do_not_fit() -> None:
    domain, layout = describe([{"x": "a"}])
    refuses(DataError, r"codes have the shape \(1, 2\)", decode, [[0, 0]], domain, layout)
    refuses(DataError, r"column 'x', row 0: code 1 is outside 0\.\.0", decode, [[1]], domain, layout)
    refuses(DataError, "codes are integers; got an array of float64", decode, [[0.0]], domain, layout)
