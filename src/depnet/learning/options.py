"""What learning may do: limits on leaves, roles of variables, forbidden links, an order, a time.

`LearnOptions` is all of it as one value, checked when it is made; what names of variables mean is checked against the
domain before any work is done (`depnet.learning.grow.node_specs`).
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, TypeAlias

from depnet.checks import is_whole, seconds_given, whole_number
from depnet.errors import LearningError, brief
from depnet.learning.choose.ladder import Auto
from depnet.learning.penalty import Mdl, Penalty, PenaltyLike, checked_penalty
from depnet.model.table import checked_smoothing
from depnet.wording import nearest

Role = Literal["target", "input"]
"""`"target"`: never an input of other nodes. `"input"`: not predicted from others, its node keeps one leaf."""

Order: TypeAlias = Sequence[str] | Sequence[int] | Literal["auto"] | None
"""What `learn(order=...)` takes: None (the paper's), "auto", or all variables by name (or number)."""

Progress: TypeAlias = Callable[[int, int], object]
"""Called as progress(nodes done, all nodes)."""


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
class LearnOptions:
    """The options of `depnet.learn` that do not depend on where the rows lie; see there."""

    penalty: "PenaltyLike | Auto" = field(default_factory=Mdl)
    smoothing: float = 0.0
    order: Order = None
    max_leaves: int | None = None
    min_leaf_rows: int = 0
    roles: Mapping[str, Role] | None = None
    forbidden: Iterable[tuple[str, str]] = ()
    max_seconds: float | None = None
    progress: Progress | None = None
    resume: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        Limits(self.max_leaves, self.min_leaf_rows)
        object.__setattr__(self, "smoothing", checked_smoothing(self.smoothing))
        seconds = seconds_given(self.max_seconds, zero=True, error=LearningError)
        object.__setattr__(self, "max_seconds", seconds)
        object.__setattr__(self, "forbidden", tuple(self.forbidden))  # an iterator can be read once only
        if isinstance(self.penalty, str) and self.penalty == "auto":
            object.__setattr__(self, "penalty", Auto())
        if not isinstance(self.penalty, Auto):
            object.__setattr__(self, "penalty", checked_penalty(self.penalty))
        elif self.smoothing == 0:
            raise LearningError(
                '`penalty="auto"` scores held-out rows, which `smoothing=0` may give the probability 0. Give a smoothing '
                "above 0, such as `smoothing=0.5`."
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


def checked_jobs(n_jobs: int | None) -> int | None:
    """`n_jobs` as joblib understands it: a number of threads, negative ones counted from all cores."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise LearningError(
            f"n_jobs is a number of threads (1, 2, ...), -1 for all cores, or None; got {n_jobs!r}."
        )
    return n_jobs
