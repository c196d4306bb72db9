"""`depnet sample`: new rows, given what is known."""

from typing import Any

import click

from depnet.cli.command import (
    GIVEN,
    JOBS,
    SCAN,
    SEED,
    TABLES,
    Run,
    command,
    flag,
    number,
    option,
    output,
    progress,
)
from depnet.cli.files import load_network, write_table
from depnet.cli.given import parse


@command("depnet sample model.json -n 1000 --given survived=Yes -o rows.csv")
@click.argument("model")
@number("-n --rows", 10, "How many rows.")
@GIVEN
@output(f"A table ({TABLES}).  [default: -, CSV]", default="-")
@SCAN
@option(
    "--burn-in",
    "With --scan: sweeps before the first row.  [default: by a pilot run]",
    type=click.IntRange(min=0),
)
@option(
    "--thin",
    "With --scan: sweeps between rows of a chain.  [default: by a pilot run]",
    type=click.IntRange(min=1),
)
@flag("--full", "Draw complete rows, with a value in every column.")
@SEED
@JOBS
def sample(
    run: Run,
    model: str,
    rows: int,
    given: tuple[str, ...],
    burn_in: int | None,
    thin: int | None,
    full: bool,
) -> None:
    """Draw new rows from the model, given what is known.

    What is given holds in every row, however rare it is. Numbers are like the table's, and values are missing as often as
    in the table. With --scan, rows come from the paper's simulation instead of the joint model.
    """
    from depnet.data import Dataset
    from depnet.law.limits import MOST_CHAINS
    from depnet.model.evidence import Evidence, draw_holes, narrow_domain, with_all_known
    from depnet.sampling import Sampler

    network = load_network(model, chains=run.scan is not None)
    given_all = parse(given, network.domain) if given else None
    known = Evidence.parse(network.domain, given_all, events=True)
    values = narrow_domain(network.domain, known)
    chained = not network.ordered or run.scan is not None
    if not chained and (burn_in is not None or thin is not None):
        raise click.UsageError(
            "--burn-in and --thin are for chains: use them with --scan, or leave them out."
        )
    sampler = Sampler(
        network,
        scan=run.asked_scan,
        evidence=with_all_known(network, known) if full else known,
        burn_in="auto" if burn_in is None else burn_in,
        thin="auto" if thin is None else thin,
        chains=min(rows, MOST_CHAINS) if chained else "auto",
        rng=run.rng,
        n_jobs=run.jobs,
    )
    with progress("sampling") as tell:
        blocks = (
            Dataset(values, block.codes, values=block.values) for block in sampler.blocks(rows, progress=tell)
        )
        within = None if chained else network.within
        holes = None if full else lambda n: draw_holes(network, known, n, run.rng)
        write_table(blocks, run.place, force=run.force, rng=run.rng, within=within, holes=holes)
    document: dict[str, Any] = {"rows": rows, "of": "chain" if chained else "law"}
    document["scan"] = (run.scan or "random") if chained else None
    for name in ("chains", "burn_in", "thin"):
        document[name] = getattr(sampler.report, name) if chained else None
    run.answer(document)
    run.say_seed()
