"""Rows of the table as one element of the page, every cell shaded by how surprising it is."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from depnet.explorer.rows import ListedRow, Order


class RowTable(Element, component="row_table.js"):
    """`sort(key)` is called with a heading ("row", "score" or a variable's number), `choose(number)` with a row's."""

    def __init__(self, sort: Callable[[Order], None], choose: Callable[[int], None]) -> None:
        super().__init__()
        self._props.update({"heads": [], "rows": [], "names": [], "alike": False, "chosen": 0})

        def sorted_by(event: GenericEventArguments) -> None:
            if event.args in ("row", "score") or (isinstance(event.args, int) and event.args >= 0):
                sort(event.args)

        def chosen(event: GenericEventArguments) -> None:
            if isinstance(event.args, int) and event.args > 0:
                choose(event.args)

        self.on("sort", sorted_by)
        self.on("choose", chosen)

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
        self._props["heads"] = [*heads, *(head(i, name) for i, name in columns)]
        self._props["names"] = [name for _, name in columns]
        self._props["alike"], self._props["chosen"] = alike, chosen
        self._props["rows"] = [
            {
                "number": row.number,
                "score": f"{row.score:.2f}",
                "alike": row.alike,
                "cells": [(cell.state, cell.level, cell.said) for cell in row.cells],
            }
            for row in rows
        ]
        self.update()
