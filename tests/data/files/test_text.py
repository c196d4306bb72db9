"""A large text file, whose numbers are read as such at once, gives what a small one gives; and what a number is."""

import io
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import read
from depnet.data.files import load
from depnet.data.files.kinds import is_kind_sql
from depnet.data.table.columns import is_kind
from depnet.errors import DataError
from tests.refusals import refuses

ROWS = 1500
LATE: dict[str, tuple[Any, Any]] = {
    "whole": (7, 8),
    "floats": (0.25, -1e300),
    "late float": (3, 3.5),
    "late label": (3, "three"),
    "late large": (3, 2**63),
    "late flag": ("1_0", 10),
    "padded": (" 007", "+7 "),
    "hole": (1, ""),
    "empty": ("", 5),
    "labels": ("a", "b"),
}
"""What the first thousand rows hold, and a later one."""


def table(columns: list[str], delimiter: str = ",") -> str:
    lines = [delimiter.join(columns)]
    for row in range(ROWS):
        cells = [LATE[name][row == ROWS - 1] for name in columns]
        lines.append(
            delimiter.join(str(cell * (row % 7)) if isinstance(cell, int) else str(cell) for cell in cells)
        )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "asked",
    [{}, {"text": ["whole"]}, {"where": '"floats" < 0 OR "whole" > 6'}, {"missing_values": ["", "8"]}],
)
def test_a_large_file_is_read_as_a_small_one(asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    written = table(list(LATE))
    small = read(io.StringIO(written), **asked)
    monkeypatch.setattr(load, "LARGE", 0)
    large = read(io.StringIO(written), **asked)
    assert large.domain == small.domain
    assert np.array_equal(large.codes, small.codes)


def test_a_large_file_with_a_mistake_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "LARGE", 0)
    lines = ["x", *map(str, range(ROWS)), "many"]
    refuses(DataError, r"row 1,500 \(line 1,502\) has 'many'", read, io.StringIO("\n".join(lines)))


@given(st.lists(st.text("0123456789+-._eExb \t\v\nİinfa²٣", min_size=1, max_size=6), min_size=1, max_size=50))
def test_numbers_are_the_same_in_sql(texts: list[str]) -> None:
    with duckdb.connect() as connection:
        for kind in ("integer", "float"):
            shown = ", ".join(["(?)"] * len(texts))
            asked = f"SELECT coalesce({is_kind_sql(kind, 't')}, false) FROM (VALUES {shown}) AS v(t)"
            found = [one for (one,) in connection.execute(asked, texts).fetchall()]
            assert found == [is_kind(kind, each) for each in texts]
