"""`depnet impute`: the holes of a table filled in."""

from typing import Any

import click

from depnet.cli.command import JOBS, SCAN, SEED, TABLES, Run, choice, command, output
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
    run: Run,
    model: str,
    table: str,
    method: Any,
    unknown: str,
) -> None:
    """Fill the holes of a table, given what each row knows.

    Holes are filled by the law given what their row knows, or with --scan by clamped chains of the network. What was
    there stays as it was, other columns than the model's too.
    """
    import numpy as np

    from depnet.cli.files import load_asked
    from depnet.cli.tables import as_file, read_to_fill, write_filled
    from depnet.data.files.fill import Fillings
    from depnet.inference import impute

    network = load_asked(model, chains=run.scan is not None)
    with as_file(table) as path:
        holed, empty = read_to_fill(path, network.domain, unknown=unknown)
        found = impute(
            network,
            holed.codes,
            holed.hidden,
            method=method,
            scan=run.asked_scan,
            rng=run.rng,
            n_jobs=run.threads,
        )
        drawn = {"rng": run.rng} if method == "draw" else {"laws": found.cells.probabilities}
        fillings = Fillings.of(np.asarray(found.codes), empty, network.domain, **drawn)
        write_filled(path, fillings, run.place, force=run.force)
    filled = dict(zip(network.domain.names, empty.sum(axis=0).tolist(), strict=True))
    holes = int(empty.sum())
    document = {
        "rows": holed.rows,
        "holes": holes,
        "filled": filled,
        "method": method,
        "converged": found.converged,
    }
    line = f"{counted(holes, 'hole')} of {counted(holed.rows, 'row')} filled: {run.place}"
    run.answer(document, line)
    if method == "draw":
        run.say_seed()
    if not found.converged:
        import warnings

        warnings.warn(
            "some holes' probabilities did not settle; draws may be off.", UserWarning, stacklevel=1
        )
