"""One boosted node learned, and its probabilities, against LightGBM with as many stages and leaves.

On the standard binary tables, some variables of each, drawn at random: a hundred stages of 8 and of 31 leaves at most, half
of the columns in each, a rate of .1; CPU seconds of one thread, the least of some runs of each, in turn. Both have their
table ready: depnet's rows as bits, LightGBM's binned. LightGBM splits within the same bounds as depnet (a leaf's least
curvature, and what is added to it), so that stages have as many leaves, which is shown; it bundles columns or not, as it
is faster on the table. Probabilities are of test rows, over and over: `node.probabilities`, and the booster's `predict`
of a C-contiguous matrix of float32 or of float64, whichever is faster.
"""

import argparse
import importlib
import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks._boosters import LEAVES, RATE, SHARE, bundles, others, settings
from benchmarks._reach import at_least, head, line
from benchmarks._tables import debd
from benchmarks._timing import timed
from depnet import Dataset
from depnet.arrays import FloatArray
from depnet.learning.boost import BoostRows, Grown, NodeGrower, all_tests
from depnet.learning.learn import learn
from depnet.learning.options import Boost
from depnet.model.network import Network

TABLES = ("nltcs", "msnbc", "plants", "tretail", "dna", "kosarek", "bbc")
STAGES = 100
EACH, MEAN, PREDICTED = 12.0, 20.0, 5.0
"""LightGBM's CPU seconds over depnet's: of learning on each table, their geometric mean, and of probabilities on each."""


def compare(options: argparse.Namespace) -> list[bool]:
    """A line for each table and number of leaves, and what was reached."""
    warnings.simplefilter("ignore")
    columns = ["LightGBM, ms", "depnet, ms", "ratio"]
    head(
        [
            "table",
            "leaves",
            "grown by LightGBM",
            "by depnet",
            *columns,
            *(f"probabilities: {each}" for each in columns),
        ]
    )
    grown, predicted = [], []
    for name in options.tables:
        train, test = (debd(options.data / "debd", name, part) for part in ("train", "test"))
        rows = BoostRows.of(train, all_tests(train))
        alone = learn(train, max_leaves=1)
        many = np.resize(np.arange(test.rows), options.rows)
        asked = Dataset.from_codes(test.codes[many], domain=test.domain)
        bundle = bundles(train)
        for leaves in LEAVES:
            seconds, grew = np.zeros(4), np.zeros(2)
            for i in np.random.default_rng(0).permutation(len(train.domain))[: options.nodes].tolist():
                own, least = node_seconds(rows, alone, asked, i, leaves, bundle, options.times)
                seconds += least
                grew += own
            shown = 1000 * seconds / options.nodes
            grown.append(seconds[0] / seconds[1])
            predicted.append(seconds[2] / seconds[3])
            cells = [f"{shown[0]:.1f}", f"{shown[1]:.2f}", f"{grown[-1]:.1f}"]
            cells += [f"{shown[2]:.1f}", f"{shown[3]:.2f}", f"{predicted[-1]:.1f}"]
            line([name, f"{leaves}", *(f"{each:.1f}" for each in grew / options.nodes), *cells])
    return [
        at_least("learning, LightGBM over depnet, the least table", min(grown), EACH, ".1f"),
        at_least("the same, geometric mean", math.exp(np.log(grown).mean()), MEAN, ".1f"),
        at_least("probabilities, LightGBM over depnet, the least table", min(predicted), PREDICTED, ".1f"),
        at_least("the same, geometric mean", math.exp(np.log(predicted).mean()), PREDICTED, ".1f"),
    ]


def node_seconds(
    rows: BoostRows, alone: Network, asked: Dataset, i: int, leaves: int, bundle: bool, times: int
) -> tuple[FloatArray, FloatArray]:
    """Mean leaves of a stage, and least CPU seconds of learning and then of probabilities: LightGBM's, depnet's."""
    lightgbm = importlib.import_module("lightgbm")
    readable = [j for j in range(len(alone)) if j != i]
    boost = Boost(STAGES, leaves, RATE, share=SHARE)
    options = settings(alone.domain.cardinalities[i], leaves, bundle, bounded=True)
    binned = lightgbm.Dataset(others(rows.dataset, i), rows.own(i), params=options).construct()
    assert rows.bits is not None  # made once, before

    def theirs() -> Any:
        return lightgbm.train(options, binned, STAGES)

    grower = NodeGrower(rows, i, None, readable)

    def ours() -> Grown:
        return (grower.grow(boost) or [])[0]

    (model, own), learned = interleaved((theirs, ours), times)
    theta = grower.node([own])
    wide = others(asked, i)
    matrices = (wide, wide.astype(np.float64))
    predicting = [partial(model.predict, matrix, num_threads=1) for matrix in matrices]
    _, said = interleaved((*predicting, partial(theta.probabilities, asked.codes)), times)
    leaves_each = [tree["num_leaves"] for tree in model.dump_model()["tree_info"]]
    grown = np.array([np.mean(leaves_each), len(own.scores) / own.stages])
    return grown, np.array([*learned, min(said[:2]), said[2]])


def interleaved(calls: tuple[Callable[[], Any], ...], times: int) -> tuple[list[Any], list[float]]:
    """The last result of each, and the least CPU seconds, the calls taking turns."""
    runs = [[timed(call) for call in calls] for _ in range(times)]
    return [result for result, _ in runs[-1]], [min(run[k][1] for run in runs) for k in range(len(calls))]
