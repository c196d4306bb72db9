"""`depnet export`: a model's dependency graph, links, report or law, in a format that another program reads."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from depnet.cli.command import Run, command, option, output
from depnet.cli.files import dialect, load_models, read_training, save_text, text_options

if TYPE_CHECKING:
    from depnet.data import Dataset, Holed
    from depnet.model.model import Model

FORMATS = ("dot", "graphml", "svg", "png", "pdf", "html", "csv", "bif")
SUFFIXES = {**{f".{form}": form for form in FORMATS}, ".gv": "dot", ".htm": "html"}


@command(
    "depnet export model.json -o graph.svg",
    "depnet export model.json -o report.html --data table.csv",
    "depnet export model.json -o graph.pdf                   # or .png, with matplotlib",
    "depnet export model.json -o law.bif                     # for other programs, of a law that reads little",
)
@click.argument("model")
@output(
    "graph.svg, .png, .pdf, .dot, .gv, .graphml, report.html, links.csv or law.bif.  [default: -]",
    default="-",
)
@option(
    "--format wanted",
    "svg, png, pdf, dot, graphml: the graph; html: a report; csv: links; bif: the joint model.  [default: by the suffix]",
    type=click.Choice(FORMATS),
)
@option("--min-bits", "Only links of at least this strength.", type=click.FloatRange(min=0))
@option("--data", "The training table: strengths are measured on its rows.", metavar="TABLE")
@text_options
def export(run: Run, model: str, wanted: str | None, min_bits: float | None, data: str | None) -> None:
    """Write the graph, links, a report or the joint model."""
    form = wanted or SUFFIXES.get(Path(run.place).suffix.lower())
    if form is None:
        unclear = (
            "standard output has no format" if run.place == "-" else f"{run.place}: its suffix is no format's"
        )
        raise click.UsageError(f"{unclear}. Give --format {'|'.join(FORMATS)}.")
    if form == "html" and min_bits is not None:
        raise click.UsageError("--min-bits is for the graph and the links; the report shows all links.")
    loaded = load_models(model)
    table, whole = read_training(data, loaded.domain)
    left_out: list[str] = []
    if form == "html" and data is not None:
        from depnet.data.files.read import Request, open_file

        with open_file(data, Request(dialect=dialect())) as opened:
            left_out = [name for name in opened.names if name not in loaded.domain.names]
    title = Path(model if data is None else data).name
    text = _text(loaded, form, min_bits, table, whole, title, left_out)
    save_text(text, run.place, run.force)
    run.answer({"format": form, "bytes": len(text.encode() if isinstance(text, str) else text)})


def _text(
    model: "Model",
    form: str,
    min_bits: float | None,
    table: "Holed | None",
    whole: "Dataset | None",
    title: str,
    left_out: list[str],
) -> str | bytes:
    from depnet import pictures
    from depnet.learning.links import links
    from depnet.model.file.bif import encode_bif

    network = model.network
    if form == "bif":
        return encode_bif(model)
    if form == "html":
        return pictures.html_report(network, table, law=model.law, title=title, left_out=left_out)
    found = [link for link in links(network, whole) if min_bits is None or link.strength >= min_bits]
    if form == "csv":
        return pictures.links_csv(found)
    graph = pictures.dependency_graph(network, whole, found=found)
    if form in ("svg", "png", "pdf"):
        svg = pictures.to_svg(graph)
        return svg if form == "svg" else pictures.to_image(svg, form)  # type: ignore[arg-type]  # one of these
    return pictures.to_dot(graph) if form == "dot" else pictures.to_graphml(graph)
