"""What is learned: limits on leaves, roles of variables, forbidden links, an order, boosting; and the nodes that it means.

`LearnOptions` is all of it as one value, checked when it is made. Names of variables are checked against the domain before
any work is done: out come `NodeSpec`s, in numbers. The order "auto" is that of `depnet.learning.order`.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from depnet.data import Dataset, Domain
from depnet.errors import EvidenceError, LearningError, brief, is_whole, whole_number
from depnet.learning.cost import Auto, Mdl, Penalty, PenaltyLike, checked_penalty
from depnet.learning.order import choose_order, fold_states, informations, walk
from depnet.model.stages import MOST_LEAVES
from depnet.model.table import checked_smoothing
from depnet.wording import nearest

MOST_STAGES = 100_000

MOST_RUNS = 100


@dataclass(frozen=True, slots=True)
class Boost:
    """Stages of a boosted node: how many, of how many leaves, and how far each goes.

    A stage is a Newton step times `rate`. The stages are added to the base rates of the variable's states.

    Args:
        stages: how many small decision graphs are added up.
        leaves: of each.
        rate: how far each stage goes.
        share: of the variables, those that a stage may split on, drawn anew for each.
        shrinkage: is added to the curvature of a leaf: leaves of few rows move less.
        least_curvature: no leaf has a curvature, the sum over its rows of p (1 - p), below it.
        graph: stages are added to base rates, and to this share of what the node's decision graph says beyond them (of a
            category; numbers start from base rates).
        runs: the stages are grown as often, each time with other random words, and the scores averaged: rows say more
            surely what is chance.

    >>> Boost(leaves=16, rate=0.05)
    Boost(stages=200, leaves=16, rate=0.05, share=0.5, shrinkage=0.5, least_curvature=0.1, graph=0.0, runs=1)
    """

    stages: int = 200
    leaves: int = 8
    rate: float = 0.1
    share: float = 0.5
    shrinkage: float = 0.5
    least_curvature: float = 0.1
    graph: float = 0.0
    runs: int = 1

    def __post_init__(self) -> None:
        for name, most in (("stages", MOST_STAGES), ("leaves", MOST_LEAVES), ("runs", MOST_RUNS)):
            given = whole_number(f"Boost: {name}", getattr(self, name), at_least=1, error=LearningError)
            if given > most:
                raise LearningError(f"Boost: {name} is at most {most:,}; got {given:,}.")
        for name, least, top in (
            ("rate", 0.0, 1.0),
            ("share", 0.0, 1.0),
            ("graph", -math.inf, 1.0),
            ("shrinkage", 0.0, math.inf),
            ("least_curvature", -math.inf, math.inf),
        ):
            value = getattr(self, name)
            good = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not (good and least < value <= top and value >= 0 and math.isfinite(value)):
                bound = f" of at most {top:g}" if math.isfinite(top) else ""
                above = "above 0" if least == 0 else "of at least 0"
                raise LearningError(
                    f"Boost: {name} is a number {above}{' and' if bound else ''}{bound}; got {brief(value)}."
                )


@dataclass(frozen=True, slots=True)
class AutoBoost:
    """What `boost="auto"` chooses from: of each node, held-out rows say which candidate, how many stages, or its graph."""

    candidates: tuple[Boost, ...] | None = None
    """None: `candidates_for` the rows that there are. A number's digits have settings of their own, `DIGITS`."""
    runs: int = 1
    """Of the stages that are learned from all rows in the end; trials have one."""


BoostLike: TypeAlias = Boost | AutoBoost | Literal["auto"] | None
"""What `learn(boost=...)` takes."""


def checked_boost(boost: object) -> Boost | AutoBoost | None:
    """`boost` as a value."""
    if isinstance(boost, str) and boost == "auto":
        return AutoBoost()
    if boost is None or isinstance(boost, (Boost, AutoBoost)):
        return boost
    raise LearningError(
        f'boost is None (one graph a column), "auto" (chosen by held-out rows) or a depnet.Boost; got {brief(boost)}.'
    )


