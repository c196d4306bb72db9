"""`python -m benchmarks blocks`: what blocks are worth, single variables against blocks="auto".

On networks learned from rows of a known Bayesian network: the drift of the model's marginals without evidence from
the true ones (largest error of a probability, mean and worst over variables). On standard binary tables: the mean
2-way total variation distance between the data and rows drawn from the model, and its floor, that of as many rows
of the data. Beside them the test pseudo-log-likelihood of single variables, read off whatever nodes update them (mean
over a variable's nodes), and CPU seconds of learning.
"""

import argparse
import itertools
import os
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.bif import read as read_bif
from benchmarks.quality import read as read_table
from depnet import Dataset, Mdl, Network, Sampler, learn
from depnet.arrays import FloatArray
from depnet.errors import MixingWarning
from depnet.inference.drift import distance
from depnet.learning.blocks import read_off
from depnet.learning.penalty import checked_penalty
from depnet.model.marginals import MarginalCounts


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks blocks", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("DEPNET_DATA", "../shared/data")))
    parser.add_argument("--networks", nargs="*", default=["asia", "insurance", "alarm"])
    parser.add_argument("--tables", nargs="*", default=["nltcs", "msnbc", "plants"])
    parser.add_argument("--rows", type=int, default=100_000, help="rows of a known network to learn from")
    parser.add_argument("--drawn", type=int, default=100_000, help="rows drawn from the model")
    parser.add_argument("--burn-in", type=int, default=2000)
    parser.add_argument("--thin", type=int, default=50)
    parser.add_argument("--penalty", default="mdl")
    parser.add_argument("--smoothing", type=float, default=0.5)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", MixingWarning)
    for name in options.networks:
        _known(name, options)
    for name in options.tables:
        _table(name, options)
    return 0


def _known(name: str, options: argparse.Namespace) -> None:
    truth = read_bif(options.data / "bif" / f"{name}.bif")
    rng = np.random.default_rng(0)
    train = Dataset.from_codes(truth.sample(options.rows, rng), domain=truth.domain)
    test = Dataset.from_codes(truth.sample(20_000, rng), domain=truth.domain)
    n = len(truth.domain)
    singles = [truth.joint((i,), {}) for i in range(n)]
    pairs = {pair: truth.joint(pair, {}) for pair in itertools.combinations(range(n), 2)}

    def against_the_truth(counts: MarginalCounts) -> str:
        rows = counts.total
        errors = [np.abs(c / rows - p).max() for c, p in zip(counts.singles, singles, strict=True)]
        assert counts.pairs is not None
        apart = [np.abs(counts.pairs[k] / rows - p).sum() / 2 for k, p in pairs.items()]
        return f"drift {np.mean(errors):.4f} / {np.max(errors):.4f}, 2-way distance {np.mean(apart):.4f}"

    print(f"\n{name}: {n} variables, {options.rows:,} rows; {options.drawn:,} rows drawn")
    print(f"  {'the training rows':18} {against_the_truth(MarginalCounts.of(train))}")
    for what, network, seconds in _learned(train, options):
        drawn = MarginalCounts.of(_drawn(network, options))
        _report(what, network, test, against_the_truth(drawn), seconds)


def _table(name: str, options: argparse.Namespace) -> None:
    train, test = (read_table(options.data / "debd", name, part) for part in ("train", "test"))
    data = MarginalCounts.of(train)
    rng = np.random.default_rng(0)
    again = rng.multinomial(options.drawn, np.full(train.rows, 1 / train.rows))
    floor = distance(
        MarginalCounts.of(Dataset.from_codes(train.codes, [2] * len(train.domain), again)), data, ()
    )
    print(f"\n{name}: {len(train.domain)} variables, {train.rows:,} rows; 2-way floor {floor.pair_mean:.4f}")
    for what, network, seconds in _learned(train, options):
        found = distance(MarginalCounts.of(_drawn(network, options)), data, train.domain.names)
        text = f"2-way distance {found.pair_mean:.4f}, 1-way {found.mean:.4f} / {found.worst:.4f}"
        _report(what, network, test, text, seconds)


def _learned(train: Dataset, options: argparse.Namespace) -> list[tuple[str, Network, float]]:
    found = []
    penalty = checked_penalty(options.penalty) if options.penalty != "mdl" else Mdl()
    for what in ("single variables", "blocks"):
        began = time.process_time()
        network = learn(
            train, penalty=penalty, smoothing=options.smoothing, blocks="auto" if what == "blocks" else None
        )
        found.append((what, network, time.process_time() - began))
    return found


def _drawn(network: Network, options: argparse.Namespace) -> Dataset:
    sampler = Sampler(
        network,
        burn_in=options.burn_in,
        thin=options.thin,
        chains=4096,
        rng=np.random.default_rng(1),
        if_reducible="ignore",
    )
    return sampler.draw(options.drawn)


def _report(what: str, network: Network, test: Dataset, text: str, seconds: float) -> None:
    blocks = sum(len(node.variables) > 1 for node in network.nodes)
    print(
        f"  {what:18} {text}; pseudo-log-likelihood {single_scores(network, test).sum():.4f}; {blocks} blocks of "
        f"{len(network)} nodes; learned in {seconds:.2f} s CPU",
        flush=True,
    )


def single_scores(network: Network, test: Dataset) -> FloatArray:
    """For each variable the mean log theta of it given all others, averaged over the nodes that update it."""
    sums, nodes = np.zeros(len(test.domain)), np.zeros(len(test.domain))
    for node in network.nodes:
        sums[list(node.variables)] += read_off(node, test)
        nodes[list(node.variables)] += 1
    return sums / nodes
