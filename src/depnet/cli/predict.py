"""`depnet predict`: a column of new rows, from a table or a model."""

from typing import TYPE_CHECKING, Any

import click

from depnet.cli.command import JOBS, SEED, TABLES, Run, command, option, output, this_run
from depnet.cli.files import (
    UNKNOWN,
    check_table,
    dialect,
    is_model,
    load_network,
    read_known,
    text_options,
    write_table,
)
from depnet.cli.fit import KINDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from depnet.data.files.read import Request

ENDS = (0.05, 0.95)
"""Where nine in ten numbers lie between."""


@command(
    "depnet predict table.csv churn --rows new.csv -o predictions.csv",
    "depnet predict table.csv price -o filled.csv           # rows of the table in which it is missing",
    "depnet predict model.json price --rows new.csv         # from a model that was fitted before",
)
@click.argument("learned", metavar="TABLE_OR_MODEL")
@click.argument("target", metavar="COLUMN")
@option(
    "--rows new_rows",
    "The rows to predict.  [default: those of TABLE in which COLUMN is missing]",
    metavar="TABLE",
)
@output(f"A table of the predictions ({TABLES}).", default="-")
@KINDS
@UNKNOWN
@SEED
@JOBS
@text_options
def predict(
    run: Run, learned: str, target: str, new_rows: str | None, kinds: dict[str, Any], unknown: str
) -> None:
    """Predict a column of new rows from the others.

    For a category you get the most probable value and how probable each is; for a number its mean, and a range that holds
    nine in ten such values ("low" to "high"). Given a TABLE, it is learned on the spot for this column alone, by boosting,
    which predicts best; it uses the columns that TABLE and the rows both have. A MODEL that was fitted before is quicker.
    """
    if is_model(learned):
        if new_rows is None:
            raise click.UsageError(f"{learned} is a model: name the rows to predict with --rows TABLE.")
        if kinds:
            raise click.UsageError(
                f"--kind is for a table; {learned} is a model, which knows what its columns are."
            )
        numbers, found = _from_model(run, learned, target, new_rows, unknown)
    else:
        numbers, found = _from_table(run, learned, target, new_rows, unknown, kinds)
    columns = [numbers, *map(_round, found.values())]
    table = [dict(zip(("row", *found), values, strict=True)) for values in zip(*columns, strict=True)]
    write_table(table, run.place, force=run.force)
    run.answer({"rows": len(table), "columns": list(found)}, f"predicted {target} in {len(table):,} rows")


def _from_model(run: Run, model: str, target: str, rows: str, unknown: str) -> "tuple[Any, dict[str, Any]]":
    """The numbers of the rows, and the columns of predictions: by the model's law, whatever a row knows."""
    from depnet.inference import query_rows

    law = load_network(model, chains=False)
    variable = law.domain.variables[law.domain.index(target)]
    codes, _ = read_known(rows, law.domain, [target], handle_unknown=unknown)
    shares = query_rows(law, codes, rng=run.steady_rng, n_jobs=run.threads).probabilities[target]
    shares = shares[:, : len(variable.present_states)]
    shares = shares / shares.sum(axis=1, keepdims=True)
    levels = variable.levels()
    if levels is None or len(variable.present_states) < 3:
        return range(1, len(codes) + 1), _classes(target, variable.present_states, shares)
    means = shares @ levels.means()
    return range(1, len(codes) + 1), _numbers(target, means, levels.quantiles(shares, ENDS))


def _from_table(
    run: Run, table: str, target: str, rows: str | None, unknown: str, kinds: dict[str, Any]
) -> "tuple[Any, dict[str, Any]]":
    """The same, by a classifier or a regressor that is learned here, from the rows that have the target."""
    import numpy as np

    from depnet.data.files.read import open_file
    from depnet.data.files.table import identifier
    from depnet.data.table.encode import weights_in
    from depnet.data.table.variables import StateOptions
    from depnet.errors import DataError
    from depnet.estimators import DependencyNetworkClassifier, DependencyNetworkRegressor

    check_table(table)
    name = identifier(target)
    with open_file(table, _request(columns=[target], kinds=kinds)) as opened:
        y = opened.column(0)
    there = ~y.hidden
    if not there.any():
        raise DataError(f"{table}: column {target!r} has no value, so there is nothing to learn from.")
    if rows is None and there.all():
        raise DataError(
            f"{table}: column {target!r} has a value in every row, so there is nothing to predict. Name other rows: "
            "--rows TABLE."
        )
    values = y.objects()[there]
    number = y.numbers is not None and y.kind in ("integer", "float") and len(set(values.tolist())) > 2
    kind: Any = DependencyNetworkRegressor if number else DependencyNetworkClassifier
    estimator = kind(handle_unknown=unknown, n_jobs=run.jobs, random_state=run.seed)
    place, chosen = (table, f"{name} IS NULL") if rows is None else (rows, None)
    with open_file(place, _request(where=chosen, kinds=kinds)) as opened:
        weights = this_run().dialect.get("weights")
        shared = [
            column for column in opened.names if column not in (target, weights)
        ]  # what the rows lack tells nothing
        asked = _request(columns=shared, optional=True, where=f"{name} IS NOT NULL", kinds=kinds)
        with open_file(table, asked) as inputs:
            StateOptions(kinds=kinds).check_names([*inputs.names, target])
            estimator.kinds = {column: kinds[column] for column in inputs.names if column in kinds}
            sample_weight = None
            if weights is not None:
                with open_file(table, _request(columns=[weights], where=f"{name} IS NOT NULL")) as weighing:
                    sample_weight = weights_in(weighing, weights)
            estimator.fit(inputs, y.present if number else values.astype(str), sample_weight)
        numbers = np.flatnonzero(y.hidden) + 1 if rows is None else np.arange(1, opened.rows + 1)
        if isinstance(estimator, DependencyNetworkRegressor):
            ends = estimator.predict_quantiles(opened, ENDS)
            return numbers.tolist(), _numbers(target, estimator.predict(opened), ends)
        shares = estimator.predict_proba(opened)
        return numbers.tolist(), _classes(target, estimator.classes_.tolist(), shares)


def _round(values: "list[Any] | NDArray[Any]") -> list[Any]:
    """Numbers to six digits, more than they are worth."""
    return [float(f"{value:.6g}") if isinstance(value, float) else value for value in values]


def _request(**asked: Any) -> "Request":
    from depnet.data.files.read import Request

    return Request(**asked, dialect=dialect(), text=tuple(this_run().dialect.get("text", ())))


def _classes(target: str, states: Any, shares: "NDArray[np.float64]") -> dict[str, Any]:
    best = [states[k] for k in shares.argmax(axis=1)]
    return {target: best, **{f"{target}={state}": shares[:, k] for k, state in enumerate(states)}}


def _numbers(target: str, means: "NDArray[np.float64]", ends: "NDArray[np.float64]") -> dict[str, Any]:
    return {target: means, "low": ends[:, 0], "high": ends[:, 1]}