Role = Literal["target", "input"]
"""`"target"`: never an input of other nodes. `"input"`: not predicted from others, its node keeps one leaf."""

Order: TypeAlias = Sequence[str] | Sequence[int] | Sequence[str | Sequence[str]] | Literal["auto"] | None
"""What `learn(order=...)` takes: None (the paper's), "auto", or all variables by name (or number), some in tiers."""


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
                "with a smoothing of 0, rows that are held out may get the probability 0, and the penalty 'auto' could not "
                "compare anything. Give a smoothing above 0, such as 0.5."
            )
        if isinstance(self.order, str) and self.order != "auto":
            raise not_an_order(self.order)

    @classmethod
    def parse(cls, who: str, options: Mapping[str, Any]) -> Self:
        """Make options from arguments of `who` by name; an unknown name is an error that suggests others."""
        names = [each.name for each in fields(cls)]
        for name in options:
            if name not in names:
                raise TypeError(f"{who} has no option {name!r}. {nearest(name, names)}")
        return cls(**options)

    @property
    def auto(self) -> Auto | None:
        """What the penalty is chosen from on held-out rows, where it is."""
        return self.penalty if isinstance(self.penalty, Auto) else None

    @property
    def fixed_penalty(self) -> Penalty:
        """The penalty of all nodes, where it is not chosen."""
        return checked_penalty(self.penalty)  # type: ignore[arg-type]


def not_an_order(order: object) -> LearningError:
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
    tiers = tiers_of(domain, order)
    free = isinstance(order, str) or (tiers is not None and len(set(tiers)) < len(domain))
    if order is None or (free and rows is None):
        readable = tuple(j for j in everyone if j not in targets)
        return tuple(NodeSpec(i, () if i in inputs else readable, barred[i]) for i in everyone)
    if isinstance(order, str):
        assert rows is not None
        before = [(i, j) for i, sources in enumerate(barred) for j in sources]
        found = choose_order(rows, inputs=inputs, targets=targets, before=before)
    elif free:
        assert rows is not None
        found = walk(informations(fold_states(rows)), np.array(tiers), {})
        _check_roles(domain, found, inputs, targets)
    else:
        found = checked_order(domain, order)
        _check_roles(domain, found, inputs, targets)
    place = {i: min(at, len(domain) - len(targets)) for at, i in enumerate(found)}
    return tuple(NodeSpec(i, found, barred[i], place[i]) for i in everyone)


def readable_inputs(specs: Sequence[NodeSpec], domain: Domain) -> dict[int, tuple[int, ...]]:
    """The inputs of each variable that may have some."""
    cards = domain.cardinalities
    return {spec.target: spec.inputs for spec in specs if spec.inputs and cards[spec.target] > 1}


def order_of(specs: Sequence[NodeSpec]) -> tuple[int, ...] | None:
    """The order of the network that these nodes make, where it is an ordered one."""
    return specs[0].readable if specs and specs[0].first is not None else None


def tiers_of(domain: Domain, order: object) -> tuple[int, ...] | None:
    """The place of each variable in an order that is given, the same for those in one tier; None of any other."""
    if order is None or isinstance(order, (str, bytes)) or not isinstance(order, Iterable):
        return None
    tiers = [[one] if isinstance(one, str) or is_whole(one) else one for one in order]
    if not all(isinstance(tier, (list, tuple)) for tier in tiers):
        raise not_an_order(order)
    place = [at for at, tier in enumerate(tiers) for _ in tier]
    found = dict(zip(checked_order(domain, [one for tier in tiers for one in tier]), place, strict=True))
    return tuple(found[i] for i in range(len(domain)))


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


def _rules(
    domain: Domain, options: LearnOptions
) -> tuple[frozenset[int], frozenset[int], list[frozenset[int]]]:
    """By numbers: the inputs, the targets, and for each node the variables that its source may not read."""
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
            raise LearningError(f"the link {link!r} needs no forbidding: no column is predicted from itself.")
        barred[target] = barred[target].union((source,))
    inputs, targets = (
        frozenset(i for i, role in role_of.items() if role == kind) for kind in ("input", "target")
    )
    return inputs, targets, barred


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
