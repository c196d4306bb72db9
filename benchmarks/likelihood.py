"""`python -m benchmarks likelihood`: the exact test log-likelihood of ordered laws on standard binary tables.

Nats per row, higher is better: an ordered network's score is the log-likelihood of its law. Learned from the train rows
with `order="auto"`: `auto` chooses its penalty by the valid rows, `default` (as an estimator) by parts of the train rows. To
reach are the figures of TRIAL.
"""

import argparse
from functools import partial

from benchmarks._reach import head, line
from benchmarks._tables import add_data, debd
from benchmarks._timing import timed
from depnet import learn, score

TRIAL = {
    "nltcs": -6.023,
    "msnbc": -6.038,
    "plants": -12.58,
    "dna": -80.24,
    "tretail": -10.85,
    "kosarek": -10.79,
}
"""An ordered law of single decision graphs, penalty chosen by the valid rows; to the decimals that are given."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks likelihood", description=__doc__)
    add_data(parser)
    parser.add_argument("--tables", type=lambda text: text.split(","), default=list(TRIAL), metavar="A,B")
    options = parser.parse_args(arguments)
    head(["table", "to reach", "auto, by valid rows", "CPU s", "default", "CPU s", ""])
    missed = 0
    for name in options.tables:
        train, valid, test = (debd(options.data / "debd", name, part) for part in ("train", "valid", "test"))
        cells, found = [], []
        for validation in (valid, None):
            law, seconds = timed(
                partial(learn, train, order="auto", penalty="auto", smoothing=0.5, validation=validation)
            )
            found.append(score(law, test))
            cells += [f"{found[-1]:.4f}", f"{seconds:.2f}"]
        decimals = len(str(TRIAL[name]).split(".")[1])
        reached = round(found[0], decimals) >= TRIAL[name]
        missed += not reached
        line([name, f"{TRIAL[name]}", *cells, "reached" if reached else "NOT reached"])
    return 1 if missed else 0
