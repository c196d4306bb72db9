"""`python -m benchmarks likelihood`: the exact test log-likelihood of ordered laws on standard binary tables.

Nats per row, higher is better: an ordered network's score is the log-likelihood of its law. Learned from the train rows
with `order="auto"`: `auto` chooses its penalty by the valid rows, `default` (as an estimator) by parts of the train rows,
and `boosted` (`boost="auto"`) its nodes, too, by the valid rows. `mixture` is of boosted laws in --orders different
orders, all alike in weight, each with as many hidden classes as the valid rows gain from. To reach are the figures of
TRIAL for single graphs, of BOOSTED for boosted ones, and of MIXTURE; where BOOSTED has none, boosted laws are to be better
than single graphs. Figures are compared as they are, not as they are printed. ± is the standard error of the paired
difference over test rows.

With --circuits, and deeprob-kit installed (`pip install deeprob-kit`), a circuit is learned beside them
(benchmarks/_circuits.py), in --limit CPU seconds a table, more or less.
"""

import argparse
import math
import warnings
from functools import partial
from typing import Any

import numpy as np

from benchmarks import _circuits
from benchmarks._reach import exit_code, head, line
from benchmarks._tables import add_data, debd
from benchmarks._timing import timed
from depnet import Dataset, Network, learn, score
from depnet.arrays import FloatArray

TRIAL = {
    "nltcs": -6.023,
    "msnbc": -6.038,
    "plants": -12.58,
    "dna": -80.24,
    "tretail": -10.85,
    "kosarek": -10.79,
}
"""An ordered law of single decision graphs, penalty chosen by the valid rows."""

BOOSTED = {"nltcs": -5.993, "msnbc": -6.033, "plants": -12.10, "dna": -77.9}
"""What boosted laws are to reach."""

MIXTURE = {
    "nltcs": -5.987,
    "msnbc": -6.030,
    "plants": -11.85,
    "dna": -77.5,
    "tretail": -10.72,
    "kosarek": -10.50,
    "bbc": -228.28,
}
"""What mixtures are to reach."""

TABLES = (*TRIAL, "bbc")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks likelihood",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_data(parser)
    parser.add_argument("--tables", type=lambda text: text.split(","), default=list(TABLES), metavar="A,B")
    parser.add_argument(
        "--orders", type=int, default=8, help="of mixtures; 0: none are learned  (%(default)s)"
    )
    parser.add_argument("--circuits", action="store_true", help="deeprob-kit's, too: it takes minutes")
    parser.add_argument(
        "--limit", type=float, default=60, help="CPU seconds of circuits on a table  (%(default)s)"
    )
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    circuits = options.circuits and _circuits.installed()
    if options.circuits and not circuits:
        print("deeprob-kit is not installed: no circuits")
    names = ["table", "to reach", "auto, by valid rows", "CPU s", "default", "CPU s", ""]
    names += ["to reach", "boosted", "CPU s", "boosted - auto", ""]
    names += ["to reach", f"mixture of {options.orders}", "classes", "CPU s", ""] * (options.orders > 0)
    head(names + ["circuit", "CPU s"] * circuits)
    reached: list[bool] = []
    for name in options.tables:
        train, valid, test = (debd(options.data / "debd", name, part) for part in ("train", "valid", "test"))
        single, cells, good = single_graphs(name, train, valid, test)
        law, seconds = learned(train, validation=valid, boost="auto")
        rows = by_row(law, test)
        more = rows - by_row(single, test)
        error = more.std(ddof=1) / math.sqrt(len(more))
        least = BOOSTED.get(name)
        better = more.mean() > 0 if least is None else rows.mean() >= least
        cells += ["" if least is None else f"{least}", f"{rows.mean():.4f}", f"{seconds:.2f}"]
        cells += [f"{more.mean():+.4f} ± {error:.4f}", said(better)]
        if options.orders:
            law, seconds = learned(train, validation=valid, boost="auto", mixture=options.orders)
            found, aim = score(law, test), MIXTURE.get(name)
            reached.append(aim is None or found >= aim)
            classes = len(law.components) // options.orders
            cells += ["" if aim is None else f"{aim}", f"{found:.4f}", f"{classes}", f"{seconds:.2f}"]
            cells += ["" if aim is None else said(reached[-1])]
        if circuits:
            circuit = _circuits.learned(train, valid, test, options.limit)
            cells += [f"{circuit.test:.4f}", f"{circuit.seconds:.0f} ({circuit.tried} tried)"]
        line([name, *cells])
        reached += [good, bool(better)]
    return exit_code(reached)


def learned(train: Dataset, **options: Any) -> tuple[Any, float]:
    """An ordered law, or a mixture of them, and its CPU seconds."""
    return timed(partial(learn, train, order="auto", penalty="auto", smoothing=0.5, **options))


def single_graphs(
    name: str, train: Dataset, valid: Dataset, test: Dataset
) -> tuple[Network, list[str], bool]:
    """The law chosen by the valid rows, the cells, and whether it is as good as it is to be."""
    laws, cells = [], []
    for validation in (valid, None):
        law, seconds = learned(train, validation=validation)
        laws.append(law)
        cells += [f"{score(law, test):.4f}", f"{seconds:.2f}"]
    if name not in TRIAL:
        return laws[0], ["", *cells, ""], True
    good = score(laws[0], test) >= TRIAL[name]
    return laws[0], [f"{TRIAL[name]}", *cells, said(good)], good


def by_row(law: Network, test: Dataset) -> FloatArray:
    """The log-likelihood of every row."""
    return np.asarray(np.sum([node.log_theta(test) for node in law.nodes], axis=0))


def said(good: bool) -> str:
    return "reached" if good else "NOT reached"
