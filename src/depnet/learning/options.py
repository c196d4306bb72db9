"""What is learned: limits on leaves, roles of variables, forbidden links, an order, boosting; and the nodes that this means.

`LearnOptions` is all of it as one value, checked when it is made. Names of variables are checked against the domain before
any work is done: out come `NodeSpec`s, in numbers.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from depnet.checks import is_whole
from depnet.data import Dataset, Domain
from depnet.errors import EvidenceError, LearningError, brief
from depnet.learning.boost.settings import AutoBoost, Boost, BoostLike, checked_boost
from depnet.learning.order import chosen_order
from depnet.learning.penalty import Auto, Mdl, Penalty, PenaltyLike, checked_penalty
from depnet.learning.rows.work import Limits
from depnet.model.table import checked_smoothing
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
    min_leaf_rows: int = 0
    roles: Mapping[str, Role] | None = None
    forbidden: Iterable[tuple[str, str]] = ()
    cuts: bool = False
    boost: BoostLike = None
    boosted: Sequence[str] | None = None
    """The variables whose nodes are boosted; None: all."""

    def __post_init__(self) -> None:
        Limits(self.max_leaves, self.min_leaf_rows)
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
    def limits(self) -> Limits:
        """How far each source may be grown."""
        return Limits(self.max_leaves, self.min_leaf_rows)

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
    order: Order = None,
    rows: Dataset | None = None,
    *,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
) -> tuple[NodeSpec, ...]:
    """The nodes to learn, one for each variable.

    A node's inputs are the other variables, less those whose role is "target" and those with a forbidden link
    (source, target) into it. A node of an "input" variable has none.

    With an `order` they are the earlier variables, less the same. Inputs come first and targets last, so that an "input"
    variable reads earlier ones of its kind: their joint law is learned, too. The order "auto" is chosen by the 2-way
    counts of `rows`; where a link j -> i is forbidden, it has i before j if it can.
    """
    inputs, targets, barred = _rules(domain, roles, forbidden, ordered=order is not None)
    everyone = range(len(domain))
    if order is None:
        readable = tuple(j for j in everyone if j not in targets)
        return tuple(NodeSpec(i, () if i in inputs else readable, barred[i]) for i in everyone)
    if isinstance(order, str) and order == "auto":
        assert rows is not None, 'the order "auto" is chosen by counts'
        before = [(i, j) for i, sources in enumerate(barred) for j in sources]
        found = chosen_order(rows, inputs=inputs, targets=targets, before=before)
    else:
        found = checked_order(domain, order)
        _check_roles(domain, found, inputs, targets)
    place = {i: min(at, len(domain) - len(targets)) for at, i in enumerate(found)}
    return tuple(NodeSpec(i, found, barred[i], place[i]) for i in everyone)


def first_specs(domain: Domain, options: LearnOptions) -> tuple[NodeSpec, ...]:
    """The nodes of these options before anything is counted: those of the order "auto" are not in an order yet."""
    if isinstance(options.order, str):
        _rules(
            domain, options.roles, options.forbidden, ordered=True
        )  # whose errors are told before any work
        return node_specs(domain)
    return node_specs(domain, options.order, roles=options.roles, forbidden=options.forbidden)


def chosen_specs(dataset: Dataset, options: LearnOptions) -> tuple[NodeSpec, ...]:
    """The nodes of these options; the order "auto" is chosen by the rows."""
    return node_specs(
        dataset.domain, options.order, dataset, roles=options.roles, forbidden=options.forbidden
    )


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


def _rules(
    domain: Domain, roles: Mapping[str, Role] | None, forbidden: Iterable[tuple[str, str]], ordered: bool
) -> _Rules:
    """Roles and forbidden links, by numbers."""
    role_of: dict[int, Role] = {}
    for name, role in (roles or {}).items():
        if role not in ("target", "input"):
            raise LearningError(f"the role of {name!r} is 'target' or 'input'; got {role!r}.")
        role_of[_index(domain, name, "roles")] = role
    barred = [frozenset[int]()] * len(domain)
    for link in forbidden:
        if isinstance(link, str) or len(link) != 2:
            raise LearningError(f"a forbidden link is a pair (source, target) of names; got {link!r}.")
        source, target = (_index(domain, name, "forbidden") for name in link)
        if source == target:
            raise LearningError(f"the link {link!r} is forbidden anyway: no variable is its own input.")
        _check_link(domain, role_of, source, target, ordered)
        barred[target] = barred[target].union((source,))
    inputs, targets = (
        frozenset(i for i, role in role_of.items() if role == kind) for kind in ("input", "target")
    )
    return _Rules(inputs, targets, barred)


def _check_link(domain: Domain, role_of: Mapping[int, Role], source: int, target: int, ordered: bool) -> None:
    """No link is forbidden that a role rules out anyway; in an ordered network inputs read earlier inputs."""
    if role_of.get(target) == "input" and not (ordered and role_of.get(source) == "input"):
        why = f"{domain.names[target]!r} has the role 'input' and no links into it"
    elif role_of.get(source) == "target":
        why = f"{domain.names[source]!r} has the role 'target' and no links out of it"
    else:
        return
    raise LearningError(
        f"the link {domain.names[source]!r} -> {domain.names[target]!r} is forbidden, but {why}. Drop one of the two."
    )


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
