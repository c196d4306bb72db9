"""`depnet query --each TABLE`: every row of a table is evidence, all answered together."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import numpy as np

    from depnet.inference import RowsResult
    from depnet.model import Network, Scan


def answer_rows(
    network: "Network",
    targets: tuple[str, ...],
    table: str,
    *,
    scan: "Scan | None",
    tolerance: float,
    max_seconds: float | None,
    rng: "np.random.Generator",
) -> "RowsResult":
    """The probabilities of the targets in each row; what the table says of them is not looked at."""
    import numpy as np

    from depnet.cli.tables import read_holed
    from depnet.data import Domain
    from depnet.inference import query_rows

    wanted = [network.domain.index(name) for name in targets]
    known = [i for i in range(len(network.domain)) if i not in wanted]
    if not known:
        raise click.UsageError("every variable is a target: there is nothing that a row could know.")
    holed = read_holed(table, Domain(tuple(network.domain.variables[i] for i in known)))
    codes = np.full((holed.rows, len(network.domain)), -1)
    codes[:, known] = np.where(holed.hidden, -1, holed.codes.astype(np.int64))
    return query_rows(network, codes, scan=scan, tolerance=tolerance, max_seconds=max_seconds, rng=rng)


def columns_of(result: "RowsResult", targets: tuple[str, ...]) -> dict[str, Any]:
    """{"target=state": probabilities}."""
    variables = result.domain.variables
    return {
        f"{name}={state}": result.probabilities[name][:, code]
        for name in targets
        for code, state in enumerate(variables[result.domain.index(name)].states)
    }


def document(result: "RowsResult", targets: tuple[str, ...], output: str, seed: int) -> dict[str, Any]:
    """What was answered, and how."""
    from depnet.inference.rows.result import METHODS

    return {
        "targets": targets,
        "rows": len(result.method),
        "methods": {name: int((result.method == at).sum()) for at, name in enumerate(METHODS)},
        "converged": bool(result.converged.all()),
        "tolerance": result.tolerance,
        "seconds": result.seconds,
        "output": output,
        "seed": seed,
    }
