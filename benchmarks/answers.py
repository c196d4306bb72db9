"""`python -m benchmarks answers`: are answers as good as counting rows, on real tables and with no options set?

`DependencyNetwork().fit` on 70 % of the rows of each table, then questions with one to three known variables and one
target, to which the held-out rows are the truth (benchmarks/_questions.py). Errors are total variation distances, means
over questions; a ratio is one of means, to the error of counting the training rows that match, as a groupby does (± its
standard error). `law` is `result.probabilities`, `combined` is `result.combined`, both asked at a tolerance of .0005; `ms`
are CPU milliseconds of an answer at .005, median and 95 %. `noise` is what counting the truth itself brings about: no
answer can be better. Beside them pyAgrum and LightGBM (benchmarks/_question_peers.py), judged on the questions (their
number in brackets) that they answered within --limit CPU seconds a table. All use depnet's bins, which come from the
training rows. Tables under 3,000 rows are split ten times, and a question needs 15 held-out rows there, 50 elsewhere.

With --boosted the same questions are put to `DependencyNetwork(boost="auto")`, too: a second table has its errors, and CPU
seconds of `fit` and milliseconds of an answer beside those of single graphs. A difference is that of the mean errors of
`law`, both asked at a tolerance of .002, ± its standard error over questions. To reach: none worse by more than two standard
errors, and better on the mean.

With --by a question is asked for many groups together, and timed beside one (benchmarks/_by.py).

With --raw there are other tables, with holes and numbers, and other options (`answers --raw --help`).
"""

import argparse
import math
import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from benchmarks._by import by_groups
from benchmarks._coded import Coded
from benchmarks._frames import SMALL, frame_of, splits_of, tables_parser
from benchmarks._question_peers import PEERS, Problem, Started
from benchmarks._questions import Tally, answered, columns, errors, questions
from benchmarks._raw import raw_answers
from benchmarks._reach import at_most, exit_code, head, line
from benchmarks._timing import timed
from depnet import DependencyNetwork

KNOWN = (1, 2, 3)
LEAST, LEAST_SMALL = 50, 15
FINE, FINER, USUAL = 0.0005, 0.002, 0.005
OURS = ("law", "combined", "counting")


def main(arguments: list[str]) -> int:
    if "--raw" in arguments:
        return raw_answers([argument for argument in arguments if argument != "--raw"])
    parser = tables_parser("answers", __doc__)
    parser.add_argument("--questions", type=int, default=40, help="of each split  (%(default)s)")
    parser.add_argument("--raw", action="store_true", help="raw tables with holes and numbers instead")
    parser.add_argument("--by", action="store_true", help="only how long groups take together")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--boosted", action="store_true", help="boosted laws, too")
    parser.add_argument(
        "--limit", type=float, default=60, help="CPU seconds of a peer on a table  (%(default)s)"
    )
    options = parser.parse_args(arguments)
    if options.by:
        return exit_code(by_groups())
    began = time.monotonic()
    peers = () if options.no_peers else tuple(PEERS)
    head(["table", "rows", "columns", *columns((*OURS, *peers)), "ms median", "95 %"])
    tallies = {name: _table(name, peers, options) for name in options.tables}
    _means(tallies, (*OURS, *peers))
    reached = _judged(tallies)
    if options.boosted:
        reached += boosted_answers(options)
    print(f"{time.monotonic() - began:.0f} s in all")
    return exit_code(reached)


def _table(name: str, peers: Sequence[str], options: argparse.Namespace) -> Tally:
    frame = frame_of(name, options.data)
    least = LEAST if len(frame) >= SMALL else LEAST_SMALL
    tally = Tally()
    seconds: list[float] = []
    problems = []
    for seed, (train, rest) in enumerate(splits_of(frame, options.seeds)):
        model = DependencyNetwork(random_state=seed).fit(train)
        learned, held_out = (Coded.of(part, model.domain_) for part in (train, rest))
        rng = np.random.default_rng(seed)
        asked = questions(held_out, options.questions, known=KNOWN, least=least, rng=rng)
        tally.add(asked, learned, answered(model, asked, FINE))
        seconds += answered(model, asked, USUAL).seconds
        assert model.completion_ is not None
        problems.append(Problem(learned, model.completion_.dataset.codes.astype(np.int64), asked))
    started = {peer: Started(peer, problems, options.limit) for peer in peers}
    every = [question for problem in problems for question in problem.asked]
    for peer, work in started.items():
        found = work.answers()
        tally.each[peer] = errors(every[: len(found)], found)
    times = [f"{1000 * value:.1f}" for value in np.quantile(seconds, (0.5, 0.95))]
    line([name, f"{frame.shape[0]:,}", f"{frame.shape[1]}", *tally.shown((*OURS, *peers)), *times])
    return tally


