"""What learning may do: limits on leaves, roles of variables, forbidden links, blocks of targets.

Everything is given by names and checked against the domain before any work is done; what comes out are
the nodes' targets and inputs as numbers.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from depnet.data import Domain
from depnet.errors import EvidenceError, LearningError

MAX_TARGET_STATES = 65_535
"""The joint states of a block, as many as one variable may have."""

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
    """One node to be learned: the variables it updates, and those its source may read.

    `readable` is shared by the nodes of a network, which so take no room of n x n.
    """

    targets: tuple[int, ...]
    readable: tuple[int, ...]
    barred: frozenset[int] = frozenset()

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that its source may read, ascending."""
        inputs = self.readable
        for j in self.barred.union(self.targets):  # few, as a rule
            at = bisect_left(inputs, j)
            if inputs[at : at + 1] == (j,):
                inputs = inputs[:at] + inputs[at + 1 :]
        return inputs


def plan(
    domain: Domain,
    *,
    blocks: Iterable[Sequence[str]] | None = None,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
) -> tuple[Task, ...]:
    """The nodes to learn: first the `blocks`, in their order, then one for each variable outside them.

    A node's inputs are the variables that it does not update, less those whose role is "target" and
    those with a forbidden link (source, target) into it. A node of "input" variables has none.
    """
    targets = _targets(domain, blocks)
    role_of = _roles(domain, roles)
    links = _links(domain, forbidden)
    readable = tuple(j for j in range(len(domain)) if role_of.get(j) != "target")
    tasks = []
    for block in targets:
        kept = [i for i in block if role_of.get(i) == "input"]
        if kept and len(kept) < len(block):
            raise LearningError(
                f"the block {_names(domain, block)} has the variable {domain.names[kept[0]]!r} with the role 'input', "
                "which is not predicted, beside others that are. Take it out of the block."
            )
        barred = set().union(*(links.get(target, ()) for target in block))
        tasks.append(Task(block, () if kept else readable, frozenset(barred)))
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
    return tuple(tasks)


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


def _names(domain: Domain, block: Sequence[int]) -> str:
    return "(" + ", ".join(repr(domain.names[i]) for i in block) + ")"


def _targets(domain: Domain, blocks: Iterable[Sequence[str]] | None) -> list[tuple[int, ...]]:
    targets: list[tuple[int, ...]] = []
    if isinstance(blocks, str):
        raise LearningError(f"blocks are a list of tuples of variable names, or None; got {blocks!r}.")
    for block in blocks or ():
        if isinstance(block, str):
            raise LearningError(f"a block is a tuple of variable names; got the string {block!r}.")
        members = tuple(_index(domain, name, "blocks") for name in block)
        if not members or len(set(members)) < len(members):
            raise LearningError(f"a block names one or more distinct variables; got {tuple(block)!r}.")
        states = math.prod(domain.cardinalities[i] for i in members)
        if states > MAX_TARGET_STATES:
            raise LearningError(
                f"the block {_names(domain, members)} has {states:,} joint states; at most "
                f"{MAX_TARGET_STATES:,} are possible. Make the block smaller."
            )
        targets.append(members)
    covered = {i for block in targets for i in block}
    return targets + [(i,) for i in range(len(domain)) if i not in covered]


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
