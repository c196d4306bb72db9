"""Learning where in their bins numbers lie, given all bins and the numbers before them (`depnet.data.frames.within`).

Each bin of a variable has one regression tree, grown from the rows in that bin. It predicts the place of the number from the
states and bins of all other variables, and from the levels of those before it in the order. A split must leave `LEAST` rows
on both sides, so that no leaf rests on single rows, and must take `PAYS` times the mean squared error of its rows off the
sum: a test on pure noise takes it off once on average, and the best of some 150 such tests ten times, more where leaves are
small.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet._native import within as native
from depnet.arrays import CodeArray, IntArray, read_only
from depnet.data.binning.levels import LevelArray, Levels
from depnet.data.frames.within import PlaceTrees, Within, first_levels, level_count
from depnet.data.table.dataset import Holed
from depnet.data.table.variable import Domain
from depnet.learning import limits
from depnet.model.network import Network
from depnet.threads import in_threads

LEAST = 20
"""Rows of a leaf."""

PAYS = 15.0


def most_rows(columns: int) -> int:
    """The most rows of a table with this many columns that trees are grown from."""
    return min(limits.WITHIN_ROWS, max(limits.WITHIN_FEWEST_ROWS, limits.WITHIN_LEVELS // max(columns, 1)))


def learn_within(
    law: Network, codes: CodeArray, table: Holed, row_order: IntArray | None = None, *, n_jobs: int = 1
) -> Within | None:
    """The trees of all variables of an ordered network, or None where there is none.

    `codes` are of all rows of the table, completed: of a hole a number is known by its bin alone. Where rows are very many,
    some are drawn without replacement, and the same ones always (in this `row_order`, where it is given).
    """
    domain, order = law.domain, law.order
    assert order is not None
    rows, most = np.arange(table.rows), most_rows(len(domain))
    if table.rows > most:
        rows = np.sort(np.random.default_rng(0).choice(table.rows, most, replace=False))
    if row_order is not None:
        rows = np.sort(row_order[rows])
    some, known = codes[rows], _known_levels(table, rows)
    levels = np.asfortranarray(first_levels(domain, some))
    sizes = [level_count(variable) for variable in domain.variables]
    equal = [int(not variable.has_order) for variable in domain.variables]
    binned = [i for i in order if domain.variables[i].bins is not None]
    grown: dict[int, PlaceTrees | None] = {}

    # A tree reads the levels of numbers before its own, and of later ones their bins alone, as when rows are drawn.
    full = levels.copy(order="F")
    seen = ~table.hidden[rows] & (known >= 0)
    for i in binned:
        seen[:, i] &= some[:, i] < len(domain.variables[i].bins or ())
        full[seen[:, i], i] = known[seen[:, i], i]

    def work(first: int, last: int) -> None:
        for at in range(first, last):
            i = binned[at]
            before = set(order[: order.index(i)])
            read = _readable(law, i)
            told = np.empty((len(levels), len(read)), dtype=np.int32, order="F")
            for place, j in enumerate(read):
                told[:, place] = (full if j in before else levels)[:, j]
            own = known[:, i]
            members = np.flatnonzero(seen[:, i])
            grown[i] = _trees(
                domain, i, read, told, [equal[j] for j in read], [sizes[j] for j in read], own, some, members
            )

    in_threads(work, [(at, at + 1) for at in range(len(binned))], n_jobs)
    trees = tuple(each for i in binned if (each := grown[i]) is not None)
    return Within(domain, order, trees) if trees else None


def _known_levels(table: Holed, rows: IntArray) -> LevelArray:
    """[row, variable]: the levels of numbers whose values the table knows, -1 of all others; of a hole, any."""
    found = np.full((len(rows), len(table.domain)), -1, dtype=np.int32, order="F")
    for i, numbers in (table.values or {}).items():
        bins = table.domain.variables[i].bins
        if bins is not None:
            codes = table.codes[rows, i]
            in_bins = np.where(codes < len(bins), codes, 0).astype(np.int64)
            found[:, i] = Levels.of(bins).locate(numbers[rows], in_bins)
    return found


def _readable(law: Network, i: int) -> list[int]:
    """All others, or of many those that its node in the law reads, those whose nodes read it, and the first in the order."""
    others = [j for j in range(len(law)) if j != i]
    if len(others) <= limits.WITHIN_READ:
        return others
    tied = [*law.nodes[i].inputs, *(j for j in others if i in law.nodes[j].inputs), *(law.order or ())]
    chosen = [j for j in dict.fromkeys(tied) if j != i]
    return sorted(chosen[: limits.WITHIN_READ])


def _trees(
    domain: Domain,
    i: int,
    read: Sequence[int],
    table: LevelArray,
    equal: list[int],
    sizes: list[int],
    own: LevelArray,
    codes: CodeArray,
    rows: NDArray[np.intp],
) -> PlaceTrees | None:
    """The trees of all bins of variable i that have two leaves at least; None where no bin has."""
    bins = domain.variables[i].bins
    assert bins is not None
    levels = Levels.of(bins)
    place = np.zeros(len(own), dtype=np.int32)
    roots = np.full(len(bins), -1, dtype=np.int32)
    parts: list[tuple[LevelArray, ...]] = []
    nodes = leaves = 0
    named = np.array([*read, -1], dtype=np.int32)  # a leaf's -1 stays
    for k in range(len(bins)):
        members = rows[codes[rows, i] == k].astype(np.int32)
        last = levels.first[k] + levels.sizes[k] - 1
        if len(members) < 2 * LEAST or levels.same[levels.first[k]] == levels.same[last]:
            continue
        place[members] = levels.middle(own[members]) - levels.first[k]
        variable, threshold, child, shares = native.grow(
            table, equal, sizes, place, members, places=int(levels.sizes.max()), least=LEAST, pays=PAYS
        )
        if len(variable) == 1:
            continue
        roots[k] = nodes
        leaf = variable < 0
        parts.append((named[variable], threshold, child + np.where(leaf, leaves, nodes), shares))
        nodes, leaves = nodes + len(variable), leaves + int(leaf.sum())
    if not parts:
        return None
    joined = (read_only(np.concatenate(each).astype(np.int32)) for each in zip(*parts, strict=True))
    return PlaceTrees(i, read_only(roots), *joined)
