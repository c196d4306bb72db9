r"""Rows like this one: those of a table that are most alike in what the network's graphs say matters.

The graph of a column says what matters to it: rows in one leaf have one law theta_i of it. How far two rows are apart is how
far these laws are,

.. math:: d_i(x, x') = \sqrt{1 - \sum_k \sqrt{\theta_i(k \mid x)\, \theta_i(k \mid x')}} ,

0 in one leaf and 1 where nothing is possible in both (Hellinger's distance): that of the target, or the mean over all
columns. Among rows as near, those come first whose cells are alike, of what the graphs read and then of all: equal or not,
of numbers and ordered labels how many states apart. What the row does not know is taken to be what is most likely there, and
compared last; a hole of the table is unlike.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.table.cells import cell_values
from depnet.data.table.dataset import Dataset, Holed
from depnet.errors import STEADY_SEED, EvidenceError, brief, is_whole
from depnet.inference.answer.rows import DistinctRows
from depnet.inference.answer.shown import frame_of_columns
from depnet.inference.ask.explain import is_hole
from depnet.inference.imputation import impute
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork
from depnet.model.network import Network, check_same_domain
from depnet.model.node import Node
from depnet.wording import printable

PIECE = 2**16
"""Rows whose laws are in memory at once."""
DIGITS, SAME = 9, 1e-7
"""Of distances; laws that are nearer than this are one: the root of what is lost in the last digits."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The rows of a table that are most like a row, the most alike first; equal ones once.

    Attributes:
        table: the table.
        rows: their numbers in it, from 0: of rows that are equal (in states and bins) the first.
        copies: how many rows are equal to each.
        alike: from 0 to 1, how near what the graphs say of them is: 1 in the same leaves.
        equal: from 0 to 1, how alike their cells are in what the graphs read.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> found = depnet.nearest(depnet.learn(people), people, 7, "survived", n=2)
    >>> found.rows.tolist(), found.copies.tolist(), found.alike.tolist()
    ([5, 123], [117, 57], [1.0, 1.0])
    """

    table: Holed
    rows: IntArray
    copies: IntArray
    alike: FloatArray
    equal: FloatArray

    def columns(self) -> dict[str, list[Any]]:
        """`row` (from 1 on, as a person counts), `rows_like_it`, `alike`, and the cells, by name."""
        names = self.table.domain.names
        cells = {name: cell_values(self.table, i, self.rows) for i, name in enumerate(names)}
        own = {"row": (self.rows + 1).tolist(), "rows_like_it": self.copies.tolist()}
        return {**own, "alike": self.alike.round(4).tolist(), **cells}

    def frame(self, backend: Any = "pandas") -> Any:
        """The rows as a frame: `row` (from 1 on), `rows_like_it`, `alike`, and their cells.

        Args:
            backend: "pandas", "polars", "pyarrow", or any other that narwhals makes frames with.

        Returns:
            A row for each, the most alike first.
        """
        return frame_of_columns(self.columns(), backend)

    def __str__(self) -> str:
        columns = self.columns()
        lines = [[*columns], *(map(_shown, row) for row in zip(*columns.values(), strict=True))]
        return "\n".join("  ".join(map(printable, line)) for line in lines)


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


def nearest(
    network: Network,
    data: Dataset | Holed,
    row: Mapping[str, Any] | int,
    target: str | None = None,
    *,
    n: int = 10,
    law: AnyNetwork | None = None,
) -> Nearest:
    """The rows of a table that are most like a row, in what matters to a target, or to all columns.

    Args:
        network: the network whose graphs say what matters. (Those of an ordered law read earlier columns only.)
        data: the table.
        row: its values by column, or its number in the table, from 0. What is left out, None or nan is unknown.
        target: a column, which is itself not compared; None: all columns.
        n: how many rows.
        law: what says what is most likely where the row does not know it; None: the network.

    Returns:
        The rows, as a `Nearest`: `frame()` has them as a frame.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> network = depnet.learn(people)
    >>> found = depnet.nearest(network, people, {"class": "1st", "sex": "female"}, "survived", n=2)
    >>> found.frame()[["rows_like_it", "class", "sex", "age"]].values.tolist()
    [[4, '1st', 'female', 'adult'], [140, '1st', 'female', 'adult']]
    """
    check_same_domain("nearest", network.domain, data)
    domain = network.domain
    if not is_whole(n) or n < 1:
        raise EvidenceError(f"n is how many rows are wanted, at least 1; got {brief(n)}.")
    codes, known = _read_row(network, data, row)
    asked = list(range(len(domain))) if target is None else [domain.index(target)]
    known[asked[0]] &= target is None
    if not known.any():
        raise EvidenceError("the row has no values to compare others with. Give at least one value.")
    if not known.all():
        filled = impute(law or network, codes[None], ~known[None], rng=np.random.default_rng(STEADY_SEED))
        codes = filled.codes[0].astype(np.int64)
    others = np.flatnonzero(np.arange(data.rows) != (row if is_whole(row) else -1))
    distinct = DistinctRows.of(np.asarray(data.codes[others], dtype=np.uint16), data.hidden[others])
    apart = np.zeros(len(distinct.codes))
    for i in asked:
        apart += _apart(network.nodes[i], codes, distinct)
    apart = np.round(apart / len(asked), DIGITS)
    read = {j for i in asked for j in network.nodes[i].inputs if known[j]}
    compared = [j for j in range(len(domain)) if target is None or j != asked[0]]
    unlike, rest = (_unlike(network, some, codes, distinct) for some in (read, compared))
    order = np.lexsort((rest, unlike, apart))[:n]  # of equals, the first in the table
    first = np.unique(distinct.which, return_index=True)[1]
    return Nearest(data, others[first[order]], distinct.copies[order], 1 - apart[order], 1 - unlike[order])


def _read_row(network: Network, data: Holed, row: object) -> tuple[IntArray, NDArray[np.bool_]]:
    """The row's codes, and which of them are known."""
    names = network.domain.names
    if is_whole(row) and 0 <= row < data.rows:
        return data.codes[row].astype(np.int64), ~data.hidden[row]
    if not hasattr(row, "items"):  # a row of a frame is a Series, which is no Mapping
        raise EvidenceError(
            f"a row is a mapping of column names to values, or a number from 0 to {data.rows - 1:,}; got {brief(row)}."
        )
    told = {name: value for name, value in row.items() if value is not None and not is_hole(value)}
    codes = Evidence.parse(network.domain, told).clamped
    vague = next((name for name in told if network.domain.index(name) not in codes), None)
    if vague is not None:
        raise EvidenceError(f"a row has one value of each column; got {vague}: {brief(told[vague])}.")
    known = np.array([i in codes for i in range(len(names))])
    return np.array([codes.get(i, 0) for i in range(len(names))]), known


