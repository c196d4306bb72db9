"""What rows that a network was not learned from said of it: kept with the network, for a person to read."""

import math
from dataclasses import dataclass

from depnet.checks import whole_number
from depnet.errors import ModelError, brief

_ROWS = {
    "worth": "what a law is worth is",
    "sure_shares": "what intervals of shares rest on is",
    "sure_means": "what intervals of means rest on is",
}


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Scores of held-out rows, in nats per row, by the candidate that was chosen.

    `score` is the mean over rows of the sum over nodes of log theta_i(x_i | y_i): of an ordered network the
    log-likelihood. `independent` is the same of the network with one leaf a node. `worth` is, of an ordered network, how
    many rows of a table its law is worth where an answer joins both (`QueryResult.combined`), `sure_shares` and
    `sure_means` are how many rows more than those of the table the interval of a share, or mean, rests on
    (`QueryResult.interval`).
    """

    rows: int
    score: float
    independent: float
    worth: float | None = None
    sure_shares: float | None = None
    sure_means: float | None = None

    def __post_init__(self) -> None:
        rows = whole_number("the number of held-out rows", self.rows, at_least=1, error=ModelError)
        object.__setattr__(self, "rows", rows)
        for name in ("score", "independent"):
            value = getattr(self, name)
            if not isinstance(value, float) or not math.isfinite(value):
                raise ModelError(f"the {name} of held-out rows is a finite number; got {brief(value)}.")
        for name, what in _ROWS.items():
            value = getattr(self, name)
            if value is not None and not (isinstance(value, float) and math.isfinite(value) and value > 0):
                raise ModelError(f"{what} a number of rows above 0; got {brief(value)}.")

    @property
    def gained(self) -> float:
        """Bits per row that the network explains of what independent columns leave."""
        return (self.score - self.independent) / math.log(2)

    @property
    def predicted(self) -> float:
        """The share of what independent columns leave open that the network predicts."""
        return 1 - self.score / self.independent if self.independent else 0.0
