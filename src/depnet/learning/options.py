"""What is learned: limits on leaves, roles of variables, forbidden links, an order, boosting; and the nodes that this means.

`LearnOptions` is all of it as one value, checked when it is made; `Work` is what learning may take. Names of variables are
checked against the domain before any work is done: out come `NodeSpec`s, in numbers.
"""

import math
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from depnet.checks import is_whole, seconds_given, whole_number
from depnet.data import Dataset, Domain
from depnet.errors import EvidenceError, LearningError, brief
from depnet.learning.boost import AutoBoost, Boost, BoostLike, checked_boost
from depnet.learning.cost import Auto, Mdl, Penalty, PenaltyLike, checked_penalty
from depnet.learning.order import chosen_order
from depnet.model.table import checked_smoothing
from depnet.threads import threads_of
from depnet.wording import nearest

Role = Literal["target", "input"]
"""`"target"`: never an input of other nodes. `"input"`: not predicted from others, its node keeps one leaf."""

Order: TypeAlias = Sequence[str] | Sequence[int] | Literal["auto"] | None
"""What `learn(order=...)` takes: None (the paper's), "auto", or all variables by name (or number)."""


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """What is learned, as `depnet.learn` says it: made at the door, and passed whole. What it may take is `Work`."""

    penalty: "PenaltyLike | Auto" = field(default_factory=Mdl)
    smoothing: float = 0.0
    order: Order = None
    max_leaves: int | None = None
    """A split may not leave a node with more leaves than these; the empty ones count."""
    min_leaf_rows: int = 0
    """Nor a new leaf with fewer rows than these, unless it has none at all. Merges are always admissible."""
    roles: Mapping[str, Role] | None = None
    forbidden: Iterable[tuple[str, str]] = ()
    cuts: bool = False
    boost: BoostLike = None
    boosted: Sequence[str] | None = None
    """The variables whose nodes are boosted; None: all."""

    def __post_init__(self) -> None:
        if self.max_leaves is not None:
            whole_number("max_leaves", self.max_leaves, at_least=1, error=LearningError)
        whole_number("min_leaf_rows", self.min_leaf_rows, at_least=0, error=LearningError)
        object.__setattr__(self, "smoothing", checked_smoothing(self.smoothing))
        object.__setattr__(self, "boost", checked_boost(self.boost))
        object.__setattr__(self, "forbidden", tuple(self.forbidden))  # an iterator can be read once only
        if isinstance(self.penalty, str) and self.penalty == "auto":
            object.__setattr__(self, "penalty", Auto())
        if not isinstance(self.penalty, Auto):
            object.__setattr__(self, "penalty", checked_penalty(self.penalty))
        elif self.smoothing == 0:
            raise LearningError(
                'the penalty "auto" scores held-out rows, which a smoothing of 0 may give the probability 0. Give a '
                "smoothing above 0, such as 0.5."
            )
        if isinstance(self.order, str) and self.order != "auto":
            raise not_an_order(self.order)

    @classmethod
    def given(cls, who: str, options: Mapping[str, Any]) -> Self:
        """The options that somebody gave to `who` by their names; one that there is not is an error that offers others."""
        names = [each.name for each in fields(cls)]
        for name in options:
            if name not in names:
                raise TypeError(f"{who} has no option {name!r}. {nearest(name, names)}")
        return cls(**options)

    @property
    def stages(self) -> Boost | AutoBoost | None:
        """What nodes are boosted with, where they are."""
        return self.boost  # type: ignore[return-value]  # as was checked

    @property
    def auto(self) -> Auto | None:
        """What the penalty is chosen from on held-out rows, where it is."""
        return self.penalty if isinstance(self.penalty, Auto) else None

    @property
    def fixed_penalty(self) -> Penalty:
        """The penalty of all nodes, where it is not chosen."""
        return checked_penalty(self.penalty)  # type: ignore[arg-type]


Progress: TypeAlias = Callable[[int, int], object]
"""Called as progress(nodes done, all nodes)."""


