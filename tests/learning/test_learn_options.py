"""Options, bad input, time budget, progress, Ctrl-C."""

import gc
import itertools
import math
import os
import subprocess
import sys
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest

from depnet import Dataset, NoPenalty, learn
from depnet.errors import DataError, DepnetError, ManyStatesWarning
from tests.interrupts import ctrl_c
from tests.refusals import refuses


def copies(rows: int = 400, variables: int = 4, noise: float = 0.1, cardinality: int = 2) -> Dataset:
    """Noisy copies of one hidden variable: everything depends on everything."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, cardinality, (rows, 1))
    codes = (hidden + (rng.random((rows, variables)) < noise)) % cardinality
    return Dataset.from_codes(codes, [cardinality] * variables)


def large() -> Dataset:
    """Enough work for many seconds: noise, and a penalty of nothing."""
    return Dataset.from_codes(np.random.default_rng(0).integers(0, 3, (30_000, 40)), [3] * 40)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": 1.5}, "n_jobs"),
        ({"n_jobs": True}, "n_jobs"),
        ({"max_leaves": 0}, "max_leaves is a whole number of at least 1; got 0"),
        ({"min_leaf_rows": -1}, "min_leaf_rows"),
        ({"max_seconds": -1}, "max_seconds"),
        ({"max_seconds": math.nan}, "max_seconds"),
        ({"smoothing": -0.5}, "smoothing"),
        ({"penalty": "bayes"}, "no penalty 'bayes'"),
        ({"penalty": lambda k, n: math.nan}, "nan"),
        ({"penalty": lambda k, n: -1.0}, "-1.0"),
        ({"penalty": lambda k, n: math.nan if k > 1 else 0.01}, r"R\(2, 400\) = nan"),
        ({"roles": {"X9": "input"}}, "no variable 'X9'"),
        ({"roles": {"X1": "output"}}, "'target' or 'input'"),
        ({"forbidden": [("X0", "X0")]}, "its own input"),
        ({"forbidden": [("X0",)]}, "pair"),
        ({"forbidden": ["X0"]}, "pair"),
        ({"forbidden": [("X0", "Y")]}, "no variable 'Y'"),
    ],
)
def test_bad_options_are_clear_errors(options: dict[str, Any], message: str) -> None:
    refuses(DepnetError, message, learn, copies(), **options)


def test_an_empty_table_is_an_error() -> None:
    refuses(DataError, "at least one row", learn, Dataset.from_codes(np.zeros((0, 2), dtype=int), [2, 2]))
    refuses(DataError, "weights are 0", learn, Dataset.from_codes([[0, 1]], [2, 2], weights=[0]))


def test_roles() -> None:
    network = learn(copies(), roles={"X0": "target", "X1": "input"})
    assert network.nodes[0].source.size > 1
    assert network.nodes[1].source.size == 1, "an input is not predicted"
    assert all(0 not in node.source.inputs for node in network.nodes), "a target is no input"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_counts_nodes(n_jobs: int) -> None:
    seen: list[tuple[int, int]] = []
    learn(copies(), n_jobs=n_jobs, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_error_in_the_callback_ends_the_fit() -> None:
    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    for n_jobs in (1, 2):
        refuses(RuntimeError, "enough", learn, copies(), n_jobs=n_jobs, progress=fail)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_time_budget_ends_with_a_valid_network(n_jobs: int) -> None:
    dataset = large()
    began = time.perf_counter()
    network = learn(dataset, penalty=NoPenalty(), max_seconds=0.3, n_jobs=n_jobs)
    assert time.perf_counter() - began < 30  # without a limit it takes minutes
    assert len(network.nodes) == 40
    assert network.nodes[-1].source.size == 1, "not begun: one leaf"
    for node in network.nodes[::13]:
        assert node.table.counts is not None
        leaves = np.bincount(node.source(dataset.codes), minlength=node.source.size)
        assert node.table.counts.sum(axis=1).tolist() == leaves.tolist()
    assert learn(copies(), max_seconds=1000) == learn(copies())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_fit_soon(n_jobs: int) -> None:
    dataset = large()
    with ctrl_c(after=0.5) as pressing:
        pressing.begin()
        with pytest.raises(KeyboardInterrupt):
            learn(dataset, penalty=NoPenalty(), n_jobs=n_jobs)
        assert pressing.since < 20, "a tenth of a second on an idle machine"


def test_one_thread_does_not_import_joblib() -> None:
    script = (
        "import sys, depnet; depnet.learn(depnet.Dataset.from_codes([[0, 1]], [2, 2])); "
        "assert 'joblib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ)


def test_a_column_of_identifiers_is_reported_and_harmless() -> None:
    rows = 65_535
    rng = np.random.default_rng(0)
    codes = np.stack([rng.permutation(rows), *rng.integers(0, 2, (3, rows))], axis=1)
    codes[:, 3] = codes[:, 2] ^ (rng.random(rows) < 0.1)
    with pytest.warns(ManyStatesWarning, match=r"'X0' has 65,535 different states in 65,535 rows"):
        network = learn(Dataset.from_codes(codes, [rows, 2, 2, 2]))
    assert [node.source.size for node in network.nodes] == [1, 1, 2, 2]


def test_fits_in_several_threads_at_once() -> None:
    dataset, expected = copies(), learn(copies())
    results: list[object] = []
    threads = [threading.Thread(target=lambda: results.append(learn(dataset))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(a == b for a, b in itertools.product(results, [expected]))
    assert len(results) == 4


def test_a_fit_that_is_ended_early_ends_its_threads_without_a_warning() -> None:
    dataset = copies(20_000, 60)

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(KeyboardInterrupt):
            learn(dataset, n_jobs=2, progress=stop)
        gc.collect()
    assert not said
    assert not [thread.name for thread in threading.enumerate() if "Pool" in thread.name]
