import numpy as np
from numpy.typing import NDArray

class Nodes:
    """The free nodes of a network in the order of the scan, flattened.

    `heads` holds twelve numbers a node: kind (0 direct, 1 mapped, 2 walk), first threshold, thresholds
    a row, first state that means "impossible", base, first input, inputs, first leaf of its map or root
    vertex, first target, targets, first decoded code, number of the node in the network.
    """

    def __init__(
        self,
        *,
        variables: int,
        heads: NDArray[np.int64],
        thresholds: NDArray[np.uint32],
        inputs: NDArray[np.int32],
        leaf_map: NDArray[np.int32],
        vertex_variable: NDArray[np.int32],
        vertex_begin: NDArray[np.int32],
        children: NDArray[np.int32],
        targets: NDArray[np.int32],
        decode: NDArray[np.uint16],
        choice: NDArray[np.uint32],
        choice_guide: NDArray[np.int32],
        guide_shift: int,
        uniform_choice: bool,
        count: int,
    ) -> None: ...

class Task:
    """Run `lead` sweeps, record a row of every chain, and so on with `gap` sweeps between records."""

    def __init__(
        self,
        *,
        first_chain: int,
        chains: int,
        first_sweep: int,
        first_record: int,
        lead: int,
        gap: int,
        records: int,
        first_row: int,
        record_stride: int,
        random_scan: bool,
        at_boundary: bool = False,
    ) -> None: ...

def codes(
    nodes: Nodes,
    task: Task,
    seed: int,
    stream: int,
    place_stream: int,
    words: NDArray[np.uint32] | None,
    place_words: NDArray[np.uint32] | None,
    state: NDArray[np.uint8] | NDArray[np.uint16],
    out: NDArray[np.uint8] | NDArray[np.uint16],
) -> int:
    """Run the chains of `task`, whose codes are in `state` (tiles of 64 chains, the last one padded).

    A tile is [variable][64] under the sequential scan and [64][variable] under the random scan. Row
    first_row + r * record_stride + c of `out` ([variables, rows]) is record r of chain c. Words come from the counter
    generator unless `words` [words a chain, chains] is given. Returns -1, or the place in the scan of a
    node that reached a row in which the evidence leaves nothing possible.
    """

def trace(
    nodes: Nodes,
    random_scan: bool,
    seed: int,
    stream: int,
    words: NDArray[np.uint32] | None,
    first_step: int,
    state: NDArray[np.uint8] | NDArray[np.uint16],
    out: NDArray[np.uint8] | NDArray[np.uint16],
) -> int:
    """Run one chain step by step: `out[t]` ([steps, variables]) is the state before update t."""

class PackedNodes:
    """The same nodes for chains whose state is `width` (1, 2 or 4) words of 64 bits.

    `heads` holds 3 * width + 3 numbers a node: masks of the inputs' bits, where the bits of each word go in
    the number of the row, masks of what the node leaves alone, first threshold, first pattern, and the
    position of a binary target. Rows have `cells` (1, 3 or 7) thresholds each. `patterns` [state][word]
    are the bits of a node's states. `variables` holds (word, shift, mask) of every variable.
    """

    def __init__(
        self,
        choices: Nodes,
        *,
        heads: NDArray[np.uint64],
        thresholds: NDArray[np.uint32],
        patterns: NDArray[np.uint64],
        variables: NDArray[np.uint64],
        cells: int,
        width: int,
    ) -> None: ...

def packed(
    nodes: PackedNodes,
    task: Task,
    seed: int,
    stream: int,
    place_stream: int,
    words: NDArray[np.uint32] | None,
    place_words: NDArray[np.uint32] | None,
    state: NDArray[np.uint64],
    out: NDArray[np.uint8],
) -> None:
    """As `codes`, for chains whose `state` is [chain][word]."""

class SlicedNodes:
    """Binary nodes for the bit-sliced kernel.

    `heads` holds six numbers a node: variable, first vertex, vertices, first leaf, leaves, 0. `vertices`
    holds (variable, slot if 0, slot if 1), a parent before its children; the slots of a node are its
    vertices and then its leaves. `thresholds` are those of the leaves.
    """

    def __init__(
        self,
        *,
        variables: int,
        heads: NDArray[np.int64],
        vertices: NDArray[np.int32],
        thresholds: NDArray[np.uint32],
    ) -> None: ...

def sliced(
    nodes: SlicedNodes,
    task: Task,
    seed: int,
    stream: int,
    place_stream: int,
    words: NDArray[np.uint32] | None,
    place_words: NDArray[np.uint32] | None,
    state: NDArray[np.uint64],
    out: NDArray[np.uint8],
) -> None:
    """As `codes`, sequential scan only; `state` is [variable][512 chains][8 words], bit c being chain c.

    `first_chain` is a multiple of 512. Bits of a chain's word come from 32 planes, highest first: plane b
    of 32 neighbouring chains is word b % 4 of the counter (step, chain // 32, stream + b // 4).
    """

def scalar_words(seed: int, blocks: int) -> int:
    """Make four words a block one after the other and forget them: the floor for benchmarks."""

def words(seed: int, stream: int, first: int, first_chain: int, out: NDArray[np.uint32]) -> None:
    """Write words first, first + 1, ... of neighbouring chains into `out` [words, chains]."""
