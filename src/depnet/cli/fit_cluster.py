"""`depnet fit --cluster` and `--local-cluster`: a model from Parquet files whose rows stay on workers."""

import contextlib
import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from depnet.files import scratch_folder
from depnet.wording import counted

if TYPE_CHECKING:
    from depnet.cli.table_options import NewTable
    from depnet.fitting.fit import FitOptions
    from depnet.learning.grow.rounds import Round
    from depnet.model.network import Network

NOT_ON_A_CLUSTER = {
    "--missing complete": "it draws all rows again and again. Choose --missing state or --missing error.",
    "--without": "only names that it is given are read there. Name the columns that you want with --columns.",
    "--boost": "its small graphs are grown from all rows in one place. Leave it out.",
    "--where": "workers read whole files. Write the rows that you want to Parquet files of their own.",
}
OPTIONS = (
    "penalty",
    "smoothing",
    "order",
    "max_leaves",
    "min_leaf_rows",
    "roles",
    "forbidden",
    "max_seconds",
    "resume",
)
"""What is learned with there as anywhere."""


@contextlib.contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """A client of the cluster at `address`, or of `workers` processes on this machine."""
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
        scratch_folder() as scratch,
        distributed.LocalCluster(
            n_workers=workers,
            local_directory=str(
                scratch
            ),  # what workers put on disk goes with the command, or with the next one
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
    table: str, options: "FitOptions", chosen: "NewTable", address: str | None, workers: int | None
) -> "tuple[Network, Network, int]":
    """The paper's network, the law, and the rounds that both took. What needs all rows in one place is refused."""
    from depnet.cli.progress import progress
    from depnet.cluster import learn_both

    if address is not None and workers is not None:
        raise click.UsageError("either --cluster or --local-cluster.")
    refused = {
        "--missing complete": chosen.missing == "complete",
        "--without": bool(chosen.without),
        "--boost": options.boost is not None,
        "--where": chosen.where is not None,
    }
    for name, why in NOT_ON_A_CLUSTER.items():
        if refused[name]:
            raise click.UsageError(f"{name} is not for a cluster: {why}")
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

        read = {
            "columns": chosen.columns or None,
            "bins": chosen.bins or "quantile",
            "missing": chosen.missing,
        }
        learned: Any = {**read, **{name: getattr(options, name) for name in OPTIONS}}
        return *learn_both(table, client=client, progress=count, report=report, **learned), rounds


def cluster_document(network: "Network", law: "Network", rounds: int) -> tuple[dict[str, Any], list[str]]:
    """What is said of both as JSON, and in lines: nothing that would need the rows."""
    from depnet.cli.model_documents import law_document, sizes, sizes_line
    from depnet.fitting.explained import plain_figures
    from depnet.fitting.summary import rows_learned

    rows, variables = rows_learned(network) or 0, len(network.domain)
    document = {
        "rows": rows,
        "variables": variables,
        **sizes(network),
        "law": law_document(law),
        "rounds": rounds,
    }
    learned = f"learned from {counted(rows, 'row')} of {counted(variables, 'column')}"
    return document, [
        f"{learned}, in {counted(rounds, 'round')}",
        *plain_figures(law),
        sizes_line(network, law),
    ]


def round_text(done: "Round") -> str:
    """How far a cluster has come, for its progress bar.

    >>> from depnet.learning.grow.rounds import Round
    >>> round_text(Round(number=7, live=12, done=3, nodes=40, leaves=900, told=0, counted=0, seconds=0.1))
    'round 7: 12 live nodes, 900 leaves counted'
    """
    return f"round {done.number:,}: {done.live:,} live nodes, {done.leaves:,} leaves counted"
