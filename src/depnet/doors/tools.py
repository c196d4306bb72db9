"""A model as tools of an assistant, by the Model Context Protocol: few questions, answered in words with numbers.

Each answer has the table's own frequency beside the model's where the table is there, and how sure it is. The model card is
a resource.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

import depnet
from depnet.doors.card import model_card
from depnet.doors.documents import plain
from depnet.doors.rows import plain_layout
from depnet.doors.served import Served
from depnet.errors import STEADY_SEED, DepnetError
from depnet.inference import QueryResult, nearest, query
from depnet.inference.answer.shown import without_small_counts
from depnet.inference.judge.cells import row_scores
from depnet.inference.judge.influence import influence
from depnet.inference.judge.odd import how_odd, list_reasons
from depnet.wording import printable, some_of

MOST_ROWS = 50
"""Rows of one answer: an assistant reads them all."""
MOST_EFFECTS = 10
MOST_SECONDS = 5.0
MOST_CELLS = 5_000_000
"""Cells of a table that are looked at for odd rows."""
LISTED = 8

INSTRUCTIONS = """A model of one table: ask it what is likely given what is known. Begin with describe_table, which has the
columns and their values. Conditions are written as column = value, column > 5, column = a|b, column = 5..9; what is known,
if several, with commas: sex = female, age > 30. Tell people how sure an answer is; it does not say what causes what."""


class Tools:
    """What an assistant may ask of a model."""

    def __init__(self, served: Served, name: str) -> None:
        self.served, self.name = served, name

    def describe_table(self) -> str:
        """Say what the table is: its columns with their kinds and values, how good the model is, and the strongest links."""
        about = self.served.describe()
        lines = [f"{self.name}: {about['rows'] or 'an unknown number of'} rows.", *about["said"]]
        for column in about["columns"]:
            values = (
                f"{column['least']} to {column['greatest']}"
                if column["least"]
                else some_of(column["values"], LISTED)
            )
            missing = f", missing in {100 * column['missing']:.1f} %" if column["missing"] else ""
            lines.append(f"- {column['name']} ({column['kind']}{missing}): {values}")
        strongest = [f"{x['source']} -> {x['target']}" for x in about["links"][:LISTED]]
        return "\n".join([*lines, f"strongest links: {', '.join(strongest) or 'none'}"])

    def ask(self, target: str, given: str = "") -> str:
        """Say how likely the values of a column, or a condition such as "income > 50000", are, given what is known."""
        return _text(self._query(target, given))

    def compare_groups(self, target: str, first: str, second: str) -> str:
        """Compare what is likely of a target in two groups, each described as what is known: "sex = female"."""
        return "\n\n".join(f"{group}\n{_text(self._query(target, group))}" for group in (first, second))

    def what_moves(self, target: str, given: str = "") -> str:
        """Say which other columns would change a target most if they were known, and to what; not what causes it."""
        served = self.served
        rng = np.random.default_rng(STEADY_SEED)
        found = influence(served.model.asked, target, served.given(given), max_seconds=MOST_SECONDS, rng=rng)
        show, lines = found.measure.shown, [f"{found.measure.said}: {found.measure.shown(found.value)}"]
        for effect in found.effects[:MOST_EFFECTS]:
            name, states, values = effect.variable.name, effect.variable.states, effect.values
            ends = [
                f"{show(float(values[end]))} where {name} = {states[end]}"
                for end in (effect.low, effect.high)
            ]
            lines.append(f"- {name}: {' up to '.join(ends)}")
        return "\n".join(lines)

    def odd_rows(self, n: int = 5) -> str:
        """List the most unusual rows of the table, and the cells that make them so."""
        data, network = self.served.data, self.served.model.network
        if data is None:
            raise ToolError("the table is not there: start depnet mcp with --data.")
        scores = row_scores(network, data, MOST_CELLS)
        lines = [
            f"row {one['row']:,}: {one['column']} is {one['value']}, expected {one['expected']}; {how_odd(one['tail'])}"
            for one in list_reasons(network, data, scores, _bounded(n))
        ]
        return "\n".join(lines)

    def similar_rows(self, given: str, target: str = "", n: int = 5) -> str:
        """List the rows of the table that are most like a row, "sex = female, age = 30", in what matters to a target."""
        data, model = self.served.data, self.served.model
        if data is None or self.served.shared:
            raise ToolError(
                "the table's own rows are shown on this machine only, and with depnet mcp --data."
            )
        known = self.served.given(given) or {}
        return str(nearest(model.network, data, known, target or None, n=_bounded(n), law=model.law))

    def sample_rows(self, n: int = 5, given: str = "", seed: int = 0) -> str:
        """Draw made-up rows that look like the table's, given what is known; they are nobody's."""
        layout = plain_layout(self.served.model.domain, "dicts")
        rng = np.random.default_rng(max(seed, 0))
        rows = self.served.rows().draw(_bounded(n), self.served.given(given), layout, rng)
        cells = [self.served.model.domain.names, *([plain(value) for value in row.values()] for row in rows)]
        return "\n".join(" | ".join("" if cell is None else str(cell) for cell in row) for row in cells)

    def _query(self, target: str, given: str) -> QueryResult:
        served, rng = self.served, np.random.default_rng(STEADY_SEED)
        known = served.given(given)
        found = query(served.model.asked, target, known, max_seconds=MOST_SECONDS, data=served.data, rng=rng)
        return without_small_counts(found) if served.shared else found


def _text(found: QueryResult) -> str:
    """An answer without how it was computed."""
    return "\n".join(
        line for line in found.text().splitlines() if not line.startswith(("method ", "sampled "))
    )


def _bounded(n: int) -> int:
    if not 1 <= n <= MOST_ROWS:
        raise ToolError(f"n is between 1 and {MOST_ROWS}; got {n}.")
    return n


def tools_of(served: Served, name: str) -> MCPServer[Any]:
    """The server of an assistant's tools, and the model card."""
    server: MCPServer[Any] = MCPServer(
        "depnet", instructions=INSTRUCTIONS, version=depnet.__version__, log_level="WARNING"
    )
    tools = Tools(served, name)
    for tool in (
        "describe_table",
        "ask",
        "compare_groups",
        "what_moves",
        "odd_rows",
        "similar_rows",
        "sample_rows",
    ):
        server.add_tool(_said(getattr(tools, tool)), structured_output=False)

    @server.resource("depnet://card", name="model card", mime_type="text/markdown")
    def card() -> str:
        """What the model was learned from, how good it is, what it cannot do and what it reveals."""
        return model_card(served.model, name)

    return server


def _said(function: Callable[..., str]) -> Callable[..., str]:
    """The function, with the library's errors as what the assistant reads; labels cannot draw on a terminal."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> str:
        try:
            return "\n".join(map(printable, function(*arguments, **named).splitlines()))
        except DepnetError as error:
            raise ToolError(str(error)) from None

    return call
