"""The segments of a target: the leaves of its decision graph in words, with their rows, what the model says of the target
there, and what the table's own rows say.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from nicegui import ui

from depnet.arrays import FloatArray
from depnet.data import Variable
from depnet.errors import DepnetError
from depnet.explorer.histogram import group_digits
from depnet.explorer.known import Held, Known, given, held_by
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import LongList, PageTable, Sorting, card, heading, note, show_table
from depnet.explorer.session import Session
from depnet.inference.answer.observed import matching
from depnet.inference.judge.measure import Measure
from depnet.model.evidence import Evidence
from depnet.pictures.labels import short
from depnet.pictures.node.decision import Leaf, decision, node_of
from depnet.pictures.node.rules import Rule, describe_rules, rules_of, ways_in
from depnet.wording import percent, plural

LEAST_ROWS = 0.005
"""The share of the rows that a segment needs to be listed."""

MOST_STATES = 3
"""States that are named, the most likely ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Some rows: `value` is the target's measure there by the model, `own` the table's; `known` says which rows these are.

    `known` is None where several rules lead to the segment, which one condition a column cannot say.
    """

    rule: str
    vertex: int
    share: float
    """Of the rows; nan where they were not counted."""
    law: FloatArray
    """How probable each of the target's states is there."""
    value: float
    own: float | None
    own_law: FloatArray | None
    rows: int | None
    known: Known | None


@dataclass(frozen=True, slots=True)
class Segments:
    """All segments of a target that are large enough, with the measure by which they are judged, and its mean."""

    measure: Measure
    mean: float
    each: tuple[Segment, ...]
    states: tuple[str, ...]
    left: int
    """Rules that are not listed, since hardly any row meets them."""

    def strongest(self) -> Segment | None:
        """The one that is large and far from the mean: of those that one rule leads to, if there are any."""
        plain = [segment for segment in self.each if segment.known is not None] or self.each
        return max(plain, key=lambda s: s.share * abs(s.value - self.mean), default=None)

    def text(self, value: float) -> str:
        return percent(value) if self.measure.kind is None else group_digits(self.measure.shown(value))

    def likely(self, value: float | None, law: FloatArray | None, states: bool) -> str:
        """What is likely in a segment, in words: the measure, or the likely `states` of a column that is no number."""
        if value is None or law is None:
            return ""
        return describe_law(law, self.states) if states and self.measure.kind is None else self.text(value)


def describe_law(law: Sequence[float] | FloatArray, states: Sequence[str]) -> str:
    """A distribution in words: its likely states.

    >>> describe_law([0.02, 0.9, 0.05, 0.03], "abcd")
    'b 90 %, c 5 %, d 3 %, and 1 more state'
    """
    likely = [s for s in np.argsort(-np.asarray(law), kind="stable")[:MOST_STATES].tolist() if law[s] > 0]
    rest = int(np.count_nonzero(law)) - len(likely)
    more = f", and {plural(rest, 'more state')}" if rest else ""
    return ", ".join(f"{short(states[s], 40)} {percent(law[s])}" for s in likely) + more


def find_segments(loaded: Loaded, target: str, text: str | None = None) -> Segments | None:
    """The leaves of the target's graph; None of a boosted node, and where nothing divides the rows."""
    network = loaded.network
    if network.nodes[node_of(network, target)].boosted:
        return None
    graph, variable = decision(network, target), loaded.variable(target)
    leaves = [(v, leaf) for v, leaf in enumerate(graph.vertices) if isinstance(leaf, Leaf) and leaf.rows != 0]
    if len(leaves) < 2:
        return None
    counted = np.array([np.nan if leaf.rows is None else leaf.rows for _, leaf in leaves], dtype=np.float64)
    shares = counted / counted.sum()
    measure, above = Measure.of(variable, text), ways_in(graph)
    laws = [np.array(leaf.probabilities) for _, leaf in leaves]
    values = [_value(measure, law) for law in laws]
    mean = float(np.nan_to_num(shares, nan=1 / len(shares)) @ values)
    seen, _, _ = _own(loaded, target, measure, [{}])
    found = []
    for (v, _), share, law, value in zip(leaves, shares.tolist(), laws, values, strict=True):
        if share < LEAST_ROWS:
            continue
        rules, more = rules_of(graph, loaded.domain, v, above)
        ways = [] if more else [known_by_rule(loaded.variable, rule) for rule in rules]
        known = ways[0] if len(ways) == 1 else None
        own = _own(loaded, target, measure, ways)
        found.append(Segment(describe_rules(loaded.domain, rules, more), v, share, law, value, *own, known))
    return Segments(
        measure, mean if seen is None else seen, tuple(found), graph.states, len(leaves) - len(found)
    )


def _value(measure: Measure, probabilities: FloatArray) -> float:
    counted = probabilities * measure.counts[: len(probabilities)]
    return float(measure.values[: len(probabilities)] @ counted / max(float(counted.sum()), 1e-12))


