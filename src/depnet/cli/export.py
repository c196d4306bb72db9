"""`depnet export`: a model's dependency graph, links or report, in a format that another program reads."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from depnet.cli.command import Run, command, option, output
from depnet.cli.files import load_models, read_training, save_text, text_options

if TYPE_CHECKING:
    from depnet.data import Dataset, Holed
    from depnet.model import Network

FORMATS = ("dot", "graphml", "svg", "html", "csv")
SUFFIXES = {
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
}


@command(
    "depnet export model.json -o graph.svg",
    "depnet export model.json -o report.html",
    "depnet export model.json --format dot | neato -Tpdf > graph.pdf",
)
@click.argument("model")
@output("graph.dot, .gv, .graphml, .svg, report.html or links.csv.  [default: -]", default="-")
@option(
    "--format wanted",
    "dot, graphml, svg: the dependency graph; html: a report; csv: the links.  [default: by the suffix]",
    type=click.Choice(FORMATS),
)
@option("--min-bits", "Only links of at least this strength.", type=click.FloatRange(min=0))
@option("--data", "The training table: strengths are measured on its rows.", metavar="TABLE")
@text_options
def export(run: Run, model: str, wanted: str | None, min_bits: float | None, data: str | None) -> None:
    """Write the dependency graph, its links or a report to a file."""
    form = wanted or SUFFIXES.get(Path(run.place).suffix.lower())
    if form is None:
        unclear = (
            "standard output has no format" if run.place == "-" else f"{run.place}: its suffix is no format's"
        )
        raise click.UsageError(f"{unclear}. Give --format {'|'.join(FORMATS)}.")
    if form == "html" and min_bits is not None:
        raise click.UsageError("--min-bits is for the graph and the links; the report shows all.")
    loaded = load_models(model)
    table, whole = read_training(data, loaded.domain)
    text = _text(loaded.network, loaded.law, form, min_bits, table, whole)
    save_text(text, run.place, run.force)
    run.answer({"format": form, "bytes": len(text.encode())})


def _text(
    network: "Network",
    law: "Network | None",
    form: str,
    min_bits: float | None,
    table: "Holed | None",
    whole: "Dataset | None",
) -> str:
    from depnet.learning.links import links

    found = [link for link in links(network, whole) if min_bits is None or link.strength >= min_bits]
    if form == "csv":
        from depnet.pictures import links_csv

        return links_csv(found)
    if form == "html":
        from depnet.pictures import html_report

        return html_report(network, table, law=law)
    from depnet.pictures import dependency_graph, to_dot, to_graphml, to_svg

    draw = {"dot": to_dot, "graphml": to_graphml, "svg": to_svg}[form]
    return draw(dependency_graph(network, whole, found=found))
