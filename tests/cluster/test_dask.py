"""On a real cluster of worker processes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import Dataset
from depnet.cluster import learn, places
from depnet.cluster.fit import CountedModel, fit_chunks
from depnet.cluster.source import FrameChunk
from depnet.cluster.table import TableRequest, Where
from depnet.errors import LearningError
from depnet.fitting.fit import FitOptions
from tests.cluster.clusters import SMALL, kill_workers, room_for, two_workers
from tests.cluster.tables import assert_same_network, mixed_table, write_parts

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.xdist_group("dask")]


@pytest.fixture
def mortal() -> Iterator[Any]:
    """A cluster of its own for workers that are killed: the others keep theirs."""
    with two_workers() as client:
        yield client


def test_a_dask_frame_gives_the_local_network(dask_client: Any) -> None:
    dd: Any = pytest.importorskip("dask.dataframe")
    frame = mixed_table(1500, seed=2)[["class", "alive", "fare", "parts"]]
    expected = depnet.learn(Dataset.from_frame(frame))
    assert_same_network(learn(dd.from_pandas(frame, npartitions=4), client=dask_client), expected)


def test_workers_count_as_this_process_does(
    dask_client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room_for(4000, monkeypatch)
    write_parts(mixed_table(1500, seed=9), tmp_path, 3, row_group=100)
    options: dict[str, Any] = {"memory": SMALL, "penalty": "auto", "smoothing": 0.5, "cuts": True}
    found = learn(tmp_path, client=dask_client, chunk_rows=200, order="auto", **options)
    assert found == learn(tmp_path, order="auto", **options)


@pytest.mark.parametrize("many", [1, 8])
def test_killed_workers_change_nothing(
    mortal: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """One of them, or all, twice: while the structure is learned, and while rows are counted."""
    room_for(4000, monkeypatch)
    write_parts(mixed_table(1500, seed=10), tmp_path, 3, row_group=50)
    killed: dict[int, list[int]] = {}

    def kill(done: int, steps: int) -> None:
        chunks = 30
        if done in (2, steps - chunks + 3) and done not in killed:
            killed[done] = kill_workers(mortal, many)

    def fitted(where: Where, progress: Any = None) -> CountedModel:
        request = TableRequest(tmp_path, chunk_rows=50)
        found = fit_chunks(request, FitOptions(), np.random.default_rng(0), where, progress)[0]
        assert isinstance(found, CountedModel)
        return found

    found, expected = fitted(Where(mortal, SMALL), kill), fitted(Where(memory=SMALL))
    assert [len(each) for each in killed.values()] == [min(many, 2)] * 2
    assert (found.network, found.law, found.sample) == (expected.network, expected.law, expected.sample)


def test_a_cluster_without_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(places, "WORKERLESS_SECONDS", 0.1)
    from dask.delayed import delayed

    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(LearningError, match="no workers for"),
    ):
        list(places.DaskPlace(client).each([FrameChunk(delayed(1), None)], int))
