"""A probabilistic circuit learned by others: deeprob-kit's LearnSPN, whose leaves are Chow-Liu trees.

Columns are split by G-tests and rows by k-means; the least rows of a slice and the test's threshold are those of a small
grid that score best on the valid rows. As in `_peers`, its CPU seconds are of one thread, here of the whole grid. (XPC
ensembles of the same package and pyjuice's circuits, which want a GPU, were not tried.)
"""

import importlib
import importlib.util
import itertools
import random
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet import Dataset

LEAST_ROWS, THRESHOLDS = (100, 500), (5.0, 20.0)


@dataclass(frozen=True)
class Circuit:
    """Test log-likelihood a row of the circuit chosen on the valid rows, and CPU seconds of the grid."""

    test: float
    seconds: float
    tried: int
    """Of the grid; the rest was left out for want of time."""


def installed() -> bool:
    """Is deeprob-kit there?"""
    return importlib.util.find_spec("deeprob") is not None


def learned(train: Dataset, valid: Dataset, test: Dataset, limit: float) -> Circuit:
    """The best of the grid, as far as `limit` CPU seconds last, the coarsest first; the first is always tried."""
    wrappers = importlib.import_module("deeprob.spn.learning.wrappers")
    leaf = importlib.import_module("deeprob.spn.structure.leaf")
    inference = importlib.import_module("deeprob.spn.algorithms.inference")
    importlib.import_module("torch").set_num_threads(1)
    random.seed(0)

    def mean(circuit: Any, rows: Dataset) -> float:
        return float(np.mean(inference.log_likelihood(circuit, rows.codes.astype(np.float32))))

    n = len(train.domain)
    began = time.process_time()
    best, tried = (-np.inf, -np.inf), 0
    for rows, threshold in itertools.product(reversed(LEAST_ROWS), reversed(THRESHOLDS)):
        if tried and time.process_time() - began > limit:
            break
        circuit = wrappers.learn_estimator(
            train.codes.astype(np.float32),
            [leaf.Bernoulli] * n,
            [[0, 1]] * n,
            learn_leaf="binary-clt",
            learn_leaf_kwargs={"to_pc": False},
            split_cols="gvs",
            split_cols_kwargs={"p": threshold},
            min_rows_slice=rows,
            random_state=0,
            verbose=False,
        )
        best = max(best, (mean(circuit, valid), mean(circuit, test)))
        tried += 1
    return Circuit(best[1], time.process_time() - began, tried)
