"""`depnet impute`: the holes of a table filled in."""

from typing import Any

import click

from depnet.cli.command import JOBS, SCAN, SEED, command, output
from depnet.cli.table_options import UNKNOWN, text_options
from depnet.wording import counted


@command(
    "depnet impute model.json holes.csv -o full.csv",
)
@click.argument("model")
@click.argument("table")
@output("The completed table (.csv, .tsv, .parquet, .jsonl; .gz).  [default: -, CSV]")
@click.option(
    "--method",
    type=click.Choice(["mode", "draw"]),
    default="mode",
    show_default=True,
    help="The most probable state of each hole, or a draw of a row's holes together.",
)
@UNKNOWN
@SCAN
@SEED
@JOBS
@text_options
def impute(
    model: str,
    table: str,
    output: str | None,
    force: bool,
    method: Any,
    unknown: str,
    scan: str | None,
    seed: int | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Fill the holes of a table, given what each row knows.

    Holes are filled by the law given what their row knows, or with --scan by clamped chains of the network. What was
    there stays as it was, other columns than the model's too.
    """
    from depnet.cli.command import emit, generator, scan_of, threads_of
    from depnet.cli.files import check_output, law_in, load_models
    from depnet.cli.filling import as_file, write_filled
    from depnet.cli.render import show_lines
    from depnet.cli.tables import read_to_fill
    from depnet.inference import impute

    where = "-" if output is None else output
    check_output(where, force)
    loaded = load_models(model)
    network = law_in(loaded) if scan is None else loaded.first
    rng, used = generator(seed)
    with as_file(table) as path:
        holed, empty = read_to_fill(path, network.domain, unknown=unknown)
        found = impute(
            network,
            holed.codes,
            holed.hidden,
            method=method,
            scan=scan_of(scan),
            rng=rng,
            n_jobs=threads_of(jobs),
        )
        write_filled(
            path, found, empty, network.domain, where, force=force, rng=rng if method == "draw" else None
        )
    document = {
        "rows": holed.rows,
        "holes": int(empty.sum()),
        "filled": {
            name: int(count)
            for name, count in zip(network.domain.names, empty.sum(axis=0).tolist(), strict=True)
        },
        "method": method,
        "converged": found.converged,
        "output": where,
        "seed": used,
    }
    if as_json:
        emit(document, err=where == "-")
    elif where != "-":
        show_lines(f"{counted(document['holes'], 'hole')} of {counted(holed.rows, 'row')} filled: {where}")
    if not found.converged:
        import warnings

        warnings.warn(
            "some holes' probabilities did not settle; draws may be off.", UserWarning, stacklevel=1
        )
