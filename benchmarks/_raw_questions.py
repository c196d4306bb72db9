"""Questions about a raw table, put to depnet and to pandas alike: conditions on values, not on bins.

There are three kinds: the mean of a number, P(number > c), and the shares of a category's values. What is known are one to
three columns of a random held-out row, so that it occurs: the value of a category or a number; that a number is above, below
or between values of other rows. pandas answers from the rows in which all that is given is known and true and the target is
known: no bin, no completed cell.
"""

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks._frames import Frame
from depnet import Domain
from depnet.arrays import FloatArray, IntArray
from depnet.data import Variable
from depnet.model.given_text import quote

Kind = Literal["means", "shares", "categories"]
KINDS: tuple[Kind, ...] = ("means", "shares", "categories")
SHOWN = {"means": "means", "shares": "P(X > c)", "categories": "categories"}

MANY = 10
"""Values of a column of numbers, above which its mean is asked for; fewer are categories."""

MOST_STATES = 64
"""Of a category that is asked for: a column with more is a name, of which nobody asks for shares."""

ATTEMPTS = 1000
"""Questions drawn in vain, before those of their kind with that number of known columns are given up."""

KNOWN = (1, 2, 3)


@dataclass(frozen=True)
class Condition:
    """What is known of a column: `low` and `high` are both the value where it is one; None is an open end."""

    name: str
    sign: Literal["=", ">", "<", ".."]
    value: Any
    high: Any = None

    def met(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Which values meet it; a hole never does."""
        if self.sign == "=":
            return np.asarray(values == self.value, dtype=bool)
        if self.sign == ">":
            return np.asarray(values > self.value, dtype=bool)
        if self.sign == "<":
            return np.asarray(values < self.value, dtype=bool)
        return np.asarray((values >= self.value) & (values <= self.high), dtype=bool)

    @property
    def given(self) -> Any:
        """As `query` takes it."""
        if self.sign == "=":
            return self.value
        return f"{self.value!r}..{self.high!r}" if self.sign == ".." else f"{self.sign}{self.value!r}"

    @property
    def text(self) -> str:
        """As `--given` takes it."""
        value = quote(self.value) if isinstance(self.value, str) else repr(self.value)
        rest = f"={value}" if self.sign == "=" else self.given
        return f"{quote(self.name)}{f'={rest}' if self.sign == '..' else rest}"


Evidence = tuple[Condition, ...]


def given_of(evidence: Evidence) -> dict[str, Any]:
    """As `query` takes it."""
    return {condition.name: condition.given for condition in evidence}


@dataclass(eq=False)
class Rows:
    """The columns of a frame as arrays, which are quick to ask."""

    frame: Frame
    _codes: dict[str, IntArray] = field(default_factory=dict)

    @cached_property
    def columns(self) -> dict[str, NDArray[Any]]:
        """Values, with their holes."""
        return {name: self.frame[name].to_numpy() for name in self.frame.columns}

    @cached_property
    def known(self) -> dict[str, NDArray[np.bool_]]:
        """Where a column has a value."""
        return {name: self.frame[name].notna().to_numpy() for name in self.frame.columns}

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The columns whose mean is asked for."""
        return frozenset(
            name
            for name in self.frame.columns
            if self.frame[name].dtype.kind in "iuf" and self.frame[name].nunique() > MANY
        )

    def __len__(self) -> int:
        return len(self.frame)

    def matching(self, evidence: Evidence) -> NDArray[np.bool_]:
        """The rows in which all evidence is known and true."""
        rows = np.ones(len(self), dtype=bool)
        for condition in evidence:
            rows &= condition.met(self.columns[condition.name])
        return rows

    def values(self, target: str, evidence: Evidence = ()) -> NDArray[Any]:
        """The target's known values in the rows that match."""
        return self.columns[target][self.matching(evidence) & self.known[target]]

    def codes(self, variable: Variable) -> IntArray:
        """[row]: the state of a category; -1 where it is not known, one more than the last where the model has no such."""
        if variable.name not in self._codes:
            places, labels = self.frame[variable.name].factorize()
            find = variable.finder()
            found = [find(_plain(label)) for label in labels]
            unknown = len(variable.present_states)
            of_label = np.array([unknown if code is None else code for code in found] + [-1], dtype=np.int64)
            self._codes[variable.name] = of_label[places]
        return self._codes[variable.name]

    def shares(self, variable: Variable, evidence: Evidence = ()) -> tuple[FloatArray, int]:
        """The frequencies of the states, and of values that the model does not know; the rows they are counted in."""
        codes = self.codes(variable)[self.matching(evidence) & self.known[variable.name]]
        counts = np.bincount(codes, minlength=len(variable.present_states) + 1)
        return counts / max(len(codes), 1), len(codes)


@dataclass(frozen=True)
class Question:
    """What is asked, the truth of held-out rows, and how many rows it was counted in."""

    kind: Kind
    target: str
    evidence: Evidence
    truth: FloatArray
    rows: int
    spread: float
    """Of means, the standard deviation in those rows."""
    scale: float
    """What an error is divided by: of means, the standard deviation of the column."""
    above: Any = None

    @property
    def asked(self) -> str:
        """The target as `query` takes it."""
        return self.target if self.kind != "shares" else f"{quote(self.target)} > {self.above!r}"

    @property
    def noise(self) -> float:
        """The mean error that counting the truth in so few rows alone brings about."""
        if self.kind == "means":
            return math.sqrt(2 / math.pi / self.rows) * self.spread / self.scale
        each = np.sqrt(2 * self.truth * (1 - self.truth) / (math.pi * self.rows))
        return float(each.sum()) / (2 if self.kind == "categories" else 1)

    def error(self, answer: FloatArray) -> float:
        """Of an answer in the shape of the truth."""
        return float(np.abs(answer - self.truth).sum()) / (2 if self.kind == "categories" else self.scale)

    def counted(self, rows: Rows, domain: Domain) -> tuple[FloatArray, int, float]:
        """What rows say, as a truth has it, how many match, and their standard deviation; nan where none does."""
        if self.kind == "categories":
            return *rows.shares(variable_of(domain, self.target), self.evidence), math.nan
        values = rows.values(self.target, self.evidence)
        return _said(self.kind, values, self.above)

    def by_counting(self, rows: Rows, domain: Domain) -> FloatArray:
        """What a groupby says; where no row matches, what all rows say."""
        found, n, _ = self.counted(rows, domain)
        if n:
            return found
        if self.kind == "categories":
            return rows.shares(variable_of(domain, self.target))[0]
        return _said(self.kind, rows.values(self.target), self.above)[0]


def _said(kind: Kind, values: NDArray[Any], above: Any) -> tuple[FloatArray, int, float]:
    if not len(values):
        return np.array([math.nan]), 0, math.nan
    of = values.astype(np.float64) if kind == "means" else (values > above).astype(np.float64)
    return np.array([of.mean()]), len(of), float(of.std(ddof=1)) if len(of) > 1 else math.nan


def variable_of(domain: Domain, name: str) -> Variable:
    """The variable of that name."""
    return domain.variables[domain.index(name)]


Accept = Callable[[int], bool]


@dataclass(frozen=True)
class Drawer:
    """Draws questions that held-out rows answer, of columns that a model learned from."""

    learned: Rows
    held_out: Rows
    domain: Domain
    least: int
    rng: np.random.Generator
    accept: Accept = lambda matching: True
    """Asked about the number of training rows that match."""

    @cached_property
    def columns(self) -> list[str]:
        """Those that vary."""
        return [name for name in self.domain.names if self.learned.frame[name].nunique() > 1]

    @cached_property
    def targets(self) -> Mapping[Kind, Sequence[str]]:
        """The columns that each kind may ask for."""
        numbers = self.learned.numbers & self.held_out.numbers
        some = [name for name in self.columns if name in numbers]
        categories = [
            name
            for name in self.columns
            if name not in self.learned.numbers
            and 1 < len(variable_of(self.domain, name).present_states) <= MOST_STATES
        ]
        return {"means": some, "shares": some, "categories": categories}

    def questions(self, count: int, kind: Kind, known: Sequence[int] = KNOWN) -> list[Question]:
        """Different questions, as many of each number of known columns as there are; maybe fewer than `count`."""
        found: dict[object, Question] = {}
        waiting = deque(k for k in known if k < len(self.columns) and self.targets[kind])
        while waiting and len(found) < count:
            k = waiting.popleft()
            for _ in range(ATTEMPTS):
                question = self.drawn(kind, k)
                if question is None:
                    continue
                key = (question.asked, *sorted(condition.text for condition in question.evidence))
                if key not in found:
                    found[key] = question
                    waiting.append(k)
                    break
        return list(found.values())

    def drawn(self, kind: Kind, k: int) -> Question | None:
        """One with k known columns; None where too few held-out rows answer it, or it is not accepted."""
        target = str(self.rng.choice(self.targets[kind]))
        row = int(self.rng.integers(len(self.held_out)))
        others = [n for n in self.columns if n != target and self.held_out.known[n][row]]
        if len(others) < k:
            return None
        given = [self._condition(str(name), row) for name in self.rng.choice(others, k, replace=False)]
        evidence = tuple(condition for condition in given if condition is not None)
        if len(evidence) < k:
            return None
        matching = self.learned.matching(evidence)
        if not all(condition.met(self.learned.columns[condition.name]).any() for condition in evidence):
            return None  # a value that no training row has is no question
        if not self.accept(int((matching & self.learned.known[target]).sum())):
            return None
        return self._asked(kind, target, evidence)

    def _asked(self, kind: Kind, target: str, evidence: Evidence) -> Question | None:
        every = self.held_out.columns[target][self.held_out.known[target]]
        above = _plain(self.rng.choice(every)) if kind == "shares" else None
        scale = 1.0
        if kind == "means":
            scale = float(np.nanstd(self.learned.columns[target].astype(np.float64)))
        open_question = Question(kind, target, evidence, np.zeros(1), 1, 0.0, scale, above)
        truth, m, spread = open_question.counted(self.held_out, self.domain)
        if m < self.least or not (kind == "categories" or spread == spread):
            return None
        return Question(kind, target, evidence, truth, m, spread, scale, above)

    def _condition(self, name: str, row: int) -> Condition | None:
        """What the row says of a column: a category's value; of a number, as values of other rows cut it."""
        value = _plain(self.held_out.columns[name][row])
        variable = variable_of(self.domain, name)
        if name not in self.learned.numbers:
            if variable.bins is None and (variable.find(value) is None or value == variable.other):
                return None
            rare = variable.other is not None and variable.find(value) == variable.find(variable.other)
            return None if rare else Condition(name, "=", value)
        known = self.held_out.columns[name][self.held_out.known[name]]
        other = _plain(self.rng.choice(known))
        way = self.rng.random()
        if other == value or way < 0.15:
            return Condition(name, "=", value)
        if way < 0.4:
            return Condition(name, "..", min(value, other), max(value, other))
        return Condition(name, ">" if other < value else "<", other)


def _plain(value: Any) -> Any:
    """A plain Python value."""
    return value.item() if isinstance(value, np.generic) else value
