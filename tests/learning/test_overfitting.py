"""On wide tables with few rows the paper's MDL overfits, and naming operations stops it.

Rows of a Markov chain of n binary variables, each a copy of the one before but for a share of flips: a variable depends
on its neighbours alone, and the loss against the true full conditionals is measured exactly.
"""

import numpy as np

from depnet import Dataset, Mdl, StructuralMdl, learn
from depnet.arrays import CodeArray, FloatArray
from depnet.learning.cost import Penalty
from depnet.model.score import score

FLIP = 0.2


def chain_rows(rng: np.random.Generator, variables: int, rows: int) -> Dataset:
    flips = rng.random((rows, variables)) < FLIP
    flips[:, 0] = rng.random(rows) < 0.5
    return Dataset.from_codes(np.cumsum(flips, axis=1) % 2, [2] * variables)


def true_log_conditionals(codes: CodeArray) -> FloatArray:
    """Log p(x_i | x_-i) of the chain, [rows, variables]."""
    alike = codes[:, 1:] == codes[:, :-1]
    own, flipped = np.zeros(codes.shape), np.zeros(codes.shape)
    for total, parts in ((own, alike), (flipped, ~alike)):
        steps = np.where(parts, np.log(1 - FLIP), np.log(FLIP))
        total[:, 1:] += steps
        total[:, :-1] += steps
    return own - np.logaddexp(own, flipped)


def losses(variables: int, penalty: Penalty) -> tuple[float, float]:
    """Nats per variable below the truth, on 200 training rows and on fresh ones."""
    rng = np.random.default_rng([0, variables, 200])
    train, fresh = chain_rows(rng, variables, 200), chain_rows(rng, variables, 5_000)
    network = learn(train, penalty=penalty, smoothing=0.5)
    truth = (true_log_conditionals(rows.codes).sum(axis=1).mean() for rows in (train, fresh))
    told = (score(network, train), score(network, fresh))
    on_train, on_fresh = ((float(a) - b) / variables for a, b in zip(truth, told, strict=True))
    return on_train, on_fresh


def test_true_full_conditionals_of_the_chain() -> None:
    stay, flip = 1 - FLIP, FLIP
    middle = stay * stay / (stay * stay + flip * flip)
    found = np.exp(true_log_conditionals(np.array([[0, 0, 1], [1, 1, 1]], dtype=np.uint8)))
    assert np.allclose(found, [[stay, 0.5, flip], [stay, middle, stay]], rtol=1e-12, atol=0)


def test_mdl_overfits_wide_tables_and_naming_operations_stops_it() -> None:
    narrow, wide, named = losses(8, Mdl()), losses(60, Mdl()), losses(60, StructuralMdl())
    assert wide[1] > 5 * narrow[1]
    assert named[1] < wide[1] / 2
    assert wide[0] < -0.05  # better than the truth on its own rows
