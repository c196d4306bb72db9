"""What learning may do: limits on leaves, roles of variables, forbidden links.

Everything is given by names and checked against the domain before any work is done; what comes out are
the nodes' targets and inputs as numbers.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from depnet.data import Domain
from depnet.errors import EvidenceError, LearningError

Role = Literal["target", "input"]
"""`"target"`: never an input of other nodes. `"input"`: not predicted from others, its node keeps one leaf."""


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
            _check_whole("max_leaves", self.max_leaves, least=1)
        _check_whole("min_leaf_rows", self.min_leaf_rows, least=0)


@dataclass(frozen=True, slots=True)
class Task:
    """One node to be learned: the variable it updates, and those its source may read.

    `readable` is shared by the nodes of a network, which so take no room of n x n.
    """

    target: int
    readable: tuple[int, ...]
    barred: frozenset[int] = frozenset()

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that its source may read, ascending."""
        inputs = self.readable
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
) -> tuple[Task, ...]:
    """The nodes to learn, one for each variable.

    A node's inputs are the other variables, less those whose role is "target" and those with a forbidden link
    (source, target) into it. A node of an "input" variable has none.
    """
    role_of = _roles(domain, roles)
    links = _links(domain, forbidden)
    _check_links(domain, role_of, links)
    readable = tuple(j for j in range(len(domain)) if role_of.get(j) != "target")
    return tuple(
        Task(i, () if role_of.get(i) == "input" else readable, frozenset(links.get(i, ())))
        for i in range(len(domain))
    )


def refuse_removed(who: str, given: Mapping[str, object]) -> None:
    """Raise an error for options that `who` does not have, or had once.

    >>> refuse_removed("learn", {"blocks": "auto"})
    Traceback (most recent call last):
    depnet.errors.LearningError: learn: blocks= was removed; learn(dataset, order="auto") gives an ordered law ...
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
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise LearningError(
            f"n_jobs is a number of threads (1, 2, ...), -1 for all cores, or None; got {n_jobs!r}."
        )
    return n_jobs


def checked_seconds(max_seconds: float | None) -> float | None:
    """`max_seconds` as a number of at least 0; None and infinity: no limit."""
    if max_seconds is None:
        return None
    if isinstance(max_seconds, bool) or not isinstance(max_seconds, (int, float)) or not max_seconds >= 0:
        raise LearningError(f"max_seconds is a number of at least 0, or None; got {max_seconds!r}.")
    return None if math.isinf(max_seconds) else float(max_seconds)


def _check_whole(name: str, value: int, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise LearningError(f"{name} is a whole number of at least {least}; got {value!r}.")


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


def _check_links(domain: Domain, role_of: Mapping[int, Role], links: Mapping[int, set[int]]) -> None:
    """No link is forbidden that a role rules out anyway."""
    for source, target in ((source, target) for target, sources in links.items() for source in sources):
        if role_of.get(target) == "input":
            raise LearningError(
                f"the link {domain.names[source]!r} -> {domain.names[target]!r} is forbidden, but "
                f"{domain.names[target]!r} has the role 'input' and no links into it. Drop one of the two."
            )
        if role_of.get(source) == "target":
            raise LearningError(
                f"the link {domain.names[source]!r} -> {domain.names[target]!r} is forbidden, but "
                f"{domain.names[source]!r} has the role 'target' and no links out of it. Drop one of the two."
            )
