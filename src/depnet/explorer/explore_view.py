"""Explore, the first view: what the table says in a few sentences, the target and why it is what it is, and every other
variable: a click says that something is so, and all of it follows.
"""

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.ask import REST, Answer, Versus, answers, describe_method, digit, sharpness
from depnet.explorer.ask_cards import AskCards, describe_versus
from depnet.explorer.cards import read_typed, with_held
from depnet.explorer.copyable import Copies, command_line
from depnet.explorer.known import Known, describe_held, from_text, is_clamped, to_text
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import bar, button, card, fact, note, select, stack, warning, without_law
from depnet.explorer.session import Latest, Session, Stop
from depnet.explorer.share import Finding, bar_chart
from depnet.explorer.state import State
from depnet.explorer.summary import Summary
from depnet.explorer.why import Why
from depnet.inference.answer.part import Remark
from depnet.inference.answer.result import QueryResult
from depnet.wording import plural

TITLE = "Explore"
PATH = "/"
NEEDS_MODEL = True

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
        with card("Details") as self.place:
            self.notes = stack("depnet-tight").props('aria-live="polite"')
            self.details = ui.expansion("How the answer was found").props("dense")
            with self.details:
                self.facts = stack("depnet-tight")
            again = ui.expansion("The same question as a command and in Python").props("dense")
        with again, stack("depnet-tight"):
            alone = " Python asks the model alone." if loaded.data is not None else ""
            note(f"Its targets are the target, or the columns that moved most.{alone}")
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
        target = self.session.state.target or self.loaded.guessed_target
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
            warning(f"Model and table differ like that in {plural(left, 'more column')}.")
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
            columns = plural(len(self.loaded.domain), "column")
            note(f"{describe_method(result)} {len(result.closure):,} of {columns} took part.")
            if result.diagnostics is None:
                return
            with bar("depnet-facts"):
                fact("method", f"{result.method}, {result.scan_name}")
                fact("largest standard error", f"{digit(answer.error)} (asked: {result.tolerance:.2g})")
                if result.r_hat is not None:
                    fact("R-hat", f"{result.r_hat:.3f}")
                fact("effective sample size", f"{result.diagnostics.effective_sample_size:,.0f}")


