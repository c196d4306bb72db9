"""`python -m benchmarks odd`: which rows and cells of a table are odd, found without being told.

Each detector learns from the table with its odd rows and scores these same rows; none has an option set. Rows: AUROC and
average precision of `DependencyNetworkDetector` beside scikit-learn and pyod. Cells, in tables with mistakes: AUROC, average
precision and how many of the k wrong ones are among the first k cells, by the tail masses of `oddness`, beside others
(benchmarks/_odd_peers.py). Means over seeds, then the mean rank of each over tables.
"""

import argparse
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks._odd_peers import cell_peers, matrix_of, row_peers
from benchmarks._odd_tables import DEVELOP, MOST_ROWS, REPORT, OddTable, odd_table
from benchmarks._reach import at_most, exit_code, head, line
from depnet import DependencyNetworkDetector
from depnet.arrays import FloatArray

LISTS = {"develop": [*DEVELOP], "report": [*REPORT]}
ROW_WAYS, CELL_WAYS = ("AUROC", "average precision"), ("AUROC", "average precision", "among the first k")
OURS = "depnet"

Found = dict[str, dict[str, list[FloatArray]]]
"""By table and tool: of each seed, a number for each way to measure."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks odd", description=__doc__)
    parser.add_argument(
        "--tables",
        default="report",
        metavar="A,B",
        help="names, or one of the lists develop, report  (%(default)s)",
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=MOST_ROWS, help="at most, of each table  (%(default)s)")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    names = LISTS.get(options.tables) or options.tables.split(",")
    rows: Found = defaultdict(lambda: defaultdict(list))
    cells: Found = defaultdict(lambda: defaultdict(list))
    seconds: dict[str, float] = defaultdict(float)
    for name in names:
        print(name, end=" ", file=sys.stderr, flush=True)
        for seed in range(options.seeds):
            table = odd_table(name, seed, options.rows)
            by_row, by_cell = _scores(table, seed, seconds)
            for tool, scores in by_row.items():
                rows[name][tool].append(_measured(table.rows, scores)[:2])
            for tool, scores in by_cell.items():
                assert table.cells is not None
                cells[name][tool].append(_measured(table.cells.ravel(), scores.ravel()))
    reached = [one for k, way in enumerate(ROW_WAYS) for one in _show("row", way, k, rows)]
    if cells:
        reached += [one for k, way in enumerate(CELL_WAYS) for one in _show("cell", way, k, cells)]
    print("CPU s in all: " + ", ".join(f"{tool} {spent:.1f}" for tool, spent in seconds.items()))
    return exit_code(reached)


def _scores(
    table: OddTable, seed: int, seconds: dict[str, float]
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """By tool, how odd rows and cells are, the more the odder."""
    frame, detector = table.frame, DependencyNetworkDetector(random_state=seed)

    def timed(tool: str, work: Callable[[], FloatArray]) -> FloatArray:
        began = time.process_time()
        scores = work()
        seconds[tool] += time.process_time() - began
        return scores

    by_row = {OURS: timed(OURS, lambda: -detector.fit(frame).score_samples(frame))}
    matrix = matrix_of(frame)
    for name, peer in row_peers(seed).items():
        by_row[name] = timed(name, lambda peer=peer: peer(matrix))  # type: ignore[misc]
    if table.cells is None:
        return by_row, {}
    model = detector.model_
    own = np.zeros(frame.shape)  # a column that is left out is not odd
    own[:, [list(frame).index(name) for name in model.domain_.names]] = -np.log(model.oddness(frame).tails)
    by_cell = {OURS: own}
    for name, rival in cell_peers().items():
        by_cell[name] = timed(f"{name} by cell", lambda rival=rival: rival(frame))  # type: ignore[misc]
    return by_row, by_cell


def _measured(wrong: NDArray[np.bool_], scores: FloatArray) -> FloatArray:
    """AUROC, average precision, and the share of the k wrong ones among the first k; ties count as chance would have it."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    k, some = int(wrong.sum()), np.random.default_rng(0).permutation(len(wrong))
    first = some[np.argsort(-scores[some], kind="stable")[:k]]
    return np.array(
        [roc_auc_score(wrong, scores), average_precision_score(wrong, scores), wrong[first].mean()]
    )


def _show(what: str, way: str, k: int, found: Found) -> Sequence[bool]:
    """Print a table, with mean ranks last; has depnet the best one?"""
    from scipy.stats import rankdata

    tools = list(next(iter(found.values())))
    print(f"\nby {what}: {way}", flush=True)
    head(["table", *tools])
    means = {
        name: [float(np.mean([one[k] for one in by[tool]])) for tool in tools] for name, by in found.items()
    }
    for name, own in means.items():
        line([name, *(f"{value:.3f}" for value in own)])
    line(["mean", *(f"{value:.3f}" for value in np.mean(list(means.values()), axis=0))])
    ranks = np.mean([rankdata(-np.array(own)) for own in means.values()], axis=0)
    line(["mean rank", *(f"{rank:.2f}" for rank in ranks)])
    return [
        at_most(
            f"mean rank by {what}, {way}, and the best other's",
            float(ranks[0]),
            float(ranks[1:].min()),
            ".2f",
        )
    ]