def _own(
    loaded: Loaded, target: str, measure: Measure, ways: Sequence[Known]
) -> tuple[float | None, FloatArray | None, int | None]:
    """The measure in the rows of the table that meet any of some rules, the shares of the target's states, how many rows."""
    if loaded.data is None or not ways:
        return None, None, None
    data, i = loaded.data, loaded.domain.index(target)
    met = np.zeros(data.rows)
    for known in ways:
        met = np.maximum(met, matching(Evidence.parse(loaded.domain, given(known)), data))
    rows = np.flatnonzero(met)
    known_rows, numbers = data.known(i), data.numbers(i)
    values, counts = measure.of_rows(
        data.column(i)[rows].astype(np.int64),
        None if known_rows is None else known_rows[rows],
        None if numbers is None else numbers[rows],
    )
    weights = counts if data.weights is None else counts * data.weights[rows]
    total = float(weights.sum())
    if total == 0:
        return None, None, 0
    law = np.bincount(data.column(i)[rows], weights, loaded.variable(target).cardinality) / total
    return float(weights @ values) / total, law, round(total)


def known_by_rule(variable_of: Callable[[str], Variable], rule: Rule) -> dict[str, Held]:
    """A rule as what is known: of each variable that it tests, the states that lead on."""
    found = {}
    for name, states in rule.items():
        variable = variable_of(name)
        held = held_by(variable, tuple(str(state) for state in variable.states if state in states))
        if held:
            found[name] = held
    return found


STRONG, RULE, ROWS, LIKELY, OWN = "strong", 0, 1, 2, 3
"""Orders: large and far from the mean; or by a column of the list."""


class SegmentList:
    """The segments of one column as rules in words, `step` of them at first; a heading sorts, a click makes one known."""

    def __init__(
        self, session: Session, title: str, step: int, order: str | int = STRONG, *, states: bool = False
    ) -> None:
        self.session, self.loaded = session, session.loaded
        self.states = states
        """Are all likely states of a column shown that is no number, and not only the one that is asked for?"""
        self.found: Segments | None = None
        self.asked: tuple[str, str | None] | None = None
        self.looks: Mapping[int, str] = {}
        """What is known makes of the groups, by vertex: reached for sure, or ruled out."""
        self.order, self.down = order, True
        self.listed = LongList(self._show, step)
        with card() as self.card:
            self.title = heading(title)
            self.said = note("")
            self.place = ui.element("div").classes("depnet-scroll depnet-segments")
            self.listed.more_button()

    async def show(
        self, target: str, text: str | None = None, looks: Mapping[int, str] | None = None
    ) -> None:
        self.looks = looks or {}
        if self.asked != (target, text):
            self.asked = target, text
            self.said.text = "asking ..."
            try:
                self.found = await self.session.work(find_segments, self.loaded, target, text)
            except DepnetError:
                self.found = None
        if self.asked == (target, text):
            self._show()

    def _sort(self, place: int) -> None:
        self.down = not self.down if self.order == place else place != RULE
        self.order = place
        self._show()

    def _key(self, found: Segments, segment: Segment) -> Any:
        if self.order == RULE:
            return segment.rule
        return {
            STRONG: segment.share * abs(segment.value - found.mean),
            ROWS: segment.share,
            LIKELY: segment.value,
            OWN: -math.inf if segment.own is None else segment.own,
        }[self.order]

    def _show(self) -> None:
        found = self.found
        self.place.clear()
        self.listed.more.set_visibility(False)
        if found is None:
            self.said.text = "No rules divide the rows for this column."
            return
        measure, left = found.measure, f" {plural(found.left, 'rule')} of hardly any row are not listed."
        self.said.text = (
            f"In all rows, {measure.said}: {found.text(found.mean)}. A click takes a rule as given."
            + (left if found.left else "")
        )
        each = sorted(found.each, key=lambda s: self._key(found, s), reverse=self.down)
        heads = ("rows where", "share", "likely there", "in the table", "more")
        sort = Sorting(self.order if isinstance(self.order, int) else -1, self.down, self._sort, (0, 1, 2, 3))
        with self.place, show_table(heads, numbers=(1,), sorting=sort) as table:
            for segment in self.listed.part(each, lambda s: s.rule):
                with table.row(self.looks.get(segment.vertex, "")):
                    self._row(found, segment, table)

    def _row(self, found: Segments, segment: Segment, table: PageTable) -> None:
        with table.cell():
            if segment.known:
                rule = ui.element("button").classes("depnet-plain depnet-rule").props('type="button"')
                rule.on("click", partial(self._choose, segment.known))
                with rule:
                    ui.label(short(segment.rule, 200))
            else:
                note(short(segment.rule, 200))
        table.cell("" if self.loaded.shared or math.isnan(segment.share) else percent(segment.share))
        table.cell(found.likely(segment.value, segment.law, self.states))
        own = found.likely(segment.own, segment.own_law, self.states)
        table.cell(f"{own} of {segment.rows:,}" if own else "")
        with table.cell():
            name, state = (self.asked or ("",))[0], self.session.state
            if segment.known:
                rest = replace(state, known=segment.known, target=name, own={"vs": "rest"})
                ui.link("vs the rest", self.session.url("/", rest)).classes("depnet-nowrap")
            else:
                ways = replace(state, variable=name, own={"vertex": str(segment.vertex)})
                ui.link("its rules", self.session.url("/rules", ways)).classes("depnet-nowrap")

    def _choose(self, known: Known) -> None:
        self.session.change(known={**self.session.state.known, **known})
