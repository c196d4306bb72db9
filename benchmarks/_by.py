"""`python -m benchmarks answers --by`: a question for all groups together, beside one question.

Raw tables with numbers, categories and holes (benchmarks/_raw_tables.py), a model of each fitted with no options. Of each a
number, a condition and a category are asked for by columns that make about a hundred groups. `one` is the median of five
questions about a group, each answered and printed, `all` the time of the frame of all groups, both in CPU seconds of the
second call. To reach: all take no more than ten questions, for each hundred groups.
"""

import itertools
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks._raw_tables import raw_frame
from benchmarks._reach import at_most, head, line
from benchmarks._timing import least_seconds, timed
from depnet import DependencyNetwork

ASKED = {
    "credit_data": (("Job", "Home", "Marital"), ("Income", "Income > 150", "Status")),
    "yrbss": (("race", "grade", "gender", "hispanic"), ("weight", "weight > 80", "helmet_12m")),
    "flights": (("dest",), ("arr_delay", "arr_delay > 30", "carrier")),
    "gss_wages": (("occrecode", "wrkstat"), ("realrinc", "realrinc > 20000", "educcat")),
}
QUESTIONS, MOST, HUNDRED = 5, 10.0, 100


def by_groups() -> list[bool]:
    """A line for each table and target, and whether the worst is within reach."""
    head(["table", "target", "groups", "one s", "all s", "all / one", "for 100 groups"])
    worst = 0.0
    for name, (by, targets) in ASKED.items():
        model = DependencyNetwork(random_state=0).fit(raw_frame(name))
        variables = [model.domain_.variables[model.domain_.index(column)] for column in by]
        groups = list(itertools.product(*(variable.present_states for variable in variables)))
        some = np.random.default_rng(0).choice(len(groups), QUESTIONS, replace=False)
        for target in targets:
            known = [dict(zip(by, groups[k], strict=True)) for k in some]
            one = median(timed(partial(_print_answer, model, target, each))[1] for each in known)
            every = least_seconds(partial(model.query, target, by=list(by)), 2)
            ratio = every / one
            each = ratio * HUNDRED / len(groups)
            worst = max(worst, each)
            line(
                [name, target, f"{len(groups)}", f"{one:.4f}", f"{every:.3f}", f"{ratio:.1f}", f"{each:.1f}"]
            )
    return [at_most("the time of 100 groups over that of one question, the worst", worst, MOST, ".1f")]


def _print_answer(model: DependencyNetwork, target: str, known: dict[str, Any]) -> str:
    return str(model.query(target, known))
