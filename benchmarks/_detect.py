"""Can rows that were made be told from real ones? And are they nearer to the rows learned from than real ones are?

Real tables without the rows that have holes, 70 % to learn from. `DependencyNetwork()` with no option set, with
`boost="auto"`, and sequential CART (benchmarks/_peers.py) make as many rows as were held out. A LightGBM classifier,
five-fold cross-validated, tells these from the held-out rows: an AUC of .5 is chance. `train` are real rows learned from, as
many: what the classifier makes of no difference. The distance of a row to the closest one learned from is the sum of
|difference| in standard deviations over numbers, and of 1 for each category that differs; shown are medians, over that
of held-out rows: below 1, rows are nearer than real ones are; and the share of rows that are copies.
"""

import argparse
import importlib
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks._frames import Frame, frame_of, splits_of
from benchmarks._peers import sequential_cart
from benchmarks._reach import at_most, head, line
from benchmarks._timing import timed
from depnet.arrays import FloatArray

TABLES = ("credit_data", "diamonds", "OJ", "wa_churn", "penguins")
MEAN, ALLOWED = 0.62, 0.03
"""The mean AUC of boosted laws, at most; and how much above sequential CART's it may be on a table."""
SPLITS_SMALL, SMALL = 3, 3000
MOST, NEAREST, FOLDS, FOLD_SEED = 10_000, 500, 5, 1000

Maker = Callable[[Frame, int, int], Frame]
"""Rows learned from, how many to make, a seed."""


def by_depnet(train: Frame, rows: int, seed: int, boost: str | None) -> Frame:
    from depnet import DependencyNetwork

    return DependencyNetwork(boost=boost, random_state=seed).fit(train).sample(rows)


def some_of(train: Frame, rows: int, seed: int) -> Frame:
    return train.sample(min(rows, len(train)), random_state=seed)


MAKERS: dict[str, Maker] = {
    "single graphs": partial(by_depnet, boost=None),
    "boosted": partial(by_depnet, boost="auto"),
    "CART": sequential_cart,
    "train": some_of,
}


def compare(options: argparse.Namespace) -> list[bool]:
    """A line for each table, and what was reached."""
    warnings.simplefilter("ignore")
    print(
        "\nAUC / CPU seconds of learning and sampling / distance to the closest, over held-out rows' / copies"
    )
    head(["table", "rows", "splits", *MAKERS, "held out: copies"])
    found = {name: table(name, options) for name in options.frames}
    mean = {maker: float(np.mean([each[maker] for each in found.values()])) for maker in MAKERS}
    line(["mean", "", "", *(f"{mean[maker]:.3f}" for maker in MAKERS), ""])
    above = max(each["boosted"] - each["CART"] for each in found.values())
    return [
        at_most("AUC of boosted laws, mean over tables", mean["boosted"], MEAN),
        at_most("AUC of boosted laws above sequential CART's, the worst table", above, ALLOWED),
    ]


def table(name: str, options: argparse.Namespace) -> dict[str, float]:
    """The AUC of each maker, mean over splits."""
    frame = _plain(frame_of(name, options.data).dropna().reset_index(drop=True))
    splits = splits_of(frame, SPLITS_SMALL if len(frame) < SMALL else 1)
    figures: dict[str, list[list[float]]] = {maker: [] for maker in MAKERS}
    copies = []
    for seed, (train, held) in enumerate(splits):
        held = held.sample(min(MOST, len(held)), random_state=seed)  # tables may lie in an order
        usual, same = closest(train, held, frame)
        copies.append(same)
        for maker, make in MAKERS.items():
            made, seconds = timed(partial(make, train, len(held), seed))
            made = made.astype(frame.dtypes.to_dict())
            near, same = closest(train, made, frame)
            figures[maker].append([told_apart(held, made), seconds, near / usual, same])
    means = {maker: np.mean(each, axis=0) for maker, each in figures.items()}
    cells = [f"{a:.3f} / {s:.1f} / {d:.2f} / {c:.3f}" for a, s, d, c in means.values()]
    line([name, f"{len(frame):,}", f"{len(splits)}", *cells, f"{np.mean(copies):.3f}"])
    return {maker: float(each[0]) for maker, each in means.items()}


def _plain(frame: Frame) -> Frame:
    """Text as categories, numbers as they are."""
    texts = [name for name in frame if frame[name].dtype.kind not in "iuf"]
    return frame.assign(**{name: frame[name].astype(str).astype("category") for name in texts})


def told_apart(real: Frame, made: Frame) -> float:
    """The AUC of a classifier that tells these rows apart, cross-validated."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    pd = importlib.import_module("pandas")
    lightgbm = importlib.import_module("lightgbm")
    rows = pd.concat([real, made], ignore_index=True)
    labels = np.repeat([0, 1], [len(real), len(made)])
    model = lightgbm.LGBMClassifier(n_estimators=200, learning_rate=0.05, num_leaves=15, n_jobs=1, verbose=-1)
    # Not a seed by which rows were shuffled before: folds would undo that, and lie in a table's own order.
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=FOLD_SEED)
    return float(cross_val_score(model, rows, labels, cv=folds, scoring="roc_auc").mean())


def closest(train: Frame, rows: Frame, whole: Frame) -> tuple[float, float]:
    """The median distance of rows to the closest one learned from, and the share that has a distance of 0."""
    some = rows.iloc[:NEAREST]
    distance: Any = np.zeros((len(some), len(train)))
    for name in whole:
        if whole[name].dtype == "category":
            ours, theirs = (np.asarray(part[name].cat.codes) for part in (train, some))
            distance += ours[None, :] != theirs[:, None]
            continue
        scale = whole[name].std() or 1.0
        ours, theirs = (part[name].to_numpy(dtype=float) / scale for part in (train, some))
        distance += np.abs(ours[None, :] - theirs[:, None])
    least: FloatArray = distance.min(axis=1)
    return max(float(np.median(least)), 1e-9), float((least < 1e-9).mean())
