"""What is called the table's own, against pandas, through every door that is a function.

Random questions of the three kinds. Through each door come the rows that match, the frequencies of the target's states or
bins among them, the share of matching rows in which the target is a hole, and of a number mean and quantiles (the smallest
value whose cumulative share reaches the level). Equal is equal to 1e-9.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._frames import Frame
from benchmarks._raw_errors import fitted
from benchmarks._raw_questions import KINDS, Drawer, Evidence, Question, Rows, given_of, variable_of
from benchmarks._raw_tables import raw_frame
from benchmarks._reach import at_most, head, line
from depnet import DependencyNetwork, Domain, Network, QueryResult, query
from depnet.arrays import FloatArray
from depnet.data import Holed, encode

TABLES = ("flchain", "storms", "birds", "penguins")
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
ASKED, COMMANDS = 20, 2
"""Questions of each kind: to a function, and to a door that starts a process."""
WHAT = ("n", "observed", "missing", "mean", "quantiles")
TOLERANCE = 0.1
"""What is looked at does not depend on the law, whose answer may be rough."""
COMMAND = str(Path(sys.executable).parent / "depnet")


@dataclass(frozen=True)
class Said:
    """What rows say of a target; nan where there is nothing of the kind."""

    n: int
    observed: FloatArray
    missing: float = np.nan
    mean: float = np.nan
    quantiles: tuple[float, ...] = ()

    def apart(self, other: "Said") -> list[str]:
        """In what the two differ."""
        return [what for what in WHAT if not _equal(getattr(self, what), getattr(other, what))]


def _equal(ours: Any, theirs: Any) -> bool:
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    return ours.shape == theirs.shape and bool(
        np.allclose(ours, theirs, rtol=1e-9, atol=1e-9, equal_nan=True)
    )


def by_pandas(rows: Rows, domain: Domain, question: Question) -> Said:
    """What the frame says."""
    values = rows.values(question.target, question.evidence)
    if question.kind == "shares":
        share = float((values > question.above).mean())
        return Said(len(values), np.array([1 - share, share]))
    observed, n = rows.shares(variable_of(domain, question.target), question.evidence)
    missing = 1 - n / rows.matching(question.evidence).sum()
    if question.kind == "categories":
        return Said(n, observed[:-1], missing)
    values = values.astype(np.float64)
    quantiles = np.quantile(values, LEVELS, method="inverted_cdf")
    return Said(n, observed[:-1], missing, float(values.mean()), tuple(quantiles.tolist()))


def by_result(result: QueryResult, question: Question) -> Said:
    """What a result says."""
    assert isinstance(result.matching, int)
    observed = np.asarray(result.observed)
    if question.kind == "shares":
        return Said(result.matching, observed)
    assert result.missing_observed is not None
    missing = result.missing_observed[question.target]
    if question.kind == "categories":
        return Said(result.matching, observed, missing)
    summary = result.summary(question.target, of="observed")
    if summary is None:
        return Said(result.matching, observed, missing)
    quantiles = tuple(float(summary.quantiles[level]) for level in LEVELS)
    return Said(result.matching, observed, missing, summary.mean, quantiles)


def by_command(model: Path, data: Path, question: Question) -> Said:
    """What `depnet query --data` says."""
    document = command(model, data, question.asked, question.evidence, "--tolerance", str(TOLERANCE))
    observed = np.array(document["observed"][question.asked])
    if question.kind == "shares":
        return Said(document["matching"], observed)
    missing = document["missing_observed"][question.target]
    if question.kind == "categories":
        return Said(document["matching"], observed, missing)
    found = document["numbers"][question.target]["observed"]
    if found is None:
        return Said(document["matching"], observed, missing)
    quantiles = tuple(found["quantiles"][f"{level:g}"] for level in LEVELS)
    return Said(document["matching"], observed, missing, found["mean"], quantiles)


def command(model: Path, data: Path, target: str, evidence: Evidence, *options: str) -> Mapping[str, Any]:
    """The JSON of `depnet query`."""
    given = [word for condition in evidence for word in ("--given", condition.text)]
    words = [COMMAND, "query", model, target, *given, "--data", data, "--json", *options]
    done = subprocess.run(list(map(str, words)), check=True, capture_output=True)
    document: Mapping[str, Any] = json.loads(done.stdout)
    return document


def write_parquet(frame: Frame, path: Path) -> None:
    """By DuckDB, which depnet needs anyway."""
    import duckdb

    duckdb.from_df(frame).write_parquet(str(path))


def doors(options: argparse.Namespace) -> list[bool]:
    """Part 3: how many answers about the table differ from pandas."""
    head(["table", "door", "questions", *WHAT])
    wrong = 0
    for name in TABLES:
        if name in options.tables:
            wrong += _table(name)
    return [at_most("the table's own numbers that differ from pandas, all doors", wrong, 0, ".0f")]


def _table(name: str) -> int:
    frame = raw_frame(name)
    model, _ = fitted(frame, 0)
    rows = Rows(frame)
    drawer = Drawer(rows, rows, model.domain_, 2, np.random.default_rng(0))
    many = [question for kind in KINDS for question in drawer.questions(ASKED, kind)]
    few = [question for kind in KINDS for question in drawer.questions(COMMANDS, kind)]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = {end: Path(folder) / f"{name}.{end}" for end in ("json", "csv", "parquet")}
        model.save(paths["json"])
        frame.to_csv(paths["csv"], index=False)
        write_parquet(frame, paths["parquet"])
        loaded = DependencyNetwork.load(paths["json"])
        assert model.law_ is not None
        assert loaded.law_ is not None
        ways: dict[str, tuple[list[Question], Callable[[Question], Said]]] = {
            "estimator": (many, partial(_estimator, model)),
            "query(data=)": (many, partial(_query, model.law_, encode(frame, model.domain_))),
            "loaded model, data=": (many, partial(_query, loaded.law_, encode(frame, loaded.domain_))),
            "command, CSV": (few, partial(by_command, paths["json"], paths["csv"])),
            "command, Parquet": (few, partial(by_command, paths["json"], paths["parquet"])),
        }
        for door, (questions, answer) in ways.items():
            apart = [answer(q).apart(by_pandas(rows, model.domain_, q)) for q in questions]
            counts = [sum(what in each for each in apart) for what in WHAT]
            line([name, door, f"{len(questions)}", *map(str, counts)])
            wrong += sum(counts)
    return wrong


def _estimator(model: DependencyNetwork, question: Question) -> Said:
    result = model.query(question.asked, given_of(question.evidence), tolerance=TOLERANCE)
    return by_result(result, question)


def _query(law: Network, rows: Holed, question: Question) -> Said:
    result = query(law, question.asked, given_of(question.evidence), data=rows, tolerance=TOLERANCE)
    return by_result(result, question)
