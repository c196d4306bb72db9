"""`depnet query`: what is likely, given what is known."""

import warnings
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import (
    GIVEN,
    SCAN,
    SEED,
    THEORY,
    Run,
    choice,
    command,
    flag,
    names_of,
    option,
    output,
)
from depnet.cli.files import (
    PLOT,
    load_network,
    read_beside,
    read_known,
    save_plot,
    text_options,
    write_numbers,
    write_table,
)
from depnet.cli.given import check_targets, complete_variable, parse
from depnet.wording import Grid, pick, some_of

if TYPE_CHECKING:
    from depnet.model.mixture import AnyNetwork


@command(
    "depnet query model.json survived --given sex=female,class=1st",
    "depnet query model.json 'age > 30' --given class=1st",
    "depnet query model.json survived --by class,sex --data titanic.csv",
    "depnet query model.json survived --by class,sex --data titanic.csv --plot survived.png",
    "depnet query model.json survived --each people.csv --given 'age>30' -o probabilities.csv",
)
@click.argument("model")
@click.argument("targets", nargs=-1, required=True, shell_complete=complete_variable)
@GIVEN
@option(
    "--do",
    "Set a column, column=value, in a model that was fitted with your --order of causes.",
    multiple=True,
)
@flag("--joint", "One table of all targets together, not one for each.")
@choice(
    "--method", "auto", "exact", "sample", "clamped", "bayes",
    text="auto: exactly or by simulated rows, whichever is quicker; clamped, bayes: as in the paper (docs/theory.md).",
)  # fmt: skip
@option(
    "--tolerance",
    "Sample until standard errors are below this.",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.002,
)
@option(
    "--max-seconds",
    "Stop sampling after this many seconds, and say so; inf: never.  [default: 10; with --each inf]",
    type=click.FloatRange(0, min_open=True),
)
@option(
    "--data", "The training table: its own shares are shown, and combined with the answer.", metavar="TABLE"
)
@flag("--hide-small", "Do not show counts of fewer than 5 rows, nor what would give them away.")
@flag("--bins", "For numbers, also show the probabilities of their bins.")
@option(
    "--each", "Answer for every row of a table; empty cells and missing columns are unknown.", metavar="TABLE"
)
@option("--by", "Answer for every combination of these columns, as a group-by does.", metavar="COLUMN,...")
@PLOT
@output("With --each or --by: a table of the answers.  [default of --each: -, CSV]")
@SCAN
@THEORY
@SEED
@text_options
def query(
    run: Run,
    model: str,
    targets: tuple[str, ...],
    given: tuple[str, ...],
    joint: bool,
    method: Any,
    tolerance: float,
    max_seconds: float | None,
    data: str | None,
    hide_small: bool,
    each: str | None,
    by: str | None,
    bins: bool,
    plot: str | None,
    do: tuple[str, ...],
) -> None:
    """Ask what is likely, given what is known.

    Shows how probable the values of the TARGETS are, each with a range that is 90 % sure to hold the true share in the
    population the rows come from. A target is a column, or a condition such as 'income > 50000'. For a number you get the
    mean, the median and the range of nine in ten values, with --bins its bins too. With --data, the table's own answer joins
    in: with many matching rows the answer is the table's, with few the model's. Both are shown.
    """
    from depnet.doors.documents import answer_document
    from depnet.inference.answer.question import SECONDS
    from depnet.inference.answer.shown import parts_of, without_small_counts
    from depnet.inference.ask.query import query

    if each is not None:
        if do or joint or data is not None or hide_small or method != "auto" or by or plot:
            raise click.UsageError(
                "--each cannot be used with --do, --joint, --method, --data, --by, --plot or --hide-small."
            )
        network = load_network(model, chains=run.scan is not None)
        known = parse(given, network.domain)
        how = {"scan": run.asked_scan, "tolerance": tolerance, "max_seconds": max_seconds, "evidence": known}
        _query_each(run, network, targets, each, **how)
        return
    if by is not None:
        if joint or do or hide_small or method != "auto" or run.scan is not None or len(targets) > 1:
            raise click.UsageError(
                "--by takes one target, and cannot be used with --do, --joint, --method, --scan or --hide-small."
            )
        _query_by(run, model, targets[0], by, given, tolerance, data, plot)
        return
    if run.output is not None:
        raise click.UsageError("-o is for --each and --by; otherwise the answer is on standard output.")
    network = load_network(model, chains=run.scan is not None or method in ("clamped", "bayes"))
    known = parse(given, network.domain)
    check_targets(targets, network.domain, known)
    result = query(
        network,
        list(targets),
        known,
        scan=run.asked_scan,
        joint=joint,
        method=method,
        tolerance=tolerance,
        max_seconds=SECONDS if max_seconds is None else max_seconds,
        data=read_beside(data, network),
        rng=run.steady_rng,
        do=parse(do, network.domain),
    )
    if hide_small:
        result = without_small_counts(result)
    save_plot(result, plot)
    run.answer(
        answer_document(result) if run.as_json else {}, *parts_of(result, bins=bins, theory=run.theory)
    )


