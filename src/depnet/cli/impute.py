"""`depnet impute`: the missing values of a table filled in."""

import warnings
from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SCAN, SEED, TABLES, Run, choice, command, flag, output, progress
from depnet.cli.files import UNKNOWN, check_table, dialect, format_of, load_network, text_options
from depnet.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from depnet.data import Holed
    from depnet.inference.imputation import ChunkedImputation
    from depnet.threads import Tell


@command("depnet impute model.json holes.csv -o full.csv")
@click.argument("model")
@click.argument("table")
@output(f"The completed table ({TABLES}).  [default: -, CSV]", default="-")
@choice(
    "--method",
    "mode",
    "draw",
    text="mode: the most probable value; draw: values drawn at random, together for each row.",
)
@flag("--all everything", "Also fill in columns that almost never have a value in such rows.")
@UNKNOWN
@SCAN
@SEED
@JOBS
@text_options
def impute(run: Run, model: str, table: str, method: Any, everything: bool, unknown: str) -> None:
    """Fill in missing values, given the rest of each row.

    Everything else in the table stays as it was, including columns that the model does not have. A cell stays empty if
    rows like it almost never have a value there (a probability under .02): the living have no cause of death. --all fills
    these in, too. With --scan, the paper's simulation is used instead of the joint model.
    """
    from depnet.data.files.fill import Fillings, fill_file
    from depnet.data.files.read import read_for
    from depnet.data.files.source import find_source
    from depnet.files import scratch_folder
    from depnet.inference.imputation import ChunkedImputation, open_holes, warn_left

    network = load_network(model, chains=run.scan is not None)
    rng = run.rng if method == "draw" else run.steady_rng
    how: dict[str, Any] = {"method": method, "everything": everything, "scan": run.asked_scan}
    filling = ChunkedImputation(network, **how, rng=rng, n_jobs=run.threads)
    check_table(table)
    with scratch_folder() as scratch:
        # Once for reading and copying: standard input is kept, a workbook read.
        source = find_source(table, scratch)
        with progress("reading") as tell:
            how = {"handle_unknown": unknown, "dialect": dialect(), "progress": tell}
            holed, strange = read_for(source, network.domain, **how)
        holes = open_holes(holed)
        empty = holes.copy()
        for i, rows in strange.items():  # with --unknown missing, not empty in the file
            empty[rows, i] = False
        left = empty.sum(axis=0)
        with progress("filling") as tell:
            chunks = _chunks(filling, holed, holes, empty, rng if method == "draw" else None, tell)
            fillings = Fillings(network.domain.names, holed.rows, chunks)
            kind = format_of(run.place)
            fill_file(source, fillings, run.place, force=run.force, format=kind, dialect=dialect())
    left -= empty.sum(axis=0)
    filled = int(empty.sum())
    document = {
        "rows": holed.rows,
        "holes": filled,
        "filled": dict(zip(network.domain.names, empty.sum(axis=0).tolist(), strict=True)),
        "left": dict(zip(network.domain.names, left.tolist(), strict=True)),
        "method": method,
        "converged": filling.converged,
    }
    rows_said = plural(holed.rows, "row")
    run.answer(document, f"{plural(filled, 'missing value')} filled in, in {rows_said}: {run.place}")
    warn_left(int(left.sum()), "--all")
    if method == "draw":
        run.say_seed()
    if not filling.converged:
        said = "the probabilities of some missing values did not settle; what was drawn may be off."
        warnings.warn(said, UserWarning, stacklevel=1)


def _chunks(
    filling: "ChunkedImputation",
    holed: "Holed",
    unknown: "NDArray[np.bool_]",
    empty: "NDArray[np.bool_]",
    rng: "np.random.Generator | None",
    tell: "Tell | None",
) -> "Iterator[dict[int, dict[int, str]]]":
    """The values of the empty cells, drawn with `rng` or expected; `tell` is called with the rows done.

    Cells that stay empty are none of `empty` from then on.
    """
    from depnet.data.files.fill import filled_cells
    from depnet.inference.kept import keep_filled

    for rows, found in filling.chunks(holed.codes, unknown, empty):
        empty[rows] &= found.cells.hidden
        how: dict[str, Any] = {"laws": found.cells.probabilities} if rng is None else {"rng": rng}
        values = None if holed.values is None else holed.values.rows_of(rows)
        codes, how["numbers"] = keep_filled(filling.network, found.codes, found.cells.hidden, values, **how)
        chunk = filled_cells(rows, codes, empty[rows], holed.domain, **how)
        del found, how  # before the next chunk has its own
        if tell is not None:
            tell(int(rows[-1]) + 1, holed.rows)
        yield chunk
