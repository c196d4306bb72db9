"""The two conditional tables of the theory view: typed in, or those of two binary variables of the model."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from nicegui import events, ui

from depnet.data import Label
from depnet.errors import DepnetError
from depnet.explorer.parts import bar, button, note, select, stack, warning
from depnet.explorer.session import Session
from depnet.inference.clamped.relevance import reduce
from depnet.model.conditions import label_code
from depnet.model.evidence import Evidence
from depnet.model.network import Network
from depnet.model.scan import RandomScan
from depnet.pictures.tetrahedron import GENUINE, PSEUDO, two_nodes

CODES = ("00", "01", "10", "11")


class TwoTables:
    """The panel; `changed()` is called when the reader has other tables."""

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        self.session, self.changed, self.model = session, changed, session.model
        self.names = () if self.model is None else binary_variables(self.model.network)
        self.zeros = [p for table in PSEUDO for p in table]
        self.others: dict[str, Label] = {}
        self.corners: tuple[str, ...] = CODES
        sources = {"hand": "edited by hand"}
        if len(self.names) >= 2:
            sources["model"] = "two variables of the model"
        self.source = ui.radio(sources, value="hand", on_change=self._turned).props("inline dense")
        with stack("depnet-tight") as self.by_hand:
            self._hand_panel()
        with stack("depnet-tight") as self.by_model:
            self._model_panel()
        self._open()

    def network(self) -> Network:
        """The two nodes; `corners` are then the names of their joint states."""
        if self.source.value == "model":
            pair = self._pair()
            if self.model is None or pair is None:
                raise DepnetError("choose two different variables.")
            one, two = (self.model.variable(name).states for name in pair)
            self.corners = tuple(f"{a}, {b}"[:40] for a in one for b in two)
            return pair_network(self.model.network, pair, self.others)
        self.corners = CODES
        values = [_probability(field.value) for field in self.inputs]
        self.zeros = [
            kept if value is None else value for value, kept in zip(values, self.zeros, strict=True)
        ]
        return two_nodes(self.zeros[:2], self.zeros[2:])

    def parameters(self) -> dict[str, str]:
        """What an address says of the tables."""
        pair = self._pair()
        if self.source.value == "model" and pair is not None:
            held = {f"at.{name}": str(state) for name, state in self.others.items()}
            return {"x0": pair[0], "x1": pair[1], **held}
        return {"tables": ",".join(f"{p:.6g}" for p in self.zeros)}

    def _open(self) -> None:
        own = self.session.state.own  # as it is now: what is set below changes it
        numbers = [_probability(text) for text in own.get("tables", "").split(",")]
        if len(numbers) == 4 and None not in numbers:
            self._set(numbers)
        pair = [self.names.index(own[key]) for key in ("x0", "x1") if own.get(key) in self.names]
        if len(pair) == 2 and self.model is not None:
            for one, chosen in zip(self.pair, pair, strict=True):
                one.set_value(chosen)
            for name in self.others:
                variable, text = self.model.variable(name), own.get(f"at.{name}")
                try:
                    if text is not None:
                        self.others[name] = variable.states[label_code(variable, text)]
                except DepnetError as error:
                    warning(f"In the address: {error}")
            self._show_others()
            self.source.set_value("model")
        self._turned()

    def _hand_panel(self) -> None:
        titles = [f"P(X{a} = 0 | X{b} = {c})" for a, b in ((0, 1), (1, 0)) for c in (0, 1)]
        with ui.element("div").classes("depnet-cells"):
            self.inputs = [
                ui.number(title, value=p, min=0, max=1, step=0.01, format="%.6g", on_change=self._typed)
                for title, p in zip(titles, self.zeros, strict=True)
            ]
        for field in self.inputs:
            field.props("dense outlined")
        with bar():
            for title, tables in (("Consistent tables", GENUINE), ("The paper's pseudo tables", PSEUDO)):
                values = [round(p, 6) for table in tables for p in table]
                button(title, lambda values=values: self._set(values), "flat dense")

    def _model_panel(self) -> None:
        options = dict(enumerate(self.names))
        start = (0, 1) if len(self.names) >= 2 else (None, None)
        self.pair = [
            select(options, label, self._pair_chosen, value=value, with_input=True)
            for label, value in zip(("One variable", "The other"), start, strict=True)
        ]
        self.held_note = note("")
        self.held = ui.element("div").classes("depnet-cells")
        self._hold_others()

    def _pair(self) -> tuple[str, str] | None:
        """The chosen variables, in the model's order."""
        chosen = {one.value for one in self.pair} - {None}
        one, two = sorted(chosen) if len(chosen) == 2 else (-1, -1)
        return None if one < 0 else (self.names[one], self.names[two])

    def _turned(self) -> None:
        self.by_hand.set_visibility(self.source.value == "hand")
        self.by_model.set_visibility(self.source.value == "model")
        self.changed()

    def _set(self, values: Sequence[float | None]) -> None:
        for field, value in zip(self.inputs, values, strict=True):
            field.set_value(value)

    def _typed(self) -> None:
        if all(_probability(field.value) is not None for field in self.inputs):
            self.changed()

    def _pair_chosen(self) -> None:
        self._hold_others()
        self.changed()

    def _hold_others(self) -> None:
        """What the two nodes read beside each other is held at its first state until the reader says otherwise."""
        pair, model = self._pair(), self.model
        self.others = {}
        if model is not None and pair is not None:
            names = relevant_others(model.network, pair)
            self.others = {name: model.variable(name).states[0] for name in names}
        self._show_others()

    def _show_others(self) -> None:
        self.held.clear()
        self.held_note.text = "Their tables also read these, which are held:" if self.others else ""
        with self.held:
            for name, state in self.others.items():
                assert self.model is not None
                states = self.model.variable(name).states
                change = partial(self._hold, name)
                select(dict(enumerate(map(str, states))), name, change, value=states.index(state))

    def _hold(self, name: str, event: events.ValueChangeEventArguments[int]) -> None:
        assert self.model is not None
        self.others[name] = self.model.variable(name).states[event.value]
        self.changed()


def binary_variables(network: Network) -> tuple[str, ...]:
    return tuple(variable.name for variable in network.domain.variables if variable.cardinality == 2)


def relevant_others(network: Network, pair: Sequence[str]) -> tuple[str, ...]:
    """The variables that the two nodes read, beside each other: what their tables depend on."""
    two = {network.domain.index(name) for name in pair}
    read = {j for i in two for j in network.nodes[i].inputs}
    return tuple(network.domain.names[j] for j in sorted(read - two))


def pair_network(network: Network, pair: Sequence[str], others: Mapping[str, Label]) -> Network:
    """The two nodes with the other variables clamped: `others` at these states, what is not named at its first."""
    domain = network.domain
    if len(set(pair)) != 2 or not set(pair) <= set(binary_variables(network)):
        raise DepnetError("the tetrahedron needs two different variables with two states each.")
    held = {v.name: others.get(v.name, v.states[0]) for v in domain.variables if v.name not in pair}
    two = sorted(map(domain.index, pair))
    return reduce(network, two, Evidence.parse(domain, held), RandomScan()).network


def _probability(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]  # what is no number is the error
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and 0 <= number <= 1 else None
