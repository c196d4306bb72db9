"""`python -m benchmarks fit`: what fitting a model takes beside learning the paper's network alone.

CPU seconds of `DependencyNetwork().fit(frame)`, which encodes the frame, completes its holes and learns the network and the
law, and of `depnet.learn(rows, penalty="auto", smoothing=.5, cuts=True)`, which is that network alone, on the rows as they
were then encoded and completed: each the least of several runs, in turn. Holes are completed in rounds that learn again;
tables with holes are shown, not judged.
"""

from functools import partial

from benchmarks._frames import frame_of, splits_of, tables_parser
from benchmarks._reach import at_most, exit_code, head, line
from benchmarks._timing import timed
from depnet import DependencyNetwork, learn

REACH = 1.8


def main(arguments: list[str]) -> int:
    parser = tables_parser("fit", __doc__)
    parser.add_argument("--times", type=int, default=3, help="runs of each  (%(default)s)")
    options = parser.parse_args(arguments)
    head(["table", "rows", "columns", "holes", "learn, CPU s", "fit, CPU s", "fit / learn"])
    ratios = {}
    for name in options.tables:
        frame = splits_of(frame_of(name, options.data), 1)[0][0]
        model = DependencyNetwork(random_state=0).fit(frame)
        assert model.completion_ is not None
        rows = model.completion_.dataset
        fit = partial(DependencyNetwork(random_state=0).fit, frame)
        alone = partial(learn, rows, penalty="auto", smoothing=0.5, cuts=True)
        fits, learns = zip(*((timed(fit)[1], timed(alone)[1]) for _ in range(options.times)), strict=True)
        holes = int(frame.isna().sum().sum())
        ratio = min(fits) / min(learns)
        if not holes:
            ratios[name] = ratio
        shown = [f"{min(learns):.3f}", f"{min(fits):.3f}", f"{ratio:.2f}"]
        line([name, f"{frame.shape[0]:,}", f"{frame.shape[1]}", f"{holes:,}", *shown])
    return exit_code(
        [at_most(f"fit over learn, {name}", ratio, REACH, ".2f") for name, ratio in ratios.items()]
    )
