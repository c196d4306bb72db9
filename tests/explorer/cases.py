"""Models to explore: one of the size that the explorer should carry, with labels of someone who means no good."""

import asyncio
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import depnet
from depnet import Dataset, Domain, Mdl, Network, QueryResult, Variable, learn, titanic
from depnet.explorer.ask import Answer, answers
from depnet.explorer.known import Known
from depnet.explorer.loaded import Loaded
from depnet.fitting.fit import FitOptions, fit_law
from depnet.inference.answer.observed import Support
from depnet.inference.answer.part import Spread
from depnet.inference.judge.shifts import Shift
from tests.explorer.browser import run_apart

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "${alert(3)}`{{7*7}}</script><b>bold</b>",
    ":alert(4)",
)
"""Names and states that would run, were they taken for anything but text."""


@cache
def titanic_models() -> tuple[Network, Network]:
    """The paper's network of the Titanic table, and its ordered law as `depnet fit` learns it."""
    people = titanic()
    return learn(people, smoothing=0.5).with_counts(people), fit_law(people, FitOptions()).with_counts(people)


def titanic_files(folder: Path) -> tuple[Path, Path]:
    """The Titanic's model file, with its law, and its table, written into a folder."""
    network, law = titanic_models()
    depnet.save(network, folder / "titanic.json", law=law)
    depnet.write(titanic(), folder / "titanic.csv")
    return folder / "titanic.json", folder / "titanic.csv"


def all_answers(
    loaded: Loaded, known: Known, stop: Callable[[], bool] = lambda: False, **options: Any
) -> list[Answer]:
    """What Ask says of one model, answer after answer, without a page."""

    async def in_thread(function: Callable[[], Any]) -> Any:
        return await asyncio.to_thread(function)

    async def all_of() -> list[Answer]:
        return [answer async for answer in answers(loaded, known, in_thread, stop, **options)]

    return run_apart(all_of)


def wide(variables: int = 200, rows: int = 3000) -> tuple[Network, Network]:
    """The network and the law of `wide_table`."""
    table = wide_table(variables, rows)
    return (
        learn(table, smoothing=0.5, penalty=0.94 * Mdl()),
        learn(table, smoothing=0.5, penalty=0.94 * Mdl(), order="auto"),
    )


def wide_table(variables: int, rows: int) -> Dataset:
    """Variables in groups of twelve, each told by a few before it; the first ones have hostile names and states."""
    rng = np.random.default_rng(1)
    codes = np.zeros((rows, variables), dtype=np.uint8)
    codes[:, 0] = rng.integers(0, 2, rows)
    for j in range(1, variables):
        near = max(j - 1 - j % 12, 0)
        told = np.unique(rng.integers(near, j, size=rng.integers(1, 4)))
        codes[:, j] = (codes[:, told].sum(axis=1) % 2) ^ (rng.random(rows) < rng.uniform(0.05, 0.4))
    names = [*HOSTILE, *(f"variable {j:03d}" for j in range(len(HOSTILE), variables))]
    domain = Domain(
        tuple(Variable(name, HOSTILE[:2] if k < 4 else ("no", "yes")) for k, name in enumerate(names))
    )
    return Dataset.from_codes(codes, domain=domain)


def shift_of(
    variable: Variable,
    prior: np.ndarray,
    law: np.ndarray,
    *,
    errors: np.ndarray | None = None,
    observed: np.ndarray | None = None,
    missing: tuple[float, float] = (0.0, 0.0),
    rows: int = 40,
) -> Shift:
    """A variable whose law was `prior`, and is `law` now; `missing` by the model, and in the `rows` that match."""
    errors = np.zeros(len(law)) if errors is None else errors
    result = QueryResult(
        targets=(variable.name,),
        states=(variable.present_states,),
        joint=False,
        probabilities=law,
        standard_errors=errors,
        method="exact",
        scan=None,
        closure=(),
        evidence={},
        evidence_used=(),
        evidence_ignored=(),
        support=Support(rows, rows, exact=True),
        tolerance=0.01,
        converged=True,
        seconds=0.0,
        observed=observed,
        matching=None if observed is None else rows,
        missing={variable.name: missing[0]},
        missing_observed={variable.name: missing[1]},
        variables=(variable,),
        spreads={variable.name: Spread(errors)},
    )
    return Shift(prior, result.table(variable.name))
