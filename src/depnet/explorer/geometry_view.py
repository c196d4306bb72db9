"""Geometry: the paper's picture, live. p^t moves between the manifolds of two conditional tables."""

import contextlib
import math
from typing import Any

from nicegui import events, ui

from depnet.data import Label
from depnet.errors import DepnetError
from depnet.explorer.evidence_link import state_code
from depnet.explorer.pair import binary_variables, pair_network, relevant_others
from depnet.explorer.parts import card, fact, note, palette, warning
from depnet.explorer.session import Session
from depnet.explorer.simplex_figure import figure_of
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, SequentialScan
from depnet.pictures.simplex import GENUINE, PSEUDO, START, two_nodes
from depnet.pictures.walk import STEPS, Walk, walk, walk_scene

TITLE = "Geometry"
PATH = "/geometry"
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


def build(session: Session) -> None:
    """The view, in the state that the address says."""
    ui.add_head_html('<link rel="stylesheet" href="/depnet/ask.css">')
    _Geometry(session)


class _Geometry:
    """One reader's picture: where the tables come from, the scan, the step."""

    def __init__(self, session: Session) -> None:
        self.session = session
        model = session.model
        self.network: Network | None = None if model is None else model.network
        self.pairs = () if self.network is None else binary_variables(self.network)
        self.path: Walk | None = None
        self.step = 0
        self.zeros = [p for table in PSEUDO for p in table]
        self.corners: tuple[str, ...] = ("00", "01", "10", "11")
        with ui.element("div").classes("depnet-columns"):
            with card("The laws of two binary variables"):
                self._controls()
                self.notes = ui.element("div")
                self.plot = ui.plotly({}).classes("depnet-simplex")
                self.plot.props["aria-label"] = "The tetrahedron with two manifolds and the path of the law"
                note(
                    "Corners: the joint states. Dotted: the full conditional manifolds E(θ₀) and E(θ₁). Drag to turn, wheel "
                    "to zoom; the keys ← and → step, P plays, Home resets."
                )
            with ui.element("div").classes("depnet-stack"):
                with card("Beside it"):
                    self._numbers()
                with card("The two tables"):
                    self._tables()
        ui.keyboard(on_key=self._key, ignore=["input", "select", "textarea"])
        self.timer = ui.timer(SECONDS_A_STEP, self._tick, active=False)
        session.on_theme(lambda dark: self._draw())
        self._from_address()

    # the panels

    def _controls(self) -> None:
        with ui.element("div").classes("depnet-bar"):
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
        with ui.element("div").classes("depnet-bar").props('role="group" aria-label="Steps"'):
            ui.button("Back", on_click=lambda: self._go(-1)).props("outline no-caps")
            ui.button("Step", on_click=lambda: self._go(1)).props("unelevated no-caps")
            self.play = ui.button("Play", on_click=self._play).props("outline no-caps")
            ui.button("Reset", on_click=self._reset).props("outline no-caps")
            self.said = note("").classes("depnet-said").props('role="status"')

    def _numbers(self) -> None:
        self.kl = fact("KL(pᵗ‖π)", "")
        self.fc = fact("FC(pᵗ‖π)", "")
        self.limit = fact("FC-limit of pᵗ", "")
        self.law = fact("pᵗ", "")
        self.end = fact("π", "")
        self.promise = note("")

    def _tables(self) -> None:
        sources = {"hand": "edited by hand"}
        if len(self.pairs) >= 2:
            sources["model"] = "two variables of the model"
        self.source = ui.radio(sources, value="hand", on_change=self._changed).props("inline dense")
        with ui.element("div").classes("depnet-stack depnet-tight") as self.by_hand:
            with ui.element("div").classes("depnet-cells"):
                titles = [f"P(X{a} = 0 | X{b} = {c})" for a, b in ((0, 1), (1, 0)) for c in (0, 1)]
                self.inputs = [
                    ui.number(
                        title, value=value, min=0, max=1, step=0.01, format="%.6g", on_change=self._typed
                    )
                    .props("dense outlined")
                    .classes("depnet-number-input")
                    for title, value in zip(titles, self.zeros, strict=True)
                ]
            with ui.element("div").classes("depnet-bar"):
                ui.button("Consistent tables", on_click=lambda: self._set(GENUINE)).props(
                    "flat dense no-caps"
                )
                ui.button("The paper's pseudo tables", on_click=lambda: self._set(PSEUDO)).props(
                    "flat dense no-caps"
                )
        with ui.element("div").classes("depnet-stack depnet-tight") as self.by_model:
            options = dict(enumerate(self.pairs))
            self.first = ui.select(options, label="X₀", value=0 if self.pairs else None, with_input=True)
            self.second = ui.select(
                options, label="X₁", value=1 if len(self.pairs) > 1 else None, with_input=True
            )
            for select in (self.first, self.second):
                select.props("dense outlined").on_value_change(self._pair_chosen)
            self.held_note = note("")
            self.held = ui.element("div").classes("depnet-cells")
        self.others: dict[str, Label] = {}
        self._pair_chosen(draw=False)

    # what the reader does

    def _from_address(self) -> None:
        parameter = self.session.parameter
        if parameter("scan") in SCANS:
            self.scan.value = parameter("scan")
        if parameter("start") in STARTS:
            self.start.value = parameter("start")
        numbers = parameter("tables").split(",")
        if len(numbers) == 4 and all(_probability(text) is not None for text in numbers):
            for field, text in zip(self.inputs, numbers, strict=True):
                field.value = _probability(text)
        pair = [self.pairs.index(name) for name in (parameter("x0"), parameter("x1")) if name in self.pairs]
        if len(pair) == 2 and self.network is not None:
            self.first.value, self.second.value = pair
            self._held_from_address()
            self.source.value = "model"
        self.step = int(parameter("t")) if parameter("t").isdecimal() and len(parameter("t")) < 4 else 0
        self._compute()

    def _held_from_address(self) -> None:
        assert self.network is not None
        for key, text in self.session.parameters:
            name = key.removeprefix("at.")
            if key.startswith("at.") and name in self.others:
                variable = self.network.domain.variables[self.network.domain.index(name)]
                try:
                    self.others[name] = variable.states[state_code(variable, text)]
                except DepnetError as error:
                    warning(f"In the address: {error}")
        self._show_held()

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

    def _set(self, tables: tuple[tuple[float, float], tuple[float, float]]) -> None:
        for field, value in zip(self.inputs, (p for table in tables for p in table), strict=True):
            field.value = round(value, 6)

    def _typed(self) -> None:
        if all(_probability(field.value) is not None for field in self.inputs):
            self._changed()

    def _pair_chosen(self, draw: bool = True) -> None:
        """Other variables: what their nodes read is held at the first state until the reader says otherwise."""
        self.others = {}
        if self.network is not None and self._pair() is not None:
            domain = self.network.domain
            for name in relevant_others(self.network, self._pair() or ()):
                self.others[name] = domain.variables[domain.index(name)].states[0]
        self._show_held()
        if draw:
            self._changed()

    def _show_held(self) -> None:
        self.held.clear()
        if self.network is None:
            return
        domain = self.network.domain
        self.held_note.text = "Their tables also read these, which are held:" if self.others else ""
        with self.held:
            for name, state in self.others.items():
                variable = domain.variables[domain.index(name)]
                ui.select(
                    {c: str(label) for c, label in enumerate(variable.states)},
                    label=name,
                    value=variable.code(state),
                    on_change=lambda event, name=name: self._hold(name, event.value),
                ).props("dense outlined")

    def _hold(self, name: str, code: int) -> None:
        assert self.network is not None
        self.others[name] = self.network.domain.variables[self.network.domain.index(name)].states[code]
        self._changed()

    # what follows from it

    def _pair(self) -> tuple[str, str] | None:
        if self.first.value is None or self.second.value is None or self.first.value == self.second.value:
            return None
        one, two = sorted((self.first.value, self.second.value))
        return self.pairs[one], self.pairs[two]

    def _changed(self, *_: Any) -> None:
        self.step = 0
        self._compute()

    def _compute(self) -> None:
        by_model = self.source.value == "model"
        self.by_hand.set_visibility(not by_model)
        self.by_model.set_visibility(by_model)
        self.notes.clear()
        try:
            network = self._two()
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

    def _two(self) -> Network:
        if self.source.value == "model":
            pair = self._pair()
            if self.network is None or pair is None:
                raise DepnetError("choose two different variables.")
            states = [self.network.domain.variables[self.network.domain.index(n)].states for n in pair]
            self.corners = tuple(f"{a}, {b}"[:40] for a in states[0] for b in states[1])
            return pair_network(self.network, pair, self.others)
        self.corners = ("00", "01", "10", "11")
        values = [_probability(field.value) for field in self.inputs]
        self.zeros = [
            kept if value is None else value for value, kept in zip(values, self.zeros, strict=True)
        ]
        return two_nodes(self.zeros[:2], self.zeros[2:])

    def _draw(self) -> None:
        path = self.path
        if path is None:
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
        scene = walk_scene(path, t, self.corners)
        self.plot.update_figure(figure_of(scene, palette(self.session.dark)))
        self.session.show_url(PATH, self._parameters())

    def _parameters(self) -> list[tuple[str, str]]:
        found = [("scan", self.scan.value), ("start", self.start.value), ("t", str(self.step))]
        pair = self._pair()
        if self.source.value == "model" and pair is not None:
            found += [("x0", pair[0]), ("x1", pair[1])]
            found += [(f"at.{name}", str(state)) for name, state in self.others.items()]
        else:
            found.append(("tables", ",".join(f"{p:.6g}" for p in self.zeros)))
        return found


def _law(p: Any) -> str:
    return "  ".join(f"{value:.4f}" for value in p.ravel())


def _probability(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]  # what is no number is the error
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and 0 <= number <= 1 else None
