"""`depnet fit --cluster` and `--local-cluster`: a model from Parquet files whose rows stay on workers."""

import contextlib
import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from depnet.learning.grow.rounds import Round
    from depnet.model.network import Network

NOT_ON_A_CLUSTER = {
    "--missing complete": "it draws all rows again and again. Choose --missing state or --missing error.",
    "--without": "only names that it is given are read there. Name the columns that you want with --columns.",
    "--where": "workers read whole files. Write the rows that you want to Parquet files of their own.",
}


def refuse_options(*, missing: str, without: Sequence[str], where: str | None) -> None:
    """What needs all rows in one place is refused before anything begins."""
    asked = {
        "--missing complete": missing == "complete",
        "--without": bool(without),
        "--where": where is not None,
    }
    for name, given in asked.items():
        if given:
            raise click.UsageError(f"{name} is not for a cluster: {NOT_ON_A_CLUSTER[name]}")


@contextlib.contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """A client of the cluster at `address`, or of so many worker processes on this machine."""
    try:
        distributed: Any = importlib.import_module("distributed")  # which has no types
    except ImportError:
        raise click.ClickException(
            'a cluster needs Dask: pip install "depnet[cluster]"; then run this again.'
        ) from None
    if address is not None:
        try:
            client = distributed.Client(address, timeout=10)
        except (OSError, ValueError) as error:
            raise click.ClickException(
                f"--cluster {address}: there is no Dask scheduler that answers ({error}). Start one with dask scheduler, "
                "and workers with dask worker."
            ) from None
        with client:
            yield client
        return
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",  # any free port: None is 8787, with a warning where that is taken
            host="127.0.0.1",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def learn_on_cluster(
    table: str, *, address: str | None, workers: int | None, options: dict[str, Any]
) -> "tuple[Network, Network, int]":
    """The paper's network, the law, and the rounds that both took."""
    from depnet.cli.progress import progress
    from depnet.cluster import learn_both

    rounds = grown = total = 0
    with connected(address, workers) as client, progress("reading") as told:

        def count(done: int, nodes: int) -> None:
            nonlocal grown, total
            grown, total = done, nodes

        def report(done: "Round") -> None:
            nonlocal rounds
            rounds += 1
            if told is not None:
                told(grown, max(total, 2 * done.nodes), round_text(done))

        return *learn_both(table, client=client, progress=count, report=report, **options), rounds


def round_text(done: "Round") -> str:
    """How far a cluster has come, for its progress bar.

    >>> from depnet.learning.grow.rounds import Round
    >>> round_text(Round(number=7, live=12, done=3, nodes=40, leaves=900, told=0, counted=0, seconds=0.1))
    'round 7: 12 live nodes, 900 leaves counted'
    """
    return f"round {done.number:,}: {done.live:,} live nodes, {done.leaves:,} leaves counted"
