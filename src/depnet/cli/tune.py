"""`depnet tune`: which penalty and smoothing suit a table, by rows held out."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, Run, command, flag, number, option
from depnet.cli.table_options import learning_options, new_table_options, text_options

if TYPE_CHECKING:
    from depnet.cli.table_options import NewTable
    from depnet.learning.auto import Tuning


@command("depnet tune table.csv")
@click.argument("table")
@option("--validation", "Score on these rows instead of rows held out.", metavar="TABLE")
@number("--smoothing", 0.5, "The unit of the smoothings tried.", least=0, open_ended=True)
@flag("--all whole", "Try every penalty, even where scores no longer get better.")
@new_table_options
@learning_options
@SEED
@JOBS
@text_options
def tune(
    run: Run,
    table: str,
    validation: str | None,
    smoothing: float,
    whole: bool,
    chosen: "NewTable",
    learning: dict[str, Any],
) -> None:
    """Find the penalty and smoothing that predict best.

    Tries the penalties of `fit --penalty auto`, from strict to generous. A score says how well rows that the candidate has
    not seen are predicted (the pseudo-log-likelihood, in nats a row). Missing values are filled in first, as `fit` does.
    """
    from depnet.cli.files import read_holed, whole_rows
    from depnet.cli.render import progress
    from depnet.fitting.fit import QUICK, FitOptions, fit_network
    from depnet.learning.auto import tune
    from depnet.learning.penalty import LADDER, Auto

    holed = chosen.read(table)
    rng = run.steady_rng
    options = FitOptions(
        penalty=QUICK, smoothing=smoothing, missing=chosen.missing, n_jobs=run.jobs, **learning
    )
    options = options.within(None)  # the time is that of the trials
    with progress("completing") as told:
        total = options.rounds + len(holed.domain)
        ahead = None if told is None else lambda done: told(done, total)
        rows = holed.dataset() if holed.complete else fit_network(holed, options, rng, ahead).dataset
    judges = None
    if validation is not None:
        judges = whole_rows(validation, read_holed(validation, rows.domain), "scored")
        if judges is None:
            raise click.ClickException(
                f"{validation}: every row has a hole; complete them first (depnet impute)."
            )
    with progress("trials") as told:
        found = tune(
            rows,
            auto=Auto(patience=len(LADDER)) if whole else Auto(),
            smoothing=smoothing,
            validation=judges,
            n_jobs=run.jobs,
            progress=told,
            **learning,
        )
    document = {**_document(found, rows.total), "holes": int(holed.hidden.sum())}
    run.answer(document, show=lambda: _show(found))


def _document(found: "Tuning", rows: int) -> dict[str, Any]:
    penalty, smoothing = found.choice.pooled
    return {
        "rows": rows,
        "held_out": found.held_out,
        "unit": "nats per held-out row",
        "smoothings": found.smoothings,
        "ladder": [
            {"penalty": repr(p), "leaves": leaves, "scores": scores}
            for p, leaves, scores in zip(found.penalties, found.leaves, found.scores.tolist(), strict=True)
        ],
        "choice": {
            "penalty": repr(penalty),
            "smoothing": smoothing,
            "score": float(found.scores[found.best]),
            "nodes_of_their_own": found.own,
        },
    }


def _show(found: "Tuning") -> None:
    from depnet.cli.render import show_lines, show_table
    from depnet.learning.penalty import StructuralMdl

    def name(penalty: object) -> str:  # shorter than its repr
        if isinstance(penalty, StructuralMdl):
            return f"structural-mdl (splits x {penalty.split_factor:g}, {penalty.parameters!r})"
        return repr(penalty)

    scores = [[f"{score:.4f}" for score in row] for row in found.scores.tolist()]
    rung, column = found.best
    scores[rung][column] = f"*{scores[rung][column]}"
    rungs = zip(found.penalties, found.leaves, scores, strict=True)
    rows = [[name(penalty), f"{leaves:,}", *cells] for penalty, leaves, cells in rungs]
    title = f"how well {found.held_out:,} rows held back are predicted (pseudo-log-likelihood, nats a row), by smoothing"
    show_table(["penalty", "leaves", *(f"{s:g}" for s in found.smoothings)], rows, title=title)
    penalty, smoothing = found.choice.pooled
    own = f"; {found.own:,} columns surely better off with their own" if found.own else ""
    show_lines(f"choice: {name(penalty)}, smoothing {smoothing:g}{own}")
