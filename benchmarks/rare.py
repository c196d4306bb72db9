"""`python -m benchmarks rare`: answers where few rows match, so that counting them is poor.

`DependencyNetwork().fit` on 2,000 of the training rows of a binary table; evidence of two to five variables that 5 to 50 of
them match, its states those of a random test row; the truth is the frequencies among the test rows that match, at least 15.
Errors are total variation distances; ratios are to the error of counting the matching rows of the 2,000.
"""

import argparse
import warnings

import numpy as np

from benchmarks._coded import Coded
from benchmarks._frames import binary_frame
from benchmarks._questions import Evidence, Tally, answered, columns, questions
from benchmarks._reach import at_most, exit_code, head, line
from benchmarks._tables import add_data, debd
from depnet import DependencyNetwork

KNOWN = (2, 3, 4, 5)
FEWEST, MOST = 5, 50
LEAST = 15
FINE = 0.0005
REACH = {"law": 0.9, "combined": 0.85}
WAYS = (*REACH, "counting")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks rare", description=__doc__)
    add_data(parser)
    parser.add_argument(
        "--tables", type=lambda text: text.split(","), default=["nltcs", "msnbc"], metavar="A,B"
    )
    parser.add_argument("--rows", type=int, default=2000, help="training rows  (%(default)s)")
    parser.add_argument("--questions", type=int, default=80)
    parser.add_argument("--seeds", type=int, default=1, help="draws of the training rows  (%(default)s)")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    head(["table", *columns(WAYS)])
    tallies = {name: _table(name, options) for name in options.tables}
    return exit_code(
        [
            at_most(f"{way} over counting, {name}", tally.ratio(way), limit)
            for name, tally in tallies.items()
            for way, limit in REACH.items()
        ]
    )


def _table(name: str, options: argparse.Namespace) -> Tally:
    train, test = (debd(options.data / "debd", name, part).codes for part in ("train", "test"))
    tally = Tally()
    for seed in range(options.seeds):
        rng = np.random.default_rng(seed)
        few = binary_frame(train[rng.choice(len(train), options.rows, replace=False)])
        model = DependencyNetwork(random_state=seed).fit(few)
        learned, held_out = (Coded.of(part, model.domain_) for part in (few, binary_frame(test)))

        def rare(evidence: Evidence, learned: Coded = learned) -> bool:
            return FEWEST <= int(learned.matching(evidence).sum()) <= MOST

        asked = questions(held_out, options.questions, known=KNOWN, least=LEAST, rng=rng, accept=rare)
        tally.add(asked, learned, answered(model, asked, FINE))
    line([name, *tally.shown(WAYS)])
    return tally
