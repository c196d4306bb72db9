"""`depnet show` with --node, --links or --variables: one node's decision graph, the links, or the variables."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import Run, picked
from depnet.wording import some_of

if TYPE_CHECKING:
    from depnet.data import Dataset
    from depnet.model import Network
    from depnet.pictures.node.decision import Decision

SHOWN_STATES = 12


def show_node(run: Run, network: "Network", name: str, table: "Dataset | None") -> None:
    """A decision graph: as text, whose long lines stay as they are, or as vertices by number, 0 being the root.

    Of a boosted node: what it reads, and the effects of its inputs.
    """
    from depnet.pictures.node.decision import decision
    from depnet.pictures.node.text import decision_text

    if network.nodes[network.domain.index(name)].boosted:
        _show_boosted(run, network, name, table)
        return
    graph = decision(network, name)
    run.answer(_graph(graph), show=lambda: click.echo(decision_text(graph)))


def _show_boosted(run: Run, network: "Network", name: str, table: "Dataset | None") -> None:
    from depnet.pictures.node.effects import boosted
    from depnet.pictures.node.effects_text import boosted_text

    said = boosted(network, name, table)
    effects = {
        effect.name: [
            {"state": state, "probabilities": mean}
            for state, mean in zip(effect.states, effect.means, strict=True)
        ]
        for effect in said.effects
    }
    document = {
        **(picked(said, "states", "stages", "leaves", node="name") or {}),
        "boosted": True,
        "reads": [one.name for one in said.inputs],
        "inputs": [
            {"variable": one.name, "bits": one.bits, "effects": effects.get(one.name)} for one in said.inputs
        ],
        "means_over": said.measured,
        "mean": said.mean,
        "first_graph": None if said.first is None else _graph(said.first),
    }
    run.answer(document, show=lambda: click.echo(boosted_text(said)))


def _graph(graph: "Decision") -> dict[str, Any]:
    from depnet.pictures.node.decision import Leaf

    vertices = [
        picked(vertex, "rows", "probabilities", leaf="number")
        if isinstance(vertex, Leaf)
        else {"test": vertex.variable, "branches": [picked(b, "states", "to") for b in vertex.branches]}
        for vertex in graph.vertices
    ]
    document = picked(graph, "states", "leaves", "rows", node="name", reads="inputs")
    return {**(document or {}), "vertices": vertices}


def show_links(run: Run, network: "Network", table: "Dataset | None", most: int) -> None:
    """The links by strength, all or with `most` above 0 the first."""
    from depnet.learning.links import links

    found = links(network, table)[: most or None]
    names = ("source", "target", "mutual_information", "conditional_information")
    run.answer(
        {"links": [picked(link, *names, bits="strength") for link in found]}, show=lambda: _show(found)
    )


def _show(found: Any) -> None:
    from depnet.cli.render import bar, show_lines, show_table

    if not found:
        show_lines("no node reads another: the model knows the variables as independent.")
        return
    most = max(found[0].strength, 1e-12)
    rows = [
        [
            link.source,
            link.target,
            f"{link.strength:.4f}",
            "" if link.mutual_information is None else f"{link.mutual_information:.4f}",
            bar(max(link.strength, 0.0) / most),
        ]
        for link in found
    ]
    show_table(["source", "target", "bits a row", "mutual information", ""], rows, left=2, bars=True)


def show_variables(run: Run, network: "Network") -> None:
    from depnet.cli.render import show_table

    variables = network.domain.variables
    rows = [
        [v.name, some_of(list(map(str, v.states)), SHOWN_STATES), f"{v.cardinality:,}"] for v in variables
    ]
    document = {"variables": [picked(variable, "name", "states") for variable in variables]}
    run.answer(document, show=lambda: show_table(["variable", "states", ""], rows, left=2))
