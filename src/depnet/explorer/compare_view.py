"""Compare: two sets of evidence side by side, A (what is known on this page) and B, the largest differences first."""

from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.ask import Answer, answers
from depnet.explorer.copyable import command_line, python
from depnet.explorer.differences import MEASURE, Differences, other_known, other_text
from depnet.explorer.evidence_bar import show_chips
from depnet.explorer.known import Held, Known, held_by
from depnet.explorer.long_list import LongList
from depnet.explorer.parts import bar, button, card, copyable, note, stack, warning, without_law
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.state import State
from depnet.inference.judge.shifts import Difference, differences_between
from depnet.model.conditions import MISSING
from depnet.wording import some_of

TITLE = "Compare"
PATH = "/compare"
NEEDS_MODEL = True

COPIED = 4
"""Targets of the questions to copy: those that differ most."""
OTHER = "b"
"""The parameter of the address that has B."""


class _Side:
    """One set of evidence: its chips, what adds to it, and the answer to it."""

    def __init__(self, session: Session, letter: str, title: str, names: tuple[str, ...]) -> None:
        self.known: Known = {}
        self.asked: Known | None = None
        self.answer: Answer | None = None
        self.question = Latest(session)
        with ui.element("div").classes(f"depnet-side {letter}").props('role="group"') as group:
            group.props["aria-label"] = f"Evidence {letter.upper()}"
            ui.label(title).classes("depnet-side-title")
            self.chips = ui.element("div").classes("depnet-side-chips").props('role="list"')
            with bar():
                self.variable = ui.select(dict(enumerate(names)), label="Variable", with_input=True)
                self.states = ui.select(
                    [], label="States, or a condition such as >30", multiple=True, new_value_mode="add-unique"
                )
                for select in (self.variable, self.states):
                    select.props("dense outlined").classes("depnet-grow")
            self.said = note("").props('role="status"')


