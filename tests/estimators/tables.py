"""Tables for the tests of estimators: the Titanic as frames, with a number and with holes."""

from typing import Any

import numpy as np
import pandas as pd

from depnet import QueryResult, titanic
from depnet.arrays import FloatArray


def people(rows: int = 800) -> pd.DataFrame:
    """Passengers, with a made-up fare that depends on their class."""
    table = titanic()
    rng = np.random.default_rng(0)
    weights = np.ones(table.rows) if table.weights is None else table.weights
    chosen = table.codes[rng.choice(table.rows, size=rows, p=weights / weights.sum())]
    frame = pd.DataFrame(
        {v.name: np.array(v.states, dtype=object)[chosen[:, i]] for i, v in enumerate(table.domain.variables)}
    )
    frame["fare"] = rng.gamma(2, 20, rows) + 80.0 * (frame["class"] == "1st")
    frame["class"] = pd.Categorical(frame["class"], ["1st", "2nd", "3rd", "Crew"], ordered=True)
    return frame


def with_holes(frame: pd.DataFrame, share: float = 0.2) -> pd.DataFrame:
    """The same with cells hidden completely at random."""
    rng = np.random.default_rng(1)
    return frame.apply(lambda column: column.mask(rng.random(len(column)) < share))


def as_kind(frame: pd.DataFrame, kind: str) -> Any:
    """The frame as another kind of frame."""
    import polars as pl

    if kind == "pandas":
        return frame
    polars = pl.from_pandas(frame)
    if kind == "polars":
        return polars
    return polars.to_arrow() if kind == "pyarrow" else polars.to_dicts()


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """Any kind of frame as dictionaries, missing values as None."""
    if isinstance(frame, list):
        return frame
    if isinstance(frame, pd.DataFrame):
        return [
            {name: None if pd.isna(value) else value for name, value in row.items()}
            for row in frame.astype(object).to_dict("records")
        ]
    return frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_pylist()  # type: ignore[no-any-return]


def law_of(result: QueryResult) -> FloatArray:
    """The probabilities of one target."""
    return np.asarray(result.probabilities)
