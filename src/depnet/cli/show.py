"""`depnet show`: what is in a model; and what `show` and `fit` say of networks alike."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import THEORY, Run, command, flag, option
from depnet.cli.files import load_models, read_training, text_options
from depnet.cli.given import complete_variable
from depnet.wording import Grid, Line, Part, pick, plural, some_of

if TYPE_CHECKING:
    from depnet.data import Dataset, Holed
    from depnet.inference.judge.nearness import Nearness
    from depnet.learning.certificate import Certificate
    from depnet.model import Network, Node
    from depnet.model.mixture import AnyNetwork
    from depnet.model.model import Model
    from depnet.pictures.node.decision import Decision

SHOWN_NODES = 30
SHOWN_NAMES = 8
SHOWN_STATES = 12


@command(
    "depnet show model.json", "depnet show model.json --node survived", "depnet show model.json --links 10"
)
@click.argument("model")
@option("--node", "How one column is predicted, as text.", metavar="NAME", shell_complete=complete_variable)
@option(
    "--links",
    "The links, strongest first: all, or the first N.",
    type=click.IntRange(min=0),
    is_flag=False,
    flag_value=0,
    metavar="[N]",
)
@flag("--law", "Show the joint model, by which questions are answered.")
@flag("--variables", "Every column with its values.")
@option(
    "--data", "The training table: adds proven bounds, and measures the links on its rows.", metavar="TABLE"
)
@THEORY
@text_options
def show(
    run: Run, model: str, node: str | None, links: int | None, law: bool, variables: bool, data: str | None
) -> None:
    """Show what is in a model: a summary, one column, or the links."""
    from depnet.fitting.summary import said_of_mixture
    from depnet.model import Network
    from depnet.model.model import NO_LAW

    if sum((node is not None, links is not None, variables)) > 1:
        raise click.UsageError("--node, --links and --variables are three views: give one of them.")
    loaded = load_models(model)
    if law and loaded.law is None:
        raise click.ClickException(f"{model}: {NO_LAW}")
    network = loaded.network
    if law and loaded.law is not None:
        if not isinstance(loaded.law, Network):
            raise click.ClickException(
                f"{model}: --law shows one network, and the joint model of this file is {said_of_mixture(loaded.law)}. "
                "Leave it out to see how each column is predicted."
            )
        network = loaded.law
    table, whole = read_training(data, network.domain)
    if node is not None:
        _show_node(run, network, node)
    elif links is not None:
        _show_links(run, network, whole, links)
    elif variables:
        _show_variables(run, network)
    else:
        summary = _summary(network, loaded, table, whole)
        run.answer(summary, *_summary_parts(summary, theory=run.theory or data is not None))


def _summary(
    network: "Network", loaded: "Model", table: "Holed | None", whole: "Dataset | None"
) -> dict[str, Any]:
    from depnet.fitting.summary import count_rows, exact_figures, law_nearness, plain_figures, sizes
    from depnet.learning.certificate import law_certificate
    from depnet.learning.links import links
    from depnet.model.model import NO_LAW

    law, names = loaded.law, network.domain.names
    of_network, of_law = (
        law_certificate(each, whole) for each in (None if loaded.alone else loaded.network, law)
    )
    near = None if law is None else law_nearness(law, table)
    return {
        "variables": len(names),
        "nodes": len(network),
        "rows": count_rows(network),
        **sizes(network),
        "links": [pick(link, "source", "target", bits="strength") for link in links(network)[:10]],
        "per_node": [_node(node, names) for node in network.nodes],
        "law": None if law is None else {**law_document(law), **law_proof(of_law)},
        "certificate": network_proof(of_network, "rows"),
        "figures": [*plain_figures(law, near), *([NO_LAW] if law is None else [])],
        "details": [*exact_figures(law), *(each.said for each in (of_law, of_network) if each is not None)],
        "of": "network" if network.order is None else "law",
    }


def _node(node: "Node", names: Sequence[str]) -> dict[str, Any]:
    """What a node reads, with its leaves and smoothing, or the stages of a boosted node."""
    from depnet.model.boosted import BoostedNode

    said = {
        "variable": names[node.variable],
        "states": node.states,
        "reads": [names[j] for j in node.inputs],
    }
    if isinstance(node, BoostedNode):
        return {**said, "leaves": None, "smoothing": None, "stages": len(node.stages)}
    return {**said, "leaves": node.source.size, "smoothing": node.table.smoothing, "stages": None}


def _summary_parts(summary: dict[str, Any], *, theory: bool) -> Iterator[Part]:
    from depnet.fitting.summary import size_text

    rows, nodes = summary["rows"], summary["per_node"]
    learned = "" if rows is None else f"learned from {plural(rows, 'row')}: "
    links = sum(len(node["reads"]) for node in nodes)
    size = f"{plural(summary['variables'], 'column')}, {plural(links, 'link')} between them"
    yield f"{learned}{size}"
    yield from summary["figures"]
    heads = ["column", "predicted from", "values", *(["size"] if theory else [])]
    nodes = sorted(nodes, key=lambda node: -(node["leaves"] or node["stages"] or 0))
    lines = []
    for node in nodes[:SHOWN_NODES]:
        leaves, stages = node["leaves"], node["stages"]
        size = plural(leaves, "leaf", "leaves") if stages is None else plural(stages, "stage")
        line = [node["variable"], some_of(node["reads"], SHOWN_NAMES) or "nothing", f"{node['states']:,}"]
        lines.append([*line, *([size] if theory else [])])
    yield Grid(heads, lines, left=2)
    if len(nodes) > SHOWN_NODES:
        yield Line(f"... and {len(nodes) - SHOWN_NODES:,} simpler columns", "dim")
    strongest = [f"{link['source']} -> {link['target']} {link['bits']:.3f}" for link in summary["links"][:5]]
    if strongest:
        yield f"strongest links, in bits per row: {', '.join(strongest)}"
    if not theory:
        return
    what = {"network": "dependency network", "law": "ordered law"}[summary["of"]]
    yield f"{what}: {size_text(summary)}"
    yield from summary["details"]
    if summary["law"] is not None:
        orders = summary["law"].get("orders", [summary["law"]["order"]])
        yield from (f"order of the law: {some_of(order, SHOWN_NAMES)}" for order in orders)


def _show_node(run: Run, network: "Network", name: str) -> None:
    """A decision graph: as text, or as vertices by number, 0 being the root.

    Of a boosted node: what it reads, and what each input gained.
    """
    from depnet.pictures import boosted, boosted_text, decision, decision_text

    if not network.nodes[network.domain.index(name)].boosted:
        graph = decision(network, name)
        run.answer(_graph(graph), *decision_text(graph, theory=run.theory).splitlines())
        return
    said = boosted(network, name)
    document = {
        **(pick(said, "states", "stages", "leaves", node="name") or {}),
        "boosted": True,
        "reads": [one.name for one in said.inputs],
        "inputs": [pick(one, "bits", variable="name") for one in said.inputs],
        "first_graph": None if said.first is None else _graph(said.first),
    }
    run.answer(document, *boosted_text(said, theory=run.theory).splitlines())


def _graph(graph: "Decision") -> dict[str, Any]:
    from depnet.pictures.node.decision import Leaf

    vertices = [
        pick(vertex, "rows", "probabilities", leaf="number")
        if isinstance(vertex, Leaf)
        else {"test": vertex.variable, "branches": [pick(b, "states", "to") for b in vertex.branches]}
        for vertex in graph.vertices
    ]
    document = pick(graph, "states", "leaves", "rows", node="name", reads="inputs")
    return {**(document or {}), "vertices": vertices}


def _show_links(run: Run, network: "Network", table: "Dataset | None", most: int) -> None:
    """The links by strength, all or with `most` above 0 the first."""
    from depnet.learning.links import links

    found = links(network, table)[: most or None]
    names = ("source", "target", "mutual_information", "conditional_information")
    strongest = max((link.strength for link in found), default=0.0)
    rows = []
    for link in found:
        alone = "" if link.mutual_information is None else f"{link.mutual_information:.4f}"
        rows.append([link.source, link.target, f"{link.strength:.4f}", alone])
    shares = [max(link.strength, 0.0) / max(strongest, 1e-12) for link in found]
    part = Grid(["source", "target", "bits per row", "source alone"], rows, 2, shares)
    none = "no column predicts another: the model treats them as independent."
    document = {"links": [pick(link, *names, bits="strength") for link in found]}
    run.answer(document, part if found else none)


def _show_variables(run: Run, network: "Network") -> None:

    variables = network.domain.variables
    rows = [
        [v.name, some_of(list(map(str, v.states)), SHOWN_STATES), f"{v.cardinality:,}"] for v in variables
    ]
    document = {"variables": [pick(variable, "name", "states") for variable in variables]}
    run.answer(document, Grid(["column", "values", ""], rows, left=2))


def law_document(law: "AnyNetwork") -> dict[str, Any]:
    """What there is to say of the law without rows: its size, order, and held-out rows."""
    from depnet.fitting.summary import sizes
    from depnet.model.mixture import Mixture, components_of

    names = ("rows", "score", "independent", "worth", "sure_shares", "sure_means")
    judged = pick(law.held_out, *names, bits_explained="gained")
    orders = [[law.domain.names[i] for i in part.order or ()] for part in components_of(law)]
    several = {"orders": orders, "weights": [*law.weights]} if isinstance(law, Mixture) else {}
    return {**sizes(law), "order": None if several else orders[0], **several, "held_out": judged}


def law_proof(proven: "Certificate | None") -> dict[str, Any]:
    """How far the law is from the rows, and would be with one leaf a node."""
    return pick(proven, "kl", one_leaf_kl="one_leaf_limit") or {"kl": None, "one_leaf_kl": None}


def network_proof(proven: "Certificate | None", *more: str) -> dict[str, Any] | None:
    """The FC-limit of the dependency network, and with one leaf a node."""
    return pick(proven, "fc_limit", "one_leaf_limit", "no_bound", *more)


def marginals_document(near: "Nearness | None") -> dict[str, Any]:
    """How near the marginals of rows drawn from the law are to the table's, and would be by chance alone."""
    floor = pick(near, one_way="floor_one_way", two_way="floor_two_way")
    return {**(pick(near, "one_way", "two_way", "rows") or {}), "floor": floor}