class _Compare:
    """The two questions of one open page."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.domain = self.loaded.asked.domain
        self.listed = LongList(self._show_cards)
        self.found: tuple[Difference, ...] = ()
        with card("Two sets of evidence"):
            without_law(self.loaded)
            with ui.element("div").classes("depnet-sides"):
                self.a = _Side(session, "a", "A: what is known", self.domain.names)
                self.b = _Side(session, "b", "B: to compare with", self.domain.names)
            for side in (self.a, self.b):
                side.variable.on_value_change(partial(self._variable_chosen, side))
                side.states.on_value_change(partial(self._states_chosen, side))
            with bar():
                button("Swap A and B", self._swap, "outline")
                button("Make B what A is now", lambda: self._set(self.b, self.a.known), "outline")
                button("Nothing known in B", lambda: self._set(self.b, {}), "outline")
            self.notes = stack("depnet-tight").props('aria-live="polite"')
        with card("What differs"):
            note(
                f"The largest differences first: {MEASURE}. Click a bar to make its state known in A or in B."
            )
            if self.loaded.data is not None:
                with ui.element("span").classes("depnet-mark"):
                    ui.element("span").classes("depnet-key-observed")
                    note(
                        "the table's own frequency among the rows that match; answers join it with the model's"
                    )
            self.listed.search_box()
            self.left_out = note("")
            self.cards = Differences(self.choose)
            self.listed.more_button()
        with card("The same questions elsewhere"):
            note("Their targets are the variables that differ most.")
            self.texts = {
                (letter, title): copyable(f"{title}, {letter}")
                for letter in ("A", "B")
                for title in ("Command line", "Python")
            }
        self._changed(session.state)
        session.on_change(self._changed)

    # what the reader does

    def choose(self, side: str, name: str, first: int, last: int) -> None:
        """A bar was clicked: its states become known on that side, or are taken back."""
        if side not in ("a", "b") or name not in self.domain.names:
            return
        states = self.domain.variables[self.domain.index(name)].present_states
        if 0 <= first <= last < len(states):
            of, chosen = (self.a if side == "a" else self.b), states[first : last + 1]
            self._hold(of, name, () if of.known.get(name) == chosen else chosen)

    def _hold(self, side: _Side, name: str, held: Held) -> None:
        known = {**side.known, name: held}
        self._set(side, {name: held for name, held in known.items() if held})

    def _set(self, side: _Side, known: Known) -> None:
        if side is self.a:
            self.session.change(known=known)
        else:
            self.session.set_own(b=other_text(known) or None)

    def _swap(self) -> None:
        own = {name: value for name, value in self.session.state.own.items() if name != OTHER}
        text = other_text(self.a.known)
        self.session.change(known=self.b.known, own={**own, OTHER: text} if text else own)

    def _variable_chosen(self, side: _Side) -> None:
        i = side.variable.value
        if i is None:
            side.states.set_options([], value=[])
            return
        variable = self.domain.variables[i]
        held = side.known.get(variable.name, ())
        now = [held] if isinstance(held, str) else list(map(str, held))
        gone = [MISSING] if self.loaded.has_holes(i) else []
        labels = dict.fromkeys([*map(str, variable.present_states), *gone, *now])
        side.states.set_options(list(labels), value=now)

    def _states_chosen(self, side: _Side) -> None:
        i = side.variable.value
        if i is None:
            return
        variable, texts = self.domain.variables[i], [str(text) for text in side.states.value or []]
        states = set(map(str, variable.states))
        typed = [text for text in texts if text not in states]
        if typed:  # a condition stands alone
            texts = typed[-1:]
        try:
            held = held_by(variable, tuple(texts)) if texts else None
        except DepnetError as error:
            side.said.text = str(error)
            return
        if (held or ()) != side.known.get(variable.name, ()):
            self._hold(side, variable.name, held or ())

    # what follows from it

    def _changed(self, state: State) -> None:
        other = other_known(self.domain, state.own.get(OTHER, ""))
        self.notes.clear()
        with self.notes:
            for problem in other.problems:
                warning(f"In B: {problem}")
        self.a.known, self.b.known = state.known, other.known
        for side in (self.a, self.b):
            where = " in A" if side is self.a else " in B"
            show_chips(side.chips, side.known, "nothing known", partial(self._hold, side, held=()), where)
            if side.asked != side.known:
                self._variable_chosen(side)
                self._ask(side)

    def _ask(self, side: _Side) -> None:
        """The older question is dropped, and the new one asked."""
        side.asked = side.known
        side.question.begin(lambda stop: self._answer(side, side.known, stop))

    async def _answer(self, side: _Side, known: Known, stop: Stop) -> None:
        side.said.text = "asking ..."
        try:
            async for answer in answers(self.loaded, known, self.session.work, stop, hide=self.session.hides):
                side.answer = answer
                side.said.text = _how(answer, known)
                self._show()
        except DepnetError as error:
            side.answer = None
            side.said.text = str(error)
            self._show()

    def _show(self) -> None:
        a, b = self.a.answer, self.b.answer
        self.found = ()
        if a is not None and b is not None:
            self.found = differences_between(a.moved(self.a.known), b.moved(self.b.known))
            there = {difference.first.name for difference in self.found}
            given = [name for name in self.domain.names if name not in there]
            same = "A and B are the same: change one of them. " if self.a.known == self.b.known else ""
            self.left_out.text = same + (
                f"Left out here, since A or B gives it: {some_of(given)}." if given else ""
            )
        targets = [difference.first.name for difference in self.found[:COPIED]]
        for (letter, title), shown in self.texts.items():
            known = self.a.known if letter == "A" else self.b.known
            shown.text = "" if not targets else _text(title, self.loaded, targets, known)
        self._show_cards()

    def _show_cards(self) -> None:
        found = self.listed.part(self.found, lambda difference: difference.first.name)
        self.cards.show(found, self.a.known, self.b.known, self._href)

    def _href(self, name: str) -> str:
        return self.session.url("/node", replace(self.session.state, variable=name, own={}))


build = _Compare


def _text(title: str, loaded: Any, targets: list[str], known: Known) -> str:
    if title == "Python":
        return python(loaded.path, targets, known, law=loaded.law is not None)
    return command_line(loaded.path, targets, known, loaded.table)


def _how(answer: Answer, known: Known) -> str:
    """How the answer was found, and how many rows there are of its evidence."""
    result = answer.result
    how = "computed in full" if result.diagnostics is None else f"± {result.diagnostics.largest_error:.2g}"
    how = how if answer.last else f"{how}, not yet sharp"
    return f"{how}; {result.support}" if known and result.support is not None else how
