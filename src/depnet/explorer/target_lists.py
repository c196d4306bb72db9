"""Beside what would move a target: which facts would tell most of it, and the most probable completion."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.known import Known, said
from depnet.explorer.parts import LongList, button, card, note, show_table, stack
from depnet.explorer.session import Session, Stop
from depnet.explorer.target import Completion, completion
from depnet.inference.judge.influence import Effect, Influence

LISTED = 12
"""Variables at first, and with each "more"."""
AT_ONCE = 400
"""Variables of a model whose most probable completion is looked for unasked."""


class Telling:
    """How many bits each variable is expected to tell, the most first."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.effects: Sequence[Effect] = ()
        self.listed = LongList(self._show, LISTED)
        with card("What would tell most about it"):
            note(
                "How many bits a fact about each variable is expected to tell: how far it moves the target, and how often."
            )
            self.place = stack("depnet-tight")
            self.listed.more_button()

    def show(self, effects: Sequence[Effect]) -> None:
        self.effects = effects
        self._show()

    def _show(self) -> None:
        state, top = self.session.state, max((effect.bits for effect in self.effects), default=0.0)
        self.place.clear()
        with self.place, show_table(("Variable", "Tells", "Bits"), numbers=(2,)) as table:
            for effect in self.listed.part(self.effects):
                name = effect.variable.name
                with table.row():
                    with table.cell():
                        ui.link(name, self.session.url("/node", replace(state, variable=name, own={})))
                    table.bar(effect.bits / top if top else 0.0)
                    table.cell(bits_said(effect))


def bits_said(effect: Effect) -> str:
    """With an error, where it has one; what is not beyond two errors is not told from nothing."""
    if effect.bits_error and effect.bits < 2 * effect.bits_error:
        return f"< {max(effect.bits + 2 * effect.bits_error, 1e-4):.2g}"
    if effect.bits < 0.0005:
        return "0" if effect.bits < 1e-9 else "< 0.001"
    return f"{effect.bits:.3f}" + (f" ± {effect.bits_error:.1g}" if effect.bits_error else "")


class Completions:
    """The most probable state of everything together; `choose(name, code)` is called when a state is clicked."""

    def __init__(self, session: Session, choose: Callable[[str, int], None]) -> None:
        self.session, self.loaded, self.choose = session, session.loaded, choose
        self.completed: Completion | None = None
        self.influence: Influence | None = None
        self.listed = LongList(self._show, LISTED)
        with card("The most probable completion"):
            self.said = note("")
            self.look = button("Look for it", self._look, "outline")
            self.place = stack("depnet-tight")
            self.listed.more_button()

    def drop(self) -> None:
        self.completed = None

    async def follow(self, influence: Influence, known: Known, stop: Stop) -> None:
        """Look for it, unless it is there: of a large model only when it is asked for."""
        self.influence, self.question = influence, (known, stop)
        large = self.completed is None and len(self.loaded.asked.domain) > AT_ONCE
        self.look.set_visibility(large)
        if large:
            self.place.clear()
            self.said.text = "With this many variables it takes some seconds."
        elif self.completed is not None:
            self._show()
        else:
            await self._find(known, stop)

    async def _look(self) -> None:
        await self._find(*self.question)

    async def _find(self, known: Known, stop: Stop) -> None:
        self.look.set_visibility(False)
        self.place.clear()
        self.said.text = "looking for it ..."
        try:
            completed = await self.session.work(completion, self.loaded, known, stop)
        except DepnetError as error:
            self.said.text = str(error)
            return
        if not stop.pressed:
            self.completed = completed
            self._show()

    def _show(self) -> None:
        if self.completed is None or self.influence is None:
            return
        self.said.text = self.completed.said
        self.place.clear()
        with self.place, show_table(("Variable", "State", "Alone"), numbers=(2,)) as table:
            for row in self.listed.part(self.completed.rows(self.influence)):
                with table.row():
                    table.cell(row.name)
                    with table.cell():
                        choose = ui.element("button").props("type=button").classes("depnet-plain")
                        choose.props["aria-label"] = f"Make {said(row.name, (row.state,))} known"
                        choose.on("click", partial(self.choose, row.name, row.code))
                        with choose:
                            ui.label(row.shown).props["title"] = str(row.state)
                    table.cell("" if row.probability is None else f"{row.probability:.3f}")
