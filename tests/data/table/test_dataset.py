"""Tables of codes, with holes and without: what they take, keep and refuse."""

import pickle
from typing import Any

import numpy as np
import pytest

from depnet import Dataset, Domain, Variable
from depnet.data import Holed
from depnet.data.table.dataset import table_of_columns
from depnet.data.titanic import titanic
from depnet.errors import DataError
from tests.refusals import refuses

TWO = [2, 3]


def test_codes_are_kept_column_major_and_read_only() -> None:
    given_codes = np.array([[0, 2], [1, 0], [1, 1]])
    dataset = Dataset.from_codes(given_codes, TWO)
    given_codes[:] = 0
    assert dataset.codes.tolist() == [[0, 2], [1, 0], [1, 1]], "the table is a copy"
    assert dataset.codes.dtype == np.uint8
    assert dataset.codes.flags.f_contiguous
    assert dataset.column(1).flags.c_contiguous
    assert (dataset.rows, dataset.total) == (3, 3)
    with pytest.raises(ValueError, match="read-only"):
        dataset.codes[0, 0] = 1


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int32, np.uint64, ">i4"])
def test_every_kind_of_integer_is_a_code(dtype: Any) -> None:
    assert Dataset.from_codes(np.array([[1, 0]], dtype=dtype), [2, 2]).codes.tolist() == [[1, 0]]


def test_many_states_take_two_bytes() -> None:
    assert Dataset.from_codes([[255]], [256]).codes.dtype == np.uint8
    assert Dataset.from_codes([[256]], [257]).codes.dtype == np.uint16
    assert Dataset.from_codes([[65_534]], [65_535]).codes.tolist() == [[65_534]]
    with pytest.raises(DataError, match="column 0 would have 65,536 states; at most 65,535"):
        Dataset.from_codes([[0]], [65_536])


@pytest.mark.parametrize("codes", [[], np.empty((0, 2)), np.empty((0, 2), dtype=int)])
def test_no_rows_are_a_table(codes: Any) -> None:
    dataset = Dataset.from_codes(codes, TWO, weights=[])
    assert (dataset.rows, dataset.total, dataset.codes.shape) == (0, 0, (0, 2))


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[0, 1], [1]], "rectangular table"),
        ([0, 1], r"shape \(2,\); expected \[rows, 2\]"),
        ([[0, 1, 0]], r"shape \(1, 3\); expected \[rows, 2\]"),
        ([[[0, 1]]], r"shape \(1, 1, 2\)"),
        ([[0, 1], [0, 3]], r"column 'X1', row 1: code 3 is outside 0\.\.2 \(3 states\)"),
        ([[0, 1], [-1, 0]], r"column 'X0', row 1: code -1 is outside 0\.\.1"),
        (np.array([[0, 2**63]], dtype=np.uint64), "column 'X1', row 0: code 9223372036854775808"),
        ([[0, 2**70]], "codes are integers; got an array of object"),
        ([[0.0, 1.0]], r"column 'X0', row 0: codes are integers; got 0\.0 \(float64\). Convert with .astype"),
        ([[0.0, np.nan]], "column 'X1', row 0: codes are integers; got nan .*complete missing values"),
        ([[0, 1], [0, np.nan]], "column 'X1', row 1: codes are integers; got nan"),
        ([[np.inf, 1.0]], "codes are integers; got .*inf"),
        ([["0", "1"]], "codes are integers; got .*'0'"),
        (np.array([[0, 1], [None, 1]], dtype=object), "column 'X0', row 1: codes are integers; got None"),
        (np.array([[0, 1], [1, "a"]], dtype=object), "column 'X1', row 1: codes are integers; got 'a'"),
        (np.array([[0, 1]], dtype=object), "got an array of object. Convert with"),
    ],
)
def test_what_is_not_a_table_of_codes(codes: Any, message: str) -> None:
    refuses(DataError, message, Dataset.from_codes, codes, TWO)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], r"2 integers, one a row; got shape \(1,\)"),
        ([[1, 2]], r"shape \(1, 2\)"),
        (3, r"shape \(\)"),
        ([1.0, 2.0], "2 integers, one a row; got .*float64"),
        ([True, False], "bool"),
        ([[1], [1, 2]], "2 integers, one a row"),
        ([3, -1], "row 1 has the weight -1; weights are not negative"),
        ([2**53, 0], "exact only below 2\\^53"),
        ([2**52, 2**52], "about 10\\^16; counts are exact only below 2\\^53"),
        (np.array([2**63, 2**63], dtype=np.uint64), "exact only below 2\\^53"),
        ([2**63 - 1, 2**63 - 1], "exact only below 2\\^53"),  # whose int64 sum would be -2
        ([2**70, 1], "2 integers"),
    ],
)
def test_what_are_not_row_weights(weights: Any, message: str) -> None:
    refuses(DataError, message, Dataset.from_codes, [[0, 1], [1, 1]], TWO, weights)


def test_weights_up_to_the_limit_are_exact() -> None:
    dataset = Dataset.from_codes([[0, 1], [1, 1]], TWO, [2**53 - 2, 1])
    assert dataset.total == 2**53 - 1
    assert Dataset.from_codes([[0, 1], [1, 1]], TWO, [0, 0]).total == 0


