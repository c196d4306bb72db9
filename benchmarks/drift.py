"""`python -m benchmarks drift`: are rows drawn from a model as near to held-out rows as real rows are?

`DependencyNetwork().fit` on 70 % of the rows, then as many rows drawn by `model.sample` as are held out. Their distance to
the held-out rows is the mean total variation of 1-way and of 2-way marginals, in the model's states and bins, over rows
that have values of both. The floor is the distance of as many training rows, chosen at random without repetition, to the
same held-out rows: two samples of the table's own law. Means over splits, and over several draws of both.
"""

import numpy as np

from benchmarks._coded import Coded, apart, ways
from benchmarks._frames import Frame, frame_of, splits_of, tables_parser
from benchmarks._reach import at_most, exit_code, head, line
from depnet import DependencyNetwork
from depnet.arrays import FloatArray

REACH = 1.3


def main(arguments: list[str]) -> int:
    parser = tables_parser("drift", __doc__)
    parser.add_argument("--draws", type=int, default=3, help="of rows from a model  (%(default)s)")
    options = parser.parse_args(arguments)
    kinds = ("1-way", "2-way")
    head(["table", "rows drawn", *(kind + what for kind in kinds for what in ("", " floor", " ratio"))])
    worst = {}
    for name in options.tables:
        splits = splits_of(frame_of(name, options.data), options.seeds)
        each = [_split(*parts, seed, options.draws) for seed, parts in enumerate(splits)]
        found, floor = np.mean(each, axis=0)
        worst[name] = float((found / floor).max())
        cells = zip(found, floor, strict=True)
        shown = [text for a, b in cells for text in (f"{a:.4f}", f"{b:.4f}", f"{a / b:.2f}")]
        line([name, f"{len(splits[0][1]):,}", *shown])
    return exit_code(
        [at_most(f"{name}, the larger ratio", ratio, REACH, ".2f") for name, ratio in worst.items()]
    )


def _split(train: Frame, rest: Frame, seed: int, draws: int) -> FloatArray:
    """[rows drawn or the floor, 1-way or 2-way]: mean distances to the held-out rows."""
    model = DependencyNetwork(random_state=seed).fit(train)
    learned, held_out = (Coded.of(part, model.domain_) for part in (train, rest))
    subsets = [ways(len(model.domain_), of) for of in (1, 2)]
    rng = np.random.default_rng(seed)
    each = []
    for draw in range(draws):
        model.random_state = 1000 * seed + draw
        drawn = Coded.of(model.sample(len(held_out)), model.domain_)
        real = learned.rows(rng.choice(len(learned), len(held_out), replace=False))
        each.append([[apart(rows, held_out, some) for some in subsets] for rows in (drawn, real)])
    return np.asarray(np.mean(each, axis=0))
