"""Questions with a name: what depnet once said falsely of real tables, beside pandas.

Each is put to the estimator that learned from the whole table (flights: 50,000 rows of it), and to `depnet query --data`
with its model file and the table as CSV. The answer shown (`combined`) is to be within two standard errors of the number
of pandas, 2 % of it, or .01, whichever is most.
"""

import argparse
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._frames import Frame
from benchmarks._raw_doors import command
from benchmarks._raw_errors import fitted
from benchmarks._raw_questions import Condition, Evidence, Rows, given_of
from benchmarks._raw_tables import raw_frame
from benchmarks._reach import at_least, head, line
from depnet import DependencyNetwork

MOST_ROWS = 65_000
FLIGHTS = 50_000


@dataclass(frozen=True)
class Named:
    """A question: the mean of the target, or, where there is a label, its share."""

    table: str
    target: str
    evidence: Evidence
    label: Any = None

    def __str__(self) -> str:
        what = f"mean {self.target}" if self.label is None else f"P({self.target} = {self.label})"
        return " given ".join(
            [what, *([", ".join(each.text for each in self.evidence)] if self.evidence else [])]
        )

    def by_pandas(self, rows: Rows) -> tuple[float, float, int]:
        """The number, its standard error, and the rows."""
        values = rows.values(self.target, self.evidence)
        of = values.astype(np.float64) if self.label is None else (values == self.label).astype(np.float64)
        return float(of.mean()), float(of.std(ddof=1)) / math.sqrt(len(of)), len(of)

    def by_estimator(self, model: DependencyNetwork) -> float:
        """What a person is told."""
        result = model.query(self.target, given_of(self.evidence))
        if self.label is None:
            return float(result.numbers[self.target].mean)
        return float(np.asarray(result.combined)[result.states[0].index(self.label)])

    def by_command(self, model: Path, data: Path) -> float:
        """What the command says."""
        document = command(model, data, self.target, self.evidence)
        if self.label is None:
            return float(document["numbers"][self.target]["combined"]["mean"])
        states = document["targets"][0]["states"]
        return float(document["combined"][self.target][states.index(self.label)])


QUESTIONS = (
    Named("flchain", "death", (Condition("chapter", "=", "Circulatory"),), 1),
    Named("storms", "wind", (Condition("category", "=", 5),)),
    Named("storms", "status", (), "hurricane"),
    Named("birds", "phase_of_flt", (Condition("time_of_day", "=", "Night"),), "Approach"),
    Named("loans_full_schema", "application_type", (Condition("annual_income_joint", ">", 0),), "joint"),
    Named("movies", "Short", (Condition("year", "<", 1910),), 1),
    Named("gss_wages", "realrinc", (Condition("occ10", "=", 3060),)),
    Named("flights", "distance", (Condition("dest", "=", "HNL"),)),
    Named("flights", "arr_delay", (Condition("carrier", "=", "EV"),)),
    Named("pizzaplace", "price", (Condition("name", "=", "hawaiian"), Condition("size", "=", "M"))),
)


def named(options: argparse.Namespace) -> list[bool]:
    """Part 5: each answer beside pandas."""
    head(["table", "question", "rows", "pandas", "estimator", "command", "within", "fit s"])
    right = asked = 0
    for table in dict.fromkeys(question.table for question in QUESTIONS):
        some = [question for question in QUESTIONS if question.table == table]
        right += _table(raw_frame(table, FLIGHTS if table == "flights" else MOST_ROWS), some)
        asked += 2 * len(some)
    return [at_least(f"named questions answered rightly, of {asked}", right, asked, ".0f")]


def _table(frame: Frame, questions: Sequence[Named]) -> int:
    model, seconds = fitted(frame, 0)
    rows = Rows(frame)
    right = 0
    with tempfile.TemporaryDirectory() as folder:
        path, data = Path(folder) / "model.json", Path(folder) / "table.csv"
        model.save(path)
        frame.to_csv(data, index=False)
        for question in questions:
            value, error, n = question.by_pandas(rows)
            allowed = max(2 * error, 0.02 * abs(value), 0.01)
            answers = question.by_estimator(model), question.by_command(path, data)
            within = [abs(answer - value) <= allowed for answer in answers]
            right += sum(within)
            said = ", ".join("yes" if each else "NO" for each in within)
            numbers = [f"{n:,}", *(f"{number:.5g}" for number in (value, *answers))]
            line([question.table, str(question), *numbers, said, f"{seconds:.1f}"])
    return right