def test_a_dataset_is_checked_however_it_is_made() -> None:
    domain = Domain.from_cardinalities([2, 3])
    good = np.array([[1, 2], [0, 0]], dtype=np.uint8)
    dataset = Dataset(domain, good)
    good[0, 0] = 9  # the caller's own: the dataset has a copy
    assert dataset.codes.tolist() == [[1, 2], [0, 0]]
    assert not dataset.codes.flags.writeable
    wrong: list[tuple[Any, Any, str]] = [
        (good, None, "column 'X0', row 0: code 9 is outside"),
        (good.astype(np.int64), None, "an array of uint8; got one of int64. Make it with Dataset.from_codes"),
        ([[0, 0]], None, "an array of uint8"),
        (good[:, :1], None, r"shape \(2, 1\); expected \[rows, 2\]"),
        (good[1:], [-1], "weights are not negative"),
        (good[1:], [1, 1], "one a row"),
    ]
    for codes, weights, message in wrong:
        refuses(DataError, message, Dataset, domain, codes, weights)
    refuses(DataError, r"Dataset\(domain, codes\) takes a Domain first", Dataset, good, domain)


def test_a_dataset_says_what_it_is() -> None:
    dataset = Dataset.from_codes([[0, 1], [1, 2]], [2, 3], weights=[5, 7])
    assert str(dataset) == "2 rows that stand for 12 of 2 variables (their states): X0 (2), X1 (3)"
    assert str(Dataset.from_codes([[0] * 25], [1] * 25)).endswith("X19 (1) and 5 more")


def test_a_domain_or_cardinalities_and_not_both() -> None:
    domain = Domain((Variable("a", ("x", "y")),))
    assert Dataset.from_codes([[1]], domain=domain).domain is domain
    refuses(DataError, "either cardinalities or a domain", Dataset.from_codes, [[1]])
    refuses(DataError, "either cardinalities or a domain", Dataset.from_codes, [[1]], [2], domain=domain)
    refuses(DataError, "one a variable; got 2", Dataset.from_codes, [[1]], 2)


def test_what_is_not_a_holed_table() -> None:
    domain = Domain((Variable("text", ("1", "2", "many")),))
    zeros = np.zeros((2, 1), dtype=np.uint8)
    wrong_shape: Any = np.zeros((1, 1), dtype=bool)
    said = r"hidden is a boolean array of the shape \(2, 1\); got bool \(1, 1\)"
    refuses(DataError, said, Holed, domain, zeros, wrong_shape)
    with pytest.raises(DataError, match="the code of a hidden value is 0"):
        Holed(domain, zeros + np.uint8(1), np.array([[True], [False]]))
    holed = Holed(domain, zeros, np.array([[False], [True]]))
    assert not holed.complete
    assert not holed.hidden.flags.writeable
    said = r"column 'text', row 1: the value is missing \(1 missing in 1 of 1 columns\)"
    refuses(DataError, said, holed.dataset)
    assert Holed(domain, zeros, np.zeros((2, 1), dtype=bool)).dataset().rows == 2


def test_a_complete_table_has_no_holes() -> None:
    table = Dataset.from_codes([[0], [1]], [2], weights=[2, 3])
    assert isinstance(table, Holed)
    assert table.complete
    assert table.total == 5
    assert table.hidden.strides == (0, 0), "one False for all cells"
    assert table.dataset() is table
    again = pickle.loads(pickle.dumps(table))
    assert isinstance(again, Dataset)
    assert again.hidden.strides == (0, 0)
    assert not again.codes.flags.writeable


def test_a_table_put_in_column_by_column() -> None:
    domain = Domain((Variable("x", ("a", "b")), Variable("y", ("c", "d", "?"), missing="?")))
    columns = [(np.array([1, 0]), None, None), (np.array([-1, 1]), np.array([True, False]), None)]
    table = table_of_columns(domain, 2, columns)
    assert table.complete, "a missing value that has a state of its own is no hole"
    assert table.codes.tolist() == [[1, 2], [0, 1]]
    columns[0] = (np.array([-2, 1]), np.array([True, False]), None)
    holed = table_of_columns(domain, 2, columns)
    assert holed.codes[:, 0].tolist() == [0, 1]
    assert holed.hidden.tolist() == [[True, False], [False, False]]


def test_titanic_counts() -> None:
    people = titanic()
    who = {name: people.column(i) for i, name in enumerate(people.domain.names)}
    code = {v.name: v.code for v in people.domain.variables}

    def count(**labels: str) -> int:
        matches = [who[name] == code[name](label) for name, label in labels.items()]
        return int(np.logical_and.reduce(matches).sum())

    assert people.total == 2201
    assert count(survived="Yes") == 711
    assert (count(**{"class": "1st"}), count(**{"class": "2nd"})) == (325, 285)
    assert (count(**{"class": "3rd"}), count(**{"class": "Crew"})) == (706, 885)
    assert (count(sex="female"), count(age="child")) == (470, 109)
    assert count(sex="female", age="adult", survived="Yes", **{"class": "1st"}) == 140