class _Explore:
    """The question of one open page, and its answer so far."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.known: Known = session.state.known
        self.versus = self._versus(session.state)
        self.scenarios: dict[str, Versus] = {"": {}, REST: REST}
        """What answers can be compared with, by the parameter of the address."""
        self.answer: Answer | None = None
        self.question = Latest(session)
        self.cards = AskCards(
            session,
            self.loaded,
            clamp=self.clamp,
            toggle=self.toggle,
            range=self.range,
            condition=self.condition,
            target=self.target,
        )
        with ui.element("div").classes("depnet-explore"):
            self.summary = Summary(session, self.loaded)
            with card() as self.target_card:
                self._choice()
                self.cards.build_target()
                self.why = Why(session, self.loaded)
        self.target_card.set_visibility(self.cards.target is not None)
        with card():
            without_law(self.loaded)
            self._status()
            if self.versus != REST:
                for problem in from_text(self.loaded.domain, self._scenario(session.state)).problems:
                    warning(f"In what it is compared with: {problem}")
            self.hints = ui.element("div").classes("depnet-hints").props('role="group"')
            self.cards.build()
        self.notes = AskNotes(session, self.loaded)
        self.remarks.props["href"] = f"#{self.notes.place.html_id}"
        self.remarks.set_visibility(False)
        self._follow(session.state)
        self._ask()
        session.on_change(self._update)
        session.finding = self._finding

    def _choice(self) -> None:
        """The target, and what all is compared with."""
        with bar():
            names = dict(enumerate(self.loaded.domain.names))
            self.aim = select(names, "Target", self._aim, with_input=True)
            self.compared = select({}, "Compared with (the outline)", self._choose_versus)
            self.keep = button("Keep as scenario", self._keep, "outline dense")
            self.keep.props["title"] = (
                "What is given now becomes the outline, to compare other questions with"
            )
            self.swap = button("Swap", self._swap, "outline dense")
            self.swap.props["title"] = "What is given and what it is compared with"

    def _status(self) -> None:
        """How sharp the answer is: one line, whatever it says, so that nothing below it moves."""
        with ui.element("div").classes("depnet-status"):
            self.said = ui.label("").classes("depnet-sharpness").props('role="status"')
            self.matching = note("")
            self.remarks = ui.link("", "#notes").classes("depnet-note")
            self.stop = button("Stop", self.stop_asking, "outline dense")

    def _finding(self) -> Finding | None:
        """The bars of all cards; the picture has those of the target, or of what changed most."""
        answer = self.answer
        if answer is None:
            return None
        rows: list[tuple[str, str, float, float]] = []
        for shift in answer.shifts:
            shown = self.cards.made.show(shift.name, shift, None, given=True)
            bars = zip(shown["card"]["states"], shown["now"]["p"], shown["card"]["base"]["p"], strict=True)
            rows += [(shift.name, state["l"], now, before) for state, now, before in bars]
        about = self.cards.target or answer.shifts[0].name
        own = [row for row in rows if row[0] == about]
        versus = describe_versus(self.versus)
        series = {versus: [row[3] for row in own], "given": [row[2] for row in own]}
        facts = ", ".join(describe_held(name, held) for name, held in self.known.items())
        title = f"{about} given {facts}" if facts else about
        command = command_line(self.loaded.path, [about], self.known, self.loaded.table)
        heads = ("column", "value", "given", versus)
        return Finding(title, heads, rows, command, bar_chart([row[1] for row in own], series))

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
            self.cards.place_of(name).run_method("wrong", [name, str(error)])
            return
        self.cards.place_of(name).run_method("wrong", [name, ""])
        self.session.change(known=with_held(self.known, name, held))

    def target(self, name: str) -> None:
        self.session.change(target=None if self.session.state.target == name else name)

    def _aim(self) -> None:
        name = None if self.aim.value is None else self.loaded.domain.names[self.aim.value]
        if name is not None and name != self.cards.target:
            self.session.change(target=name)

    def _keep(self) -> None:
        self.session.set_own(vs=to_text(self.known))

    def _choose_versus(self) -> None:
        place = self.compared.value
        if place is not None and list(self.scenarios)[place] != self._scenario(self.session.state):
            self.session.set_own(vs=list(self.scenarios)[place] or None)

    def _swap(self) -> None:
        if self.versus != REST:
            own = {name: value for name, value in self.session.state.own.items() if name != VERSUS}
            text = to_text(self.known)
            self.session.change(known=self.versus, own=own | ({VERSUS: text} if text else {}))

    def stop_asking(self) -> None:
        self.question.stop.press()
        self.stop.set_enabled(False)

    # what follows from it

    def _scenario(self, state: State) -> str:
        return state.own.get(VERSUS, "")

    def _versus(self, state: State) -> Versus:
        text = self._scenario(state)
        return REST if text == REST else from_text(self.loaded.domain, text).known

    def _follow(self, state: State) -> None:
        self.known, self.versus = state.known, self._versus(state)
        text = self._scenario(state)
        self.scenarios[text] = self.versus
        self.compared.set_options(
            dict(enumerate(map(describe_versus, self.scenarios.values()))),
            value=list(self.scenarios).index(text),
        )
        self.keep.set_enabled(bool(self.known) and self.known != self.versus)
        self.swap.set_enabled(bool(self.versus) and self.versus != REST)
        target = self.cards.target
        self.aim.value = None if target is None else self.loaded.domain.index(target)
        self.cards.follow(state, self.versus)

    def _update(self, state: State) -> None:
        before, target = (self.known, self.versus), self.aim.value
        self._follow(state)
        if (self.known, self.versus) != before:
            self._ask()
        elif self.answer is not None:
            self.notes.show_copies(self.answer, self.known)
            if self.aim.value != target:
                self._explain()

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
        self._hint()
        self._explain()

    def _explain(self) -> None:
        """What is said of the target: by itself, after the answer."""
        than = "usual" if not self.versus else "the rest" if self.versus == REST else "the scenario"
        self.summary.show(self.answer, self.cards.target, self.session.state, than)
        self.why.ask(self.cards.target, self.known)

    def _show(self, answer: Answer) -> None:
        self.cards.show(answer)
        self.said.text = sharpness(answer) + ("" if answer.last else ", sharpening ...")
        support = answer.result.support
        self.matching.text = str(support) if support is not None and self.known else ""
        self._remark(self.notes.show(answer, self.known))

    def _remark(self, remarks: int) -> None:
        self.remarks.text = f"{plural(remarks, 'remark')} below"
        self.remarks.set_visibility(bool(remarks))

    def _hint(self) -> None:
        """What changed, or differs, most."""
        answer = self.answer
        self.hints.clear()
        if answer is None or not (self.known or self.versus):
            return
        with self.hints:
            self.hints.props["aria-label"] = "What differs most" if self.versus else "What changed most"
            moved = [shift for shift in answer.shifts if shift.name not in self.known][:CHANGED]
            note("Differs most:" if self.versus else "Changed most:")
            for shift in moved:
                button(
                    f"{shift.name} {shift.change:.2f}",
                    lambda n=shift.name: self.cards.look_at(n),
                    "flat dense",
                )


build = _Explore
