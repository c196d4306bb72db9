"""Why rows are odd: the cells that fit the rest of their row worst, what was expected there, and how odd that is."""

from typing import Any

import numpy as np

from depnet.data.table.cells import about, cell_values
from depnet.data.table.dataset import Holed
from depnet.inference.judge.cells import RowScores, cell_laws
from depnet.model.network import Network

ODD, MOST_CELLS = 0.05, 3
"""A cell is a reason where its tail mass is less than this, and of a row at most three are; the oddest always is."""


def list_reasons(network: Network, table: Holed, scores: RowScores, most: int) -> list[dict[str, Any]]:
    """The oddest cells of the oddest rows, these by their numbers from 1 on, equal ones once."""
    rows, alike = scores.order[scores.begins[:-1]][:most], np.diff(scores.begins)[:most]
    laws = cell_laws(network, table.rows_at(rows))
    found = []
    for place, (row, count) in enumerate(zip(rows.tolist(), alike.tolist(), strict=True)):
        oddest = np.argsort(laws.tails[place], kind="stable")[:MOST_CELLS].tolist()
        for i in [oddest[0], *(i for i in oddest[1:] if laws.tails[place, i] < ODD)]:
            variable, best = table.domain.variables[i], int(laws.best[place, i])
            found.append(
                {
                    "row": row + 1,
                    "rows_like_it": count,
                    "row_tail": float(np.exp(scores.each[row])),
                    "column": variable.name,
                    "value": str(cell_values(table, i, np.array([row]))[0]),
                    "expected": about(variable, best) if best >= 0 else None,
                    "tail": float(laws.tails[place, i]),
                }
            )
    return found


def how_odd(tail: float) -> str:
    """A tail mass in words.

    >>> how_odd(0.005), how_odd(0.6), how_odd(1e-12)
    ('1 in 200', 'ordinary', '1 in more than 1,000,000')
    """
    if tail > 0.5:
        return "ordinary"
    return f"1 in {1 / tail:,.0f}" if tail >= 1e-6 else "1 in more than 1,000,000"
