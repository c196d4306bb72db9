"""`depnet impute`: the holes of a table filled in."""

from typing import Any

import click

from depnet.cli.command import JOBS, SCAN, SEED, TABLES, choice, command, output
from depnet.cli.table_options import UNKNOWN, text_options
from depnet.wording import counted


@command(
    "depnet impute model.json holes.csv -o full.csv",
)
@click.argument("model")
@click.argument("table")
@output(f"The completed table ({TABLES}).  [default: -, CSV]", default="-")
@choice(
    "--method",
    "mode",
    "draw",
    text="The most probable state of each hole, or a draw of a row's holes together.",
)
@UNKNOWN
@SCAN
@SEED
@JOBS
@text_options
def impute(
    model: str,
    table: str,
    output: str,
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
    import numpy as np

    from depnet.cli.command import answer, generator, scan_of, threads_of
    from depnet.cli.files import check_output, load_asked
    from depnet.cli.tables import as_file, read_to_fill, write_filled
    from depnet.data.files.fill import Fillings
    from depnet.inference import impute

    check_output(output, force)
    network = load_asked(model, chains=scan is not None)
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
        drawn = {"rng": rng} if method == "draw" else {"laws": found.cells.probabilities}
        fillings = Fillings.of(np.asarray(found.codes), empty, network.domain, **drawn)
        write_filled(path, fillings, output, force=force)
    filled = dict(zip(network.domain.names, empty.sum(axis=0).tolist(), strict=True))
    holes = int(empty.sum())
    document = {
        "rows": holed.rows,
        "holes": holes,
        "filled": filled,
        "method": method,
        "converged": found.converged,
        "output": output,
        "seed": used,
    }
    line = f"{counted(holes, 'hole')} of {counted(holed.rows, 'row')} filled: {output}"
    answer(as_json, document, line, output=output)
    if not found.converged:
        import warnings

        warnings.warn(
            "some holes' probabilities did not settle; draws may be off.", UserWarning, stacklevel=1
        )
