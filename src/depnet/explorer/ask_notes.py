"""Below the cards of the Ask view: remarks, how the answer was found, the question to copy, how good answers are.

It is below them since it grows and shrinks with what is known, and cards keep their places.
"""

from nicegui import ui

from depnet.explorer.answer_words import digit, found_by, took
from depnet.explorer.ask import Answer
from depnet.explorer.copyable import command_line, python
from depnet.explorer.known import Known, is_clamped
from depnet.explorer.loaded import Loaded
from depnet.explorer.parts import bar, card, copyable, fact, note, stack, warning
from depnet.explorer.session import Session
from depnet.inference.answer.part import Remark
from depnet.inference.answer.result import QueryResult
from depnet.inference.answer.small_counts import LEAST
from depnet.wording import counted

DIFFERENCES = 3
"""Warnings that model and table differ, at most; of more, only how many."""

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
            self.command = copyable("Command line")
            self.python = copyable("Python")
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

    def fail(self, text: str) -> int:
        """There is no answer, and why."""
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
            if answer.sharpened is not None:
                note(
                    f"Chains went on for the {answer.sharpened:,} variables that moved most; "
                    "the others stay as they were answered at first."
                )
            if self.loaded.data is not None:
                note(self._table_said(result, bool(known)))
        return remarks

    def show_copies(self, answer: Answer, known: Known) -> None:
        """The question to copy; its targets are the target, else what moved most."""
        targets = [shift.name for shift in answer.shifts if not is_clamped(known.get(shift.name, ""))][
            :COPIED
        ]
        target = self.session.state.target
        if target is not None and not is_clamped(known.get(target, "")):
            targets = [target]
        targets = targets or [shift.name for shift in answer.shifts[:COPIED]]
        self.command.text = command_line(self.loaded.path, targets, known, self.loaded.table)
        self.python.text = python(self.loaded.path, targets, known, law=self.loaded.law is not None)

    def _warnings(self, warnings: tuple[Remark, ...]) -> int:
        differences = [remark for remark in warnings if remark.kind == "difference"]
        others = [
            remark for remark in warnings if remark.kind in ("note", "rare")
        ]  # the head says how sharp it is
        for remark in (*others, *differences[:DIFFERENCES]):
            warning(remark[0].upper() + remark[1:])
        if len(differences) > DIFFERENCES:
            left = len(differences) - DIFFERENCES
            warning(f"Model and table differ like that in {counted(left, 'more variable')}.")
        return len(others) + len(differences)

    def _table_said(self, result: QueryResult, evidence: bool) -> str:
        """What the marks are, and what the answers have of them."""
        if not result.matching:
            hidden = self.session.hides and result.matching is None
            few = "too few rows match to be shown" if hidden else "no row matches"
            return f"The table: {few}; answers are the model's alone."
        joins = f"Answers join both: the model counts as {result.worth:,.3g} rows"
        joined = f"Marks are the table's own frequency ({result.rows_said}). {joins}"
        return f"{joined}; counts under {LEAST} are hidden." if self.session.hides else f"{joined}."

    def _show_facts(self, answer: Answer) -> None:
        result = answer.result
        self.facts.clear()
        with self.facts:
            note(f"{found_by(result)} {self._relevant(result)} took part. It came {took(answer.seconds)}.")
            if result.diagnostics is None:
                return
            with bar("depnet-facts"):
                fact("method", f"{result.method}, {result.scan_name}")
                fact("largest standard error", f"{digit(answer.error)} (asked: {result.tolerance:.2g})")
                if result.r_hat is not None:
                    fact("R-hat", f"{result.r_hat:.3f}")
                fact("effective sample size", result.diagnostics.effective_draws)

    def _relevant(self, result: QueryResult) -> str:
        return f"{len(result.closure):,} of {counted(len(self.loaded.asked.domain), 'variable')}"