def _mean(tallies: dict[str, Tally], way: str, *, where: str) -> float:
    """The mean ratio over the tables on which the way `where` has answers."""
    ratios = [tally.ratio(way) for tally in tallies.values() if tally.each.get(where)]
    return float(np.mean(ratios)) if ratios else math.nan


def _means(tallies: dict[str, Tally], ways: Sequence[str]) -> None:
    means = [np.nanmean([tally.mean(way) for tally in tallies.values()]) for way in ways]
    ratios = [_mean(tallies, way, where=way) for way in ways if way != "counting"]
    asked = sum(len(tally.noise) for tally in tallies.values())
    noise = np.mean([np.mean(tally.noise) for tally in tallies.values()])
    cells = [f"{noise:.4f}", *(f"{mean:.4f}" for mean in means), *(f"{ratio:.3f}" for ratio in ratios)]
    line(["mean over tables", "", "", f"{asked}", *cells, "", ""])


def _judged(tallies: dict[str, Tally]) -> list[bool]:
    unsettled = {name: tally.unsettled for name, tally in tallies.items() if tally.unsettled}
    if unsettled:
        print(f"answers that did not reach the tolerance of {FINE}: {unsettled}")
    worst = {way: max(tally.ratio(way) for tally in tallies.values()) for way in ("law", "combined")}
    ours, law = (_mean(tallies, way, where=way) for way in ("combined", "law"))
    reached = [
        at_most("combined over counting, the worst table", worst["combined"], 1.0),
        at_most("combined over counting, mean over tables", ours, 0.97),
        at_most("law over counting, the worst table", worst["law"], 1.3),
        at_most("law over counting, mean over tables", law, 1.1),
    ]
    theirs = _mean(tallies, "pyAgrum", where="pyAgrum")
    if not math.isnan(theirs):
        there = _mean(tallies, "combined", where="pyAgrum")
        reached.append(
            at_most("combined, mean over the tables that pyAgrum ended, against it", there, theirs)
        )
    return reached


def boosted_answers(options: argparse.Namespace) -> list[bool]:
    """Single graphs and boosted laws on the same questions: a line for each table, and what was reached."""
    print()
    ways = ("law", "law, boosted", "combined", "combined, boosted")
    costs = ("fit s", "boosted", "ms median", "boosted", "95 %", "boosted")
    head(["table", "questions", *ways, "law, boosted - single", *costs])
    differences, errors_worst = [], []
    for name in options.tables:
        found, costs_found = _both(name, options)
        law, combined = (np.array([each[k] for each in found]) for k in (0, 1))  # [model, question]
        more = law[1] - law[0]
        error = float(more.std(ddof=1) / math.sqrt(len(more)))
        differences.append(float(more.mean()))
        errors_worst.append(more.mean() / max(error, 1e-12))
        means = [law[0].mean(), law[1].mean(), combined[0].mean(), combined[1].mean()]
        cells = [f"{len(more)}", *(f"{each:.4f}" for each in means), f"{more.mean():+.4f} ± {error:.4f}"]
        line([name, *cells, *(f"{each:.1f}" for each in costs_found)])
    return [
        at_most("boosted - single, in standard errors, the worst table", max(errors_worst), 2.0, "+.1f"),
        at_most("boosted - single, mean error over tables", float(np.mean(differences)), 0.0, "+.5f"),
    ]


def _both(
    name: str, options: argparse.Namespace
) -> tuple[list[tuple[list[float], list[float]]], list[float]]:
    """Errors (law, combined) of single graphs and of boosted ones; seconds of fit, milliseconds median and 95 % of each."""
    frame = frame_of(name, options.data)
    least = LEAST if len(frame) >= SMALL else LEAST_SMALL
    found: list[tuple[list[float], list[float]]] = [([], []), ([], [])]
    fits: list[list[float]] = [[], []]
    times: list[list[float]] = [[], []]
    for seed, (train, rest) in enumerate(splits_of(frame, options.seeds)):
        asked = None
        for k, boost in enumerate((None, "auto")):
            model, seconds = timed(partial(DependencyNetwork(random_state=seed, boost=boost).fit, train))
            if asked is None:
                rng = np.random.default_rng(seed)
                held_out = Coded.of(rest, model.domain_)
                asked = questions(held_out, options.questions, known=KNOWN, least=least, rng=rng)
            answers = answered(model, asked, FINER)
            found[k][0].extend(answers.law)
            found[k][1].extend(answers.combined)
            fits[k].append(seconds)
            times[k] += answered(model, asked, USUAL).seconds
    quantiles = 1000 * np.quantile(times, (0.5, 0.95), axis=1)
    return found, [*np.mean(fits, axis=1).tolist(), *quantiles.ravel().tolist()]
