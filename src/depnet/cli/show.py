"""`depnet show`: what is in a model."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import VERBOSE, Run, command, picked
from depnet.cli.completion import complete_variable
from depnet.cli.table_options import text_options
from depnet.wording import counted, some_of

if TYPE_CHECKING:
    from depnet.data import Dataset, Holed
    from depnet.learning.certificate import Certificate
    from depnet.model import Network, Node
    from depnet.model.model import Model

OF_WHOLE_ROWS = "certificates and strengths are"

SHOWN_NODES = 30
SHOWN_NAMES = 8
MOST_VARIABLES = 1000
"""Of wider models, one-sided links are left out: finding out whether evidence is carried takes n^2 steps."""


@command(
    "depnet show model.json",
    "depnet show model.json --node survived",
    "depnet show model.json --links 10",
)
@click.argument("model")
@click.option(
    "--node", metavar="NAME", shell_complete=complete_variable, help="One variable's decision graph, as text."
)
@click.option(
    "--links",
    type=click.IntRange(min=0),
    is_flag=False,
    flag_value=0,
    metavar="[N]",
    help="Links by strength, all or the first N.",
)
@click.option("--law", is_flag=True, help="Of the ordered law, not of the dependency network.")
@click.option("--variables", is_flag=True, help="Every variable with its states.")
@click.option(
    "--data", metavar="TABLE", help="The training table: shows the certificate, and exact strengths."
)
@VERBOSE
@text_options
def show(
    run: Run,
    model: str,
    node: str | None,
    links: int | None,
    law: bool,
    variables: bool,
    data: str | None,
) -> None:
    """What is in a model: a summary, a node, or its links."""
    from depnet.cli.files import load_models
    from depnet.cli.show_parts import show_links, show_node, show_variables
    from depnet.cli.tables import read_holed, whole_rows

    if sum((node is not None, links is not None, variables)) > 1:
        raise click.UsageError("--node, --links and --variables are three views: give one of them.")
    loaded = load_models(model)
    if law and loaded.law is None:
        from depnet.model.model import NO_LAW

        raise click.ClickException(f"{model}: {NO_LAW}")
    network = loaded.law if law and loaded.law is not None else loaded.network
    table = None if data is None else read_holed(data, network.domain)
    whole = None if data is None or table is None or variables else whole_rows(data, table, OF_WHOLE_ROWS)
    if node is not None:
        show_node(run, network, node, whole)
    elif links is not None:
        show_links(run, network, whole, links)
    elif variables:
        show_variables(run, network)
    else:
        summary = _summary(network, loaded, table, whole)
        run.answer(summary, show=lambda: _show_summary(summary, verbose=run.verbose or data is not None))


def _summary(
    network: "Network", loaded: "Model", table: "Holed | None", whole: "Dataset | None"
) -> dict[str, Any]:
    from depnet.cli.model_documents import law_document, law_proof, network_proof, sizes
    from depnet.fitting.summary import rows_learned
    from depnet.learning.certificate import certificate
    from depnet.learning.links.links import links

    law, names = loaded.law, network.domain.names
    proven = None if whole is None or loaded.network is law else certificate(loaded.network, whole)
    of_law = None if whole is None or law is None else certificate(law, whole)
    return {
        "variables": len(names),
        "nodes": len(network),
        "rows": rows_learned(network),
        "leaves": sizes(network)["leaves"],
        "boosted": sizes(network)["boosted"],
        "links": [picked(link, "source", "target", bits="strength") for link in links(network)[:10]],
        "one_sided_links": _one_sided(network),
        "per_node": [
            {
                "variable": names[node.variable],
                "states": node.states,
                "reads": [names[j] for j in node.inputs],
                **_of_node(node),
            }
            for node in network.nodes
        ],
        "law": None if law is None else {**law_document(law), **law_proof(of_law)},
        "certificate": network_proof(proven, "rows"),
        **_figures(loaded, table, of_law, proven),
        "of": "network" if network.order is None else "law",
    }


def _of_node(node: "Node") -> dict[str, Any]:
    """Leaves and smoothing, or the stages of a boosted node."""
    from depnet.model.boosted import BoostedNode

    if isinstance(node, BoostedNode):
        return {"leaves": None, "smoothing": None, "stages": len(node.stages)}
    return {"leaves": node.source.size, "smoothing": node.table.smoothing, "stages": None}


def _figures(
    loaded: "Model",
    table: "Holed | None",
    of_law: "Certificate | None",
    of_network: "Certificate | None",
) -> dict[str, list[str]]:
    """What the law predicts and how near it is; and, in detail, the same in bits and what is proven of both networks."""
    from depnet.fitting.explained import exact_figures, law_nearness, plain_figures
    from depnet.model.model import NO_LAW

    near = None if loaded.law is None else law_nearness(loaded.law, table)
    proven = [each.said for each in (of_law, of_network) if each is not None]
    lacks = [NO_LAW] if loaded.law is None else []
    return {
        "figures": [*plain_figures(loaded.law, near), *lacks],
        "details": [*exact_figures(loaded.law), *proven],
    }


def _one_sided(network: "Network") -> list[Any] | None:
    from depnet.model.links import one_sided_links

    if len(network.domain) > MOST_VARIABLES or network.order is not None:
        return None
    return [picked(link, "reader", "source", "carried") for link in one_sided_links(network)]


def _show_summary(summary: dict[str, Any], *, verbose: bool) -> None:
    from depnet.cli.model_documents import size_said
    from depnet.cli.render import show_lines, show_table

    rows = summary["rows"]
    what = {"network": "dependency network", "law": "ordered law"}[summary["of"]]
    learned = "" if rows is None else f"learned from {counted(rows, 'row')}: "
    show_lines(
        f"{learned}{counted(summary['variables'], 'variable')}, {size_said(summary)} ({what})",
        *summary["figures"],
        *(summary["details"] if verbose else ()),
    )
    nodes = sorted(summary["per_node"], key=lambda node: -(node["leaves"] or node["stages"] or 0))
    show_table(
        ["node", "reads", "states", "leaves"],
        [
            [
                node["variable"],
                some_of(node["reads"], SHOWN_NAMES) or "nothing",
                f"{node['states']:,}",
                f"{node['leaves']:,}" if node["stages"] is None else counted(node["stages"], "stage"),
            ]
            for node in nodes[:SHOWN_NODES]
        ],
        left=2,
    )
    if len(nodes) > SHOWN_NODES:
        show_lines(f"... and {len(nodes) - SHOWN_NODES:,} nodes with fewer leaves", style="dim")
    strongest = ", ".join(
        f"{link['source']} -> {link['target']} {link['bits']:.3f}" for link in summary["links"][:5]
    )
    if strongest:
        show_lines(f"strongest links, bits a row: {strongest}")
    one_sided = summary["one_sided_links"]
    if one_sided:
        some = some_of([f"{link['source']} -> {link['reader']}" for link in one_sided], SHOWN_NAMES)
        show_lines(f"one-sided links ({len(one_sided):,}), evidence goes one way: {some}")
    if summary["law"] is not None:
        some = some_of(summary["law"]["order"], SHOWN_NAMES)
        show_lines(f"order of the law: {some}")
