"""Ask: say what is known on the cards of all variables, and see how their marginals move, the table's own beside them."""

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.ask import FINER, Answer, answers, sharpness
from depnet.explorer.ask_cards import AskCards
from depnet.explorer.ask_notes import AskNotes
from depnet.explorer.cards import typed, with_bar_turned, with_bars, with_held
from depnet.explorer.known import Known
from depnet.explorer.loaded import TOLERANCE
from depnet.explorer.parts import button, card, note, without_law
from depnet.explorer.questions import Question, what_ifs
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.state import State
from depnet.wording import counted

TITLE = "Ask"
PATH = "/ask"
NEEDS_MODEL = True

QUESTIONS = 2
"""To begin with."""

CHANGED = 6
"""Variables that changed most, by name above the cards."""


class _Ask:
    """The question of one open page, and its answer so far."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.known: Known = session.state.known
        self.answer: Answer | None = None
        self.question = Latest(session)
        with card("What is likely, given what is known"):
            without_law(self.loaded)
            self._status()
            self.hints = ui.element("div").classes("depnet-hints").props('role="group"')
            self.cards = AskCards(
                session,
                self.loaded,
                clamp=self.clamp,
                toggle=self.toggle,
                range=self.range,
                condition=self.condition,
                target=self.target,
            )
        self.notes = AskNotes(session, self.loaded)
        self.remarks.props["href"] = f"#{self.notes.place.html_id}"
        self.remarks.set_visibility(False)
        self.cards.follow(session.state)
        self._ask()
        session.on_change(self._changed)

    def _status(self) -> None:
        """How sharp the answer is: one line, whatever it says, so that nothing below it moves."""
        with ui.element("div").classes("depnet-status"):
            self.said = ui.label("").classes("depnet-sharpness").props('role="status"')
            self.matching = note("")
            self.remarks = ui.link("", "#notes").classes("depnet-note")
            self.sharpen = button("Sharpen", self.sharper, "outline dense")
            self.sharpen.props["title"] = f"Go on until errors are {FINER:.0f} times smaller"
            self.stop = button("Stop", self.stopped_by_reader, "outline dense")

    # what the reader does

    def clamp(self, name: str, code: int) -> None:
        self.range(name, code, code)

    def toggle(self, name: str, code: int) -> None:
        self.session.change(known=with_bar_turned(self.known, self.loaded.variable(name), code))

    def range(self, name: str, first: int, last: int) -> None:
        self.session.change(known=with_bars(self.known, self.loaded.variable(name), first, last))

    def condition(self, name: str, text: str) -> None:
        """What is known was written on a card; what is wrong with it is said there."""
        try:
            held = typed(self.loaded.variable(name), text)
        except DepnetError as error:
            self.cards.marginals.run_method("wrong", [name, str(error)])
            return
        self.cards.marginals.run_method("wrong", [name, ""])
        self.session.change(known=with_held(self.known, name, held))

    def target(self, name: str) -> None:
        self.session.change(target=None if self.session.state.target == name else name)

    def _begin(self, question: Question) -> None:
        self.session.change(known=question.state.known, variable=question.state.variable)

    def stopped_by_reader(self) -> None:
        self.question.stop.press()
        self.stop.set_enabled(False)

    def sharper(self) -> None:
        """The same question, until errors are a quarter of what they are."""
        if self.answer is not None and self.answer.error > 0:
            self._ask(min(self.answer.error, TOLERANCE) / FINER)

    # what follows from it

    def _changed(self, state: State) -> None:
        other = state.known != self.known
        self.known = state.known
        self.cards.follow(state)
        if other:
            self._ask()
        elif self.answer is not None:
            self.notes.show_copies(self.answer, self.known)

    def _ask(self, tolerance: float = TOLERANCE) -> None:
        self.question.begin(lambda stop: self._asked(self.known, stop, tolerance))

    async def _asked(self, known: Known, stop: Stop, tolerance: float) -> None:
        self.said.text = "asking ..."
        self.stop.set_enabled(True)
        self.sharpen.set_enabled(False)
        try:
            found = answers(
                self.loaded, known, self.session.work, stop, hide=self.session.hides, tolerance=tolerance
            )
            async for answer in found:
                self.answer = answer
                self._show(answer)
            if self.answer is not None:
                self.said.text = sharpness(self.answer) + (" (stopped)" if stop.pressed else "")
                self.sharpen.set_enabled(self.answer.error > 0)
        except DepnetError as error:
            self.answer = None
            self.said.text = "no answer"
            self.matching.text = ""
            self._remark(self.notes.fail(str(error)))
            self.cards.show(None)
        self.stop.set_enabled(False)
        await self._hint()

    def _show(self, answer: Answer) -> None:
        self.cards.show(answer)
        self.said.text = sharpness(answer) + ("" if answer.last else ", sharpening ...")
        support = answer.result.support
        self.matching.text = str(support) if support is not None and self.known else ""
        self._remark(self.notes.show(answer, self.known))

    def _remark(self, remarks: int) -> None:
        self.remarks.text = f"{counted(remarks, 'remark')} below"
        self.remarks.set_visibility(bool(remarks))

    async def _hint(self) -> None:
        """Without evidence a first question or two; with some, what changed most."""
        answer = self.answer
        if answer is None:
            return
        asked = [] if self.known else await self.session.work(what_ifs, self.loaded, QUESTIONS)
        self.hints.clear()
        with self.hints:
            if not self.known:
                self.hints.props["aria-label"] = "Questions to begin with"
                for question in asked:
                    link = ui.link(question.text, self.session.url(PATH, question.state))
                    link.on("click.prevent", lambda _, q=question: self._begin(q))
                return
            self.hints.props["aria-label"] = "What changed most"
            moved = [shift for shift in answer.shifts if shift.name not in self.known][:CHANGED]
            note("Changed most:")
            for shift in moved:
                button(
                    f"{shift.name} {shift.change:.2f}",
                    lambda n=shift.name: self.cards.look_at(n),
                    "flat dense",
                )


build = _Ask
