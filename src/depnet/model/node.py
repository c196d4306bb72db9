"""Node i: a variable, its information source and its conditional table (Fig. 1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from depnet.arrays import CodeArray, FloatArray, LeafArray
from depnet.checks import is_whole
from depnet.data.table.dataset import Dataset
from depnet.errors import ModelError, brief
from depnet.model.counting import leaves_of
from depnet.model.sources.enumerate import JointStates
from depnet.model.sources.source import InformationSource
from depnet.model.table import ConditionalTable, checked_smoothing


@dataclass(frozen=True, slots=True)
class Node:
    """The variable that is updated, what is known of the others, and theta (Fig. 1).

    Args:
        variables: `(i,)`, the number of the variable.
        source: Y_i, the function of the other variables that its table is given.
        table: theta_i(X_i | Y_i).

    >>> from depnet import ConstantSource
    >>> node = Node((0,), ConstantSource(), ConditionalTable.from_probabilities([[0.25, 0.75]]))
    >>> node.variable, node.inputs, node.states
    (0, (), 2)
    """

    variables: tuple[int, ...]
    source: InformationSource
    table: ConditionalTable
    boosted: ClassVar[bool] = False
    """Is theta a sum of stages (`BoostedNode`), and not one table?"""

    def __post_init__(self) -> None:
        given = tuple(self.variables) if isinstance(self.variables, Iterable) else ()
        if len(given) != 1 or not is_whole(given[0]) or given[0] < 0:
            raise ModelError(
                f"a node updates one variable, by its number: variables=(i,); got {brief(self.variables)}."
            )
        object.__setattr__(self, "variables", (int(given[0]),))
        who = f"node {self.variables[0]}"
        # Not isinstance: that reads `inputs`, which compiles a decision graph before its size is checked.
        if not (
            callable(self.source) and hasattr(self.source, "size") and hasattr(self.source, "check_domain")
        ):
            raise ModelError(f"{who}: its source is an InformationSource; got {brief(self.source)}.")
        if not isinstance(self.table, ConditionalTable):
            raise ModelError(f"{who}: its table is a ConditionalTable; got {brief(self.table)}.")
        if self.source.size != self.table.size:
            raise ModelError(
                f"{who}: the information source has {self.source.size} leaves, the conditional table {self.table.size}."
            )
        if self.variables[0] in self.source.inputs:
            raise ModelError(
                f"{who}: its information source reads variable {self.variables[0]}, which the node itself updates; "
                "Y_i is a function of the other variables."
            )

    @classmethod
    def learned(
        cls, variables: tuple[int, ...], source: InformationSource, table: ConditionalTable
    ) -> "Node":
        """A node as the native learner made it, whose parts fit together: nothing is checked again."""
        node = object.__new__(cls)
        object.__setattr__(node, "variables", variables)
        object.__setattr__(node, "source", source)
        object.__setattr__(node, "table", table)
        return node

    @property
    def inputs(self) -> tuple[int, ...]:
        """The variables that its information source reads, ascending."""
        return tuple(self.source.inputs)

    def probabilities(self, codes: CodeArray) -> FloatArray:
        """theta_i(. | Y_i(x)) of every row x: a distribution over the states of X_i.

        Args:
            codes: [row, variable].

        Returns:
            [row, state].
        """
        return self.table.probabilities[self.source(codes)]

    def own_probabilities(self, codes: CodeArray) -> FloatArray:
        """theta_i(x_i | Y_i(x)) of every row x: the other states are not written out.

        Args:
            codes: [row, variable].

        Returns:
            [row].
        """
        chosen: FloatArray = self.table.probabilities[self.source(codes), codes[:, self.variable]]
        return chosen

    def log_theta(self, dataset: Dataset) -> FloatArray:
        """Log theta_i(x_i | Y_i(x)) for every row, in nats; -inf where theta is 0.

        Args:
            dataset: the rows.

        Returns:
            [row].
        """
        with np.errstate(divide="ignore"):
            logs = np.log(self.table.probabilities)
        chosen: FloatArray = logs[leaves_of(self.source, dataset), dataset.column(self.variable)]
        return chosen

    @property
    def states(self) -> int:
        """|X_i|, as its table has it."""
        return self.table.states

    @property
    def positive(self) -> bool:
        """Is no probability 0?"""
        return bool((self.table.probabilities > 0).all())

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        """Raise a `ModelError` unless this is a node of a domain with these cardinalities."""
        self.source.check_domain(cardinalities)

    def written_out(self, states: JointStates) -> tuple[LeafArray, FloatArray]:
        """Theta for every one of these joint states: the number of its row, and the rows."""
        return states.leaves(self.source), self.table.probabilities

    def tabulated(self, cardinalities: Sequence[int]) -> "Node":
        """The node itself; of a boosted one the same theta as a table, where its inputs are few."""
        return self

    def smoothed(self, smoothing: float) -> "Node":
        """The same node, of the same counts, with another pseudo-count of each cell.

        Args:
            smoothing: the pseudo-count.

        Returns:
            A new node.
        """
        if self.table.counts is None:
            raise ModelError(f"node {self.variable} has no counts to smooth: its table was given.")
        if smoothing == self.table.smoothing:
            return self
        if self.table.prior is not None:
            table = self.table.with_counts(self.table.counts, smoothing)
        else:
            table = ConditionalTable.learned(self.table.counts, checked_smoothing(smoothing))
        return Node.learned(self.variables, self.source, table)

    @property
    def variable(self) -> int:
        """i, the number of the variable that the node updates."""
        return self.variables[0]
