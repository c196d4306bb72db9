"""`python -m benchmarks synthetic`: a table against as many rows sampled from the law learned from it.

Three sources of n rows are compared, n being the number of training rows: `sampled` from the law of an ordered network,
`resampled` from the training rows with replacement (the floor: what chance alone does to n rows), and `fresh`, real rows
that were held out. For each source:

- the mean total variation distance to the training rows' 1-, 2- and 3-way marginals, over all variables, pairs and
  triples (or --triples of them, drawn at random, where there are more). Numbers are compared in the
  network's bins. Fewer rows make a larger distance by chance alone, so all are cut to the same number for this;
- the accuracy on held-out real rows of gradient boosting trained on it: of the class, where a table has one, and else of
  its four variables of the largest entropy, averaged. Numbers are drawn from the bins' quantiles. Beside it, `real`:
  trained on the training rows themselves, and `mode`: always the most frequent state;
- copies: the share of its rows that equal a training row in all variables (in bins), the share that equal a training
  row which is there once only, and, where the table has numbers, the share that equal a training row number for number;
  the mean number of variables in which a row differs from the nearest training row.

Also what the model file holds of numbers: the share of the training columns' distinct values that are among its quantiles.
The tables are those of folder debd of --data (at most --most rows) and the ones that scikit-learn brings.

Then, on real tables with categories and numbers (--frames), what `depnet.quality` says of depnet's rows, of sequential
CART's, a Gaussian copula's and arfpy's, beside fresh rows and shuffled columns (benchmarks/_quality.py).
With --sdmetrics PYTHON, a Python that has `sdmetrics`, how far these figures are from SDMetrics's own, and nothing else.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._coded import Coded, apart, ways
from benchmarks._quality import TABLES, beside_sdmetrics, compare
from benchmarks._reach import exit_code
from benchmarks._tables import add_data, debd
from benchmarks._timing import timed
from depnet import Dataset, Network, learn, sample
from depnet.arrays import FloatArray
from depnet.data import decode, describe, encode
from depnet.data.table.columns import Layout

BINARY = ("nltcs", "msnbc", "plants")
BUNDLED = ("iris", "wine", "breast_cancer", "digits", "diabetes")
TARGETS = 4
NEAREST = 1000
"""So many rows are compared with all training rows for the nearest one."""


@dataclass(frozen=True)
class Table:
    """Training and held-out rows, as codes and as numbers to train on; `targets` are what is predicted."""

    name: str
    train: Dataset
    test: Dataset
    layout: Layout | None
    numbers: tuple[FloatArray, FloatArray] | None
    targets: tuple[int, ...]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks synthetic",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_data(parser)
    parser.add_argument("--binary", nargs="*", default=list(BINARY), metavar="NAME")
    parser.add_argument("--bundled", nargs="*", default=list(BUNDLED), choices=BUNDLED, metavar="NAME")
    parser.add_argument("--frames", nargs="*", default=list(TABLES), choices=TABLES, metavar="NAME")
    parser.add_argument("--most", type=int, default=10_000, help="training and held-out rows, at most")
    parser.add_argument("--triples", type=int, default=5000)
    parser.add_argument("--penalty", default="auto")
    parser.add_argument("--smoothing", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--boosted", action="store_true", help="also boost='auto' on --frames")
    parser.add_argument("--sdmetrics", metavar="PYTHON", help="compare figures with those of sdmetrics")
    options = parser.parse_args(arguments)
    if options.sdmetrics:
        return exit_code(beside_sdmetrics(options))
    for name in options.binary:
        run(_binary(options.data / "debd", name, options), options)
    for name in options.bundled:
        run(_bundled(name, options), options)
    return exit_code(compare(options) if options.frames else [])


def _binary(folder: Path, name: str, options: argparse.Namespace) -> Table:
    rng = np.random.default_rng(options.seed)
    parts = []
    for part in ("train", "test"):
        codes = debd(folder, name, part).codes
        kept = np.sort(rng.permutation(len(codes))[: options.most])
        parts.append(Dataset.from_codes(codes[kept], [2] * codes.shape[1]))
    share = parts[0].codes.mean(axis=0)
    targets = np.argsort(np.abs(share - 0.5), kind="stable")[:TARGETS]
    return Table(name, parts[0], parts[1], None, None, tuple(int(i) for i in targets))


def _bundled(name: str, options: argparse.Namespace) -> Table:
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{name}")()
    target = loaded.target
    if name == "diabetes":  # a number to be predicted: in four classes, by its quartiles
        target = np.searchsorted(np.quantile(target, (0.25, 0.5, 0.75)), target)
    values = np.column_stack([loaded.data, target]).astype(float)
    order = np.random.default_rng(options.seed).permutation(len(values))
    test, train = np.split(values[order], [len(values) // 3])
    last = values.shape[1] - 1
    domain, layout = describe(train)
    encoded = [encode(part, domain, handle_unknown="missing") for part in (train, test)]
    known = ~encoded[1].hidden.any(axis=1)  # a whole number that the training rows do not have
    held = Dataset.from_codes(np.asarray(encoded[1].codes)[known], domain=domain)
    return Table(name, encoded[0].dataset(), held, layout, (train, test[known]), (last,))


def run(table: Table, options: argparse.Namespace) -> None:
    rng = np.random.default_rng(options.seed)
    train, domain = table.train, table.train.domain
    law, learned = timed(
        lambda: learn(train, order="auto", penalty=options.penalty, smoothing=options.smoothing)
    )
    sampled, drawn = timed(lambda: sample(law, train.rows, rng=rng))
    chosen = rng.integers(0, train.rows, train.rows)
    again = Dataset.from_codes(train.codes[chosen], domain=domain)
    sources = {"sampled": sampled, "resampled": again, "fresh": table.test}
    leaves = sum(node.source.size for node in law.nodes)
    print(
        f"\n{table.name}: {len(domain)} variables, {train.rows:,} training rows, {table.test.rows:,} held out; "
        f"{leaves:,} leaves, learned in {learned:.1f} s, sampled in {drawn:.1f} s CPU"
    )
    triples = _triples(len(domain), options.triples, options.seed)
    rows = min(train.rows, table.test.rows)
    print(
        f"  total variation of {rows:,} rows to the training rows{'':9} 1-way   2-way   3-way ({len(triples):,} triples)"
    )
    subsets = (ways(len(domain), 1), ways(len(domain), 2), triples)
    whole = Coded.of(train, domain)
    for name, source in sources.items():
        some = Coded.of(source, domain).rows(rng.permutation(source.rows)[:rows])
        found = "  ".join(f"{apart(whole, some, each):.4f}" for each in subsets)
        print(f"    {name:52} {found}")
    real, held_out = _real(table)
    numbers = {"sampled": _numbers(table, sampled, rng), "resampled": real[chosen], "real": real}
    scores = {name: _accuracy(table, values) for name, values in numbers.items()}
    scores["mode"] = _mode(table)
    print("  accuracy on held-out rows, trained on:  " + ", ".join(f"{k} {v:.4f}" for k, v in scores.items()))
    for name, source in sources.items():
        same, once, differing = _copies(train, source, rng)
        exact = ""
        if table.numbers is not None:
            values = held_out if name == "fresh" else numbers[name]
            exact = f", number for number {_exact(table.numbers[0], values):.4f}"
        print(
            f"    {name:10} copies of training rows: {same:.4f}, of rows there once {once:.4f}{exact}; "
            f"variables differing from the nearest {differing:.2f}"
        )
    if table.numbers is not None:
        print(
            f"  distinct training values that the model file's quantiles hold: {_held(law, table.numbers[0]):.3f}"
        )


def _triples(n: int, most: int, seed: int) -> Sequence[tuple[int, ...]]:
    every = ways(n, 3) if n <= 200 else []
    if every and len(every) <= most:
        return every
    rng = np.random.default_rng(seed)
    return sorted({tuple(sorted(rng.choice(n, 3, replace=False).tolist())) for _ in range(most)})


def _real(table: Table) -> tuple[FloatArray, FloatArray]:
    if table.numbers is not None:
        return table.numbers
    return table.train.codes.astype(float), table.test.codes.astype(float)


def _numbers(table: Table, rows: Dataset, rng: np.random.Generator) -> FloatArray:
    if table.layout is None:
        return rows.codes.astype(float)
    return np.asarray(decode(rows.codes.astype(np.int64), rows.domain, table.layout, rng=rng), dtype=float)


def _accuracy(table: Table, values: FloatArray) -> float:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    test = _real(table)[1]
    found = []
    for i in table.targets:
        rest = [j for j in range(values.shape[1]) if j != i]
        if len(np.unique(values[:, i])) == 1:
            found.append(float((test[:, i] == values[0, i]).mean()))
            continue
        model = HistGradientBoostingClassifier(max_iter=100, random_state=0)
        with threadpool_limits(1):
            found.append(float(model.fit(values[:, rest], values[:, i]).score(test[:, rest], test[:, i])))
    return float(np.mean(found))


def _mode(table: Table) -> float:
    train, test = _real(table)
    found = []
    for i in table.targets:
        states, counts = np.unique(train[:, i], return_counts=True)
        found.append(float((test[:, i] == states[np.argmax(counts)]).mean()))
    return float(np.mean(found))


def _copies(train: Dataset, rows: Dataset, rng: np.random.Generator) -> tuple[float, float, float]:
    """The share of rows that are training rows, of those that are there once, and the mean distance to the nearest."""
    counts: dict[bytes, int] = {}
    for row in np.ascontiguousarray(train.codes):
        counts[row.tobytes()] = counts.get(row.tobytes(), 0) + 1
    times = np.array([counts.get(row.tobytes(), 0) for row in np.ascontiguousarray(rows.codes)])
    some = rows.codes[rng.permutation(rows.rows)[:NEAREST]]
    nearest = [int((train.codes != row).sum(axis=1).min()) for row in some]
    return float((times > 0).mean()), float((times == 1).mean()), float(np.mean(nearest))


def _exact(train: FloatArray, values: FloatArray) -> float:
    known = {row.tobytes() for row in np.ascontiguousarray(train)}
    return float(np.mean([row.tobytes() in known for row in np.ascontiguousarray(values)]))


def _held(law: Network, train: FloatArray) -> float:
    held = distinct = 0
    for i, variable in enumerate(law.domain.variables):
        if variable.bins is not None:
            there = np.unique(train[:, i])
            kept = np.array([value for values in variable.bins.quantiles for value in values], dtype=float)
            held += int(np.isin(there, kept).sum())
            distinct += len(there)
    return held / max(distinct, 1)
