"""What the node view draws: the graph by Mermaid, leaves as bars, the falling cost, the terms of the certificate."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from depnet.explorer import parts
from depnet.explorer.parts import Palette
from depnet.explorer.session import Session
from depnet.learning.certificate import Certificate
from depnet.pictures import Decision, Stage, colours
from depnet.pictures.labels import short
from depnet.pictures.node.decision import Leaf, frequent_states, most_likely
from depnet.pictures.node.effects import Effect, Input
from depnet.wording import counted

MOST_LEAVES = 40
"""So many leaves get a bar, those with the most rows."""

MOST_GAINS = 30

TERMS = (
    ("entropy", "H(X)", "what is not known without reading anything"),
    ("source_entropy", "H(X | Y)", "what the decision graph leaves open"),
    ("full_entropy", "H(X | rest)", "what all other variables leave open"),
    ("misfit", "misfit", "the table against the data's own frequencies"),
    ("kl", "KL(data ‖ E)", "distance to this node's manifold (Theorem 4)"),
    ("penalty", "R(k, N)", "the price of its parameters"),
    ("cost", "cost", "KL + R"),
)


def mermaid(session: Session, text: str) -> None:
    """A flowchart from left to right; drawn again when the page turns light or dark."""
    text = text.replace("flowchart TD", "flowchart LR", 1)  # many leaves are read better below each other
    box = ui.element("div").classes("depnet-mermaid").props('tabindex="0" aria-label="Decision graph"')

    def draw(dark: bool) -> None:
        if box.is_deleted:
            return
        grey = parts.palette(dark)
        box.clear()
        with box:
            ui.mermaid(text, config=_config(grey, dark))

    draw(session.dark)
    session.on_theme(draw)


def _config(grey: Palette, dark: bool) -> dict[str, Any]:
    return {
        "securityLevel": "strict",
        "flowchart": {"useMaxWidth": True, "nodeSpacing": 14, "rankSpacing": 52},
        "theme": "base",
        "themeVariables": {
            "darkMode": dark,
            "fontSize": "14px",
            "background": grey.surface,
            "primaryColor": "#26303a" if dark else "#eef3f8",
            "primaryTextColor": grey.text,
            "primaryBorderColor": grey.muted,
            "lineColor": grey.muted,
            "textColor": grey.text,
            "edgeLabelBackground": grey.surface,
        },
    }


def leaves(session: Session, drawn: Decision) -> None:
    """The distribution in every leaf, from end to end of a bar."""
    found = sorted(
        (v for v in drawn.vertices if isinstance(v, Leaf)), key=lambda leaf: (-(leaf.rows or 0), leaf.number)
    )
    if not found[0].probabilities:
        parts.note("The leaves of an earlier stage need the rows: depnet explore model.json --data table.csv")
        return
    kept = sorted(found[:MOST_LEAVES], key=lambda leaf: leaf.number)
    if len(kept) < len(found):
        parts.note(f"{len(kept)} of {len(found):,} leaves, those with the most rows.")
    named = frequent_states(drawn, len(colours.CYCLE))
    parts.chart(
        session,
        lambda grey: _bars(drawn, kept, named, grey),
        label=f"The distributions of {counted(len(kept), 'leaf', 'leaves')}",
        height=f"{len(kept) * 1.9 + 5:.1f}rem",
    )


def gains(session: Session, inputs: Sequence[Input]) -> None:
    """What each input of a boosted node gained, the strongest first."""
    kept = inputs[:MOST_GAINS]
    if len(kept) < len(inputs):
        rest = sum(one.bits for one in inputs[MOST_GAINS:])
        parts.note(f"{len(kept)} of {len(inputs):,} inputs; the others gained {rest:.4f} bits together.")
    parts.chart(
        session,
        lambda grey: _gains(kept, grey),
        label=f"What {counted(len(kept), 'input')} gained, in bits a row",
        height=f"{len(kept) * 1.6 + 3:.1f}rem",
    )
    parts.note("Bits a row that each input gained while the node was learned.")


def _gains(kept: Sequence[Input], grey: Palette) -> dict[str, Any]:
    bits = {
        "type": "bar",
        "name": "bits a row",
        "data": [round(one.bits, 6) for one in kept],
        "barMaxWidth": 18,
        "itemStyle": {"color": colours.BLUE},
    }
    return {
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}, "confine": True},
        **_across([short(one.name, 30) for one in kept], grey, top=8),
        "series": [bits],
    }


def effects(session: Session, effect: Effect, states: Sequence[str], mean: tuple[float, ...]) -> None:
    """The mean distribution with the input at each of its states, and without setting it."""
    pairs = list(zip(effect.states, effect.means, strict=True))[:MOST_LEAVES]
    if len(pairs) < len(effect.states):
        parts.note(f"The first {len(pairs)} of {len(effect.states):,} states.")
    rows = [
        ("as it is", mean),
        *((f"{short(effect.name, 20)} = {short(state, 24)}", each) for state, each in pairs),
    ]
    parts.chart(
        session,
        lambda grey: _shares(rows, states, most_likely(mean, len(colours.CYCLE)), grey),
        label=f"The mean distribution for {counted(len(pairs), 'state')} of the input",
        height=f"{len(rows) * 1.9 + 5:.1f}rem",
    )


def _bars(drawn: Decision, kept: Sequence[Leaf], named: Sequence[int], grey: Palette) -> dict[str, Any]:
    rows = [
        (f"leaf {v.number}" + ("" if v.rows is None else f"  ({counted(v.rows, 'row')})"), v.probabilities)
        for v in kept
    ]
    return _shares(rows, drawn.states, named, grey)


def _shares(
    rows: Sequence[tuple[str, tuple[float, ...]]], states: Sequence[str], named: Sequence[int], grey: Palette
) -> dict[str, Any]:
    """Distributions, each from end to end of a bar."""

    def series(name: str, colour: str, values: list[float]) -> dict[str, Any]:
        return {
            "type": "bar",
            "stack": "leaf",
            "name": name,
            "data": values,
            "barMaxWidth": 22,
            "itemStyle": {"color": colour, "borderColor": grey.surface, "borderWidth": 1},
        }

    shown = [
        series(short(states[s], 30), colours.of(k), [round(each[s], 4) for _, each in rows])
        for k, s in enumerate(named)
    ]
    if len(named) < len(states):
        rest = [round(1 - sum(each[s] for s in named), 4) for _, each in rows]
        shown.append(series("other states", colours.REST, rest))
    across = _across([label for label, _ in rows], grey, top=36)
    return {
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "shadow"}, "confine": True},
        "legend": {"type": "scroll", "top": 0, "left": 0, "textStyle": {"color": grey.text}},
        **across,
        "xAxis": {**across["xAxis"], "max": 1},
        "series": shown,
    }


def _across(labels: Sequence[str], grey: Palette, top: int) -> dict[str, Any]:
    """Bars from left to right, one below the other."""
    return {
        "grid": {"left": 8, "right": 24, "top": top, "bottom": 8, "containLabel": True},
        "xAxis": {
            "type": "value",
            "axisLabel": {"color": grey.muted},
            "splitLine": {"lineStyle": {"color": grey.line}},
        },
        "yAxis": {
            "type": "category",
            "inverse": True,
            "data": list(labels),
            "axisLabel": {"color": grey.text},
            "axisLine": {"lineStyle": {"color": grey.line}},
            "axisTick": {"show": False},
        },
    }


def cost(stages: Sequence[Stage], step: int, grey: Palette) -> dict[str, Any]:
    """Cost and entropy after each operation, the present one marked."""

    def series(name: str, colour: str, kind: str, values: list[float | None]) -> dict[str, Any]:
        dots = {"symbol": "circle", "symbolSize": 5 if len(values) <= 60 else 0}
        style = {"lineStyle": {"width": 2, "type": kind, "color": colour}, "itemStyle": {"color": colour}}
        rounded = [None if v is None else round(v, 6) for v in values]
        return {"type": "line", "name": name, "data": rounded, **dots, **style}

    total = series("cost", colours.VERMILLION, "solid", [stage.cost for stage in stages])
    total["markLine"] = {
        "symbol": "none",
        "silent": True,
        "label": {"show": False},
        "lineStyle": {"color": grey.text, "type": "solid", "width": 1},
        "data": [{"xAxis": step}],
    }
    axis = {"axisLabel": {"color": grey.muted}, "splitLine": {"lineStyle": {"color": grey.line}}}
    return {
        "tooltip": {"trigger": "axis", "confine": True},
        "legend": {"top": 0, "textStyle": {"color": grey.text}},
        "grid": {"left": 8, "right": 16, "top": 32, "bottom": 8, "containLabel": True},
        "xAxis": {"type": "category", "data": [str(k) for k in range(len(stages))], **axis},
        "yAxis": {"type": "value", "scale": True, **axis},
        "series": [total, series("H(X | Y)", colours.SKY, "dashed", [stage.entropy for stage in stages])],
    }


async def show_proven(session: Session, card: ui.element, number: int) -> None:
    """What is proven of a node, in a card that is there already."""
    loaded = session.loaded
    proven = await session.work(lambda: loaded.certificate)
    card.clear()
    with card:
        parts.heading("What is proven")
        if proven is None:
            parts.note(
                "The certificate (how far the model can be from the data, Theorem 3) needs the rows: "
                "depnet explore model.json --data table.csv"
            )
        else:
            certificate(proven, number)


def certificate(proven: Certificate, number: int) -> None:
    """The terms of one node, and the whole bound."""
    node = proven.nodes[number]
    with ui.element("table").classes("depnet-table"), ui.element("tbody"):
        for field, name, meaning in TERMS:
            with ui.element("tr"):
                with ui.element("td"):
                    ui.label(name)
                    parts.note(meaning)
                with ui.element("td").classes("number"):
                    ui.label(f"{getattr(node, field):.6f}")
    if node.boosted:
        parts.note("Of a boosted node H(X | Y) is the cross-entropy, the mean of -log θ, and there is no R.")
    parts.note(f"Nats a row, from {proven.rows:,} rows.")
    parts.note(f"All nodes together: {proven.said.replace('||', '‖')}")
