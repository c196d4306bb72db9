"""How good are rows that were made, by `depnet.quality`: beside fresh real rows, shuffled columns, and what others make.

Real tables without the rows that have holes, which not all of these can learn from; at most --most rows, 70 % to learn
from. `DependencyNetwork()` with no option set (and with --boosted boost="auto"), sequential CART and a Gaussian copula
(benchmarks/_peers.py) and, where it is installed, arfpy make as many rows as were held out. A column of figures for each,
one for fresh real rows and one for shuffled columns; mean over splits. docs/compare.md says what the measures are.
"""

import argparse
import importlib.util
import warnings
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from benchmarks import _sdmetrics
from benchmarks._frames import Frame, frame_of, split_of
from benchmarks._peers import arf, gaussian_copula, sequential_cart
from benchmarks._reach import at_most, head, line
from benchmarks._timing import timed
from depnet import quality
from depnet.inference.judge.quality import MEASURES

TABLES = ("credit_data", "diamonds", "OJ", "wa_churn", "penguins")
MEAN = 0.62
"""The mean AUC of rows of depnet's default, at most."""
SPLITS_SMALL, SMALL = 3, 3000
SECONDS = "CPU seconds"
SAME = 1e-9
"""How far a figure may be from SDMetrics's."""

Maker = Callable[[Frame, int, int], Frame]
"""Rows learned from, how many to make, a seed."""


def by_depnet(train: Frame, rows: int, seed: int, boost: str | None = None) -> Frame:
    from depnet import DependencyNetwork

    return DependencyNetwork(boost=boost, random_state=seed).fit(train).sample(rows)


def makers(options: argparse.Namespace) -> dict[str, Maker]:
    found: dict[str, Maker] = {"depnet": by_depnet}
    if options.boosted:
        found["depnet, boosted"] = partial(by_depnet, boost="auto")
    found |= {"CART": sequential_cart, "Gaussian copula": gaussian_copula}
    return found | ({"arfpy": arf} if importlib.util.find_spec("arfpy") else {})


def compare(options: argparse.Namespace) -> list[bool]:
    """A table of figures for each table, one of their means, and what was reached."""
    warnings.simplefilter("ignore")
    every = [_of_table(name, options) for name in options.frames]
    measures = (*MEASURES, SECONDS)
    means = {
        who: {m: float(np.mean([each[who].get(m, np.nan) for each in every])) for m in measures}
        for who in every[0]
    }
    _show(f"mean of {len(every)} tables", means)
    return [at_most("AUC of depnet's rows, mean over tables", means["depnet"]["detection"], MEAN)]


def _of_table(name: str, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    frame = _plain(frame_of(name, options.data).dropna().reset_index(drop=True))
    frame = frame.sample(min(options.most, len(frame)), random_state=options.seed).reset_index(drop=True)
    found: dict[str, list[dict[str, float]]] = {}
    splits = SPLITS_SMALL if len(frame) < SMALL else 1
    for seed in range(splits):
        train, held = split_of(frame, seed)
        for who, make in makers(options).items():
            made, seconds = timed(partial(make, train, len(held), seed))
            whole = {column: made[column].round() for column in frame if frame[column].dtype.kind in "iu"}
            of = quality(made.assign(**whole).astype(frame.dtypes.to_dict()), train, held)
            figures = {measure: of[measure] for measure in of.measures}
            found.setdefault(who, []).append({m: b.drawn for m, b in figures.items()} | {SECONDS: seconds})
        found.setdefault("fresh rows", []).append({m: b.fresh for m, b in figures.items()})
        found.setdefault("shuffled", []).append({m: b.shuffled for m, b in figures.items()})
    means = {
        who: {m: float(np.mean([one[m] for one in each])) for m in each[0]} for who, each in found.items()
    }
    _show(f"{name}, {len(frame):,} rows, {splits} {'split' if splits == 1 else 'splits'}", means)
    return means


def _show(title: str, means: Mapping[str, Mapping[str, float]]) -> None:
    print()
    head([title, *means])
    for measure in (*MEASURES, SECONDS):
        figures = [each.get(measure, np.nan) for each in means.values()]
        if not np.isnan(figures).all():
            form = ".1f" if measure == SECONDS else ".3f"
            line([measure, *("" if np.isnan(of) else f"{of:{form}}" for of in figures)])


def _plain(frame: Frame) -> Frame:
    """Text as categories, numbers as they are."""
    texts = [name for name in frame if frame[name].dtype.kind not in "iuf"]
    return frame.assign(**{name: frame[name].astype(str).astype("category") for name in texts})


def beside_sdmetrics(options: argparse.Namespace) -> list[bool]:
    """How far the figures are from SDMetrics's, on some rows of each table, with their holes."""
    warnings.simplefilter("ignore")
    reached = []
    for name in options.frames:
        whole = frame_of(name, options.data)
        some = whole.sample(min(2 * _sdmetrics.ROWS, len(whole)), random_state=options.seed)
        sides = split_of(some.reset_index(drop=True), options.seed, 0.5)
        train, held = (side[: len(whole) // 2] for side in sides)
        made = by_depnet(train, len(held), options.seed)
        train, held = train[list(made)], held[list(made)]
        found = quality(made, train, held)
        tables = dict(zip(_sdmetrics.SIDES, (train, made, held), strict=True))
        gaps = _sdmetrics.beside(options.sdmetrics, tables, found)
        print(f"{name}: {', '.join(f'{measure} {gap:.1g}' for measure, gap in gaps.items())}")
        reached.append(at_most(f"{name}: farthest from SDMetrics", max(gaps.values()), SAME, ".1g"))
    return reached
