"""Theory: the paper's picture, live. p^t moves between the manifolds of two conditional tables."""

import contextlib
from typing import Any

from nicegui import events, ui

from depnet.errors import DepnetError
from depnet.explorer.parts import bar, button, card, fact, note, palette, stack, warning
from depnet.explorer.session import Session
from depnet.explorer.simplex_figure import walk_figure
from depnet.explorer.theory_walk import STEPS, Walk, walk
from depnet.explorer.two_tables import TwoTables
from depnet.model.scan import RandomScan, Scan, SequentialScan
from depnet.pictures.tetrahedron import START

TITLE = "Theory"
PATH = "/theory"
NEEDS_MODEL = False

SCANS: dict[str, Scan] = {"random": RandomScan(), "sequential": SequentialScan()}
STARTS: dict[str, Any] = {
    "paper": START,
    "uniform": [[0.25, 0.25], [0.25, 0.25]],
    "00": [[1.0, 0.0], [0.0, 0.0]],
    "01": [[0.0, 1.0], [0.0, 0.0]],
    "10": [[0.0, 0.0], [1.0, 0.0]],
    "11": [[0.0, 0.0], [0.0, 1.0]],
}
SECONDS_A_STEP = 0.6


class _Theory:
    """One reader's picture: where the tables come from, the scan, the step."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.path: Walk | None = None
        self.step = 0
        self.tables: TwoTables | None = None
        with ui.element("div").classes("depnet-columns"):
            with card("The laws of two binary variables"):
                self._controls()
                self.notes = ui.element("div")
                self.plot = ui.plotly({}).classes("depnet-simplex")
                self.plot.props("role=img")
                self.plot.props["aria-label"] = "The tetrahedron with two manifolds and the path of the law"
                note(
                    "Corners: the joint states. Dotted: the full conditional manifolds E(θ₀) and E(θ₁). Drag to turn, wheel "
                    "to zoom; the keys ← and → step, P plays, Home resets."
                )
            with stack():
                with card("Beside it"):
                    self._numbers()
                with card("The two tables"):
                    self.tables = TwoTables(session, self._changed)
        ui.keyboard(on_key=self._key, ignore=["input", "select", "textarea"])
        self.timer = ui.timer(SECONDS_A_STEP, self._tick, active=False)
        session.on_theme(lambda dark: self._draw())
        self._from_address()

    # the panels

    def _controls(self) -> None:
        with bar():
            self.scan = ui.select(
                {"random": "random scan", "sequential": "sequential scan"},
                label="Scan",
                value="random",
                on_change=self._changed,
            )
            self.start = ui.select(
                {"paper": "the paper's p⁰", "uniform": "uniform", **{k: k for k in ("00", "01", "10", "11")}},
                label="Start",
                value="paper",
                on_change=self._changed,
            )
            for select in (self.scan, self.start):
                select.props("dense outlined").classes("depnet-grow")
        with bar().props('role="group" aria-label="Steps"'):
            button("Back", lambda: self._go(-1), "outline")
            button("Step", lambda: self._go(1), "unelevated")
            self.play = button("Play", self._play, "outline")
            button("Reset", self._reset, "outline")
            self.said = note("").classes("depnet-said").props('role="status"')

    def _numbers(self) -> None:
        self.kl = fact("KL(pᵗ‖π)", "")
        self.fc = fact("FC(pᵗ‖π)", "")
        self.limit = fact("FC-limit of pᵗ", "")
        self.law = fact("pᵗ", "")
        self.end = fact("π", "")
        self.promise = note("")

    # what the reader does

    def _from_address(self) -> None:
        own = self.session.state.own  # as it is now: what is set below changes it
        if own.get("scan") in SCANS:
            self.scan.value = own["scan"]
        if own.get("start") in STARTS:
            self.start.value = own["start"]
        step = own.get("t", "")
        self.step = int(step) if step.isdecimal() and len(step) < 4 else 0
        self._compute()

    def _key(self, event: events.KeyEventArguments) -> None:
        if not event.action.keydown:
            return
        if event.key.arrow_right:
            self._go(1)
        elif event.key.arrow_left:
            self._go(-1)
        elif event.key == "p":
            self._play()
        elif event.key.home:
            self._reset()

    def _go(self, by: int) -> None:
        if self.path is not None:
            self.step = max(0, min(self.path.steps, self.step + by))
            self._draw()

    async def _tick(self) -> None:
        self._go(1)
        if self.path is None or self.step == self.path.steps:
            self._play()
        with contextlib.suppress(TimeoutError):  # a browser that draws slowly is waited for
            await ui.run_javascript("true", timeout=10)

    def _play(self) -> None:
        at_end = self.path is not None and self.step == self.path.steps
        if not self.timer.active and at_end:
            self.step = 0
        self.timer.active = not self.timer.active
        self.play.text = "Pause" if self.timer.active else "Play"

    def _reset(self) -> None:
        self.timer.active = False
        self.play.text = "Play"
        self.step = 0
        self._draw()

    # what follows from it

    def _changed(self, *_: Any) -> None:
        self.step = 0
        self._compute()

    def _compute(self) -> None:
        if self.tables is None:
            return  # they are being built
        self.notes.clear()
        try:
            network = self.tables.network()
            self.path = walk(network, SCANS[self.scan.value], STARTS[self.start.value], STEPS)
        except DepnetError as error:
            self.path = None
            self.plot.set_visibility(False)
            with self.notes:
                warning(str(error))
            return
        self.plot.set_visibility(True)
        self.step = min(self.step, self.path.steps)
        self._draw()

    def _draw(self) -> None:
        path = self.path
        if path is None or self.tables is None:
            return
        t = self.step
        self.said.text = f"t = {t} of {path.steps}"
        self.kl.text, self.fc.text, self.limit.text = (
            f"{value[t]:.6f} nats" for value in (path.kl, path.fc, path.limit)
        )
        self.law.text = _law(path.laws[t])
        self.end.text = _law(path.end)
        random = isinstance(path.scan, RandomScan)
        meet = (
            "The manifolds meet in π: the tables are those of one law. "
            if path.meets
            else "The manifolds do not meet. "
        )
        self.promise.text = meet + (
            "Theorem 3: under the random scan FC(p‖π) is never above the FC-limit of p."
            if random
            else "π is the centroid of the cycle; the FC-limit promises nothing about a sequential scan."
        )
        colours = palette(self.session.dark)
        self.plot.update_figure(walk_figure(path, t, self.tables.corners, colours))
        own = {"scan": self.scan.value, "start": self.start.value, "t": str(t)}
        self.session.change(push=False, own=own | self.tables.parameters())


build = _Theory


def _law(p: Any) -> str:
    return "  ".join(f"{value:.4f}" for value in p.ravel())
