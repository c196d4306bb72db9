"""A result as a tidy frame: a row a state."""

from typing import TYPE_CHECKING, Any

import numpy as np

from depnet.errors import InferenceError, brief
from depnet.inference.answer.text import tables_of

if TYPE_CHECKING:  # a result makes its own frame
    from depnet.inference.answer.result import QueryResult


def frame_of(result: "QueryResult", backend: Any) -> Any:
    """See `QueryResult.frame`.

    States of several types in one column (those of a yes/no beside those of a word) stay what they are in pandas; in
    frames whose columns have one type they are text.
    """
    keys: dict[str, list[Any]] = {
        name: [] for name in (result.targets if result.joint else ("target", "state"))
    }
    parts: dict[str, list[Any]] = {
        name: [] for name in ("probability", "standard_error", "observed", "combined", "low", "high")
    }
    for table in tables_of(result):
        for labels in table.labels:
            for name, label in zip(keys, labels if result.joint else (*table.names, *labels), strict=True):
                keys[name].append(label)
        seen = np.full(len(table.labels), np.nan) if table.observed is None else table.observed
        found = (table.law, table.errors, seen, table.answer, *table.interval().T)
        for name, values in zip(parts, found, strict=True):
            parts[name].append(values)
    clash = sorted(keys.keys() & parts.keys())
    if clash:
        raise InferenceError(
            f"the target {clash[0]!r} is called like a column of the frame. Ask for targets one by one (`joint=False`)."
        )
    if backend != "pandas":
        keys = {name: _of_one_type(labels) for name, labels in keys.items()}
    return _made({**keys, **{name: np.concatenate(values) for name, values in parts.items()}}, backend)


def _of_one_type(labels: list[Any]) -> list[Any]:
    return labels if len(set(map(type, labels))) == 1 else list(map(str, labels))


def _made(columns: dict[str, Any], backend: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ModuleNotFoundError as error:
        raise InferenceError(
            f"a frame of {brief(backend)} needs {error.name}; install it (pip install {error.name}), or say another one: "
            '`backend="polars"`.'
        ) from error
    except (TypeError, ValueError, AttributeError, AssertionError) as error:  # narwhals 2.8 asserts
        raise InferenceError(
            f'backend is "pandas", "polars" or "pyarrow"; got {brief(backend)}: {error}'
        ) from error
