"""Tables of codes with holes, and complete ones that could have some."""

import pickle
from typing import Any

import numpy as np
import pytest

from depnet import Dataset, Domain, Variable
from depnet.data import Holed
from depnet.data.table.dataset import table_of_columns
from depnet.errors import DataError


def test_what_is_not_a_holed_table() -> None:
    domain = Domain((Variable("text", ("1", "2", "many")),))
    zeros = np.zeros((2, 1), dtype=np.uint8)
    wrong_shape: Any = np.zeros((1, 1), dtype=bool)
    with pytest.raises(
        DataError, match=r"hidden is a boolean array of the shape \(2, 1\); got bool \(1, 1\)"
    ):
        Holed(domain, zeros, wrong_shape)
    with pytest.raises(DataError, match="the code of a hidden value is 0"):
        Holed(domain, zeros + np.uint8(1), np.array([[True], [False]]))
    holed = Holed(domain, zeros, np.array([[False], [True]]))
    assert not holed.complete
    assert not holed.hidden.flags.writeable
    with pytest.raises(
        DataError, match=r"column 'text', row 1: the value is missing \(1 missing in 1 of 1 columns\)"
    ):
        holed.dataset()
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