@dataclass(frozen=True, slots=True)
class Work:
    """Threads, a time to end by, and a callback: passed beside the options, from the door to the native core.

    >>> Work.of(max_seconds=10.0).share(0.5).seconds <= 5.0, Work().seconds
    (True, None)
    """

    threads: int = 1
    ends: float = math.inf
    """Of `time.monotonic`."""
    progress: Progress | None = None
    """Called as progress(nodes done, all nodes)."""

    @classmethod
    def of(
        cls, n_jobs: int | None = 1, max_seconds: float | None = None, progress: Progress | None = None
    ) -> "Work":
        """From the arguments of `depnet.learn`; negative `n_jobs` are counted from all cores, as by joblib."""
        if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
            raise LearningError(
                f"n_jobs is a number of threads (1, 2, ...), -1 for all cores, or None; got {n_jobs!r}."
            )
        seconds = seconds_given(max_seconds, zero=True, error=LearningError)
        ends = math.inf if seconds is None else time.monotonic() + seconds
        return cls(threads_of(n_jobs), ends, progress)

    @property
    def seconds(self) -> float | None:
        """What is left of the time; None: there is no limit."""
        return None if math.isinf(self.ends) else max(self.ends - time.monotonic(), 0.0)

    @property
    def over(self) -> bool:
        return self.seconds == 0.0

    def share(self, share: float) -> "Work":
        """The same within a share of the time that is left."""
        left = self.seconds
        return self if left is None else replace(self, ends=time.monotonic() + share * left)

    def silent(self) -> "Work":
        return replace(self, progress=None)

    def stage(self, nodes: int, before: int, stages: int) -> "Work":
        """One of many stages that together count to the number of nodes, `before` of which are done."""
        progress = self.progress
        if progress is None:
            return self
        return replace(self, progress=lambda done, total: progress((before * nodes + done) // stages, nodes))


def not_an_order(order: object) -> LearningError:
    """The error for an order that is none."""
    return LearningError(
        f'order is None, "auto", or the names of all variables in order; got {brief(order)}.'
    )


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """One node to be learned: the variable it updates, and those its source may read.

    `readable` is shared by the nodes of a network, which so take no room of n x n. Of an ordered network it is the whole
    order, of which a source reads only the variables before place `first`; else it is ascending, and `first` is None.
    """

    target: int
    readable: tuple[int, ...]
    barred: frozenset[int] = frozenset()
    first: int | None = None

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that its source may read, ascending."""
        inputs = self.readable if self.first is None else tuple(sorted(self.readable[: self.first]))
        for j in self.barred.union((self.target,)):  # few, as a rule
            at = bisect_left(inputs, j)
            if inputs[at : at + 1] == (j,):
                inputs = inputs[:at] + inputs[at + 1 :]
        return inputs


def node_specs(
    domain: Domain,
    options: LearnOptions = LearnOptions(),  # a frozen value
    rows: Dataset | None = None,
) -> tuple[NodeSpec, ...]:
    """The nodes to learn, one for each variable.

    A node's inputs are the other variables, less those whose role is "target" and those with a forbidden link
    (source, target) into it. A node of an "input" variable has none.

    With an order they are the earlier variables, less the same. Inputs come first and targets last, so that an "input"
    variable reads earlier ones of its kind: their joint law is learned, too. The order "auto" is chosen by the 2-way
    counts of `rows`; where a link j -> i is forbidden, it has i before j if it can. Without rows, the options are checked
    and the nodes are in no order yet.
    """
    inputs, targets, barred = _rules(domain, options)
    everyone, order = range(len(domain)), options.order
    if order is None or (isinstance(order, str) and rows is None):
        readable = tuple(j for j in everyone if j not in targets)
        return tuple(NodeSpec(i, () if i in inputs else readable, barred[i]) for i in everyone)
    if isinstance(order, str):
        assert rows is not None
        before = [(i, j) for i, sources in enumerate(barred) for j in sources]
        found = chosen_order(rows, inputs=inputs, targets=targets, before=before)
    else:
        found = checked_order(domain, order)
        _check_roles(domain, found, inputs, targets)
    place = {i: min(at, len(domain) - len(targets)) for at, i in enumerate(found)}
    return tuple(NodeSpec(i, found, barred[i], place[i]) for i in everyone)


def readable_inputs(specs: Sequence[NodeSpec], domain: Domain) -> dict[int, tuple[int, ...]]:
    """Of each variable that others may tell of, those."""
    cards = domain.cardinalities
    return {spec.target: spec.inputs for spec in specs if spec.inputs and cards[spec.target] > 1}


def order_of(specs: Sequence[NodeSpec]) -> tuple[int, ...] | None:
    """The order of the network that these nodes make, where it is an ordered one."""
    return specs[0].readable if specs and specs[0].first is not None else None


def checked_order(domain: Domain, order: object) -> tuple[int, ...]:
    """An order given by names, or numbers, of all variables, as numbers."""
    if not isinstance(order, Iterable) or isinstance(order, (str, bytes)):
        raise not_an_order(order)
    found: dict[int, None] = {}
    for one in order:
        if not (isinstance(one, str) or is_whole(one)):
            raise not_an_order(order)
        i = _index(domain, one, "order") if isinstance(one, str) else int(one)
        if not 0 <= i < len(domain):
            raise LearningError(f"order: there is no variable {i}; the table has {len(domain)}.")
        if i in found:
            raise LearningError(f"order names each variable once; {domain.names[i]!r} is there twice.")
        found[i] = None
    missing = [i for i in range(len(domain)) if i not in found]
    if missing:
        more = f" and {len(missing) - 1:,} more are" if len(missing) > 1 else " is"
        raise LearningError(
            f"order names all {len(domain)} variables; {domain.names[missing[0]]!r}{more} missing."
        )
    return tuple(found)


def _index(domain: Domain, name: str, what: str) -> int:
    try:
        return domain.index(name)
    except EvidenceError as error:
        raise LearningError(f"{what}: {error}") from None


class _Rules(NamedTuple):
    inputs: frozenset[int]
    targets: frozenset[int]
    barred: list[frozenset[int]]
    """The variables that the source of each node may not read."""


def _rules(domain: Domain, options: LearnOptions) -> _Rules:
    """Roles and forbidden links, by numbers."""
    role_of: dict[int, Role] = {}
    for name, role in (options.roles or {}).items():
        if role not in ("target", "input"):
            raise LearningError(f"the role of {name!r} is 'target' or 'input'; got {role!r}.")
        role_of[_index(domain, name, "roles")] = role
    barred = [frozenset[int]()] * len(domain)
    for link in options.forbidden:
        if isinstance(link, str) or len(link) != 2:
            raise LearningError(f"a forbidden link is a pair (source, target) of names; got {link!r}.")
        source, target = (_index(domain, name, "forbidden") for name in link)
        if source == target:
            raise LearningError(f"the link {link!r} is forbidden anyway: no variable is its own input.")
        barred[target] = barred[target].union((source,))
    inputs, targets = (
        frozenset(i for i, role in role_of.items() if role == kind) for kind in ("input", "target")
    )
    return _Rules(inputs, targets, barred)


def _check_roles(
    domain: Domain, order: Sequence[int], inputs: frozenset[int], targets: frozenset[int]
) -> None:
    """Inputs first, targets last."""
    stage = [0 if i in inputs else 2 if i in targets else 1 for i in order]
    wrong = next((at for at in range(1, len(order)) if stage[at] < stage[at - 1]), None)
    if wrong is not None:
        early, late = domain.names[order[wrong - 1]], domain.names[order[wrong]]
        why = f"{late!r} has the role 'input'" if stage[wrong] == 0 else f"{early!r} has the role 'target'"
        raise LearningError(
            f"the order has {early!r} before {late!r}, but {why}: inputs come first, targets last. Change the order, or "
            "drop the role."
        )
