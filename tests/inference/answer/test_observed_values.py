"""The table's own numbers are those of pandas, holes, values and all, through the estimator and a `Holed`.

Random small frames with holes; random evidence: points, sets, ranges, comparisons, missing; one target, several, or a joint.
pandas counts the rows in which all evidence is known and true and the target is known.
"""

import datetime as dt
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import depnet
from depnet import DependencyNetwork, QueryResult
from depnet.arrays import FloatArray
from depnet.data import Variable, encode
from depnet.inference.answer.numbers import NumberSummary
from tests.narrowed import by_name, there
from tests.strategies import seeds

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
NUMBERS = ("few", "real", "count", "day", "moment")
COLUMNS = ("word", "flag", *NUMBERS)
FIRST = pd.Timestamp("2021-12-28")


def random_frame(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    """Columns of every kind, that hang together a little; each but `count` has holes, in some rows more than in others."""
    base = rng.random(rows)
    share = rng.choice([0.05, 0.3])
    frame = pd.DataFrame(
        {
            "word": rng.choice(np.array(["a", "b, c", "d=e"], dtype=object), rows),
            "flag": pd.Series(rng.random(rows) < base).astype("boolean"),
            "few": pd.Series((4 * base + rng.random(rows)).astype(np.int64)).astype("Int64"),
            "real": np.round(base + rng.normal(size=rows), int(rng.integers(1, 4))),
            "count": rng.integers(-50, 1000, rows),
            "day": FIRST + pd.to_timedelta(rng.integers(0, 400, rows), unit="D"),
            "moment": FIRST + pd.to_timedelta(rng.integers(0, 10**6, rows), unit="s"),
        }
    )
    if rng.random() < 0.5:  # as a file without types has them
        frame = frame.astype({"flag": object, "few": np.float64})
    for name in COLUMNS:
        if name != "count":
            gone = rng.random(rows) < share * (2 * base if rng.random() < 0.5 else 1.0)
            gone[: len(frame) // 4] = False  # something is always known
            frame.loc[gone, name] = pd.NaT if name in ("day", "moment") else None
    return frame


@dataclass(frozen=True)
class Condition:
    """What is known of a column, and which rows have it."""

    name: str
    given: Any
    rows: NDArray[np.bool_]


def plain(value: Any) -> Any:
    """A value as a person writes it in Python."""
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if isinstance(value, np.generic) else value


def written(value: Any) -> str:
    if isinstance(value, dt.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return str(value)


def holds(mask: Any) -> NDArray[np.bool_]:
    """Where a comparison is true; a hole makes none true."""
    return np.asarray(pd.Series(mask).fillna(False).astype(bool))


def random_condition(rng: np.random.Generator, frame: pd.DataFrame, name: str) -> Condition:
    """That a column is one value, one of two, above, below, between, or missing."""
    column = frame[name]
    values = [plain(value) for value in sorted(set(column.dropna().tolist()))]
    one, other = (values[int(rng.integers(len(values)))] for _ in range(2))
    ways = ["point", "set", "missing"] if column.isna().any() else ["point", "set"]
    if name in NUMBERS:
        ways += [">=", "<=", ">", "<", "between", "slice"]
    way = str(rng.choice(ways))
    if way == "missing":
        return Condition(name, None, np.asarray(column.isna()))
    if way == "set":
        return Condition(name, {one, other}, holds((column == one) | (column == other)))
    low, high = min(one, other), max(one, other)
    if way == "between":
        span = f"{written(low)}..{written(high)}"
        return Condition(name, span, holds((column >= low) & (column <= high)))
    if way == "slice" and low < high:
        return Condition(name, slice(None, high), holds(column < high))
    compared = {
        ">=": (column >= one, True),
        "<=": (column <= one, True),
        ">": (column > one, one < values[-1]),
        "<": (column < one, one > values[0]),
    }
    if way in compared and compared[way][1]:
        return Condition(name, f"{way}{written(one)}", holds(compared[way][0]))
    return Condition(name, one, holds(column == one))


def numbers(name: str, column: pd.Series, kind: str | None) -> NDArray[Any]:
    """Plain numbers of known values: days or microseconds since 1970 of dates."""
    if name not in ("day", "moment"):
        return np.asarray(column, dtype=np.float64)
    micro = np.asarray(column).astype("datetime64[us]").astype(np.int64)
    return micro // (86_400 * 10**6) if kind == "date" else micro


def codes_of(variable: Variable, column: pd.Series) -> NDArray[np.int64]:
    """The state of each known value: by its label, or by the edges of the bins."""
    if variable.bins is not None:
        values = numbers(variable.name, column, variable.bins.kind)
        inner = np.array(variable.bins.edges[1:-1], dtype=values.dtype)
        return np.searchsorted(inner, values, side="right")
    states = list(variable.present_states)
    return np.array([states.index(plain(value)) for value in column], dtype=np.int64)


@dataclass(frozen=True)
class Asked:
    """A question about a frame, and what pandas says."""

    frame: pd.DataFrame
    targets: Sequence[str]
    evidence: Sequence[Condition]
    joint: bool

    @property
    def given(self) -> dict[str, Any]:
        return {condition.name: condition.given for condition in self.evidence}

    @property
    def matching(self) -> NDArray[np.bool_]:
        every = [condition.rows for condition in self.evidence]
        return np.logical_and.reduce(every) if every else np.ones(len(self.frame), dtype=bool)

    def known(self, *targets: str) -> pd.DataFrame:
        """The rows that match, in which all of the targets are known."""
        return self.frame[self.matching].dropna(subset=list(targets))

    def observed(self, variables: Sequence[Variable]) -> FloatArray:
        """The frequencies of the joint states."""
        rows = self.known(*(v.name for v in variables))
        shape = tuple(len(v.present_states) for v in variables)
        if not len(rows):
            return np.full(shape, np.nan)
        cells = np.ravel_multi_index(tuple(codes_of(v, rows[v.name]) for v in variables), shape)
        return np.bincount(cells, minlength=math.prod(shape)).reshape(shape) / len(rows)

    def missing(self, name: str) -> float:
        """The share of the rows that match in which the target is a hole."""
        return float(self.frame[self.matching][name].isna().mean())

    def mean(self, name: str, kind: str) -> float:
        return float(numbers(name, self.known(name)[name], kind).mean())

    def quantiles(self, name: str, kind: str) -> list[float]:
        """The smallest values whose cumulative shares reach the levels."""
        values = numbers(name, self.known(name)[name], kind)
        return [float(value) for value in np.quantile(values, LEVELS, method="inverted_cdf")]


def plain_number(value: Any, kind: str) -> float:
    """What an answer says of a number, as `numbers` has it."""
    if kind in ("date", "datetime"):
        moment = np.datetime64(value, "us").astype(np.int64)
        return float(moment // (86_400 * 10**6) if kind == "date" else moment)
    return float(value)


def check(result: QueryResult, asked: Asked, variables: dict[str, Variable]) -> None:
    """What an answer says of the table is what pandas says."""
    together = asked.joint or len(asked.targets) == 1
    groups = [tuple(asked.targets)] if together else [(name,) for name in asked.targets]
    for group in groups:
        matching: Any = result.matching
        assert (matching if together else matching[group[0]]) == len(asked.known(*group))
        found = np.asarray(result.observed if together else by_name(result.observed)[group[0]])
        expected = asked.observed([variables[name] for name in group])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    for name in asked.targets:
        if asked.matching.any():
            missing = there(result.missing_observed)[name]
            np.testing.assert_allclose(missing, asked.missing(name), rtol=0, atol=1e-9)
        if name in NUMBERS and not asked.joint:
            check_numbers(result.summary(name, of="observed"), asked, name, variables[name])


def check_numbers(summary: NumberSummary | None, asked: Asked, name: str, variable: Variable) -> None:
    if not len(asked.known(name)):
        assert summary is None
        return
    kind = "float" if variable.bins is None else str(variable.bins.kind)
    found = there(summary)
    slack = {"date": 1.0, "datetime": 1.0}.get(
        kind, 0.0
    )  # a mean of dates is a day, of moments a microsecond
    np.testing.assert_allclose(
        plain_number(found.mean, kind),
        asked.mean(name, kind),
        rtol=1e-9 * (slack == 0),
        atol=max(slack, 1e-9),
    )
    quantiles = [plain_number(found.quantiles[level], kind) for level in LEVELS]
    assert quantiles == asked.quantiles(name, kind)


def fitted(frame: pd.DataFrame) -> DependencyNetwork:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of holes and of columns that are left out
        return DependencyNetwork(random_state=0).fit(frame)


def random_question(rng: np.random.Generator, frame: pd.DataFrame, names: Sequence[str], known: int) -> Asked:
    """Targets may have evidence of their own, unless it says that they are missing."""
    evidence = [
        random_condition(rng, frame, str(name))
        for name in rng.choice(names, min(known, len(names)), replace=False)
    ]
    gone = {condition.name for condition in evidence if condition.given is None}
    free = [name for name in names if name not in gone]
    targets = [str(name) for name in rng.choice(free, min(int(rng.integers(1, 4)), len(free)), replace=False)]
    return Asked(frame, targets, evidence, joint=len(targets) > 1 and rng.random() < 0.3)


@given(st.integers(30, 80), st.integers(0, 3), seeds)
def test_the_tables_numbers_are_those_of_pandas(rows: int, known: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, rows)
    model = fitted(frame)
    variables = {v.name: v for v in model.domain_.variables}
    holed = encode(frame, model.domain_)
    for asked in (random_question(rng, frame, model.domain_.names, known) for _ in range(3)):
        result = model.query(asked.targets, asked.given, joint=asked.joint)
        check(result, asked, variables)
        assert there(result.support).rows == int(asked.matching.sum())
        again = depnet.query(there(model.law_), asked.targets, asked.given, joint=asked.joint, data=holed)
        check(again, asked, variables)


@given(seeds)
def test_whether_a_cell_is_missing_can_be_asked(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, 60)
    model = fitted(frame)
    name = str(rng.choice([each for each in model.domain_.names if frame[each].isna().any()]))
    others = [each for each in model.domain_.names if each != name]
    condition = random_condition(rng, frame, str(rng.choice(others)))
    result = model.query(f"{name} is missing", {condition.name: condition.given})
    gone = frame[name].isna()[condition.rows]
    assert result.matching == len(gone)
    if len(gone):
        np.testing.assert_allclose(np.asarray(result.observed), [1 - gone.mean(), gone.mean()], atol=1e-9)
