"""Why an answer is what it is: a bar for each fact, what it adds, which add up."""

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.histogram import group_digits
from depnet.explorer.known import Known, given
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import note, show_table, stack
from depnet.explorer.session import Latest, Session, Stop
from depnet.inference.answer.numbers import shown
from depnet.inference.ask.explain import Explanation, explain
from depnet.pictures.labels import short

MOST_FACTS = 40
"""Facts that are explained one by one; each asks for some sixteen answers."""

SHOWN = 8
"""Facts that are shown, those that add most."""


class Why:
    """What each fact adds to the answer about the target."""

    def __init__(self, session: Session, loaded: Loaded) -> None:
        self.session, self.loaded, self.asking = session, loaded, Latest(session)
        self.place = stack("depnet-tight").props('aria-live="polite"')

    def ask(self, target: str | None, known: Known) -> None:
        facts = {name: held for name, held in known.items() if name != target}
        self.asking.drop()
        if target is None or not facts or target in known:
            self.place.clear()
        elif len(facts) > MOST_FACTS:
            self._say(f"Why: {len(facts):,} facts are too many to be told apart.")
        else:
            self.asking.begin(lambda stop: self._find(target, facts, stop))

    def _say(self, text: str) -> None:
        self.place.clear()
        with self.place:
            note(text)

    async def _find(self, target: str, facts: Known, stop: Stop) -> None:
        try:
            found = await self.session.work(
                explain, self.loaded.asked, given(facts), target, data=self.loaded.data
            )
        except DepnetError as error:
            self._say(f"Why: {error}")
            return
        if not stop.pressed:
            self._show(found)

    def _show(self, found: Explanation) -> None:
        longest = max((abs(step.change) for step in found.steps), default=0.0) or 1.0
        number = found.about.startswith("the mean")
        self.place.clear()
        with self.place:
            note(f"Why: what each fact adds to {found.about.replace('P(', '').removesuffix(')')}.")
            with show_table(("fact", "adds", "how much of it"), numbers=(1,)) as table:
                for step in found.steps[:SHOWN]:
                    with table.row():
                        table.cell(short(step.fact, 60))
                        sign = "+" if step.change > 0 else "−" if step.change < 0 else ""
                        table.cell(f"{sign}{_text(abs(step.change), number)}")
                        with table.cell().classes("depnet-step-cell"):
                            step_bar = ui.element("i").classes(
                                f"depnet-step {'less' if step.change < 0 else 'more'}"
                            )
                            step_bar.style(f"width: {100 * abs(step.change) / longest:.1f}%")
            left = len(found.steps) - SHOWN
            if left > 0:
                rest = sum(step.change for step in found.steps[SHOWN:])
                note(f"{left:,} more facts add {_text(rest, number)} together.")


def _text(value: float, number: bool) -> str:
    return group_digits(shown(value)) if number else f"{100 * value:.1f} %"
