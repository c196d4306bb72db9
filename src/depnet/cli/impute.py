"""`depnet impute`: the holes of a table filled in."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SCAN, SEED, TABLES, Run, choice, command, output
from depnet.cli.table_options import UNKNOWN, text_options
from depnet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from depnet.cli.render import Told
    from depnet.data import Holed
    from depnet.data.files.fill import Chunk
    from depnet.inference.rows.impute import ChunkedImputation


@command("depnet impute model.json holes.csv -o full.csv")
@click.argument("model")
@click.argument("table")
@output(f"The completed table ({TABLES}).  [default: -, CSV]", default="-")
@choice(
    "--method",
    "mode",
    "draw",
    text="The most probable state of each hole, or a draw of a row's holes together.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Fill holes, too, whose column is almost never known beside what the row knows.",
)
@UNKNOWN
@SCAN
@SEED
@JOBS
@text_options
def impute(run: Run, model: str, table: str, method: Any, everything: bool, unknown: str) -> None:
    """Fill the holes of a table, given what each row knows.

    Holes are filled by the law given what their row knows, or with --scan by clamped chains of the network. What was
    there stays as it was, other columns than the model's too. A hole stays where its column is almost never known beside
    what the row knows (a probability under .02): a cause of death of the living does not apply. --all fills these, too.
    """
    from depnet.cli.files import load_asked
    from depnet.cli.render import progress
    from depnet.cli.tables import read_to_fill, source_of, write_filled
    from depnet.data.files.fill import Fillings
    from depnet.inference.rows.impute import ChunkedImputation
    from depnet.inference.rows.to_fill import warn_left

    network = load_asked(model, chains=run.scan is not None)
    rng = run.rng if method == "draw" else run.steady_rng
    filling = ChunkedImputation(
        network,
        method=method,
        everything=everything,
        scan=run.asked_scan,
        rng=rng,
        n_jobs=run.threads,
    )
    with source_of(table) as source:
        holed, unknown_cells, empty = read_to_fill(source, network.domain, unknown=unknown)
        left = empty.sum(axis=0)
        with progress("filling") as told:
            chunks = _chunks(filling, holed, unknown_cells, empty, rng if method == "draw" else None, told)
            write_filled(
                source, Fillings(network.domain.names, holed.rows, chunks), run.place, force=run.force
            )
    left -= empty.sum(axis=0)
    holes = int(empty.sum())
    document = {
        "rows": holed.rows,
        "holes": holes,
        "filled": dict(zip(network.domain.names, empty.sum(axis=0).tolist(), strict=True)),
        "left": dict(zip(network.domain.names, left.tolist(), strict=True)),
        "method": method,
        "converged": filling.converged,
    }
    line = f"{counted(holes, 'hole')} of {counted(holed.rows, 'row')} filled: {run.place}"
    run.answer(document, line)
    warn_left(int(left.sum()), "--all")
    if method == "draw":
        run.say_seed()
    if not filling.converged:
        import warnings

        warnings.warn(
            "some holes' probabilities did not settle; draws may be off.", UserWarning, stacklevel=1
        )


def _chunks(
    filling: "ChunkedImputation",
    holed: "Holed",
    unknown: "NDArray[np.bool_]",
    empty: "NDArray[np.bool_]",
    rng: "np.random.Generator | None",
    told: "Told | None",
) -> "Iterator[Chunk]":
    """What the empty cells get: drawn with `rng`, or expected; `told` hears of the table's rows.

    Cells that stay empty are none of `empty` from then on.
    """
    from depnet.data.files.fill import Chunk

    for rows, found in filling.chunks(holed.codes, unknown, empty):
        empty[rows] &= found.cells.hidden
        how: dict[str, Any] = {"laws": found.cells.probabilities} if rng is None else {"rng": rng}
        chunk = Chunk.of(rows, found.codes, empty[rows], holed.domain, **how)
        del found, how  # before the next chunk has its own
        if told is not None:
            told(int(rows[-1]) + 1, holed.rows)
        yield chunk
