"""What `penalty="auto"` chooses from: penalties from strict to generous, and smoothings."""

from dataclasses import dataclass

from depnet.checks import whole_number
from depnet.errors import LearningError
from depnet.learning.penalty import Mdl, Penalty, StructuralMdl, checked_penalty
from depnet.model.table import checked_smoothing

LADDER: tuple[Penalty, ...] = (
    StructuralMdl(1.0, 1.0, Mdl()),
    StructuralMdl(1.0, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.5, 1.0, Mdl()),
    StructuralMdl(0.5, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.5, 1.0, 0.25 * Mdl()),
    Mdl(),
    StructuralMdl(0.0, 1.0, Mdl()),
    StructuralMdl(0.25, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.25, 1.0, 0.25 * Mdl()),
    StructuralMdl(0.0, 1.0, 0.5 * Mdl()),
    StructuralMdl(0.0, 1.0, 0.25 * Mdl()),
)
"""From strict to generous: what naming an operation costs, and what a parameter costs (docs/penalties.md)."""

SMOOTHINGS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Smoothings tried, in units of the `smoothing` that was asked for."""


@dataclass(frozen=True, slots=True)
class Auto:
    """What `penalty="auto"` chooses from, and how sure a node must be to choose for itself."""

    penalties: tuple[Penalty, ...] = LADDER
    smoothings: tuple[float, ...] = SMOOTHINGS
    standard_errors: float = 3.0
    patience: int = 3
    """The ladder is left after this many rungs without a better pooled score."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "penalties", tuple(checked_penalty(p) for p in self.penalties))
        object.__setattr__(self, "smoothings", tuple(checked_smoothing(s) for s in self.smoothings))
        if not self.penalties or not self.smoothings or min(self.smoothings) <= 0:
            raise LearningError(
                "Auto needs at least one penalty and one smoothing, and smoothings above 0; got "
                f"{self.penalties} and {self.smoothings}."
            )
        if not self.standard_errors >= 0:
            raise LearningError(f"standard_errors is a number of at least 0; got {self.standard_errors!r}.")
        whole_number("patience", self.patience, at_least=1, error=LearningError)
