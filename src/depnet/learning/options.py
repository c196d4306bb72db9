"""What is learned: limits on leaves, roles of variables, forbidden links, an order, boosting.

`LearnOptions` is all of it as one value, checked when it is made; what names of variables mean is checked against the
domain before any work is done (`depnet.learning.specs`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, TypeAlias

from depnet.errors import LearningError, brief
from depnet.learning.boost.settings import AutoBoost, Boost, BoostLike, checked_boost
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
