"""The parallel learner, boosters, sampler and counters, for ThreadSanitizer: scripts/sanitize --thread runs this."""

import numpy as np

import depnet
from depnet import RandomScan, SequentialScan
from depnet.inference import query_rows
from depnet.sampling import Sampler
from tests.golden.outcomes import BINARY, MIXED, MODELS, WEIGHTED, outcomes
from tests.learning.test_boost_native import test_threads_grow_what_one_grows


def main() -> None:
    """Everything that has threads, with more threads than cores."""
    assert outcomes(n_jobs=4) == outcomes(n_jobs=1)
    test_threads_grow_what_one_grows()
    for rows, _ in MODELS.values():
        network = depnet.learn(rows, n_jobs=4, smoothing=0.5)
        for scan in (RandomScan(), SequentialScan()):
            Sampler(network, scan=scan, burn_in=3, thin=1, n_jobs=4, rng=np.random.default_rng(1)).draw(5_000)
    for rows in (BINARY, MIXED, WEIGHTED):
        network = depnet.learn(rows, smoothing=0.5)
        hidden = np.random.default_rng(2).random((50, len(rows.domain))) < 0.2
        query_rows(network, rows.codes[:50], hidden, tolerance=0.05, rng=np.random.default_rng(3), n_jobs=4)
    print("no race")


if __name__ == "__main__":
    main()
