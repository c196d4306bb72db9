"""Ask: say what is known, and see how the marginals of all others move, the table's own beside them."""

from asyncio import Task
from typing import Any

from nicegui import ui

from depnet.data import Label
from depnet.errors import DepnetError
from depnet.explorer.ask import Answer, answers
from depnet.explorer.copyable import command_line, python
from depnet.explorer.known import Held, Known
from depnet.explorer.marginals import MEASURE, Marginals
from depnet.explorer.parts import bar, button, card, fact, note, progress, stack, warning, without_law
from depnet.explorer.session import Session, Stop
from depnet.explorer.state import State
from depnet.inference.answer.observed import DIFFERENCE
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.small_counts import LEAST
from depnet.wording import counted

TITLE = "Ask"
PATH = "/ask"
NEEDS_MODEL = True


SHOWN = 24
"""Cards at first, and with each "more"."""

DIFFERENCES = 3
"""Warnings that model and table differ, at most; of more, only how many."""

COPIED = 4
"""Targets of the question to copy: those that moved most."""


def build(session: Session) -> None:
    """The view, in the state that the address says."""
    _Ask(session).start()


class _Ask:
    """The evidence of one open page, and the question that is being answered."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.loaded = session.loaded  # held, even if it leaves the shelf meanwhile
        self.network = self.loaded.asked
        self.domain = self.network.domain
        self.known = session.state.known
        self.answer: Answer | None = None
        self.shown = SHOWN
        self.stopping = session.stop()
        self.task: Task[Any] | None = None
        with card("What is known"):
            self._evidence_inputs()
        with card("What is likely then"):
            without_law(self.loaded)
            self._progress()
            self.facts = bar("depnet-facts")
            self.notes = stack("depnet-tight").props('aria-live="polite"')
            with bar():
                ui.element("span").classes("depnet-key depnet-key-prior")
                note("before")
                ui.element("span").classes("depnet-key depnet-key-posterior")
                note("given what is known, ± 2 standard errors. Click a state to clamp it.")
                if self.loaded.data is not None:
                    with ui.element("span").classes("depnet-mark"):
                        ui.element("span").classes("depnet-key-observed")
                        self.table = note("")
                    apart = ui.switch(
                        "Model and table apart", on_change=lambda e: self.marginals.apart(e.value)
                    )
                    apart.props("dense")
            self.find = ui.input("Find a variable", on_change=self._filtered).props(
                "dense clearable outlined"
            )
            note(f"The most surprising changes first: {MEASURE}.")
            self.marginals: Marginals = Marginals(self.clamp)
            self.more = button("Show more", self._more)
        with card("The same question elsewhere"):
            alone = " Python asks the model alone." if self.loaded.data is not None else ""
            note(f"Its targets are the variables that moved most.{alone}")
            self.command = self._copyable("Command line")
            self.python = self._copyable("Python")
        self._figures()

    def _figures(self) -> None:
        """How good the law is, once that is known."""
        if self.loaded.law is None:
            return
        with card("How good the answers are") as told:
            told.set_visibility(False)

        async def tell() -> None:
            figures = await self.session.work(lambda: self.loaded.figures)
            with told:
                for line in figures:
                    note(line)
            told.set_visibility(bool(figures))

        self.session.spawn(tell())

    def start(self) -> None:
        """Ask what the address asks."""
        self._changed(self.session.state)
        self.session.on_change(self._changed)

    def _evidence_inputs(self) -> None:
        with bar():
            self.variable = ui.select(
                dict(enumerate(self.domain.names)),
                label="Variable",
                with_input=True,
                on_change=self._variable_chosen,
            )
            self.states = ui.select(
                {}, label="States (one clamps it)", multiple=True, on_change=self._states_chosen
            )
            for select in (self.variable, self.states):
                select.props("dense outlined").classes("depnet-grow")
            self.states.set_enabled(False)

    def _progress(self) -> None:
        with bar():
            self.bar = progress("How far the answer is")
            self.said = note("").classes("depnet-said").props('role="status"')
            self.stop = button("Stop", self.stopped_by_reader, "outline dense")

    def _copyable(self, title: str) -> ui.label:
        with bar():
            note(title)
            copy = button("Copy", lambda: ui.clipboard.write(shown.text), "flat dense")
            copy.props(f'aria-label="Copy: {title}"')
        shown = ui.label("").classes("depnet-code")
        shown.props["data-copy"] = title
        return shown

    # what the reader does

    def clamp(self, name: str, code: int) -> None:
        """A state was clicked: clamp it, or take it back."""
        if name not in self.domain.names or not 0 <= code < len(self._variable(name).states):
            return
        state = self._variable(name).states[code]
        self._hold(name, () if self.known.get(name) == (state,) else (state,))

    def stopped_by_reader(self) -> None:
        """The stop button: what was found so far stays."""
        self.stopping.press()
        self.stop.set_enabled(False)

    def _variable_chosen(self) -> None:
        i = self.variable.value
        self.states.set_enabled(i is not None)
        if i is None:
            self.states.set_options({}, value=[])
            return
        variable = self.domain.variables[i]
        held = self.known.get(variable.name, ())
        known = [] if isinstance(held, str) else [variable.code(state) for state in held]
        self.states.set_options({code: str(state) for code, state in enumerate(variable.states)}, value=known)

    def _states_chosen(self) -> None:
        if self.variable.value is None:
            return
        variable = self.domain.variables[self.variable.value]
        codes = sorted(self.states.value or [])
        states: tuple[Label, ...] = tuple(variable.states[code] for code in codes)
        held = self.known.get(variable.name, ())
        if states != (() if isinstance(held, str) else held):
            self._hold(variable.name, states if len(states) < len(variable.states) else ())

    def _hold(self, name: str, held: Held) -> None:
        known = {**self.known, name: held}
        self.session.change(known={name: held for name, held in known.items() if held})

    def _filtered(self) -> None:
        self.shown = SHOWN
        self._show_marginals()

    def _more(self) -> None:
        self.shown += SHOWN
        self._show_marginals()

    # what follows from it

    def _variable(self, name: str) -> Any:
        return self.domain.variables[self.domain.index(name)]

    def _changed(self, state: State) -> None:
        """Other evidence: the older question is dropped, and the new one asked."""
        if self.task is not None and state.known == self.known:
            return
        self.stopping.press()
        if self.task is not None:
            self.task.cancel()
        self.known = state.known
        self._variable_chosen()
        self.stopping = self.session.stop()
        self.task = self.session.spawn(self._ask(self.known, self.stopping))

    async def _ask(self, known: Known, stop: Stop) -> None:
        self.said.text = "asking ..."
        self.stop.set_enabled(True)
        self.bar.value = 0.0
        try:
            found = answers(self.loaded, known, self.session.work, stop, hide=self.session.hides)
            async for answer in found:
                self.answer = answer
                self._show(answer)
            if stop.pressed:
                self.said.text = "stopped; this is as far as it came"
            elif self.answer is not None:
                self.bar.value = 1.0
                self.said.text = f"done, {self.answer.seconds:.2g} s"
        except DepnetError as error:
            self._fail(str(error))
        self.stop.set_enabled(False)

    def _fail(self, text: str) -> None:
        self.said.text = "no answer"
        self.facts.clear()
        self.notes.clear()
        with self.notes:
            warning(text)
        self.answer = None
        self.marginals.show((), self.known, "")
        self.more.set_visibility(False)

    def _show(self, answer: Answer) -> None:
        self.bar.value = 1.0 if answer.last else 0.1
        self.said.text = f"{'done' if answer.last else 'sharpening'}, {answer.seconds:.2g} s"
        self._show_facts(answer.result)
        self._show_notes(answer)
        if self.loaded.data is not None:
            self.table.text = self._table_said(answer.result)
        targets = [shift.name for shift in answer.shifts[:COPIED]]
        self.command.text = command_line(self.loaded.path, targets, self.known, self.loaded.table)
        self.python.text = python(self.loaded.path, targets, self.known, law=self.loaded.law is not None)
        self._show_marginals()

    def _show_facts(self, result: QueryResult) -> None:
        self.facts.clear()
        with self.facts:
            fact("method", f"{result.method}, {result.scan_name}")
            if result.diagnostics is not None:
                d = result.diagnostics
                fact("largest standard error", f"{d.largest_error:.2g} (asked: {result.tolerance:.2g})")
                if result.r_hat is not None:
                    fact("R-hat", f"{result.r_hat:.3f}")
                fact("effective sample size", d.effective_draws)
            fact("relevant variables", f"{len(result.closure):,} of {len(self.domain):,}")
            if result.support is not None and self.known:
                fact("support of the evidence", str(result.support))

    def _show_notes(self, answer: Answer) -> None:
        result = answer.result
        self.notes.clear()
        with self.notes:
            differences = [text for text in result.warnings if text.startswith(DIFFERENCE)]
            for text in [text for text in result.warnings if text not in differences]:
                warning(text)
            for text in differences[:DIFFERENCES]:
                warning(text[0].upper() + text[1:])
            if len(differences) > DIFFERENCES:
                left = len(differences) - DIFFERENCES
                warning(f"Model and table differ like that in {counted(left, 'more variable')}.")
            if result.evidence_ignored:
                note(f"Without effect: {', '.join(result.evidence_ignored)}.")
            if answer.sharpened is not None:
                note(
                    f"Chains went on for the {answer.sharpened:,} variables that moved most; "
                    "the others stay as they were answered at first."
                )

    def _table_said(self, result: QueryResult) -> str:
        """What the marks are, and what the answers have of them."""
        if not result.matching:
            hidden = self.session.hides and result.matching is None
            few = "too few rows match to be shown" if hidden else "no row matches"
            return f"the table: {few}; answers are the model's alone."
        rows = counted(result.matching, "row")
        which = "all" if not self.known else "the matching"
        joins = f"Answers join both: the model counts as {result.worth:,.3g} rows"
        joined = f"the table's own frequency ({which} {rows}). {joins}"
        return f"{joined}; counts under {LEAST} are hidden." if self.session.hides else f"{joined}."

    def _show_marginals(self) -> None:
        if self.answer is None:
            return
        wanted = (self.find.value or "").casefold()
        found = [shift for shift in self.answer.shifts if wanted in shift.name.casefold()]
        self.marginals.show(found[: self.shown], self.known, self.answer.result.method)
        self.more.set_visibility(len(found) > self.shown)
        self.more.text = f"Show more ({len(found) - self.shown:,} left)"
