"""Why an answer is what it is: a waterfall, a bar for each fact from the answer before it to the one after."""

from typing import Any

from nicegui import ui

from depnet.data import Label
from depnet.errors import DepnetError
from depnet.explorer.histogram import group_digits
from depnet.explorer.known import Known, given
from depnet.explorer.loaded import TOLERANCE, Loaded
from depnet.explorer.parts import note, show_table, stack
from depnet.explorer.rows import is_number
from depnet.explorer.session import Latest, Session, Stop
from depnet.inference.answer.numbers import shown
from depnet.inference.ask.explain import Explanation, explain
from depnet.pictures.labels import short

MOST_FACTS = 40
"""Facts that are explained one by one; each asks for some sixteen answers."""

FEW_FACTS, ROUGHLY = 6, 0.05
"""Of more facts, as of a whole row, answers have these standard errors: a step is a mean over dozens of them."""

SHOWN = 8
"""Facts that are shown, those that add most."""


class Why:
    """What each fact adds to the answer about the target, from what is usual to the answer given all."""

    def __init__(self, session: Session, loaded: Loaded) -> None:
        self.session, self.loaded, self.asking = session, loaded, Latest(session)
        self.found: Explanation | None = None
        self.asked: tuple[str | None, Known, Label | None] = (None, {}, None)
        """What was asked for last: the target, the facts, and of a category the state."""
        self.place = stack("depnet-tight").props('aria-live="polite"')

    def ask(self, target: str | None, known: Known) -> None:
        facts = {name: held for name, held in known.items() if name != target}
        if target is not None and target in known:
            facts = {}
        self._ask(target, facts, None)

    def ask_row(self, target: str | None, row: Known) -> None:
        """Of a row whose target is known, why it is what it is: how probable its state is, or a number's mean."""
        facts, held = {name: one for name, one in row.items() if name != target}, row.get(target or "")
        variable = None if target is None else self.loaded.variable(target)
        whole = variable is not None and is_number(variable) and len(variable.present_states) > 2
        self._ask(target, facts, None if whole or held is None or isinstance(held, str) else held[0])

    def _ask(self, target: str | None, facts: Known, state: Label | None) -> None:
        self.asking.drop()
        self.found, self.asked = None, (target, facts, state)
        self.place.clear()
        if target is None or not facts:
            return
        if len(facts) > MOST_FACTS:
            self._say(f"Why: {len(facts):,} facts are too many to tell apart.")
        else:
            self.asking.begin(lambda stop: self._find(target, facts, state, stop))

    def _say(self, text: str) -> None:
        self.place.clear()
        with self.place:
            note(text)

    async def _find(self, target: str, facts: Known, state: Label | None, stop: Stop) -> None:
        self._say("Why: asking ...")
        tolerance = TOLERANCE if len(facts) <= FEW_FACTS else ROUGHLY
        wanted: Any = {"state": state, "data": self.loaded.data, "tolerance": tolerance}
        try:
            found = await self.session.work(explain, self.loaded.asked, given(facts), target, **wanted)
        except DepnetError as error:
            self._say(f"Why: {error}")
            return
        if not stop.pressed:
            self.found = found
            self._show(found)

    def _show(self, found: Explanation) -> None:
        number = found.about.startswith("the mean")
        ends = [found.start, *(after for _, _, after in found.rows())]
        least, most = min(ends), max(ends)
        wide = 100 / ((most - least) or 1.0)
        self.place.clear()
        with self.place:
            about = found.about.replace("P(", "").removesuffix(")")
            note(
                f"Why: what each fact adds to {about}, from {_text(found.start, number)} where nothing is given."
            )
            with show_table(("fact", "adds", "from what is usual to here"), numbers=(1,)) as table:
                before = found.start
                for fact, change, after in found.rows()[:SHOWN]:
                    with table.row():
                        table.cell(short(fact, 60))
                        table.cell(_signed(change, number))
                        with table.cell().classes("depnet-step-cell"):
                            step = ui.element("i").classes(f"depnet-step {'less' if change < 0 else 'more'}")
                            start = wide * (min(before, after) - least)
                            step.style(f"margin-left: {start:.1f}%; width: {wide * abs(change):.1f}%")
                    before = after
                left = found.steps[SHOWN:]
                if left:
                    with table.row():
                        table.cell(f"{len(left):,} more facts")
                        table.cell(_signed(found.end - before, number))
                        table.cell("")
            note(f"Given all of it: {_text(found.end, number)}.")


def _signed(change: float, number: bool) -> str:
    sign = "+" if change > 0 else "−" if change < 0 else ""
    return f"{sign}{_text(abs(change), number)}"


def _text(value: float, number: bool) -> str:
    return group_digits(shown(value)) if number else f"{100 * value:.1f} %"
