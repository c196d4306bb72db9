"""`python -m benchmarks boosted`: rows of a law whose nodes are all boosted, beside predictions of boosted trees.

Thirty variables, each with a hundred stages of eight leaves over random earlier ones. CPU nanoseconds for each row and stage
of passes of the law, of theta of its last node, and of the predictions of LightGBM, where it is installed, for as many trees
of as many leaves (of a variable of K states K trees count as one stage); and microseconds for each update of a move.

Then, where LightGBM is installed, nodes learned from the standard binary tables, and their probabilities, against it
(benchmarks/_boosted_tables.py says how); then nodes of mixed tables as they come, and how good they are
(benchmarks/_boosted_mixed.py). `python -m benchmarks quality --peers` is of the whole choice, and how good it is.
"""

import argparse
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._boosted_mixed import PACKAGES, compare_mixed
from benchmarks._boosted_tables import TABLES, compare
from benchmarks._reach import at_most, exit_code
from benchmarks._tables import add_data
from benchmarks._timing import least_seconds
from depnet import ConstantSource, Domain, Network
from depnet.arrays import CodeArray
from depnet.law.program import Law
from depnet.model.boosted import BoostedNode
from depnet.model.sources.limits import TABLE_STATES
from depnet.model.stages import Stages

VARIABLES, STAGES, LEAVES = 30, 100, 8
STATES = (2, 4, 16)
REACH = 2.0
"""CPU nanoseconds for each row and stage of passes, at most, with AVX-512."""
MOVED, SWEEPS = 256, 2


def random_law(states: int, seed: int) -> Network:
    """Scores are an eighth of a nat at most, so that no state is rare."""
    rng = np.random.default_rng(seed)
    nodes = []
    for i in range(VARIABLES):
        stages, splits = STAGES if i else 0, LEAVES - 1
        each = np.arange(stages * splits)
        low, high = np.sort(rng.integers(0, states, size=(2, len(each))), axis=0)
        arrays: dict[str, Any] = {
            "variable": rng.integers(max(i, 1), size=len(each)),
            "low": low,
            "high": high,
            "begin": np.arange(stages + 1) * splits,
            "leaf": rng.integers(each % splits + 1),
            "test": each,
            "scores": rng.integers(-(2**17), 2**17, size=(stages * LEAVES, states)),
        }
        nodes.append(BoostedNode(i, ConstantSource(), np.zeros((1, states)), Stages(**arrays)))
    domain = Domain.from_cardinalities([states] * VARIABLES)
    return Network(domain, tuple(nodes), order=tuple(range(VARIABLES)))


def trees(codes: CodeArray, states: int) -> Callable[[], object] | None:
    """LightGBM's predictions of the last column from the others; None where it is not installed."""
    try:
        lightgbm = importlib.import_module("lightgbm")
    except ImportError:
        return None
    options: dict[str, object] = {"num_leaves": LEAVES, "verbose": -1, "num_threads": 1}
    options |= {"objective": "binary"} if states == 2 else {"objective": "multiclass", "num_class": states}
    features = np.ascontiguousarray(codes[:, :-1], dtype=np.float64)
    model = lightgbm.train(options, lightgbm.Dataset(features, codes[:, -1]), num_boost_round=STAGES)
    return lambda: model.predict(features, num_threads=1)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks boosted", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=3, help="runs of each, of which the least counts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--states", nargs="*", type=int, default=STATES, help="of variables of random laws")
    add_data(parser)
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=TABLES, metavar="NAME")
    parser.add_argument("--mixed", nargs="*", default=list(PACKAGES), choices=PACKAGES, metavar="NAME")
    parser.add_argument("--nodes", type=int, default=3, help="of each table  (%(default)s)")
    options = parser.parse_args(arguments)
    reached = []
    for states in options.states:
        network = random_law(states, options.seed)
        law = Law(network)
        codes = law.passes(options.rows, seed=options.seed).codes
        summed = sum(
            len(node.stages) for node in boosted(network) if states ** len(node.inputs) > TABLE_STATES
        )
        each = 1e9 / options.rows
        seconds = least_seconds(lambda: law.passes(options.rows, seed=options.seed), options.times)  # noqa: B023
        what = f"{states} states: {options.rows / seconds:,.0f} rows a CPU second; ns a row and stage"
        reached.append(at_most(what, seconds * each / summed, REACH))
        own = least_seconds(lambda: network.nodes[-1].probabilities(codes), options.times)  # noqa: B023
        print(f"  theta of one node: {own * each / STAGES:.3f}")
        start = np.ascontiguousarray(codes[:MOVED], dtype=np.uint16)
        hidden = np.ones((1, VARIABLES), dtype=bool)
        updates = len(start) * SWEEPS * VARIABLES
        moving = least_seconds(lambda: law.moves(start.copy(), hidden, sweeps=SWEEPS), options.times)  # noqa: B023
        print(f"  moves: {moving / updates * 1e6:.2f} microseconds an update")
        predict = trees(codes, states)
        if predict is not None:
            print(f"  LightGBM: {least_seconds(predict, options.times) * each / STAGES:.3f}", flush=True)
    if importlib.util.find_spec("lightgbm") is not None:
        if options.tables:
            print()
            reached += compare(options)
        if options.mixed:
            print()
            reached += compare_mixed(options.mixed)
    return exit_code(reached)


def boosted(network: Network) -> list[BoostedNode]:
    """Its boosted nodes."""
    return [node for node in network.nodes if isinstance(node, BoostedNode)]
