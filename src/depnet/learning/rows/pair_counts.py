"""The 2-way counts that an order is chosen by (`depnet.learning.choose.order`)."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from depnet.data.table.dataset import Dataset
from depnet.model.marginals import PairTables

MAX_STATES = 64
"""A variable of more states is counted with neighbours put together: an order needs no tables of a billion cells."""

CountPairs: TypeAlias = Callable[[int, int], PairTables]
"""`count(first, last)`: the 2-way tables of `first` .. `last` - 1 with each later variable, as `TablePairs` has them."""


class TablePairs:
    """The 2-way counts of a dataset. State x of a variable of K > 64 states is counted as 64 x // K.

    >>> from depnet.data import titanic
    >>> TablePairs(titanic())(1, 2)[1, 3].tolist()      # sex x survived
    [[126, 344], [1364, 367]]
    """

    def __init__(self, dataset: Dataset) -> None:
        cards = dataset.domain.cardinalities
        self._dataset = dataset
        if max(cards) > MAX_STATES:
            codes = np.empty(dataset.codes.shape, dtype=np.uint8, order="F")
            for i, k in enumerate(cards):
                column = dataset.column(i)
                codes[:, i] = column if k <= MAX_STATES else column.astype(np.int64) * MAX_STATES // k
            self._dataset = Dataset.from_codes(codes, folded(cards), dataset.weights)

    def __call__(self, first: int, last: int) -> PairTables:
        """The 2-way tables of `first` .. `last` - 1 with each later variable."""
        return PairTables.of(self._dataset, first, last)


def folded(cardinalities: Sequence[int]) -> tuple[int, ...]:
    """How many states of each variable are told apart."""
    return tuple(min(k, MAX_STATES) for k in cardinalities)
