"""Theory: the law of two binary variables on its way, p^t, between the manifolds of two conditional tables."""

import contextlib
from typing import Any

from nicegui import events, ui

from depnet.errors import DepnetError
from depnet.explorer.parts import bar, button, card, fact, note, select, stack, warning
from depnet.explorer.session import Session
from depnet.explorer.theory_walk import DARK, LIGHT, Walk, walk, walk_figure
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
FACTS = ("KL(pᵗ‖π)", "FC(pᵗ‖π)", "FC-limit of pᵗ", "pᵗ", "π")
SECONDS_A_STEP = 0.6


class _Theory:
    """One reader's picture: where the tables come from, the scan, the step."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.path: Walk | None = None
        self.tables: TwoTables | None = None
        own = session.state.own  # as it is now: what is set below changes it
        step = own.get("t", "")
        self.step = int(step) if step.isdecimal() and len(step) < 4 else 0
        with ui.element("div").classes("depnet-columns"):
            with card("The laws of two binary variables"):
                self._controls(own.get("scan", ""), own.get("start", ""))
                self.notes = ui.element("div")
                self.plot = ui.plotly({}).classes("depnet-simplex").props("role=img")
                self.plot.props["aria-label"] = "The tetrahedron with two manifolds and the path of the law"
                note(
                    "Corners: the joint states. Dotted: the full conditional manifolds E(θ₀) and E(θ₁). Drag to turn, wheel "
                    "to zoom; the keys ← and → step, P plays, Home resets."
                )
            with stack():
                with card("Beside it"):
                    self.facts = [fact(name, "") for name in FACTS]
                    self.promise = note("")
                with card("The two tables"):
                    self.tables = TwoTables(session, self._changed)
        ui.keyboard(on_key=self._key, ignore=["input", "select", "textarea"])
        self.timer = ui.timer(SECONDS_A_STEP, self._tick, active=False)
        session.on_theme(lambda dark: self._draw())
        self._compute()

    def _controls(self, scan: str, start: str) -> None:
        scans = {name: f"{name} scan" for name in SCANS}
        starts = {name: name for name in STARTS} | {"paper": "the paper's p⁰"}
        with bar():
            self.scan = select(scans, "Scan", self._changed, value=scan if scan in SCANS else "random")
            self.start = select(starts, "Start", self._changed, value=start if start in STARTS else "paper")
        with bar().props('role="group" aria-label="Steps"'):
            button("Back", lambda: self._go(-1), "outline")
            button("Step", lambda: self._go(1), "unelevated")
            self.play = button("Play", self._play, "outline")
            button("Reset", self._reset, "outline")
            self.said = note("").classes("depnet-said").props('role="status"')

    # what the reader does

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
        if not self.timer.active and self.path is not None and self.step == self.path.steps:
            self.step = 0
        self._run(not self.timer.active)

    def _run(self, active: bool) -> None:
        self.timer.active = active
        self.play.text = "Pause" if active else "Play"

    def _reset(self) -> None:
        self._run(False)
        self.step = 0
        self._draw()

    def _changed(self, *_: Any) -> None:
        if self.tables is not None:  # they are not being built
            self.step = 0
            self._compute()

    # what follows from it

    def _compute(self) -> None:
        assert self.tables is not None
        self.notes.clear()
        self.path = None
        try:
            self.path = walk(self.tables.network(), SCANS[self.scan.value], STARTS[self.start.value])
        except DepnetError as error:
            with self.notes:
                warning(str(error))
        self.plot.set_visibility(self.path is not None)
        self._go(0)

    def _draw(self) -> None:
        path, t = self.path, self.step
        if path is None or self.tables is None:
            return
        self.said.text = f"t = {t} of {path.steps}"
        distances = [f"{value[t]:.6f} nats" for value in (path.kl, path.fc, path.limit)]
        laws = ["  ".join(f"{value:.4f}" for value in law.ravel()) for law in (path.laws[t], path.end)]
        for shown, text in zip(self.facts, (*distances, *laws), strict=True):
            shown.text = text
        meet = (
            "The manifolds meet in π: the tables are those of one law. "
            if path.meets
            else "The manifolds do not meet. "
        )
        self.promise.text = meet + (
            "Theorem 3: under the random scan FC(p‖π) is never above the FC-limit of p."
            if isinstance(path.scan, RandomScan)
            else "π is the centroid of the cycle; the FC-limit promises nothing about a sequential scan."
        )
        colours = DARK if self.session.dark else LIGHT
        self.plot.update_figure(walk_figure(path, t, self.tables.corners, colours))
        own = {"scan": self.scan.value, "start": self.start.value, "t": str(t)}
        self.session.change(push=False, own=own | self.tables.parameters())


build = _Theory
