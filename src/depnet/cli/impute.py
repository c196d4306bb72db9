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

    from depnet.cli.progress import Told
    from depnet.data import Holed
    from depnet.data.files.fill import Chunk
    from depnet.inference.rows.chunks import ChunkedImputation


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
    from depnet.cli.files import load_asked
    from depnet.cli.progress import progress
    from depnet.cli.tables import read_to_fill, source_of, write_filled
    from depnet.data.files.fill import Fillings
    from depnet.inference.rows.chunks import ChunkedImputation

    network = load_asked(model, chains=run.scan is not None)
    rng = run.rng if method == "draw" else run.steady_rng
    filling = ChunkedImputation(network, method=method, scan=run.asked_scan, rng=rng, n_jobs=run.threads)
    with source_of(table) as source:
        holed, empty = read_to_fill(source, network.domain, unknown=unknown)
        with progress("filling") as told:
            chunks = _chunks(filling, holed, empty, rng if method == "draw" else None, told)
            write_filled(
                source, Fillings(network.domain.names, holed.rows, chunks), run.place, force=run.force
            )
    filled = dict(zip(network.domain.names, empty.sum(axis=0).tolist(), strict=True))
    holes = int(empty.sum())
    document = {
        "rows": holed.rows,
        "holes": holes,
        "filled": filled,
        "method": method,
        "converged": filling.converged,
    }
    line = f"{counted(holes, 'hole')} of {counted(holed.rows, 'row')} filled: {run.place}"
    run.answer(document, line)
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
    empty: "NDArray[np.bool_]",
    rng: "np.random.Generator | None",
    told: "Told | None",
) -> "Iterator[Chunk]":
    """What the empty cells get: drawn with `rng`, or expected; `told` hears of the table's rows."""
    from depnet.data.files.fill import Chunk

    for rows, found in filling.chunks(holed.codes, holed.hidden, empty):
        how: dict[str, Any] = {"laws": found.cells.probabilities} if rng is None else {"rng": rng}
        chunk = Chunk.of(rows, found.codes, empty[rows], holed.domain, **how)
        del found, how  # before the next chunk has its own
        if told is not None:
            told(int(rows[-1]) + 1, holed.rows)
        yield chunk
