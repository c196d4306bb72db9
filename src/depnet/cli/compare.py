"""`depnet compare`: two models, or a model and a table."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SCAN, SEED, THEORY, Run, command, flag, number, option, progress
from depnet.cli.files import (
    PLOT,
    UNKNOWN,
    WHERE,
    check_table,
    dialect,
    is_model,
    load_models,
    read_holed,
    save_plot,
    save_text,
    text_options,
)
from depnet.wording import pick

if TYPE_CHECKING:
    from depnet.inference.judge.compare import Comparison
    from depnet.model.mixture import AnyNetwork
    from depnet.model.model import Model


@command(
    "depnet compare old.json new.json --data test.csv",
    "depnet compare model.json test.csv",
    "depnet compare model.json table.csv --held-out test.csv --report quality.html",
)
@click.argument("model")
@click.argument("other")
@option("--data", "With two models: score both on these rows.", metavar="TABLE")
@number("--rows", 100_000, "How many rows to draw from each model.")
@PLOT
@option(
    "--report output", "The quality of drawn rows as an HTML page; the table is then what was learned from."
)
@option("--held-out", "For --report: rows that were not learned from.", metavar="TABLE")
@flag("--force", "Replace the picture or the page if it exists.")
@WHERE
@UNKNOWN
@SCAN
@SEED
@JOBS
@THEORY
@text_options
def compare(
    run: Run,
    model: str,
    other: str,
    data: str | None,
    rows: int,
    where: str | None,
    unknown: str,
    plot: str | None,
    held_out: str | None,
) -> None:
    """Compare two models, or a model and a table.

    Shows how well each predicts the other's rows, which links only one of them has, and how far apart the shares of
    values are, for columns and pairs of columns, beside what chance alone would give. With --report, how good rows drawn
    from a model are: shapes, pair trends, detection, distances, disclosure, coverage and utility (docs/compare.md).
    """
    from depnet.cli.score import kind_of
    from depnet.inference.judge.compare import changed_links, compare

    if held_out is not None and run.output is None:
        raise click.UsageError("--held-out is for --report: name the page that is to be written.")
    if run.output is not None and (data is not None or plot is not None or is_model(other)):
        raise click.UsageError(
            "--report is of one model and the table it was learned from, without --data and --plot."
        )
    first = load_models(model)
    if run.output is not None:
        _report(run, first, other, held_out, where)
        return
    options: dict[str, Any] = {
        "rows": rows,
        "scan": run.asked_scan,
        "rng": run.steady_rng,
        "n_jobs": run.jobs,
    }
    if is_model(other):
        second = load_models(other)
        one, two = _alike(first, second, chains=run.scan is not None)
        table = None if data is None else read_holed(data, one.domain, where=where, handle_unknown=unknown)
        gained, lost, kept = changed_links(first.network, second.network)
        found = replace(compare(one, two, table, **options), gained=gained, lost=lost, kept=kept)
    elif data is not None:
        raise click.UsageError("--data is for two models; the table to compare with is the second argument.")
    else:
        one = first.network if run.scan is not None else first.ask()
        found = compare(one, read_holed(other, one.domain, where=where, handle_unknown=unknown), **options)
    save_plot(found, plot)
    kind = kind_of(one)
    names = {"first": model, "second": other, "data": data if is_model(other) else other}
    document = {**_document(found, names), "kind": kind}
    run.answer(document, *found.parts(names, kind if run.theory else None))


def _report(run: Run, model: "Model", real: str, held_out: str | None, where: str | None) -> None:
    """The quality of rows drawn from the model: a page, and what it says first."""
    from contextlib import ExitStack

    from depnet.data.files.read import open_for
    from depnet.inference.judge.quality import quality_of
    from depnet.pictures import quality_report

    if held_out is not None:
        check_table(held_out)
    network = model.network if run.scan is not None else model.ask()
    how: Any = {"where": where, "dialect": dialect()}
    with ExitStack() as opened, progress("reading and comparing"):
        sides = [
            opened.enter_context(open_for(path, network.domain, **how)) for path in (real, held_out) if path
        ]
        found = quality_of(network, *sides, rng=run.steady_rng, weights=run.dialect.get("weights"))
    save_text(quality_report(found, Path(real).name), run.place, run.force)
    each = {
        measure: [{"of": names or None, **beside._asdict()} for names, beside in figures.items()]
        for measure, figures in found.each.items()
    }
    means = {measure: found[measure]._asdict() for measure in found.measures}
    said = pick(found, "rows", "real_rows", "left_out", "notes")
    run.answer({"measures": means, "each": each, **(said or {})}, *found.sentences)


def _alike(first: "Model", second: "Model", *, chains: bool) -> "tuple[AnyNetwork, AnyNetwork]":
    """The laws of both, or the networks where one has no law: scores of different kinds cannot be compared."""
    if not chains and first.law is not None and second.law is not None:
        return first.law, second.law
    if not chains:
        (first if first.law is None else second).ask()  # which says that there is none
    return first.network, second.network


def _document(found: "Comparison", names: dict[str, str | None]) -> dict[str, Any]:
    near = found.marginals
    worst = {ways: far for ways, _, far, _ in near.by_ways()}
    links = {what: getattr(found, what) for what in ("gained", "lost", "kept")}
    return {
        "first": names["first"],
        "second": names["second"],
        "shared_variables": found.shared,
        "differing_variables": found.differing,
        "scores": [pick(s, "rows_of", "by", "mean", "standard_error") for s in found.scores],
        "difference": pick(found.difference, "mean", "standard_error"),
        "links": None
        if found.gained is None
        else {what: [{"source": a, "target": b} for a, b in pairs or ()] for what, pairs in links.items()},
        "marginals": {
            "unit": "total variation",
            "per_variable": dict(zip(near.names, near.singles.tolist(), strict=True)),
            "one_way": {"mean": near.one_way, "worst": worst["1-way"]},
            "two_way": {"mean": near.two_way, "worst": worst.get("2-way", float("nan"))},
            "floor": {"one_way": near.floor_one_way, "two_way": near.floor_two_way},
            "rows": near.rows,
        },
    }