def _query_by(
    run: Run,
    model: str,
    target: str,
    by: str,
    given: tuple[str, ...],
    tolerance: float,
    data: str | None,
    plot: str | None,
) -> None:
    """Show, or write, a row for each combination of some columns."""
    from depnet.doors.documents import plain
    from depnet.inference import query_by

    law = load_network(model, chains=False)
    rows = read_beside(data, law)
    known = parse(given, law.domain)
    found = query_by(law, target, names_of(by), known, tolerance=tolerance, data=rows, rng=run.steady_rng)
    save_plot(found, plot)
    columns = found.columns()
    groups = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if run.output is not None:
        write_table(groups, run.place, force=run.force)
    cells = [[_cell(name, value) for name, value in group.items()] for group in groups]
    left = len(found.by) + (target in columns)
    document = {"target": target, "by": found.by, "groups": [plain(group) for group in groups]}
    run.answer(document, Grid(list(columns), cells, left=left))


def _cell(name: str, value: Any) -> str:
    """A value of a table of groups, for people."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:,.4g}"
    return f"{value:,}" if name == "rows" else str(value)


def _query_each(
    run: Run, network: "AnyNetwork", targets: tuple[str, ...], table: str, **options: Any
) -> None:
    """Write the probabilities of the targets in each row, and means of numbers; the table's own targets are not looked at.

    It need not have all of the model's columns: what it lacks is unknown, which is said.
    """
    from depnet.inference import query_rows
    from depnet.inference.answer.rows import METHODS
    from depnet.inference.answer.target import targets_of

    run.output = run.output or "-"
    rates = None if network.counts is None else network.counts.missing_rates
    asked = targets_of(network.domain, targets, rates)
    if asked[0].event is not None:
        raise click.UsageError(
            f"--each takes columns, and conditions on one column; {targets[0]!r} is about several: see depnet sql."
        )
    names = list(dict.fromkeys(network.domain.names[target.index] for target in asked))
    codes, lacking = read_known(table, network.domain, tuple(names))
    lacking = [name for name in lacking if name not in (options["evidence"] or {})]
    if lacking:
        said = f"{table}: unknown in all rows, since there is no such column: {some_of(lacking)}."
        warnings.warn(said, UserWarning, stacklevel=2)
    result = query_rows(network, codes, rng=run.steady_rng, targets=names, **options)
    columns = {}
    for target, text in zip(asked, targets, strict=True):
        laws, levels = result.probabilities[network.domain.names[target.index]], target.variable.levels()
        if target.inside is not None or not target.given_known:
            columns[text] = target.shares(laws)[:, 1]
            continue
        if levels is not None and levels.kind not in ("date", "datetime", "duration", "time"):
            columns[f"mean of {text}"] = target.shares(laws) @ levels.means()
        states = network.domain.variables[target.index].states
        columns |= {f"{text}={state}": laws[:, code] for code, state in enumerate(states)}
    write_numbers(columns, run.output, force=run.force)
    methods = {name: int((result.method == at).sum()) for at, name in enumerate(METHODS)}
    document = {"targets": targets, "rows": len(result.method), "methods": methods}
    converged = bool(result.converged.all())
    run.answer({**document, "converged": converged, **(pick(result, "tolerance", "seconds") or {})})
