"""Learning from rows that lie in many parts: on the workers of a Dask cluster, or on disk.

- `learn`: `learn` and `learn_both`, the networks of `depnet.learn` from such rows; `fit`: what `depnet fit --cluster` does;
- `source`: the parts of Parquet files, or of a Dask data frame, and how their rows are coded;
- `columns`, `ranked_parts`: the states of columns whose values lie in many parts;
- `forecast`: what learning in one place takes of memory; `placed`: a table after its first pass, and whether it fits;
- `gather`: the coded rows of all parts in one place; `nodes`: its nodes over the workers;
- `on_dask`, `on_disk`: the two places where parts are loaded and kept; `waiting`: for workers, while there are any.
"""

from typing import TYPE_CHECKING

from depnet.cluster.learn import learn, learn_both
from depnet.removed import NAMES

__all__ = ["learn", "learn_both"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "learn_parts":
            raise AttributeError(f"depnet.cluster.{name} was removed; {NAMES[name]}.")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
