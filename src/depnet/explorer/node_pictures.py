"""What the Node view draws: decision graphs, distributions as bars, effects of inputs; and what is proven of a node."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from depnet.explorer import parts
from depnet.explorer.session import Session
from depnet.learning.certificate import Certificate
from depnet.pictures import colours
from depnet.pictures.labels import listed, short
from depnet.pictures.node.decision import Decision, Folded, Leaf, legend, named_states, state_colours
from depnet.pictures.node.drawing import Drawing, name_in_box, name_of_branch
from depnet.pictures.node.effects import Effect, Input
from depnet.pictures.node.parts_of_graph import Reached, levels_within, part_below
from depnet.wording import counted

TERMS = (
    ("entropy", "H(X)", "what is not known without reading anything"),
    ("source_entropy", "H(X | Y)", "what the decision graph leaves open"),
    ("full_entropy", "H(X | rest)", "what all other variables leave open"),
    ("misfit", "misfit", "the table against the data's own frequencies"),
    ("kl", "KL(data ‖ E)", "distance to this node's manifold (Theorem 4)"),
    ("penalty", "R(k, N)", "the price of its parameters"),
    ("cost", "cost", "KL + R"),
)

MOST_VERTICES = 120
"""Vertices of a graph that are drawn; a larger one is cut at the last level that fits."""

MOST_STATES = 40
"""States of an input that are shown."""


def share_bar(
    probabilities: Sequence[float], states: Sequence[str], colour: dict[int, str], written: float
) -> list[dict[str, Any]]:
    each = [(states[s], shade, probabilities[s]) for s, shade in colour.items()]
    if len(colour) < len(states):
        each.append(("other states", colours.REST, 1 - sum(share for _, _, share in each)))
    found, left = [], 0.0
    for state, shade, share in each:
        if share > 1e-6:
            text = f"{share:.2f}" if share >= written else ""
            tip = f"{short(state, 60)}: {share:.4f}"
            at = {"left": round(left, 4), "share": round(share, 4)}
            found.append(
                {**at, "colour": shade, "ink": colours.readable_on(shade), "text": text, "title": tip}
            )
        left += share
    return found


def law_said(probabilities: Sequence[float], states: Sequence[str]) -> str:
    """A distribution in words, for a screen reader: its likely states."""
    named, rest = named_states(tuple(probabilities), 6)
    more = f", and {counted(rest, 'more state')}" if rest else ""
    return ", ".join(f"{short(states[s], 40)} {probabilities[s]:.3f}" for s in named) + more


class DecisionPicture(parts.Component, component="decision_picture.js"):
    """A `picture`, once it is put there; `choose(vertex)` is called when a vertex is clicked, or Enter pressed on it."""

    def __init__(self, choose: Callable[[int], None]) -> None:
        super().__init__(width=0, height=0, vertices=[], edges=[], chosen=-1, label="")
        self.tell("choose", int, to=choose)


def picture(whole: Decision, start: int, chosen: int, lit: Reached | None) -> dict[str, Any]:
    """What the element shows of a graph from vertex `start` on; `lit` is what is known to be reached."""
    part = part_below(whole, start, levels_within(whole, start, MOST_VERTICES))
    graph, at = part.graph, Drawing(part.graph)
    above: dict[int, list[int]] = {}
    for v in at.y:
        for branch in graph.vertices[v].branches:
            above.setdefault(branch.to, []).append(part.numbers[v])
    colour = state_colours(graph)

    def look(*ends: int) -> str:
        numbers = {part.numbers[v] for v in ends}
        if lit is None:
            return ""
        return "path" if numbers <= set(lit.path) else "" if numbers <= lit.vertices else "out"

    vertices = [
        {
            "id": part.numbers[v],
            "look": look(v),
            "above": above.get(v, []),
            "below": [part.numbers[branch.to] for branch, _ in at.ports(v)],
            **dict(zip("xywh", at.box(v), strict=True)),
            **_vertex(graph, at, v, colour),
        }
        for v in sorted(at.y)  # the root first, where the keyboard begins
    ]
    edges = [{"d": way, "look": look(v, branch.to)} for v in at.y for branch, way in at.ways(v)]
    return {
        "width": at.size[0],
        "height": at.size[1],
        "vertices": vertices,
        "edges": sorted(edges, key=lambda edge: edge["look"] == "path"),  # drawn last, above the others
        "chosen": chosen,
        "label": f"Decision graph of {short(graph.name, 60)}",
    }


def _vertex(graph: Decision, at: Drawing, v: int, colour: dict[int, str]) -> dict[str, Any]:
    vertex = graph.vertices[v]
    x, top, wide, _ = at.box(v)

    def text(place: float, y: float, kind: str, said: str) -> dict[str, Any]:
        return {"x": place, "y": y, "kind": kind, "text": said}

    if isinstance(vertex, Leaf):
        merged = vertex.ways > 1
        leaf = f"leaf {vertex.number}{vertex.rows_said}"
        return {
            "kind": "leaf merged" if merged else "leaf",
            "bars": share_bar(vertex.probabilities, graph.states, colour, 0.22),
            "texts": [
                text(x + wide + 8, at.y[v] + 4, "soft", leaf + (f", {vertex.ways} ways in" if merged else ""))
            ],
            "said": f"{leaf}: {law_said(vertex.probabilities, graph.states)}",
        }
    tests = f"tests {short(vertex.variable, 100)}"
    if isinstance(vertex, Folded):
        below = f"{counted(vertex.leaves, 'leaf', 'leaves')} below"
        name = text(x + 9, at.y[v] + 4, "name", name_in_box(vertex))
        texts = [name, text(x + wide + 8, at.y[v] + 4, "soft", below)]
        return {"kind": "folded", "bars": [], "texts": texts, "said": f"{tests}: {below}"}
    texts = [text(x + 9, top + 16, "name", name_in_box(vertex))]
    texts += [text(x + wide - 9, y + 4, "soft end", name_of_branch(branch)) for branch, y in at.ports(v)]
    branches = "; ".join(listed(branch.states, 60) for branch in vertex.branches[:8])
    return {"kind": "test", "bars": [], "texts": texts, "said": f"{tests}: {branches}"}


@dataclass(frozen=True, slots=True)
class Bar:
    """A distribution, and what it is of: a name, a text after it, a note at the end of the line."""

    id: int
    name: str
    probabilities: Sequence[float]
    text: str = ""
    note: str = ""
    look: str = ""
    """`path` is lit, `out` is pale."""


class ShareBars(parts.Component, component="share_bars.js"):
    """Distributions, one below the other; `choose(id)` is called when one is clicked; None: they are only shown."""

    def __init__(self, choose: Callable[[int], None] | None = None) -> None:
        super().__init__(choosable=choose is not None, legend=[], rows=[], chosen=-1)
        if choose is not None:
            self.tell("choose", int, to=choose)

    def show(
        self, bars: Sequence[Bar], states: Sequence[str], colour: dict[int, str], chosen: int = -1
    ) -> None:
        """These bars, one of them marked; -1: none."""
        key = [{"text": short(state, 30), "colour": shade} for state, shade in legend(states, colour)]
        rows = [
            {
                "id": bar.id,
                "name": bar.name,
                "text": bar.text,
                "note": bar.note,
                "look": bar.look,
                "said": law_said(bar.probabilities, states),
                "bars": share_bar(bar.probabilities, states, colour, 0.12),
            }
            for bar in bars
        ]
        self.put(legend=key, rows=rows, chosen=chosen)


class EffectBars(parts.Component, component="effect_bars.js"):
    """What the states of one input do to the probability of one state: bars from the mean to less or more."""

    def __init__(self, one: Input, effect: Effect, of: int, mean: float) -> None:
        rows = [
            {
                "label": str(state),
                "left": f"{100 * min(law[of], mean):.2f}%",
                "width": f"{100 * abs(law[of] - mean):.2f}%",
                "less": law[of] < mean,
                "text": f"{law[of]:.3f} ({law[of] - mean:+.3f})",
            }
            for state, law in list(zip(effect.states, effect.means, strict=True))[:MOST_STATES]
        ]
        super().__init__(
            name=one.name, note=f"{one.bits:.4f} bits a row", rows=rows, mean=f"{100 * mean:.2f}%"
        )


def proven_card(session: Session, number: int) -> None:
    with parts.card("What is proven") as card:
        said = parts.note("…")
    loaded = session.loaded

    async def show() -> None:
        proven = await session.work(lambda: loaded.certificate)
        said.delete()
        with card:
            if proven is None and loaded.data is not None:
                parts.note(
                    "The certificate (how far the model can be from the data, Theorem 3) is about complete rows. The table "
                    "has holes; the rows with them filled, from which the model was learned, are not kept."
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

    session.spawn(show())


def certificate(proven: Certificate, number: int) -> None:
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
