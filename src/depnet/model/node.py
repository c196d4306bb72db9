"""Nodes: a variable and theta_i, its law given the others (Fig. 1).

`Node` is what every kind has. `TableNode` is the paper's: an information source and a conditional table. The other kind is
`depnet.model.boosted.BoostedNode`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from depnet._native import network as native
from depnet.arrays import CodeArray, FloatArray, IntArray, LeafArray, read_only, set_fields
from depnet.data.table.dataset import Dataset
from depnet.errors import DomainTooLargeError, ModelError, brief, is_whole
from depnet.model.sources import limits
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.restrict import KeptVariables, find_reached, restrict
from depnet.model.sources.source import (
    InformationSource,
    JointStates,
    LosslessSource,
    how_many_joint_states,
    product_within,
)
from depnet.model.table import ConditionalTable, checked_smoothing, leaves_of


class Node(ABC):
    """The variable that is updated, and theta_i(X_i | x_-i), a function of `inputs` (Fig. 1).

    Attributes:
        variable: i, the number of the variable.
        source: of a `TableNode` Y_i; a boosted node has many sources, and none of this name.
        table: of a `TableNode` theta_i(X_i | Y_i).

    >>> from depnet import learn, titanic
    >>> node = learn(titanic()).nodes[3]
    >>> node.variable, node.states, node.inputs, node.boosted
    (3, 2, (0, 1, 2), False)
    """

    __slots__ = ()

    variable: int
    source: InformationSource
    table: ConditionalTable
    boosted: ClassVar[bool]
    """Is theta a sum of stages (`BoostedNode`), and not one table?"""

    @property
    @abstractmethod
    def inputs(self) -> tuple[int, ...]:
        """The variables that it reads, ascending."""

    @property
    @abstractmethod
    def states(self) -> int:
        """|X_i|."""

    @property
    @abstractmethod
    def counts(self) -> IntArray | None:
        """[leaf, state] of the rows that its table was counted from; None where it was not."""

    @property
    @abstractmethod
    def always_possible(self) -> NDArray[np.bool_]:
        """[state]: is its probability above 0 in every row?"""

    @property
    def positive(self) -> bool:
        """Is no probability 0?"""
        return bool(self.always_possible.all())

    @abstractmethod
    def probabilities(self, codes: CodeArray) -> FloatArray:
        """theta_i(. | x_-i) of every row x: a distribution over the states of X_i.

        Args:
            codes: [row, variable].

        Returns:
            [row, state].
        """

    @abstractmethod
    def own_probabilities(self, codes: CodeArray) -> FloatArray:
        """theta_i(x_i | x_-i) of every row x: the other states are not written out.

        Args:
            codes: [row, variable].

        Returns:
            [row].
        """

    @abstractmethod
    def log_theta(self, dataset: Dataset) -> FloatArray:
        """Log theta_i(x_i | x_-i) for every row, in nats; -inf where theta is 0.

        Args:
            dataset: the rows.

        Returns:
            [row].
        """

    @abstractmethod
    def largest_mean(self, weights: FloatArray) -> float:
        """A bound on sum_x theta(x | y) w(x) over all y, with w [state]."""

    @abstractmethod
    def check_domain(self, cardinalities: Sequence[int]) -> None:
        """Raise a `ModelError` unless this is a node of a domain with these cardinalities."""

    @abstractmethod
    def written_out(self, states: JointStates) -> tuple[LeafArray, FloatArray]:
        """Theta for every one of these joint states: the number of its row, and the rows."""

    @abstractmethod
    def compile(self, compiled: native.Network, cardinalities: Sequence[int]) -> None:
        """Add the node to a network of the native core, which finds its leaves and its theta."""

    @abstractmethod
    def tabulated(self, cardinalities: Sequence[int]) -> "TableNode":
        """The same theta as a table, where that has few rows, for what works on tables."""

    @abstractmethod
    def open_inputs(self, fixed: Mapping[int, int]) -> frozenset[int]:
        """The inputs that still matter where the variables `fixed` have these codes."""

    @abstractmethod
    def restricted(self, number: int, fixed: Mapping[int, int], kept: KeptVariables) -> "Node":
        """The node with the variables `fixed` at their codes, as node `number` of those that are kept (Sec. 5)."""

    @abstractmethod
    def smoothed(self, smoothing: float) -> "Node":
        """The same node, of the same counts, with another pseudo-count of each cell.

        Args:
            smoothing: the pseudo-count.

        Returns:
            A new node.
        """


@dataclass(frozen=True, slots=True)
class TableNode(Node):
    """The paper's node: what is known of the other variables, and a table of theta.

    Args:
        variable: i, the number of the variable.
        source: Y_i, the function of the other variables that its table is given.
        table: theta_i(X_i | Y_i).

    >>> from depnet import ConstantSource
    >>> node = TableNode(0, ConstantSource(), ConditionalTable.from_probabilities([[0.25, 0.75]]))
    >>> node.variable, node.inputs, node.states
    (0, (), 2)
    """

    variable: int
    source: InformationSource
    table: ConditionalTable
    boosted: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "variable", checked_variable(self.variable))
        who = f"node {self.variable}"
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
        if self.variable in self.source.inputs:
            raise ModelError(
                f"{who}: its information source reads variable {self.variable}, which the node itself updates; "
                "Y_i is a function of the other variables."
            )

    @classmethod
    def from_learner(cls, variable: int, source: InformationSource, table: ConditionalTable) -> "TableNode":
        """A node as the native learner made it, whose parts fit together: nothing is checked again."""
        return set_fields(object.__new__(cls), variable=variable, source=source, table=table)

    @property
    def inputs(self) -> tuple[int, ...]:
        return tuple(self.source.inputs)

    @property
    def states(self) -> int:
        return self.table.states

    @property
    def counts(self) -> IntArray | None:
        return self.table.counts

    @property
    def always_possible(self) -> NDArray[np.bool_]:
        return np.asarray((self.table.probabilities > 0).all(axis=0))

    def probabilities(self, codes: CodeArray) -> FloatArray:
        return self.table.probabilities.take(self.source(codes), axis=0)

    def own_probabilities(self, codes: CodeArray) -> FloatArray:
        chosen: FloatArray = self.table.probabilities[self.source(codes), codes[:, self.variable]]
        return chosen

    def log_theta(self, dataset: Dataset) -> FloatArray:
        with np.errstate(divide="ignore"):
            logs = np.log(self.table.probabilities)
        chosen: FloatArray = logs[leaves_of(self.source, dataset), dataset.column(self.variable)]
        return chosen

    def largest_mean(self, weights: FloatArray) -> float:
        return float((self.table.probabilities @ weights).max())

    def check_domain(self, cardinalities: Sequence[int]) -> None:
        self.source.check_domain(cardinalities)

    def written_out(self, states: JointStates) -> tuple[LeafArray, FloatArray]:
        return states.leaves(self.source), self.table.probabilities

    def compile(self, compiled: native.Network, cardinalities: Sequence[int]) -> None:
        compile_source(self.source, self.variable, compiled, cardinalities)
        compiled.set_theta(np.ascontiguousarray(self.table.probabilities))

    def tabulated(self, cardinalities: Sequence[int]) -> "TableNode":
        return self

    def open_inputs(self, fixed: Mapping[int, int]) -> frozenset[int]:
        return find_reached(self.source, {j: (code,) for j, code in fixed.items()})[0]

    def restricted(self, number: int, fixed: Mapping[int, int], kept: KeptVariables) -> "TableNode":
        table = self.table
        source, leaves = restrict(self.source, fixed, kept)
        # The same floats, not normalised again; the counts of what the evidence still allows start chains well.
        counts = None if table.counts is None else read_only(table.counts[leaves])
        rows = read_only(table.probabilities[leaves])
        return TableNode(number, source, ConditionalTable(rows, counts, table.smoothing))

    def smoothed(self, smoothing: float) -> "TableNode":
        if self.table.counts is None:
            raise ModelError(f"node {self.variable} has no counts to smooth: its table was given.")
        if smoothing == self.table.smoothing:
            return self
        if self.table.prior is not None:
            table = self.table.with_counts(self.table.counts, smoothing)
        else:
            table = ConditionalTable.from_learner(self.table.counts, checked_smoothing(smoothing))
        return TableNode.from_learner(self.variable, self.source, table)


def is_looked_up(inputs: Sequence[int], cards: Sequence[int]) -> bool:
    """Are the joint states of these inputs so few that a look-up is quicker than a walk or a sum?"""
    return product_within([cards[j] for j in inputs], limits.TABLE_STATES)


def compile_source(
    source: InformationSource, variable: int, compiled: native.Network, cards: Sequence[int]
) -> None:
    """Add a node that finds its leaf in a table over the joint states of its inputs, or by walking its decision graph."""
    sizes, graph = [cards[j] for j in source.inputs], isinstance(source, DecisionGraph)
    few = product_within(sizes, limits.TABLE_STATES if graph else limits.MOST_WRITTEN)
    if few or isinstance(source, LosslessSource):
        leaves = JointStates(cards, source.inputs).leaves(source)
        compiled.add_table(variable, np.array(source.inputs, dtype=np.int32), leaves)
    elif isinstance(source, DecisionGraph):
        compiled.add_graph(variable, *source.compiled)
    else:
        raise DomainTooLargeError(
            f"the information source of variable {variable} is a function of {len(sizes)} variables with "
            f"{how_many_joint_states(sizes)} joint states, too many to write out. Learn a DecisionGraph instead."
        )


def checked_variable(variable: object) -> int:
    if not is_whole(variable) or variable < 0:
        raise ModelError(f"a node updates one variable, by its number 0, 1, ...; got {brief(variable)}.")
    return int(variable)
