"""`depnet query --each TABLE`: every row of a table is evidence, all answered together."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from depnet.cli.command import Run
    from depnet.inference import RowsResult
    from depnet.model import Network


def query_each(run: "Run", network: "Network", targets: tuple[str, ...], table: str, **options: Any) -> None:
    """Write the probabilities of the targets in each row; what the table says of them is not looked at.

    It need not have all of the model's columns: what it lacks is unknown.
    """
    import numpy as np

    from depnet.cli.tables import read_some, write_numbers
    from depnet.data import Domain
    from depnet.inference import query_rows

    run.output = run.output or "-"
    variables = network.domain.variables
    asked = [network.domain.index(name) for name in targets]
    known = [i for i in range(len(variables)) if i not in asked]
    if not known:
        raise click.UsageError("every variable is a target: there is nothing that a row could know.")
    holed = read_some(table, Domain(tuple(variables[i] for i in known)))
    there = [network.domain.index(name) for name in holed.domain.names]
    codes = np.full((holed.rows, len(variables)), -1)
    codes[:, there] = np.where(holed.hidden, -1, holed.codes.astype(np.int64))
    result = query_rows(network, codes, rng=run.steady_rng, **options)
    columns = {
        f"{name}={state}": result.probabilities[name][:, code]
        for name, i in zip(targets, asked, strict=True)
        for code, state in enumerate(variables[i].states)
    }
    write_numbers(columns, run.output, force=run.force)
    run.answer({"targets": targets, **_document(result)})


def _document(result: "RowsResult") -> dict[str, Any]:
    from depnet.inference.answer.rows import METHODS

    return {
        "rows": len(result.method),
        "methods": {name: int((result.method == at).sum()) for at, name in enumerate(METHODS)},
        "converged": bool(result.converged.all()),
        "tolerance": result.tolerance,
        "seconds": result.seconds,
    }
