"""The segments of a target: the leaves of its decision graph in words, with their rows, what the model says of the target
there, and what the table's own rows say.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from nicegui import ui

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.errors import DepnetError
from depnet.explorer.histogram import group_digits
from depnet.explorer.known import Held, Known, given, held_by
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import bar, button, card, note, select, show_table
from depnet.explorer.session import Session
from depnet.inference.judge.measure import Measure, seen_measure
from depnet.model.evidence import Evidence
from depnet.pictures.labels import short
from depnet.pictures.node.decision import Leaf, decision, node_of
from depnet.pictures.node.rules import Rule, describe_rules, rules_of, ways_in
from depnet.wording import percent

LISTED = 12
"""Segments that are listed."""

LEAST_ROWS = 0.005
"""The share of the rows that a segment needs to be listed."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Some rows: `value` is the target's measure there by the model, `own` the table's; `known` says which rows these are.

    `known` is None where several rules lead to the segment, which one condition a column cannot say.
    """

    rule: str
    vertex: int
    share: float
    value: float
    own: float | None
    rows: int | None
    known: Known | None


@dataclass(frozen=True, slots=True)
class Segments:
    """All segments of a target that are large enough, with the measure by which they are judged, and its mean."""

    measure: Measure
    mean: float
    each: tuple[Segment, ...]

    def strongest(self) -> Segment | None:
        """The one that is large and far from the mean."""
        return max(self.each, key=lambda s: s.share * abs(s.value - self.mean), default=None)

    def text(self, value: float) -> str:
        return percent(value) if self.measure.kind is None else group_digits(self.measure.shown(value))


def find_segments(loaded: Loaded, target: str, text: str | None = None) -> Segments | None:
    """The leaves of the target's graph; None of a boosted node, and where nothing divides the rows."""
    network = loaded.network
    if network.nodes[node_of(network, target)].boosted:
        return None
    graph, variable = decision(network, target), loaded.variable(target)
    leaves = [(v, leaf) for v, leaf in enumerate(graph.vertices) if isinstance(leaf, Leaf) and leaf.rows]
    total = sum(leaf.rows or 0 for _, leaf in leaves)
    if len(leaves) < 2 or not total:
        return None
    measure, above = Measure.of(variable, text), ways_in(graph)
    values = {v: _value(measure, np.array(leaf.probabilities)) for v, leaf in leaves}
    mean = sum((leaf.rows or 0) * values[v] for v, leaf in leaves) / total
    found = []
    for v, leaf in leaves:
        share = (leaf.rows or 0) / total
        if share >= LEAST_ROWS:
            rules, more = rules_of(graph, loaded.domain, v, above)
            known = known_by_rule(loaded.variable, rules[0]) if len(rules) == 1 and not more else None
            rows, own = _own(loaded, target, measure, known)
            rule = describe_rules(loaded.domain, rules, more)
            found.append(Segment(rule, v, share, values[v], own, rows, known))
    return Segments(measure, mean, tuple(found))


def _value(measure: Measure, probabilities: FloatArray) -> float:
    counted = probabilities * measure.counts[: len(probabilities)]
    return float(measure.values[: len(probabilities)] @ counted / max(float(counted.sum()), 1e-12))


def _own(
    loaded: Loaded, target: str, measure: Measure, known: Known | None
) -> tuple[int | None, float | None]:
    """The rows of the table in a segment, and the measure there."""
    if loaded.data is None or not known:
        return None, None
    evidence = Evidence.parse(loaded.domain, given(known))
    rows, value = seen_measure(loaded.data, evidence, loaded.domain.index(target), measure)
    return round(rows), None if rows == 0 else value


def known_by_rule(variable_of: Callable[[str], Variable], rule: Rule) -> dict[str, Held]:
    """A rule as what is known: of each variable that it tests, the states that lead on."""
    found = {}
    for name, states in rule.items():
        variable = variable_of(name)
        held = held_by(variable, tuple(str(state) for state in variable.states if state in states))
        if held:
            found[name] = held
    return found


ORDERS = {
    "strong": "large and far from the mean",
    "high": "highest first",
    "low": "lowest first",
    "rows": "most rows first",
}


class SegmentList:
    """The segments of the target of one open page."""

    def __init__(self, session: Session) -> None:
        self.session, self.loaded = session, session.loaded
        self.found: Segments | None = None
        self.asked: tuple[str, str | None] | None = None
        with card("Segments"):
            self.said = note("")
            with bar():
                self.order = select(ORDERS, "Order", self._show, value="strong")
            self.place = ui.element("div").classes("depnet-scroll")

    async def show(self, target: str, text: str | None) -> None:
        if self.asked != (target, text):
            self.asked = target, text
            try:
                self.found = await self.session.work(find_segments, self.loaded, target, text)
            except DepnetError:
                self.found = None
            if self.asked == (target, text):
                self._show()

    def _show(self) -> None:
        found = self.found
        self.place.clear()
        self.order.set_visibility(found is not None)
        if found is None:
            self.said.text = "No rules divide the rows for this target."
            return
        self.said.text = (
            f"How the rows fall apart for {found.measure.said}: {found.text(found.mean)} in all of them, by the rules "
            "that predict it. Click one to explore it."
        )
        keys: dict[str, Callable[[Segment], float]] = {
            "strong": lambda s: -s.share * abs(s.value - found.mean),
            "high": lambda s: -s.value,
            "low": lambda s: s.value,
            "rows": lambda s: -s.share,
        }
        each = sorted(found.each, key=keys[self.order.value])[:LISTED]
        heads = ("rows where", "share", "model", "table", "more")
        with self.place, show_table(heads, numbers=(1, 2, 3)) as table:
            for segment in each:
                with table.row():
                    with table.cell():
                        self._rule(segment)
                    table.cell("" if self.loaded.shared else percent(segment.share))
                    table.cell(found.text(segment.value))
                    table.cell(
                        "" if segment.own is None else f"{found.text(segment.own)} of {segment.rows:,}"
                    )
                    with table.cell():
                        if segment.known:
                            state = replace(self.session.state, known=segment.known, own={"vs": "rest"})
                            ui.link("vs the rest", self.session.url("/", state)).classes("depnet-nowrap")
                        else:
                            name = None if self.asked is None else self.asked[0]
                            own = {"vertex": str(segment.vertex)}
                            state = replace(self.session.state, variable=name, own=own)
                            ui.link("its rule", self.session.url("/node", state)).classes("depnet-nowrap")

    def _rule(self, segment: Segment) -> None:
        if not segment.known:
            note(short(segment.rule, 200))
            return
        button(short(segment.rule, 200), partial(self._choose, segment.known), "flat dense align=left")

    def _choose(self, known: Known) -> None:
        self.session.change(known={**self.session.state.known, **known})
