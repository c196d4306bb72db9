"""Rows of the table as one element of the page, every cell shaded by how surprising it is."""

from collections.abc import Callable, Sequence
from typing import Any

from depnet.explorer.component import Component
from depnet.explorer.rows import ListedRow, Order


class RowTable(Component, component="row_table.js"):
    """`sort(key)` is called with a heading ("row", "score" or a variable's number), `choose(number)` with a row's."""

    def __init__(self, sort: Callable[[Order], None], choose: Callable[[int], None]) -> None:
        super().__init__(heads=[], rows=[], names=[], alike=False, chosen=0)
        self.tell("sort", (str, int), to=sort)
        self.tell("choose", int, to=lambda number: choose(number) if number > 0 else None)

    def show(
        self,
        rows: Sequence[ListedRow],
        columns: Sequence[tuple[int, str]],
        by: Order,
        down: bool,
        alike: bool,
        chosen: int,
    ) -> None:
        """These rows, with these columns; `alike`: how many rows each one stands for."""

        def head(key: Order | str, name: str, kind: str = "") -> dict[str, Any]:
            is_sorted = "" if key != by else "descending" if down else "ascending"
            return {"key": key, "name": name, "kind": kind, "sorted": is_sorted}

        heads = [head("row", "row"), head("score", "score", "number")]
        if alike:
            heads.append(head("alike", "rows alike", "number"))
        shown = [
            {
                "number": row.number,
                "score": f"{row.score:.2f}",
                "alike": row.alike,
                "cells": [(cell.value, cell.level, cell.said, cell.hole) for cell in row.cells],
            }
            for row in rows
        ]
        heads += [head(i, name) for i, name in columns]
        self.put(heads=heads, names=[name for _, name in columns], alike=alike, chosen=chosen, rows=shown)
