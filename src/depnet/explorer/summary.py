"""What stands at the top of Explore: a few sentences about the table and its target, each computed, each with a way on."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.ask import Answer
from depnet.explorer.histogram import group_digits
from depnet.explorer.known import describe_held, given
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import card, note, stack
from depnet.explorer.questions import what_ifs
from depnet.explorer.rows import listed_rows, scores_of
from depnet.explorer.segments import find_segments
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.state import State
from depnet.inference.answer.numbers import NumberSummary, shown
from depnet.inference.judge.cells import row_list
from depnet.inference.judge.influence import influence
from depnet.inference.judge.shifts import Shift
from depnet.model.constraints import say_constraints
from depnet.pictures.labels import line, short
from depnet.wording import percent, plural

USUAL = 0.03
"""How far a mean may be from the usual one, as a share of it, to be called about the usual."""

TELLING = 0.01
"""The share of what is open that a column has to tell to be named."""


MOST_RULE = 120
"""Letters of a rule in a sentence."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the view and state that show more of it."""

    text: str
    path: str = ""
    state: State | None = None


def number_text(value: object) -> str:
    return group_digits(shown(value))


def say_change(shift: Shift, before: NumberSummary | None, than: str = "usual") -> str:
    """How a variable differs from what it is compared with, `than`: its mean, or the state that moved most."""
    name, now = line(shift.name), shift.now.number
    usual = "usually" if than == "usual" else f"in {than}"
    if now is not None and before is not None and len(shift.variable.present_states) > 2:
        means = f"mean {number_text(now.mean)}, {usual} {number_text(before.mean)}."
        plain = all(isinstance(each.mean, (int, float)) and each.mean > 0 for each in (now, before))
        if not plain:
            return f"{name}: {means}"
        ratio = now.mean / before.mean
        if abs(ratio - 1) < USUAL:
            return f"{name} is about as {usual}: {means}"
        if ratio >= 1.5:
            return f"{name} is {ratio:.1f} times that of {than}: {means}".replace(
                "that of usual", "the usual"
            )
        return (
            f"{name} is {percent(abs(ratio - 1))} {'higher' if ratio > 1 else 'lower'} than {usual}: {means}"
        )
    code = int(np.argmax(np.abs(shift.posterior - shift.prior)))
    state = line(str(shift.variable.present_states[code]))
    return f"{name} = {state}: {percent(shift.posterior[code])}, {usual} {percent(shift.prior[code])}."


def say_telling(loaded: Loaded, target: str, state: State, stop: Callable[[], bool]) -> Sentence | None:
    """Which columns tell most of the target, given what is known; None without a law."""
    if loaded.law is None:
        return None
    found = influence(loaded.asked, target, given(state.known), stop=stop)
    if not found.entropy > 0:
        return None
    each = [effect for effect in found.most_telling if effect.variable.name not in loaded.copies]
    told = [(line(e.variable.name), e.bits / found.entropy) for e in each if e.bits > 2 * e.bits_error]
    told = [(name, share) for name, share in told if share > TELLING][:3]
    if not told:
        return Sentence(f"No single column tells more than {percent(TELLING)} about {line(target)}.")
    (first, share), *others = told
    then = f", then {' and '.join(f'{name} ({percent(s)})' for name, s in others)}" if others else ""
    beyond, still = ("Beyond that, ", "still ") if state.known else ("", "")
    text = f"{beyond}{first} tells most about {line(target)}: {percent(share)} of what is {still}open{then}."
    return Sentence(text, "/target", State(known=state.known, target=target))


def say_segment(loaded: Loaded, target: str) -> Sentence | None:
    """The segment that is largest and differs most; None where the target's node has no leaves to speak of."""
    found = find_segments(loaded, target)
    segment = None if found is None else found.strongest()
    if found is None or segment is None:
        return None
    share = "" if loaded.shared else f" ({percent(segment.share)} of rows)"
    value = segment.value if segment.own is None else segment.own
    what = f"the {found.measure.said} is" if found.measure.kind is not None else f"{found.measure.said} in"
    text = f"Where {short(segment.rule, MOST_RULE)}{share}, {what} {found.text(value)}."
    return Sentence(text, "/target", State(target=target))


def say_missing(loaded: Loaded) -> Sentence:
    columns = [(i, column) for i in range(len(loaded.domain)) if (column := loaded.column(i)) is not None]
    holed = [(column.missing, loaded.domain.names[i]) for i, column in columns if column.missing > 0]
    if not columns:
        return Sentence("How many cells are missing is not known here.")
    if not holed:
        return Sentence("No cell is missing.")
    share, name = max(holed)
    others = len(holed) - 1
    rest = (
        f"; {plural(others, 'other column')} {'has' if others == 1 else 'have'} gaps"
        if others
        else ", and nothing else"
    )
    return Sentence(f"{line(name)} is missing in {percent(share)} of rows{rest}.")


