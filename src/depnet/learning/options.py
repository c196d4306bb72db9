"""What learning may do: limits on leaves, roles of variables, forbidden links, an order.

Everything is given by names and checked against the domain before any work is done; what comes out are
the nodes' targets and inputs as numbers.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from depnet.checks import is_whole, seconds_given, whole_number
from depnet.data import Domain
from depnet.errors import EvidenceError, LearningError, brief
from depnet.learning.choose.order import PairCounts, chosen_order

Role = Literal["target", "input"]
"""`"target"`: never an input of other nodes. `"input"`: not predicted from others, its node keeps one leaf."""

Order: TypeAlias = Sequence[str] | Sequence[int] | Literal["auto"] | None
"""What `learn(order=...)` takes: None (the paper's), "auto", or all variables by name (or number)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a node's information source may be grown.

    A split is admissible if it leaves at most `max_leaves` leaves (the empty ones count) and if each of
    its new leaves has either no rows at all or at least `min_leaf_rows`. Merges are always admissible.
    """

    max_leaves: int | None = None
    min_leaf_rows: int = 0

    def __post_init__(self) -> None:
        if self.max_leaves is not None:
            whole_number("max_leaves", self.max_leaves, at_least=1, error=LearningError)
        whole_number("min_leaf_rows", self.min_leaf_rows, at_least=0, error=LearningError)


@dataclass(frozen=True, slots=True)
class Task:
    """One node to be learned: the variable it updates, and those its source may read.

    `readable` is shared by the nodes of a network, which so take no room of n x n. Of an ordered network it is the order,
    and a source reads the `first` so many of it; else it is ascending, and `first` is None.
    """

    target: int
    readable: tuple[int, ...]
    barred: frozenset[int] = frozenset()
    first: int | None = None

    @property
    def open(self) -> tuple[int, ...]:
        """The variables that its source may read, ascending; itself and those barred may be among them."""
        return self.readable if self.first is None else tuple(sorted(self.readable[: self.first]))

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that its source may read, ascending."""
        inputs = self.open
        for j in self.barred.union((self.target,)):  # few, as a rule
            at = bisect_left(inputs, j)
            if inputs[at : at + 1] == (j,):
                inputs = inputs[:at] + inputs[at + 1 :]
        return inputs


def plan(
    domain: Domain,
    *,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    order: Sequence[int] | None = None,
) -> tuple[Task, ...]:
    """The nodes to learn, one for each variable.

    A node's inputs are the other variables, less those whose role is "target" and those with a forbidden link
    (source, target) into it. A node of an "input" variable has none.

    With an `order` (of `order_of`: inputs first, targets last) they are the earlier variables, less the same. So an
    "input" variable reads earlier ones of its kind: their joint law is learned, too.
    """
    role_of = _roles(domain, roles)
    links = _links(domain, forbidden)
    _check_links(domain, role_of, links, ordered=order is not None)
    if order is not None:
        shared = tuple(order)
        read = sum(role_of.get(i) != "target" for i in shared)
        place = {i: min(at, read) for at, i in enumerate(shared)}
        return tuple(Task(i, shared, frozenset(links.get(i, ())), place[i]) for i in range(len(domain)))
    readable = tuple(j for j in range(len(domain)) if role_of.get(j) != "target")
    return tuple(
        Task(i, () if role_of.get(i) == "input" else readable, frozenset(links.get(i, ())))
        for i in range(len(domain))
    )


def order_of(
    domain: Domain,
    order: Order,
    pairs: Callable[[], PairCounts],
    *,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
) -> tuple[int, ...] | None:
    """The order that `learn(order=...)` means, as numbers: as it was given, or chosen by the counts of `pairs()`.

    Inputs come first and targets last; where a link j -> i is forbidden, "auto" has i before j if it can.
    """
    if order is None:
        return None
    role_of = _roles(domain, roles)
    kinds = {
        kind: frozenset(i for i, role in role_of.items() if role == kind) for kind in ("input", "target")
    }
    if not (isinstance(order, str) and order == "auto"):
        given = checked_order(domain, order)
        _check_roles(domain, given, kinds["input"], kinds["target"])
        return given
    links = _links(domain, forbidden)
    before = [(i, j) for i, sources in links.items() for j in sources]
    return chosen_order(
        pairs(), domain.cardinalities, inputs=kinds["input"], targets=kinds["target"], before=before
    )


def checked_order(domain: Domain, order: object) -> tuple[int, ...]:
    """An order given by names, or numbers, of all variables, as numbers."""
    listed = list(order) if isinstance(order, Iterable) and not isinstance(order, (str, bytes)) else None
    if listed is None or not all(isinstance(one, str) or is_whole(one) for one in listed):
        raise LearningError(
            f'order is None, "auto", or the names of all variables in order; got {brief(order)}.'
        )
    found = [_index(domain, one, "order") if isinstance(one, str) else int(one) for one in listed]
    for i in found:
        if not 0 <= i < len(domain):
            raise LearningError(f"order: there is no variable {i}; the table has {len(domain)}.")
    twice = (
        next((i for at, i in enumerate(found) if i in found[:at]), None)
        if len(set(found)) < len(found)
        else None
    )
    if twice is not None:
        raise LearningError(f"order names each variable once; {domain.names[twice]!r} is there twice.")
    missing = sorted(set(range(len(domain))) - set(found))
    if missing:
        more = f" and {len(missing) - 1:,} more are" if len(missing) > 1 else " is"
        raise LearningError(
            f"order names all {len(domain)} variables; {domain.names[missing[0]]!r}{more} missing."
        )
    return tuple(found)


def ordered_as(tasks: Sequence[Task]) -> tuple[int, ...] | None:
    """The order of the network that these tasks make, where they are ordered."""
    return tasks[0].readable if tasks and tasks[0].first is not None else None


def refuse_removed(who: str, given: Mapping[str, object]) -> None:
    """Raise an error for options that `who` does not have, or had once.

    >>> refuse_removed("learn", {"blocks": "auto"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    depnet.errors.LearningError: learn: blocks= was removed; learn(dataset, order="auto") gives an ordered law...
    """
    for name, value in given.items():
        if name != "blocks":
            raise TypeError(f"{who}() got an unexpected keyword argument {name!r}")
        if value is not None:
            raise LearningError(
                f'{who}: blocks= was removed; learn(dataset, order="auto") gives an ordered law, in which variables '
                "that move together need no block."
            )


def checked_jobs(n_jobs: int | None) -> int | None:
    """`n_jobs` as joblib understands it: a number of threads, negative ones counted from all cores."""
    if n_jobs is None:
        return None
    if not is_whole(n_jobs) or n_jobs == 0:
        raise LearningError(
            f"n_jobs is a number of threads (1, 2, ...), -1 for all cores, or None; got {n_jobs!r}."
        )
    return n_jobs


def checked_seconds(max_seconds: float | None) -> float | None:
    """`max_seconds` as a number of at least 0; None and infinity: no limit."""
    return seconds_given(max_seconds, zero=True, error=LearningError)


def _index(domain: Domain, name: str, what: str) -> int:
    try:
        return domain.index(name)
    except EvidenceError as error:
        raise LearningError(f"{what}: {error}") from None


def _roles(domain: Domain, roles: Mapping[str, Role] | None) -> dict[int, Role]:
    role_of: dict[int, Role] = {}
    for name, role in (roles or {}).items():
        if role not in ("target", "input"):
            raise LearningError(f"the role of {name!r} is 'target' or 'input'; got {role!r}.")
        role_of[_index(domain, name, "roles")] = role
    return role_of


def _links(domain: Domain, forbidden: Iterable[tuple[str, str]]) -> dict[int, set[int]]:
    """The barred sources of each target."""
    links: dict[int, set[int]] = {}
    for link in forbidden:
        if isinstance(link, str) or len(link) != 2:
            raise LearningError(f"a forbidden link is a pair (source, target) of names; got {link!r}.")
        source, target = (_index(domain, name, "forbidden") for name in link)
        if source == target:
            raise LearningError(f"the link {link!r} is forbidden anyway: no variable is its own input.")
        links.setdefault(target, set()).add(source)
    return links


def _check_links(
    domain: Domain, role_of: Mapping[int, Role], links: Mapping[int, set[int]], ordered: bool
) -> None:
    """No link is forbidden that a role rules out anyway; in an ordered network inputs read earlier inputs."""
    for source, target in ((source, target) for target, sources in links.items() for source in sources):
        if role_of.get(target) == "input" and not (ordered and role_of.get(source) == "input"):
            raise LearningError(
                f"the link {domain.names[source]!r} -> {domain.names[target]!r} is forbidden, but "
                f"{domain.names[target]!r} has the role 'input' and no links into it. Drop one of the two."
            )
        if role_of.get(source) == "target":
            raise LearningError(
                f"the link {domain.names[source]!r} -> {domain.names[target]!r} is forbidden, but "
                f"{domain.names[source]!r} has the role 'target' and no links out of it. Drop one of the two."
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
