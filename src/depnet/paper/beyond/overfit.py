"""Ours: when the paper's MDL overfits, and what the structural penalty does.

Rows of a Markov chain of n binary variables, each a copy of the one before but for a share of flips: every
variable needs its two neighbours and nothing else, three leaves, whatever n is. The full conditionals of the
true law are known, so the loss is measured exactly: nats per variable on fresh rows, lost against the truth.

A merge refunds half a log N for each parameter, and nothing in R(k, N) pays for having searched n variables
and all pairs of leaves. The more variables, the more noise passes for structure; `StructuralMdl` charges
the nats of naming each operation.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from depnet.arrays import FloatArray
from depnet.data import Dataset
from depnet.learning.learn import learn
from depnet.learning.penalty import Mdl, Penalty, StructuralMdl
from depnet.model import DecisionGraph
from depnet.model.score import score
from depnet.paper.report import Report, columns

PENALTIES: Mapping[str, Penalty] = {
    "MDL": Mdl(),
    "MDL + names": StructuralMdl(),
    "MDL + ½ names": StructuralMdl(0.5, 0.5),
}
COLUMNS = columns("""
    variables   n                      ,d
    rows        N                      ,d
    penalty     penalty
    leaves      leaves a node          .2f
    operations  operations a node      .2f
    inputs      inputs a node          .2f
    train       loss on training rows  +.4f
    loss        loss on fresh rows     +.4f
""")
FLIP, FRESH = 0.2, 5_000


def overfit(
    seed: int = 0,
    seeds: int = 1,
    *,
    widths: Sequence[int] = (10, 30, 100, 300),
    lengths: Sequence[int] = (200, 1_000, 5_000),
    smoothing: float = 0.5,
) -> Report:
    """Leaves, operations and loss against the truth, for each width and length of the table, means over seeds."""
    rows = []
    for n in widths:
        for length in lengths:
            runs = [_run(n, length, s, smoothing) for s in range(seed, seed + seeds)]
            for name in PENALTIES:
                own = [run[name] for run in runs]
                means = {key: float(np.mean([r[key] for r in own])) for key in own[0]}
                rows.append({"variables": n, "rows": length, "penalty": name, **means})
    note = (
        f"A Markov chain with {FLIP:.0%} flips: the truth has 2 inputs and 3 leaves a node (4, two of them alike). Loss: "
        f"nats per variable below the true full conditionals; smoothing {smoothing:g}. A negative loss on training "
        "rows with a positive one on fresh rows is overfitting."
    )
    return Report("overfit", "Ours: when MDL overfits", COLUMNS, tuple(rows), notes=(note,))


def chain_rows(rng: np.random.Generator, variables: int, rows: int) -> Dataset:
    """Rows of the chain: X_0 fair, X_i = X_{i-1} but for a share of flips."""
    flips = rng.random((rows, variables)) < FLIP
    flips[:, 0] = rng.random(rows) < 0.5
    return Dataset.from_codes(np.cumsum(flips, axis=1) % 2, [2] * variables)


def true_log_conditionals(codes: FloatArray) -> FloatArray:
    """Log p*(x_i | x_-i) of the chain, [rows, variables]: a variable depends on its neighbours alone."""
    x = codes.astype(np.int64)
    same, flip = np.log(1 - FLIP), np.log(FLIP)
    step = np.where(x[:, 1:] == x[:, :-1], same, flip)
    other = np.where(x[:, 1:] == x[:, :-1], flip, same)
    own, flipped = np.zeros(x.shape), np.zeros(x.shape)
    for total, parts in ((own, step), (flipped, other)):
        total[:, 1:] += parts
        total[:, :-1] += parts
    return own - np.logaddexp(own, flipped)


def _run(n: int, length: int, seed: int, smoothing: float) -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng([seed, n, length])
    train, fresh = chain_rows(rng, n, length), chain_rows(rng, n, FRESH)
    truth = {
        id(d): float(true_log_conditionals(d.codes.astype(np.float64)).sum(axis=1).mean())
        for d in (train, fresh)
    }
    told = {}
    for name, penalty in PENALTIES.items():
        network = learn(train, penalty=penalty, smoothing=smoothing)
        graphs = [node.source for node in network.nodes if isinstance(node.source, DecisionGraph)]
        told[name] = {
            "leaves": float(np.mean([g.size for g in graphs])),
            "operations": float(np.mean([len(g.operations) for g in graphs])),
            "inputs": float(np.mean([len(g.inputs) for g in graphs])),
            "train": (truth[id(train)] - score(network, train)) / n,
            "loss": (truth[id(fresh)] - score(network, fresh)) / n,
        }
    return told
