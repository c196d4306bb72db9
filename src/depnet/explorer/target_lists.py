"""Beside what would move a target: which facts would tell most of it, and the most probable completion."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from nicegui import ui

from depnet.errors import DepnetError
from depnet.explorer.known import Known, said
from depnet.explorer.parts import button, card, note, show_table, stack
from depnet.explorer.session import Session, Stop
from depnet.explorer.target import Completion, completion
from depnet.inference.judge.influence import Effect, Influence

LISTED, MORE = 12, 24
"""Variables at first, and with each "more"."""
AT_ONCE = 400
"""Variables of a model whose most probable completion is looked for unasked."""


class Telling:
    """How many bits each variable is expected to tell, the most first."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.effects: Sequence[Effect] = ()
        self.listed = LISTED
        with card("What would tell most about it"):
            self.place = stack("depnet-tight")

    def show(self, effects: Sequence[Effect]) -> None:
        self.effects = effects
        state, top = self.session.state, max((effect.bits for effect in effects), default=0.0)
        self.place.clear()
        with self.place:
            note(
                "How many bits a fact about each variable is expected to tell: how far it moves the target, and how often."
            )
            with show_table(("Variable", "Tells", "Bits"), numbers=(2,)) as table:
                for effect in effects[: self.listed]:
                    name = effect.variable.name
                    with table.row():
                        with table.cell():
                            ui.link(name, self.session.url("/node", replace(state, variable=name, own={})))
                        with table.cell(), ui.element("span").classes("depnet-bits"):
                            ui.element("span").style(f"width: {100 * effect.bits / top if top else 0:.1f}%")
                        table.cell(bits_said(effect))
            if len(effects) > self.listed:
                button(f"Show more ({len(effects) - self.listed:,} left)", self._more)

    def _more(self) -> None:
        self.listed += MORE
        self.show(self.effects)


def bits_said(effect: Effect) -> str:
    """With an error, where it has one; what is not beyond two errors is not told from nothing."""
    if effect.bits_error and effect.bits < 2 * effect.bits_error:
        return f"< {max(effect.bits + 2 * effect.bits_error, 1e-4):.2g}"
    error = f" ± {effect.bits_error:.1g}" if effect.bits_error else ""
    return (
        f"{effect.bits:.3f}{error}" if effect.bits >= 0.0005 else ("0" if effect.bits < 1e-9 else "< 0.001")
    )


class Completions:
    """The most probable state of everything together; `choose(name, code)` is called when a state is clicked."""

    def __init__(self, session: Session, choose: Callable[[str, int], None]) -> None:
        self.session, self.loaded, self.choose = session, session.loaded, choose
        self.completed: Completion | None = None
        self.influence: Influence | None = None
        self.listed = LISTED
        with card("The most probable completion"):
            self.place = stack("depnet-tight")

    def drop(self) -> None:
        """Something else is known: what was found is old."""
        self.completed = None

    async def follow(self, influence: Influence, known: Known, stop: Stop) -> None:
        """Look for it, unless it is there: of a large model only when it is asked for."""
        self.influence = influence
        if self.completed is not None:
            self._show()
        elif len(self.loaded.asked.domain) <= AT_ONCE:
            await self._find(known, stop)
        else:
            self.place.clear()
            with self.place:
                note("With this many variables it takes some seconds.")
                button("Look for it", lambda: self.session.spawn(self._find(known, stop)), "outline")

    async def _find(self, known: Known, stop: Stop) -> None:
        self._say("looking for it ...")
        try:
            completed = await self.session.work(completion, self.loaded, known, stop)
        except DepnetError as error:
            self._say(str(error))
            return
        if not stop.pressed:
            self.completed = completed
            self._show()

    def _say(self, text: str) -> None:
        self.place.clear()
        with self.place:
            note(text)

    def _show(self) -> None:
        if self.completed is None or self.influence is None:
            return
        self._say(self.completed.said)
        rows = self.completed.rows(self.influence)
        with self.place:
            with show_table(("Variable", "State", "Alone"), numbers=(2,)) as table:
                for row in rows[: self.listed]:
                    with table.row():
                        table.cell(row.name)
                        with table.cell():
                            choose = ui.element("button").props("type=button").classes("depnet-plain")
                            choose.props["aria-label"] = f"Make {said(row.name, (row.state,))} known"
                            choose.on("click", partial(self.choose, row.name, row.code))
                            with choose:
                                ui.label(row.shown).props["title"] = str(row.state)
                        table.cell("" if row.probability is None else f"{row.probability:.3f}")
            if len(rows) > self.listed:
                button(f"Show more ({len(rows) - self.listed:,} left)", self._more)

    def _more(self) -> None:
        self.listed += MORE
        self._show()