def say_odd(loaded: Loaded, stop: Callable[[], bool]) -> Sentence | None:
    data = loaded.data
    if data is None:
        return None
    scores = scores_of(loaded, stop, lambda share: None)
    (row,) = listed_rows(loaded, scores, row_list(data, scores), 0, 1)
    named = zip(loaded.domain.names, row.cells, strict=True)
    judged = [(name, cell) for name, cell in named if not math.isnan(cell.tail)]
    if not judged:
        return None
    name, cell = min(judged, key=lambda pair: pair[1].tail)
    value = "is missing" if cell.hole else f"= {line(group_digits(cell.value))}"
    expected = f", expected {cell.expected}" if cell.expected and cell.expected != cell.value else ""
    text = f"Row {row.number:,} is the oddest: {line(name)} {value}{expected}."
    return Sentence(text, "/rows", State(own={"row": str(row.number)}))


def say_copies(loaded: Loaded) -> Sentence | None:
    told = [f"{line(name)} repeats {line(other)}" for name, other in loaded.copies.items()]
    more = f"; {len(told) - 3:,} more columns repeat others" if len(told) > 3 else ""
    return Sentence(f"{', '.join(told[:3])}{more}: left out of rankings.") if told else None


def say_kept(loaded: Loaded) -> Sentence | None:
    told = say_constraints(loaded.domain, loaded.asked.constraints)
    return Sentence(f"{'; '.join(told)}.") if told else None


class Summary:
    """The sentences of one open page; those about the target follow what is known."""

    def __init__(self, session: Session, loaded: Loaded) -> None:
        self.session, self.loaded = session, loaded
        self.following, self.fixed = Latest(session), Latest(session)
        with card("Summary", "depnet-summary"):
            self.changed = ui.label("").classes("depnet-headline").props('role="status"')
            self.lines = stack("depnet-tight")
            self.about = stack("depnet-tight")
            self.tries = stack("depnet-tight")
        self.fixed.begin(self._say_fixed)

    def show(self, answer: Answer | None, target: str | None, state: State, than: str) -> None:
        """Say what an answer says of the target, compared with what (`than`), and what would tell more of it."""
        given_any = bool(state.known)
        shift = None if answer is None else next((s for s in answer.shifts if s.name == target), None)
        if shift is not None and answer is not None and given_any and target not in state.known:
            before = answer.base.table(shift.name).number
            self.changed.text = say_change(shift, before, than)
        else:
            facts = ", ".join(
                describe_held(name, held, self.loaded.variable(name)) for name, held in state.known.items()
            )
            self.changed.text = f"Given {facts}." if facts else ""
        self.changed.set_visibility(bool(self.changed.text))
        self.tries.set_visibility(not given_any)
        if target is not None and target not in state.known:
            self.following.begin(lambda stop: self._say_target(target, state, stop))
        else:
            self.following.drop()
            self.lines.clear()

    async def _say_target(self, target: str, state: State, stop: Stop) -> None:
        found = []
        for sentence in (
            lambda: say_telling(self.loaded, target, state, stop),
            lambda: say_segment(self.loaded, target),
        ):
            try:
                found.append(await self.session.work(sentence))
            except DepnetError:
                continue  # the answer says what is wrong
        if not stop.pressed:
            self.lines.clear()
            self._list(self.lines, found)

    async def _say_fixed(self, stop: Stop) -> None:
        loaded = self.loaded
        for sentence in (
            lambda: say_odd(loaded, stop),
            lambda: say_missing(loaded),
            lambda: Sentence(" ".join(loaded.figures[:1])) if loaded.figures else None,
            lambda: say_copies(loaded),
            lambda: say_kept(loaded),
        ):
            try:
                self._list(self.about, [await self.session.work(sentence)])
            except DepnetError:
                continue
        for question in await self.session.work(what_ifs, loaded, 2):
            with self.tries:
                ui.link(question.text, self.session.url("/", question.state)).classes("depnet-question")

    def _list(self, place: ui.element, sentences: "list[Sentence | None]") -> None:
        with place:
            for sentence in sentences:
                if sentence is None:
                    continue
                with ui.element("p").classes("depnet-sentence"):
                    note(sentence.text)
                    if sentence.path:
                        state = sentence.state or replace(self.session.state, own={})
                        ui.link("more", self.session.url(sentence.path, state)).props["aria-label"] = (
                            f"More: {sentence.text}"
                        )
