"""What `depnet fit --cluster` does: the model of `depnet fit`, from Parquet files that the workers of a cluster read."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from depnet.cluster.placed import TableRequest, Where, placed
from depnet.cluster.waiting import Client
from depnet.data.frames.left_out import LeftOut, warn_left_out
from depnet.fitting.fit import FitOptions, Fitted, fit


class ClusterFit(NamedTuple):
    """A model, and the columns that were left out."""

    fitted: Fitted
    left_out: tuple[LeftOut, ...]


def fit_on_cluster(
    table: TableRequest,
    options: FitOptions,
    rng: np.random.Generator,
    client: Client,
    progress: Callable[[int, int], object] | None = None,
) -> ClusterFit:
    """The model that `depnet fit` makes of the same rows, bit for bit."""
    told = progress or (lambda done, steps: None)
    boosts, completes = options.boost is not None, table.states.missing == "keep"
    with placed(table, Where(client), boost=boosts, complete=completes) as found:
        warn_left_out(found.described.left_out)
        with found.gathered() as rows:
            steps = options.steps(rows)
            fitted = fit(rows, options, rng, lambda done: told(done, steps))
        return ClusterFit(fitted, found.described.left_out)
