"""`python -m benchmarks answers --raw`: are answers about raw tables right, with their holes and numbers, no options set?

Tables are as packages of R have them (benchmarks/_raw_tables.py, chosen before any figure was looked at; cut to 20,000
rows), questions are about values (benchmarks/_raw_questions.py), and the truth is what pandas says. In parts:

holes      tables with real holes, 70 % of the rows learned, 30 % held out: the law's answers and those that join it with the
           rows, over counting the training rows (the column's marginal where none match). A question needs 50 held-out rows,
           15 of tables under 3,000 rows.
random     full tables, a fifth of the training cells hidden at random: missing="auto" over missing="complete".
doors      the table's own numbers: `observed`, the rows that match, holes, means and quantiles against pandas, through every
           door that is a function: how many disagree.
intervals  how often 90 % intervals cover, and how wide they are beside those that count alone (benchmarks/_raw_intervals.py
           says how the noise of held-out rows is accounted for).
named      questions that were answered wrongly once: the answer shown beside the number of pandas.

`fit s` are CPU seconds of a fit, `ms` CPU milliseconds of an answer at the usual tolerance.
"""

from collections.abc import Callable
from typing import Any

from benchmarks._frames import tables_parser
from benchmarks._raw_doors import doors
from benchmarks._raw_errors import SPLITS, hidden_at_random, real_holes
from benchmarks._raw_intervals import intervals
from benchmarks._raw_named import named
from benchmarks._raw_tables import TABLES
from benchmarks._reach import exit_code
from benchmarks._timing import cpu_seconds

PARTS: dict[str, Callable[[Any], list[bool]]] = {
    "holes": real_holes,
    "random": hidden_at_random,
    "doors": doors,
    "intervals": intervals,
    "named": named,
}


def raw_answers(arguments: list[str]) -> int:
    parser = tables_parser("answers --raw", __doc__, TABLES, SPLITS)
    parser.add_argument("--questions", type=int, default=40, help="of each split and kind  (%(default)s)")
    parser.add_argument(
        "--parts",
        type=lambda text: text.split(","),
        default=list(PARTS),
        metavar="A,B",
        help=" ".join(PARTS),
    )
    options = parser.parse_args(arguments)
    began, reached = cpu_seconds(), []
    for part in options.parts:
        started = cpu_seconds()
        print(f"\n## {part}\n", flush=True)
        reached += PARTS[part](options)
        print(f"{cpu_seconds() - started:.0f} CPU s", flush=True)
    print(f"\n{sum(reached)} of {len(reached)} reached; {cpu_seconds() - began:.0f} CPU s in all")
    return exit_code(reached)
