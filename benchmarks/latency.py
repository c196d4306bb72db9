"""`python -m benchmarks latency`: how long an answer takes, from an estimator and from the command.

CPU milliseconds of `model.query` at a tolerance of .005 with one to three known variables of a random row and one target;
tables of at most 100 columns: real ones, rows of known networks, and of a random network of 100 variables. Then CPU
seconds of `depnet query` over a process that starts Python, imports what answers, and loads the model.
"""

import argparse
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import depnet
from benchmarks._bif import read
from benchmarks._coded import Coded
from benchmarks._frames import TABLES, Frame, frame_of, splits_of
from benchmarks._questions import answered, labels, questions
from benchmarks._reach import at_most, exit_code, head, line
from benchmarks._tables import add_data, debd, from_random_network
from benchmarks._timing import command_seconds

USUAL = 0.005
WIDEST = 100
MEDIAN, MOST, COMMAND = 20, 200, 0.1
"""Milliseconds, milliseconds, seconds: at most."""

ROWS = 20_000
"""Of the networks."""

COMMANDED = "wa_churn"
"""The table of the model that the command is asked about."""

LOAD = "import sys, depnet; depnet.query; depnet.load(sys.argv[1], law=True)"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks latency", description=__doc__)
    add_data(parser)
    parser.add_argument("--questions", type=int, default=100, help="of each table  (%(default)s)")
    parser.add_argument("--times", type=int, default=9, help="processes of each command  (%(default)s)")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    head(["table", "columns", "ms median", "95 %", "largest"])
    every: list[float] = []
    medians, most = [], []
    for name, rows in _tables(options.data):
        model = depnet.DependencyNetwork(random_state=0).fit(rows)
        coded = Coded.of(rows, model.domain_)
        asked = questions(coded, options.questions, known=(1, 2, 3), least=1, rng=np.random.default_rng(0))
        own = 1000 * np.array(answered(model, asked, USUAL).seconds)
        every += own.tolist()
        medians.append(np.median(own))
        most.append(np.quantile(own, 0.95))
        line([name, f"{len(model.domain_)}", *(f"{x:.1f}" for x in (medians[-1], most[-1], own.max()))])
    line(["all questions", "", *(f"{np.quantile(every, q):.1f}" for q in (0.5, 0.95, 1))])
    seconds = _command(splits_of(frame_of(COMMANDED, options.data), 1)[0][0], options.times)
    return exit_code(
        [
            at_most("the largest median, ms", max(medians), MEDIAN, ".1f"),
            at_most("the largest 95 %, ms", max(most), MOST, ".1f"),
            at_most("`depnet query` over starting Python and loading, CPU s", seconds, COMMAND),
        ]
    )


def _tables(folder: Path) -> Iterator[tuple[str, Frame]]:
    """Frames and datasets to learn from."""
    for name in TABLES:
        frame = splits_of(frame_of(name, folder), 1)[0][0]
        if frame.shape[1] <= WIDEST:
            yield name, frame
    yield "plants", debd(folder / "debd", "plants")
    rng = np.random.default_rng(0)
    for name in ("alarm", "insurance"):
        network = read(folder / "bif" / f"{name}.bif")
        yield name, depnet.Dataset.from_codes(network.sample(ROWS, rng), domain=network.domain)
    yield "random network", from_random_network(ROWS, rng.integers(2, 7, WIDEST).tolist())


def _command(frame: Frame, times: int) -> float:
    """CPU seconds of `depnet query` over a process that only loads the model; medians."""
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    asked = questions(Coded.of(frame, model.domain_), 1, known=(2,), least=1, rng=np.random.default_rng(0))[0]
    given = [
        text
        for name, state in labels(model.domain_, asked.evidence).items()
        for text in ("--given", f"{name}={state}")
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.json")
        model.save(path)
        query = [sys.executable, "-m", "depnet", "query", path, model.domain_.names[asked.target], *given]
        load = [sys.executable, "-c", LOAD, path]
        for command in (query, load):
            command_seconds(command, 1)  # compiled, and in the file cache
        return command_seconds(query, times)[0] - command_seconds(load, times)[0]