def _apart(node: Node, codes: IntArray, rows: DistinctRows) -> FloatArray:
    """[row]: how far its law of the node is from that of the codes; 1 where it has a hole in what the node reads."""
    theta, apart = node.probabilities(codes[None].astype(np.uint16)), np.empty(len(rows.codes))
    for start in range(0, len(apart), PIECE):
        piece = slice(start, start + PIECE)
        common = np.sqrt(node.probabilities(rows.codes[piece]) * theta).sum(axis=1)
        apart[piece] = np.sqrt(np.maximum(1 - common, 0.0))
    apart[rows.holes[:, list(node.inputs)].any(axis=1)] = 1.0
    return np.asarray(np.where(apart < SAME, 0.0, apart))


def _unlike(network: Network, columns: Collection[int], codes: IntArray, rows: DistinctRows) -> FloatArray:
    """[row]: how far its cells in these columns are from the codes, from 0 to 1."""
    total = np.zeros(len(rows.codes))
    for j in columns:
        variable = network.domain.variables[j]
        steps = np.abs(rows.codes[:, j].astype(np.int64) - codes[j])
        there = len(variable.present_states)
        both = (rows.codes[:, j] < there) & (codes[j] < there)
        far = (steps / max(there - 1, 1)) if variable.has_order else steps > 0
        total += np.where(rows.holes[:, j], 1.0, np.where(both, far, steps > 0))
    return np.asarray(np.round(total / max(len(columns), 1), DIGITS))
