"""Ask: enter evidence on the cards of the variables, and see how their marginals move beside the table's own."""

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.ask import Answer, answers, describe_method, digit, sharpness
from depnet.explorer.ask_cards import AskCards
from depnet.explorer.cards import read_typed, with_held
from depnet.explorer.copyable import Copies
from depnet.explorer.known import Known, from_text, is_clamped, to_text
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import bar, button, card, fact, note, stack, warning, without_law
from depnet.explorer.questions import FirstQuestion, what_ifs
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.state import State
from depnet.inference.answer.part import Remark
from depnet.inference.answer.result import QueryResult
from depnet.wording import plural

TITLE = "Ask"
PATH = "/ask"
NEEDS_MODEL = True

QUESTIONS = 2
"""To begin with."""

CHANGED = 6
"""Variables that changed most, by name above the cards."""

DIFFERENCES = 3
"""Warnings that model and table differ, at most; of more, only how many."""

VERSUS = "vs"
"""The parameter of the address that has what answers are compared with."""

COPIED = 4
"""Targets of the question to copy: those that moved most."""


class AskNotes:
    """What is said of an answer; `show` says how many remarks there are."""

    def __init__(self, session: Session, loaded: Loaded) -> None:
        self.session, self.loaded = session, loaded
        with card("Remarks") as self.place:
            self.notes = stack("depnet-tight").props('aria-live="polite"')
            self.details = ui.expansion("How the answer was found").props("dense")
            with self.details:
                self.facts = stack("depnet-tight")
        with card("The same question elsewhere"):
            alone = " Python asks the model alone." if loaded.data is not None else ""
            note(f"Its targets are the target, or the variables that moved most.{alone}")
            self.copies = Copies()

    def fail(self, text: str) -> int:
        self.facts.clear()
        self.notes.clear()
        with self.notes:
            warning(text)
        return 1

    def show(self, answer: Answer, known: Known) -> int:
        """All of it; the number of remarks that should be seen."""
        result = answer.result
        self._show_facts(answer)
        self.show_copies(answer, known)
        self.notes.clear()
        with self.notes:
            remarks = self._warnings(result.warnings)
            if result.evidence_ignored:
                note(f"Without effect: {', '.join(result.evidence_ignored)}.")
            if self.loaded.data is not None:
                note(self._describe_table(result))
        return remarks

    def show_copies(self, answer: Answer, known: Known) -> None:
        targets = [shift.name for shift in answer.shifts if not is_clamped(known.get(shift.name, ""))][
            :COPIED
        ]
        target = self.session.state.target
        if target is not None and not is_clamped(known.get(target, "")):
            targets = [target]
        targets = targets or [shift.name for shift in answer.shifts[:COPIED]]
        self.copies.show(self.loaded, targets, known)

    def _warnings(self, warnings: tuple[Remark, ...]) -> int:
        differences = [remark for remark in warnings if remark.kind == "difference"]
        others = [
            remark for remark in warnings if remark.kind in ("note", "rare")
        ]  # the head says how sharp it is
        for remark in (*others, *differences[:DIFFERENCES]):
            warning(remark[0].upper() + remark[1:])
        if len(differences) > DIFFERENCES:
            left = len(differences) - DIFFERENCES
            warning(f"Model and table differ like that in {plural(left, 'more variable')}.")
        return len(others) + len(differences)

    def _describe_table(self, result: QueryResult) -> str:
        if not result.matching:
            return "The table: no row matches; answers are the model's alone."
        joins = f"Answers join both: the model counts as {result.worth:,.3g} rows."
        return f"Marks are the table's own frequency ({result.rows_said}). {joins}"

    def _show_facts(self, answer: Answer) -> None:
        result = answer.result
        self.facts.clear()
        with self.facts:
            variables = plural(len(self.loaded.domain), "variable")
            note(f"{describe_method(result)} {len(result.closure):,} of {variables} took part.")
            if result.diagnostics is None:
                return
            with bar("depnet-facts"):
                fact("method", f"{result.method}, {result.scan_name}")
                fact("largest standard error", f"{digit(answer.error)} (asked: {result.tolerance:.2g})")
                if result.r_hat is not None:
                    fact("R-hat", f"{result.r_hat:.3f}")
                fact("effective sample size", f"{result.diagnostics.effective_sample_size:,.0f}")


