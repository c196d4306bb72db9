r"""Why an answer is what it is: a step for each fact, from what is likely without any to the answer given all.

Let v(S) be the answer where the facts S alone are known: a share, a mean, or the log-likelihood of a row's cells. A fact's
step is its Shapley value, what it adds to the facts before it, in the mean over all orders in which they could be told:

.. math:: \phi_f = \sum_{S \not\ni f} \frac{|S|!\,(k - |S| - 1)!}{k!} \bigl(v(S \cup f) - v(S)\bigr),
   \qquad \sum_f \phi_f = v(\text{all}) - v(\emptyset) .

So the steps add up, a fact that changes nothing has a step of 0, and two facts that do the same have the same step. Up to
eight facts all 2^k answers are asked for; of more, the mean is over a fixed set of orders and their reverses, in which the
steps add up as well.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from depnet import notebook
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Label
from depnet.errors import EvidenceError, brief
from depnet.inference.answer.shown import frame_of_columns
from depnet.inference.answer.target import targets_of
from depnet.inference.ask.query import log_probability, query
from depnet.law import limits
from depnet.model.conditions import describe
from depnet.model.mixture import AnyNetwork
from depnet.wording import nearest, once_in, printable

LOG_LIKELIHOOD = "the log-likelihood"
BAR = 24
"""How many characters the longest bar has."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one fact adds to the answer."""

    name: str
    fact: str
    """The fact in words, "sex = female"."""
    change: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The way from `start`, the answer without any fact, to `end`, the answer given all: a step for each fact.

    Attributes:
        about: what is explained, in words: "P(survived = Yes)", "mean price", "the log-likelihood".
        start: the answer where nothing is known.
        end: the answer given all facts: `start` and all changes added up.
        steps: the facts with what each adds, the largest change first.
        orders: the orders of the facts over which the steps are means; None: over all of them, exactly.

    >>> import depnet
    >>> people = depnet.titanic()
    >>> law = depnet.learn(people, order="auto")
    >>> found = depnet.explain(law, {"sex": "female", "class": "1st"}, "survived", state="Yes", data=people)
    >>> [(step.fact, round(step.change, 2)) for step in found.steps]
    [('sex = female', 0.38), ('class = 1st', 0.27)]
    """

    about: str
    start: float
    end: float
    steps: tuple[Step, ...]
    orders: int | None = None

    @property
    def note(self) -> str:
        """Over which orders the steps are means."""
        orders = "every order" if self.orders is None else f"{self.orders} orders"
        what = "how many times as likely the fact makes the row" if self._of_row else "what the fact adds"
        return f"each step is {what}, averaged over {orders} in which the facts could be told"

    @property
    def _of_row(self) -> bool:
        """Are the steps logarithms, of how likely a row is?"""
        return self.about == LOG_LIKELIHOOD

    @property
    def title(self) -> str:
        """What is explained, in words."""
        if self._of_row:
            return f"why such a row comes up once in {once_in(self.end)}"
        return f"why {self.about} is {self.end:.4g}"

    def _said(self, value: float) -> str:
        return f"1 in {once_in(value)}" if self._of_row else f"{value:.4g}"

    def _added(self, change: float) -> str:
        return f"x {math.exp(change):.3g}" if self._of_row else f"{change:+.4g}"

    def frame(self, backend: Any = "pandas") -> Any:
        """A tidy frame: `fact`, `change`, and `answer` after each step, from the start to the end.

        Args:
            backend: "pandas", "polars", "pyarrow", or any other that narwhals makes frames with.

        Returns:
            A row for the start, and one for each step.
        """
        facts, changes, answers = zip(("", 0.0, self.start), *self.rows(), strict=True)
        columns = {"fact": list(facts), "change": list(changes), "answer": list(answers)}
        return frame_of_columns(columns, backend)

    def rows(self) -> list[tuple[str, float, float]]:
        """(fact, change, answer after it) of each step."""
        after = self.start + np.cumsum([step.change for step in self.steps])
        return [(step.fact, step.change, float(at)) for step, at in zip(self.steps, after, strict=True)]

    def __str__(self) -> str:
        longest = max((abs(step.change) for step in self.steps), default=0.0)
        wide = max((len(step.fact) for step in self.steps), default=0)
        wide = max(wide, len("nothing known"))
        lines = [
            self.title,
            f"{'nothing known':<{wide}}  {'':>10}  {self._said(self.start):>10}",
        ]
        for fact, change, at in self.rows():
            bar = "#" * round(BAR * abs(change) / longest) if longest > 0 else ""
            lines.append(
                f"{printable(fact):<{wide}}  {self._added(change):>10}  {self._said(at):>10}  {bar}".rstrip()
            )
        return "\n".join([*lines, self.note])

    def _repr_html_(self) -> str:
        rows = [[fact, self._added(change), self._said(at)] for fact, change, at in self.rows()]
        first = ["nothing known", "", self._said(self.start)]
        return notebook.card(
            self.title,
            notebook.table(["fact", "change", "answer"], [first, *rows]),
            notebook.note(self.note),
        )


def explain(
    network: AnyNetwork,
    facts: Mapping[str, Any],
    target: str | None = None,
    *,
    state: Label | None = None,
    data: Dataset | Holed | None = None,
    tolerance: float = 0.002,
) -> Explanation:
    """Why an answer is what it is: what each known fact adds to it, in steps that add up.

    Args:
        network: the network that is asked, as in `depnet.query`.
        facts: what is known, as evidence or as a row: by name, a value or a condition. What a row says of the target is
            left out, and so are cells that are nan: they are unknown. (None says that a cell is missing, as in `query`.)
        target: what is explained: a number (its mean), a category (the share of one state), or a condition
            ("price > 5000"); None: the log-likelihood of the row itself, of which the cells are the steps.
        state: of a category, the state; None: the most probable one given all facts.
        data: rows of a table, which join the answers as in `depnet.query`.
        tolerance: answers that are sampled have standard errors below it, as in `depnet.query`.

    Returns:
        An `Explanation`; print it.

    >>> import depnet
    >>> law = depnet.learn(depnet.titanic(), order="auto")
    >>> found = depnet.explain(law, {"sex": "female"}, "survived = Yes")
    >>> round(found.start, 2), round(found.end, 2), found.steps[0].fact
    (0.32, 0.73, 'sex = female')
    """
    if not hasattr(facts, "items"):  # a row of a frame is a Series, which is no Mapping
        raise EvidenceError(f"facts are a mapping of column names to values, or a row; got {brief(facts)}.")
    asked = () if target is None else targets_of(network.domain, target)
    own = [name for at, name in enumerate(network.domain.names) if asked and asked[0].index == at]
    known = {name: value for name, value in facts.items() if name not in own and not is_hole(value)}
    if not known:
        raise EvidenceError("there are no facts to explain the answer with; give at least one.")
    names = list(known)
    if target is None:
        about, ask = LOG_LIKELIHOOD, _log_likelihood(network)
    else:
        about, ask = _about(network, target, known, state, data, tolerance)
    answers: dict[frozenset[str], float] = {}

    def answer(some: frozenset[str]) -> float:
        if some not in answers:
            answers[some] = ask({name: known[name] for name in names if name in some})
        return answers[some]

    exact = len(names) <= limits.ORDERS
    changes = _over_subsets(names, answer) if exact else _over_orders(names, answer)
    steps = [Step(name, describe(name, known[name]), changes[name]) for name in names]
    steps.sort(key=lambda step: -abs(step.change))
    start, end = answer(frozenset()), answer(frozenset(names))
    return Explanation(about, start, end, tuple(steps), None if exact else 2 * limits.ORDERS)


def _over_subsets(names: Sequence[str], answer: Callable[[frozenset[str]], float]) -> dict[str, float]:
    """The mean over all orders, from the answers given every set of facts."""
    k = len(names)
    changes = dict.fromkeys(names, 0.0)
    for bits in range(1 << k):
        some = frozenset(name for at, name in enumerate(names) if bits >> at & 1)
        for name in names:
            if name not in some:
                weight = math.factorial(len(some)) * math.factorial(k - len(some) - 1) / math.factorial(k)
                changes[name] += weight * (answer(some | {name}) - answer(some))
    return changes


def _over_orders(names: Sequence[str], answer: Callable[[frozenset[str]], float]) -> dict[str, float]:
    """The mean over a fixed set of orders and their reverses."""
    rng = np.random.default_rng(len(names))
    changes = dict.fromkeys(names, 0.0)
    for _ in range(limits.ORDERS):
        order = [names[at] for at in rng.permutation(len(names))]
        for way in (order, order[::-1]):
            for at, name in enumerate(way):
                step = answer(frozenset(way[: at + 1])) - answer(frozenset(way[:at]))
                changes[name] += step / (2 * limits.ORDERS)
    return changes


def _about(
    network: AnyNetwork,
    target: str,
    known: Mapping[str, Any],
    state: Label | None,
    data: Dataset | Holed | None,
    tolerance: float,
) -> tuple[str, Callable[[Mapping[str, Any]], float]]:
    """What is explained, in words, and how it is asked for given some facts."""

    def ask(some: Mapping[str, Any]) -> Any:
        # The same question has the same answer.
        return query(network, target, some, data=data, tolerance=tolerance, rng=np.random.default_rng(0))

    (variable,) = ask(known).variables
    if variable.scale == "number" and state is None and len(variable.present_states) > 2:

        def mean(some: Mapping[str, Any]) -> float:
            found = ask(some).numbers[target].mean
            if not isinstance(found, (int, float)):
                raise EvidenceError(
                    f"{target!r} is a date or a length of time, which cannot be explained step by step. Explain a condition "
                    f"on it instead, such as '{target} > ...'."
                )
            return float(found)

        return f"the mean of {target}", mean
    states = [str(each) for each in variable.states]
    if state is None:
        at = 1 if states == ["False", "True"] else int(np.argmax(ask(known).combined))
    elif str(state) in states:
        at = states.index(str(state))
    else:
        raise EvidenceError(f"{target!r} has no state {state!r}. {nearest(state, variable.states)}")
    about = target if states == ["False", "True"] and at == 1 else f"{target} = {states[at]}"
    return f"P({about})", lambda some: float(ask(some).combined[at])


def _log_likelihood(network: AnyNetwork) -> Callable[[Mapping[str, Any]], float]:
    def ask(some: Mapping[str, Any]) -> float:
        return float(log_probability(network, some, rng=np.random.default_rng(0)).values[0]) if some else 0.0

    return ask


def is_hole(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
