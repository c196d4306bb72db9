"""Counting rows: N_yx, how often each leaf y meets each state x of a node's variable (Sec. 4.5)."""

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import IntArray
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain
from depnet.errors import ModelError
from depnet.model.sources.decision_graph import DecisionGraph
from depnet.model.sources.source import InformationSource

MAX_CELLS = 2**28
"""Tables are dense; 2 GiB of counts is where a source is no longer one to tabulate."""


def leaf_counts(source: InformationSource, variable: int, dataset: Dataset) -> IntArray:
    """`counts[leaf, state]`: the rows of `dataset` (with their weights) in each leaf and each state of
    the node's variable. Empty leaves are rows of zeros.
    """
    states = dataset.domain.cardinalities[variable]
    if source.size * states > MAX_CELLS:
        raise ModelError(
            f"the conditional table of variable {variable} would have {source.size:,} leaves x {states:,} states, more "
            f"than {MAX_CELLS:,} cells. Use a source with fewer leaves, or learn one."
        )
    return tabulate(leaves_of(source, dataset), dataset.column(variable), source.size, states, dataset)


def leaves_of(source: InformationSource, dataset: Dataset) -> NDArray[np.int32]:
    """The leaf of every row. A dataset's codes were checked when it was made, and a decision graph need not do it again."""
    whole = dataset.codes.flags.f_contiguous  # as the native walk reads them; some rows of a table are not
    if isinstance(source, DecisionGraph) and whole and source.cardinalities == dataset.domain.cardinalities:
        return source.walked(dataset.codes)
    return source(dataset.codes)


def tabulate(
    leaves: np.ndarray, state: NDArray[np.integer], size: int, states: int, dataset: Dataset
) -> IntArray:
    """Rows counted by (leaf, state), weights included; exact, since all weights sum to less than 2^53."""
    cells = leaves.astype(np.int64) * states + state
    counts = np.bincount(cells, weights=dataset.weights, minlength=size * states)
    return counts.astype(np.int64).reshape(size, states)


def check_same_domain(who: str, domain: Domain, dataset: Holed) -> None:
    """Raise a `ModelError` unless `dataset` has the network's variables with the network's states."""
    if dataset.domain == domain:
        return
    if len(dataset.domain) != len(domain):
        raise ModelError(f"{who}: the rows have {len(dataset.domain)} variables, the network {len(domain)}.")
    ours, theirs = next(
        (a, b) for a, b in zip(domain.variables, dataset.domain.variables, strict=True) if a != b
    )
    difference = (
        f"the network's variable {ours.name!r} is called {theirs.name!r} in the rows"
        if ours.name != theirs.name
        else f"variable {ours.name!r} has other states in the rows than in the network"
    )
    raise ModelError(f"{who}: {difference}. Encode the rows with the network's domain.")
