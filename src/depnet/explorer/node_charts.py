"""What the node view draws as charts and tables: gains of inputs, the falling cost, the terms of the certificate."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from depnet.explorer import parts
from depnet.explorer.parts import Palette
from depnet.explorer.session import Session
from depnet.learning.certificate import Certificate
from depnet.pictures import colours
from depnet.pictures.labels import short
from depnet.pictures.node.effects import Input
from depnet.wording import counted

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
        **_across([short(one.name, 30) for one in kept], grey),
        "series": [bits],
    }


def _across(labels: Sequence[str], grey: Palette) -> dict[str, Any]:
    """Bars from left to right, one below the other."""
    return {
        "grid": {"left": 8, "right": 24, "top": 8, "bottom": 8, "containLabel": True},
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


async def show_proven(session: Session, card: ui.element, number: int) -> None:
    """What is proven of a node, in a card that is there already."""
    loaded = session.loaded
    proven = await session.work(lambda: loaded.certificate)
    card.clear()
    with card:
        parts.heading("What is proven")
        if proven is None and loaded.data is not None:
            parts.note(
                "The certificate (how far the model can be from the data, Theorem 3) is about complete rows. The table has "
                "holes; the rows with them filled, from which the model was learned, are not kept."
            )
        elif proven is None:
            parts.note(
                "The certificate (how far the model can be from the data, Theorem 3) needs the rows: "
                "depnet explore model.json --data table.csv"
            )
        else:
            certificate(proven, number)
            if loaded.data is not None and not loaded.data.complete:
                parts.note(
                    "It speaks of the completed rows, from which the model was learned, and not of the holes."
                )


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
