"""Waiting for what the workers of a Dask cluster do, with an eye on whether there are any."""

import time
from collections.abc import Sequence
from typing import Any, TypeAlias

from depnet.errors import LearningError

Client: TypeAlias = Any
"""A `distributed.Client`; so that nothing here needs Dask to be imported, or typed."""
Future: TypeAlias = Any

LOOK_SECONDS = 5.0
"""While an answer does not come, the cluster is looked at this often."""

WORKERLESS_SECONDS = 300.0
"""A cluster that has had no worker for this long is given up."""


def waited(client: Client, results: Sequence[Future], until: str) -> list[Future]:
    """Those that are done, when all are or, with "FIRST_COMPLETED", one is; an error where no workers are left."""
    from distributed import CancelledError, wait
    from distributed import TimeoutError as NotYetError

    lost_at = None
    while True:
        try:
            done = wait(results, timeout=LOOK_SECONDS, return_when=until).done  # type: ignore[no-untyped-call]
            return list(done)
        except CancelledError:  # of some, which say so themselves
            return [each for each in results if each.status != "pending"]
        except NotYetError:
            if client.scheduler_info()["workers"]:
                lost_at = None
                continue
            lost_at = lost_at or time.monotonic()
            if time.monotonic() - lost_at < WORKERLESS_SECONDS:
                continue
            raise LearningError(
                f"the Dask cluster has had no workers for {WORKERLESS_SECONDS:.0f} seconds, and rows wait for them. "
                "Start workers, and learn again; with `resume=...` the nodes that are done are kept."
            ) from None
