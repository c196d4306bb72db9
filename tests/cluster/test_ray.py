"""Nodes spread over Ray's processes by joblib; where Ray is installed, it is no dependency of the tests."""

import joblib
import pytest

import depnet
from depnet import Dataset
from tests.cluster.tables import assert_same_network, counted_pickles, mixed_table

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]


def test_nodes_are_spread_by_joblib_and_the_table_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    register_ray()
    dataset = Dataset.from_frame(mixed_table(2000, seed=4))
    pickled = counted_pickles(monkeypatch)
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        with joblib.parallel_config(backend="ray"):
            spread = depnet.learn(dataset, n_jobs=2)
    finally:
        ray.shutdown()
    assert len(pickled) == 1 < len(dataset.domain)
    assert_same_network(spread, depnet.learn(dataset))