class _Ask:
    """The question of one open page, and its answer so far."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.known: Known = session.state.known
        self.versus = self._versus(session.state)
        self.answer: Answer | None = None
        self.question = Latest(session)
        with card("What is likely, given what is known"):
            without_law(self.loaded)
            self._status()
            for problem in from_text(self.loaded.domain, session.own(VERSUS)).problems:
                warning(f"In what it is compared with: {problem}")
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
        with self.cards.controls:
            self.compare = button("Compare with what is known now", self._compare, "outline dense")
            self.swap = button("Swap the two", self._swap, "outline dense")
            self.everything = button(
                "Compare with all rows", lambda: session.set_own(vs=None), "outline dense"
            )
        self.notes = AskNotes(session, self.loaded)
        self.remarks.props["href"] = f"#{self.notes.place.html_id}"
        self.remarks.set_visibility(False)
        self._follow(session.state)
        self._ask()
        session.on_change(self._update)

    def _status(self) -> None:
        """How sharp the answer is: one line, whatever it says, so that nothing below it moves."""
        with ui.element("div").classes("depnet-status"):
            self.said = ui.label("").classes("depnet-sharpness").props('role="status"')
            self.matching = note("")
            self.remarks = ui.link("", "#notes").classes("depnet-note")
            self.stop = button("Stop", self.stop_asking, "outline dense")

    # what the reader does

    def clamp(self, name: str, code: int) -> None:
        self.range(name, code, code)

    def toggle(self, name: str, code: int) -> None:
        self.session.change(known=self.cards.made.toggle(self.known, name, code))

    def range(self, name: str, first: int, last: int) -> None:
        self.session.change(known=self.cards.made.hold(self.known, name, first, last))

    def condition(self, name: str, text: str) -> None:
        """What is known was written on a card; what is wrong with it is said there."""
        try:
            held = read_typed(self.loaded.variable(name), text)
        except DepnetError as error:
            self.cards.marginals.run_method("wrong", [name, str(error)])
            return
        self.cards.marginals.run_method("wrong", [name, ""])
        self.session.change(known=with_held(self.known, name, held))

    def target(self, name: str) -> None:
        self.session.change(target=None if self.session.state.target == name else name)

    def _compare(self) -> None:
        self.session.set_own(vs=to_text(self.known))

    def _swap(self) -> None:
        own = {name: value for name, value in self.session.state.own.items() if name != VERSUS}
        text = to_text(self.known)
        self.session.change(known=self.versus, own=own | ({VERSUS: text} if text else {}))

    def _begin(self, question: FirstQuestion) -> None:
        self.session.change(known=question.state.known, variable=question.state.variable)

    def stop_asking(self) -> None:
        self.question.stop.press()
        self.stop.set_enabled(False)

    # what follows from it

    def _versus(self, state: State) -> Known:
        return from_text(self.loaded.domain, state.own.get(VERSUS, "")).known

    def _follow(self, state: State) -> None:
        self.known, self.versus = state.known, self._versus(state)
        self.compare.set_enabled(bool(self.known) and self.known != self.versus)
        self.swap.set_enabled(bool(self.versus))
        self.everything.set_enabled(bool(self.versus))
        self.cards.follow(state, self.versus)

    def _update(self, state: State) -> None:
        before = self.known, self.versus
        self._follow(state)
        if (self.known, self.versus) != before:
            self._ask()
        elif self.answer is not None:
            self.notes.show_copies(self.answer, self.known)

    def _ask(self) -> None:
        self.question.begin(lambda stop: self._find(self.known, stop))

    async def _find(self, known: Known, stop: Stop) -> None:
        self.said.text = "asking ..."
        self.stop.set_enabled(True)
        try:
            found = answers(self.loaded, known, self.session.work, stop, versus=self.versus)
            async for answer in found:
                self.answer = answer
                self._show(answer)
            if self.answer is not None:
                self.said.text = sharpness(self.answer) + (" (stopped)" if stop.pressed else "")
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
        self.remarks.text = f"{plural(remarks, 'remark')} below"
        self.remarks.set_visibility(bool(remarks))

    async def _hint(self) -> None:
        """Without evidence a first question or two; with some, what changed, or differs, most."""
        answer = self.answer
        if answer is None:
            return
        compared = self.known or self.versus
        asked = [] if compared else await self.session.work(what_ifs, self.loaded, QUESTIONS)
        self.hints.clear()
        with self.hints:
            if not compared:
                self.hints.props["aria-label"] = "Questions to begin with"
                for question in asked:
                    link = ui.link(question.text, self.session.url(PATH, question.state))
                    link.on("click.prevent", lambda _, q=question: self._begin(q))
                return
            self.hints.props["aria-label"] = "What differs most" if self.versus else "What changed most"
            moved = [shift for shift in answer.shifts if shift.name not in self.known][:CHANGED]
            note("Differs most:" if self.versus else "Changed most:")
            for shift in moved:
                button(
                    f"{shift.name} {shift.change:.2f}",
                    lambda n=shift.name: self.cards.look_at(n),
                    "flat dense",
                )


build = _Ask
