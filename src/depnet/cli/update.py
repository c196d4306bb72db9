"""`depnet update`: new rows added to a model's counts."""

import click

from depnet.cli.command import SEED, Run, command, output
from depnet.cli.files import UNKNOWN, WHERE, load_models, read_holed, save_model, text_options
from depnet.files import stamp_of
from depnet.wording import plural


@command("depnet update model.json new.csv -o newer.json", renews="model")
@click.argument("model")
@click.argument("table")
@output("The new model; to replace the old one, give its name and --force.", required=True)
@WHERE
@UNKNOWN
@SEED
@text_options
def update(run: Run, model: str, table: str, where: str | None, unknown: str) -> None:
    """Add the rows of a table to a model's counts.

    Which column is predicted from which stays as it is; fit again to reconsider it. Missing values are drawn, given what
    is known in their row.
    """
    from depnet.inference.imputation import draw_whole

    # Where the new model takes the old one's place, rows that another update has added meanwhile must not be lost.
    since = stamp_of(model) if model != "-" and stamp_of(model) == stamp_of(run.place) else None
    found = load_models(model, layout=True)
    for each in found.networks:
        each.check_updatable("update")
    holed = read_holed(table, found.domain, where=where, handle_unknown=unknown)
    rows = draw_whole(found.asked, holed, rng=run.steady_rng)
    newer = found.updated(rows, holed)
    save_model(newer, run.place, run.force, since)
    counts = newer.counts
    document = {
        "rows_added": holed.total,
        "rows": None if counts is None else counts.total,
        "rows_with_holes": int(holed.hidden.any(axis=1).sum()),
    }
    before = "" if counts is None else f" to {counts.total - holed.total:,}"
    run.answer(
        document,
        f"{plural(holed.total, 'row')} added{before}: {run.place}",
        "which column is predicted from which stays as it was: depnet fit, on all rows, looks again",
    )
