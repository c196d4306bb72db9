"""What rows that a network was not learned from said of it: kept with the network, for a person to read."""

import math
from dataclasses import dataclass

from depnet.checks import whole_number
from depnet.errors import ModelError, brief


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Scores of held-out rows, in nats per row, by the candidate that was chosen.

    `score` is the mean over rows of the sum over nodes of log theta_i(x_i | y_i): of an ordered network the
    log-likelihood. `independent` is the same of the network with one leaf a node. `worth` is, of an ordered network, how
    many rows of a table its law is worth where an answer joins both (`QueryResult.combined`).
    """

    rows: int
    score: float
    independent: float
    worth: float | None = None

    def __post_init__(self) -> None:
        rows = whole_number("the number of held-out rows", self.rows, at_least=1, error=ModelError)
        object.__setattr__(self, "rows", rows)
        for name in ("score", "independent"):
            value = getattr(self, name)
            if not isinstance(value, float) or not math.isfinite(value):
                raise ModelError(f"the {name} of held-out rows is a finite number; got {brief(value)}.")
        if self.worth is not None and not (
            isinstance(self.worth, float) and math.isfinite(self.worth) and self.worth > 0
        ):
            raise ModelError(f"what a law is worth is a number of rows above 0; got {brief(self.worth)}.")

    @property
    def gained(self) -> float:
        """Bits per row that the network explains of what independent columns leave."""
        return (self.score - self.independent) / math.log(2)
