import numpy as np
from numpy.typing import NDArray

class Plan:
    """A network laid out for many clamped chains, and what is estimated from their updates.

    Add the nodes in order, then the estimators, then `link`. A table node's leaf is `leaves[x]` of the
    joint state x of its inputs, row-major. `theta` is [leaf, state], flat; a row of zeros means that the
    update leaves the state as it is.
    """

    def __init__(self, cardinalities: NDArray[np.int32]) -> None: ...
    def add_graph_node(
        self,
        targets: NDArray[np.int32],
        variable: NDArray[np.int32],
        begin: NDArray[np.int32],
        children: NDArray[np.int32],
        theta: NDArray[np.float64],
    ) -> None: ...
    def add_table_node(
        self,
        targets: NDArray[np.int32],
        inputs: NDArray[np.int32],
        leaves: NDArray[np.int32],
        theta: NDArray[np.float64],
    ) -> None: ...
    def add_estimator(self, variables: NDArray[np.int32]) -> None:
        """Estimate the joint law of `variables`: the next cells of the sums, row-major."""

    def link(self) -> None: ...
    @property
    def cells(self) -> int:
        """The cells of all estimators together."""

def run(
    plan: Plan,
    free_begin: NDArray[np.int32],
    free_node: NDArray[np.int32],
    choice: NDArray[np.float64],
    positions: NDArray[np.int32],
    lengths: NDArray[np.int32],
    clamped: NDArray[np.uint8],
    per_row: int,
    sequential: bool,
    record: bool,
    sweeps: int,
    first: int,
    last: int,
    keys: NDArray[np.uint64],
    counters: NDArray[np.uint64],
    codes: NDArray[np.uint16],
    sums: NDArray[np.float64],
    weights: NDArray[np.float64],
    impossible: NDArray[np.int64],
) -> None:
    """Run the chains `first` .. `last` - 1 for `sweeps` sweeps, each of so many updates as nodes are free.

    Chain c belongs to row c // per_row, whose free nodes are `free_node[free_begin[row] :
    free_begin[row + 1]]`, in the order of the scan; `choice` cumulates their weights under the random scan
    (empty: all alike). Under the sequential scan, `positions` are the free nodes' places in a full sweep of
    `lengths[row]` steps. Update number t of a chain takes the word t of its stream: the low half draws the
    state, the high half chooses the node. Where `record`, every update adds its theta to `sums` [chain,
    cell] and its weight to `weights` [chain, estimator].
    """

def solve(
    plan: Plan,
    free_begin: NDArray[np.int32],
    free_node: NDArray[np.int32],
    weights: NDArray[np.float64],
    sequential: bool,
    residual: float,
    most: int,
    first: int,
    last: int,
    codes: NDArray[np.uint16],
    sums: NDArray[np.float64],
    applied: NDArray[np.int64],
) -> None:
    """The exact marginals of rows `first` .. `last` - 1, where no table has a zero and no node is a block.

    Estimator i must be the marginal of variable i. `weights` are c_i of `free_node`, each row's summing to
    one. `applied[row]` is how often the map was applied to bring its residual under `residual`, 0 where
    `most` times were not enough.
    """
