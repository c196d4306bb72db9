"""Complete rows that both networks of a fit are learned from, wherever they lie: in a table here, or in parts elsewhere."""

from collections.abc import Sequence
from typing import Any, Protocol

from depnet.data.table.dataset import Dataset
from depnet.learning.choose.trials import Choice
from depnet.learning.learn import learn_with_choice
from depnet.learning.rows.prepared import PreparedRows
from depnet.model.network import Network


class FitRows(Protocol):
    """What a fit asks of its rows."""

    @property
    def total(self) -> int:
        """N, weights included."""

    def learn(self, **arguments: Any) -> tuple[Network, Choice | None]:
        """A network, and what penalty="auto" chose: the arguments are those of `learn_with_choice`."""

    def held_out(self) -> Sequence[tuple[Dataset, Dataset]]:
        """(rows learned from, rows scored on) of the trials of penalty="auto"."""


class TableFitRows:
    """The rows of a dataset, made ready once for all that is learned from them."""

    def __init__(self, dataset: Dataset) -> None:
        self._rows = PreparedRows(dataset)
        self.total = dataset.total

    def learn(self, **arguments: Any) -> tuple[Network, Choice | None]:
        """A network, and what penalty="auto" chose."""
        return learn_with_choice(self._rows, **arguments)

    def held_out(self) -> list[tuple[Dataset, Dataset]]:
        """(rows learned from, rows scored on) of the trials of penalty="auto"."""
        return [(learned.dataset, scored) for learned, scored in self._rows.held_out]
