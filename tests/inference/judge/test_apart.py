"""How far rows are apart from a table's: as the slow twin, in any unit, with holes; a kind that the table has is not."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset
from depnet.data.table.dataset import Holed
from depnet.data.table.encode import describe_table
from depnet.data.table.variables import StateOptions
from depnet.inference.judge.apart import ROWS, Neighbours
from tests.narrowed import there
from tests.reference.oddness import apart_tail, how_far, placed

Cells = list[tuple[float | None, str | None, float | None]]


def table_of(cells: Cells) -> Holed:
    frame = pd.DataFrame(cells, columns=["a", "label", "few"])
    return there(describe_table(frame, StateOptions(missing="keep"), coded=True).table)


def slow_tails(cells: Cells) -> list[float]:
    columns: list[Sequence[float | str]] = [placed(column, column) for column in zip(*cells, strict=True)]
    rows = list(zip(*columns, strict=True))
    own = [how_far(row, rows) for row in rows]
    return [apart_tail(own, x) for x in own]


numbers = st.none() | st.integers(-40, 40).map(lambda k: k / 4)
rows = st.tuples(
    numbers, st.sampled_from(["x", "y", "z", None]), st.none() | st.sampled_from([1.0, 2.0, 5.0])
)
whole = [(float(k), "xyz"[k % 3], (1.0, 2.0, 5.0)[k % 3]) for k in range(40)]


@given(st.lists(rows, max_size=60))
def test_each_tail_is_the_slow_one(drawn: Cells) -> None:
    cells: Cells = [*whole, *drawn]
    table = table_of(cells)
    found = Neighbours.of(table, np.random.default_rng(0)).tails(table)
    np.testing.assert_allclose(found, slow_tails(cells), rtol=1e-6)


def cloud(rows: int, unit: float = 1.0) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    kind = rng.random(rows) < 0.3
    return pd.DataFrame(
        {"size": unit * (rng.normal(0, 1, rows) + 8 * kind), "kind": np.where(kind, "large", "small")}
    )


@pytest.mark.parametrize("unit", [1e-3, 1e6])
def test_the_unit_of_a_column_does_not_matter(unit: float) -> None:
    found, other = (
        Neighbours.of(table, np.random.default_rng(0)).tails(table)
        for table in (Dataset.from_frame(cloud(500)), Dataset.from_frame(cloud(500, unit)))
    )
    np.testing.assert_allclose(found, other, rtol=1e-6)


def test_a_row_between_kinds_is_apart_and_the_rows_of_a_kind_are_not() -> None:
    table = Dataset.from_frame(cloud(3 * ROWS))
    neighbours = Neighbours.of(table, np.random.default_rng(0))
    assert len(neighbours.rows) == ROWS
    tails = neighbours.tails(table)
    for t in (0.5, 0.2, 0.1, 0.02):
        assert (tails <= t).mean() == pytest.approx(t, abs=0.2 * t + 0.005)
    between = neighbours.tails(
        table_like(table, [{"size": 4.0, "kind": "small"}, {"size": 0.0, "kind": "large"}])
    )
    assert (between < 0.02).all()
    far = neighbours.tails(table_like(table, [{"size": x, "kind": "large"} for x in (20.0, 40.0, 80.0)]))
    assert (np.diff(np.log(far)) < -1).all()


def table_like(table: Holed, cells: list[dict[str, object]]) -> Holed:
    from depnet.data.table.encode import encode

    return encode(pd.DataFrame(cells), table.domain, values=True)
