"""`python -m benchmarks networks`: answers of a law learned from rows of a known Bayesian network, against exact ones.

An ordered network is learned from 50,000 rows and asked, at a tolerance of .0005, for six variables at a time given 1, 2,
4, 8 and 16 others, in states as they occur together in a row. The truth is elimination in the known network
(benchmarks/_bif.py). Figures are mean absolute errors of a probability. Beside it the frequencies among the training rows
that match (all rows, where none does), and pyAgrum: a network learned from the same rows, exact inference.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

import depnet
from benchmarks import _pyagrum
from benchmarks._bif import BayesianNetwork, read
from benchmarks._coded import Coded
from benchmarks._questions import PATIENCE, Question, counted, labels
from benchmarks._reach import at_most, head, line
from benchmarks._tables import add_data
from benchmarks._timing import timed
from depnet.arrays import FloatArray

KNOWN = (1, 2, 4, 8, 16)
TARGETS = 6
FINE = 0.0005
MEAN = 0.003
FEW_KNOWN = {"alarm": 0.0016, "insurance": 0.0023}
"""To reach with one or two known."""

Way = Callable[[list[Question]], list[FloatArray]]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks networks", description=__doc__)
    add_data(parser)
    parser.add_argument(
        "--networks", type=lambda text: text.split(","), default=list(FEW_KNOWN), metavar="A,B"
    )
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--sets", type=int, default=60, help="sets of evidence of each size  (%(default)s)")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    head(["network", "way", "learned, CPU s", *(f"{k} known" for k in KNOWN), "mean", "CPU ms a set", "95 %"])
    good = True
    for name in options.networks:
        truth = read(options.data / "bif" / f"{name}.bif")
        found = _network(name, truth, options)
        good &= at_most(f"{name}, mean over 1 to 16 known", float(found.mean()), MEAN, ".4f")
        if name in FEW_KNOWN:
            good &= at_most(f"{name}, 1 or 2 known", float(found[:2].mean()), FEW_KNOWN[name], ".4f")
    return 0 if good else 1


def _network(name: str, truth: BayesianNetwork, options: argparse.Namespace) -> FloatArray:
    """The errors of the law for each number of known variables."""
    rng = np.random.default_rng(options.seed)
    codes = truth.sample(options.rows, rng)
    asked = {k: [_asked(truth, k, rng) for _ in range(options.sets)] for k in KNOWN}
    began = time.process_time()
    rows = depnet.Dataset.from_codes(codes, domain=truth.domain)
    law = depnet.learn(rows, order="auto", penalty="auto", smoothing=0.5)
    ask = ByLaw(law, options.seed)
    errors = _line(name, "law", time.process_time() - began, asked, ask)
    if ask.unsettled:
        print(f"{ask.unsettled} of {len(KNOWN) * options.sets} answers did not reach the tolerance of {FINE}")
    coded = Coded.of(rows, truth.domain)
    _line(name, "counting", 0, asked, lambda some: [counted(coded, question) for question in some])
    if not options.no_peers:
        cards = truth.domain.cardinalities
        answer, learned = timed(lambda: _pyagrum.answerer(_pyagrum.learner(codes, cards).learnBN()))
        _line(
            name, "pyAgrum", learned, asked, lambda some: [answer(q.target, dict(q.evidence)) for q in some]
        )
    return errors


def _asked(truth: BayesianNetwork, k: int, rng: np.random.Generator) -> list[Question]:
    row = truth.sample(1, rng)[0]
    order = rng.permutation(len(truth.domain)).tolist()
    evidence = {j: int(row[j]) for j in order[:k]}
    found = []
    for target in order[k : k + TARGETS]:
        table = truth.joint([target], evidence)
        found.append(Question(target, evidence, table / table.sum(), 0))
    return found


class ByLaw:
    """Answers of the law; `unsettled` is how many did not reach the tolerance."""

    def __init__(self, law: depnet.Network, seed: int) -> None:
        self.law, self.rng, self.unsettled = law, np.random.default_rng(seed), 0

    def __call__(self, some: list[Question]) -> list[FloatArray]:
        """To questions with the same evidence."""
        names = [self.law.domain.names[question.target] for question in some]
        given = labels(self.law.domain, some[0].evidence)
        result = depnet.query(self.law, names, given, tolerance=FINE, max_seconds=PATIENCE, rng=self.rng)
        assert isinstance(result.probabilities, dict)
        self.unsettled += not result.converged
        return [result.probabilities[name] for name in names]


def _line(
    name: str, way: str, learned: float, asked: dict[int, list[list[Question]]], answers: Way
) -> FloatArray:
    errors, seconds = [], []
    for sets in asked.values():
        own = []
        for some in sets:
            found, taken = timed(partial(answers, some))
            seconds.append(taken)
            own += [np.abs(a - question.truth).mean() for a, question in zip(found, some, strict=True)]
        errors.append(float(np.mean(own)))
    each = [f"{error:.4f}" for error in (*errors, np.mean(errors))]
    times = [f"{1000 * value:.1f}" for value in (np.median(seconds), np.quantile(seconds, 0.95))]
    line([name, way, f"{learned:.2f}", *each, *times])
    return np.array(errors)
