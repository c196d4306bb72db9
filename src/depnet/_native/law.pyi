import numpy as np
from numpy.typing import NDArray

class Program:
    """An ordered network laid out for passes and moves. Add the nodes in the order.

    A table node's leaf is `leaves[x]` of the joint state x of its inputs, row-major; a graph node's is where the
    compiled decision graph (tested, begin, children) leads. `theta` is [leaf, state], flat.
    """

    def __init__(self, cardinalities: NDArray[np.int32]) -> None: ...
    def add_graph_node(
        self,
        variable: int,
        tested: NDArray[np.int32],
        begin: NDArray[np.int32],
        children: NDArray[np.int32],
        theta: NDArray[np.float64],
    ) -> None: ...
    def add_table_node(
        self,
        variable: int,
        inputs: NDArray[np.int32],
        leaves: NDArray[np.int32],
        theta: NDArray[np.float64],
    ) -> None: ...

def passes(
    program: Program,
    *,
    places: NDArray[np.int32],
    known_begin: NDArray[np.int32],
    known_weights: NDArray[np.float64],
    seed: int,
    first: int,
    words: NDArray[np.uint32] | None,
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    log_weights: NDArray[np.float64],
) -> None:
    """One pass of every row of `codes` ([rows, n], column-major) over the nodes at `places` of the order, ascending.

    What is known of variable i are the weights `known_weights[known_begin[i] :]` of its states (begin -1: nothing): it is
    drawn in proportion to theta w, and log of their sum is added to `log_weights`. Word p of a row is that of the node at
    place p: of the counter generator, row r being chain `first` + r, or of `words` [place, row].
    """

def moves(
    program: Program,
    *,
    active: NDArray[np.uint8],
    known_begin: NDArray[np.int32],
    known_weights: NDArray[np.float64],
    seed: int,
    first_row: int,
    first_sweep: int,
    sweeps: int,
    hidden: NDArray[np.uint8],
    codes: NDArray[np.uint16],
    cells: NDArray[np.int32],
    sums: NDArray[np.float64],
    impossible: NDArray[np.int64],
) -> None:
    """Sweeps over the `hidden` variables of every row of `codes` ([rows, n], row-major), in the order.

    X_i is drawn from its conditional under the law of the `active` places given all others: theta_i times its weights
    times the tables of the active nodes that read it. `hidden` is [rows, n], or [1, n] for all rows alike. Where `sums`
    has columns, each conditional is added to `sums[row, cells[i] :]`. `impossible[row]` counts updates that found no
    possible state, and left the row as it was.
    """
