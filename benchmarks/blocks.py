"""`python -m benchmarks blocks`: what blocks are worth, single variables against blocks="auto", plain and calibrated.

On networks learned from rows of a known Bayesian network: the drift of the model's marginals without evidence from
the true ones (largest error of a probability, mean and worst over variables; to reach: .004 and .02). On standard binary
tables: the mean 2-way total variation distance between the data and rows drawn from the model, its floor, that of as many
rows of the data, and whether it is at most half of that of single variables (or within twice the floor). Beside them the
test pseudo-log-likelihood of single variables, read off whatever nodes update them (mean over a variable's nodes), and
CPU seconds of learning, for blocks also in units of learning single variables.
"""

import argparse
import itertools
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks._tables import add_data
from benchmarks.bif import read as read_bif
from benchmarks.quality import read as read_table
from depnet import Dataset, Mdl, Network, Sampler, calibrate, learn
from depnet.arrays import FloatArray
from depnet.errors import MixingWarning
from depnet.inference.drift import distance
from depnet.learning.blocks import read_off
from depnet.learning.penalty import checked_penalty
from depnet.model.marginals import MarginalCounts

NETWORKS = ["asia", "insurance", "alarm"]
TABLES = ["nltcs", "msnbc", "plants", "tretail", "dna", "kosarek", "bbc"]
ALL_CELLS = 10**9
SWEEPS_TIMES_VARIABLES = 30_000
"""Burn-in is this over the number of variables, from 100 to 1,000 sweeps: wide tables mix in fewer."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks blocks", description=__doc__)
    add_data(parser)
    parser.add_argument("--networks", nargs="*", default=NETWORKS)
    parser.add_argument("--tables", nargs="*", default=TABLES)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of a known network to learn from")
    parser.add_argument("--drawn", type=int, default=100_000, help="rows drawn from the model")
    parser.add_argument("--burn-in", type=int, help="sweeps (by the number of variables, if not given)")
    parser.add_argument("--thin", type=int, help="sweeps (a fiftieth of burn-in, if not given)")
    parser.add_argument("--penalty", default="mdl")
    parser.add_argument("--smoothing", type=float, default=0.5)
    parser.add_argument("--no-calibration", action="store_true")
    parser.add_argument("--seed", type=int, default=0, help="of the rows of the known networks")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", MixingWarning)
    began = time.process_time()
    for name in options.networks:
        _known(name, options)
    for name in options.tables:
        _table(name, options)
    print(f"\n{time.process_time() - began:.0f} s CPU in all")
    return 0


def _known(name: str, options: argparse.Namespace) -> None:
    truth = read_bif(options.data / "bif" / f"{name}.bif")
    rng = np.random.default_rng(options.seed)
    train = Dataset.from_codes(truth.sample(options.rows, rng), domain=truth.domain)
    test = Dataset.from_codes(truth.sample(20_000, rng), domain=truth.domain)
    n = len(truth.domain)
    singles = [truth.joint((i,), {}) for i in range(n)]
    pairs = {pair: truth.joint(pair, {}) for pair in itertools.combinations(range(n), 2)}

    def measured(counts: MarginalCounts) -> tuple[str, float]:
        rows = counts.total
        errors = [np.abs(c / rows - p).max() for c, p in zip(counts.singles, singles, strict=True)]
        assert counts.pairs is not None
        apart = [np.abs(counts.pairs[k] / rows - p).sum() / 2 for k, p in pairs.items()]
        reached = "reached" if np.mean(errors) <= 0.004 and np.max(errors) <= 0.02 else "missed"
        return f"drift {np.mean(errors):.4f} / {np.max(errors):.4f} ({reached})", float(np.mean(apart))

    print(f"\n{name}: {n} variables, {options.rows:,} rows; {options.drawn:,} rows drawn")
    text, floor = measured(MarginalCounts.of(train))
    print(f"  {'the training rows':27} {text}, 2-way {floor:.4f}")
    _compare(train, test, measured, floor, options)


def _table(name: str, options: argparse.Namespace) -> None:
    train, test = (read_table(options.data / "debd", name, part) for part in ("train", "test"))
    data = MarginalCounts.of(train, ALL_CELLS)
    again = np.random.default_rng(0).choice(train.rows, size=options.drawn)
    floor = distance(
        MarginalCounts.of(Dataset.from_codes(train.codes[again], domain=train.domain), ALL_CELLS), data, ()
    )

    def measured(counts: MarginalCounts) -> tuple[str, float]:
        found = distance(counts, data, train.domain.names)
        return f"1-way {found.mean:.4f} / {found.worst:.4f}", found.pair_mean

    print(f"\n{name}: {len(train.domain)} variables, {train.rows:,} rows; 2-way floor {floor.pair_mean:.4f}")
    _compare(train, test, measured, floor.pair_mean, options)


def _compare(
    train: Dataset,
    test: Dataset,
    measured: Callable[[MarginalCounts], tuple[str, float]],
    floor: float,
    options: argparse.Namespace,
) -> None:
    """One line for each way to learn; the first is that of single variables."""
    single, single_seconds = None, 0.0
    for what, network, seconds in _learned(train, options):
        text, apart = measured(MarginalCounts.of(_drawn(network, options), ALL_CELLS))
        halved = ""
        if single is None:
            single, single_seconds = apart, seconds
            halved = ", within twice its floor" if single <= 2 * floor else ""
        elif single > 2 * floor:
            halved = ", halved" if apart <= single / 2 else ", not halved"
        blocks = sum(len(node.variables) > 1 for node in network.nodes)
        print(
            f"  {what:27} {text}, 2-way {apart:.4f}{halved}; pseudo-log-likelihood "
            f"{single_scores(network, test).sum():.4f}; {blocks} blocks of {len(network)} nodes; {seconds:.2f} s CPU "
            f"({seconds / single_seconds:.1f} times)",
            flush=True,
        )


def _learned(train: Dataset, options: argparse.Namespace) -> Iterator[tuple[str, Network, float]]:
    """(how, network, CPU seconds of learning and calibrating)."""
    penalty = checked_penalty(options.penalty) if options.penalty != "mdl" else Mdl()
    for what in ("single variables", "blocks"):
        seconds = []
        for _ in range(3):  # the least of three: a first call has other things to do
            began = time.process_time()
            network = learn(
                train,
                penalty=penalty,
                smoothing=options.smoothing,
                blocks="auto" if what == "blocks" else None,
            )
            seconds.append(time.process_time() - began)
        yield what, network, min(seconds)
        if what == "blocks" and all(len(node.variables) == 1 for node in network.nodes):
            return  # no block is kept: calibrated, it is as single variables are
        if not options.no_calibration:
            began = time.process_time()
            calibrated = calibrate(network, train, rng=np.random.default_rng(2))
            yield f"{what}, calibrated", calibrated, min(seconds) + time.process_time() - began


def _drawn(network: Network, options: argparse.Namespace) -> Dataset:
    burn_in = options.burn_in or min(1000, max(100, SWEEPS_TIMES_VARIABLES // len(network.domain)))
    sampler = Sampler(
        network,
        burn_in=burn_in,
        thin=options.thin or max(1, burn_in // 50),
        chains=4096,
        rng=np.random.default_rng(1),
        if_reducible="ignore",
    )
    return sampler.draw(options.drawn)


def single_scores(network: Network, test: Dataset) -> FloatArray:
    """For each variable the mean log theta of it given all others, averaged over the nodes that update it."""
    sums, nodes = np.zeros(len(test.domain)), np.zeros(len(test.domain))
    for node in network.nodes:
        sums[list(node.variables)] += read_off(node, test)
        nodes[list(node.variables)] += 1
    return sums / nodes
