"""Node i: a variable, its information source and its conditional table (Fig. 1)."""

from collections.abc import Iterable
from dataclasses import dataclass

from depnet.arrays import CodeArray, FloatArray
from depnet.data.whole import is_whole
from depnet.errors import ModelError, brief
from depnet.model.source import InformationSource
from depnet.model.table import ConditionalTable, checked_smoothing


@dataclass(frozen=True, slots=True)
class Node:
    """The variables that are updated together, what is known of the others, and theta.

    In the paper a node updates one variable, `variables == (i,)`. A block node updates several: its
    table's states are then the joint states of `variables`, row-major (the last moves fastest).
    """

    variables: tuple[int, ...]
    source: InformationSource
    table: ConditionalTable

    def __post_init__(self) -> None:
        given = tuple(self.variables) if isinstance(self.variables, Iterable) else ()
        if not given or not all(map(is_whole, given)) or len(set(given)) < len(given) or min(given) < 0:
            raise ModelError(
                f"a node updates one or more distinct variables, by their numbers; got {brief(self.variables)}. "
                "A node of one variable i has variables=(i,)."
            )
        object.__setattr__(self, "variables", tuple(int(i) for i in given))
        who = f"node {'x'.join(map(str, self.variables[:8]))}"
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
        own = set(self.variables) & set(self.source.inputs)
        if own:
            raise ModelError(
                f"{who}: its information source reads variable {min(own)}, which the node itself updates; "
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
        """theta_i(. | Y_i(x)) of every row x of `codes` [N, n]: a distribution over the states of X_i, [N, |X_i|]."""
        return self.table.probabilities[self.source(codes)]

    def smoothed(self, smoothing: float) -> "Node":
        """The same node, of the same counts, with another pseudo-count of each cell."""
        if self.table.counts is None:
            raise ModelError(
                f"node {'x'.join(map(str, self.variables[:8]))} has no counts to smooth: its table was given."
            )
        if smoothing == self.table.smoothing:
            return self
        if self.table.tilt is None:  # the counts are known to be good
            table = ConditionalTable.learned(self.table.counts, checked_smoothing(smoothing))
        else:
            table = ConditionalTable.from_counts(self.table.counts, smoothing, self.table.tilt)
        return Node.learned(self.variables, self.source, table)

    @property
    def variable(self) -> int:
        """i, where the node updates one variable."""
        if len(self.variables) != 1:
            raise ModelError(f"a block node updates {len(self.variables)} variables: {self.variables}.")
        return self.variables[0]
