"""Taught tables, cell by cell: the counts of the table's own rows, and the shares of drawn rows as their prior."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction


def taught_table(
    own: Sequence[tuple[int, int]], drawn: Sequence[tuple[int, int]], leaves: int, states: int, rows: Fraction
) -> list[list[Fraction]]:
    """theta[leaf][state] of rows (leaf, state) of the table and of the teacher; the prior counts as `rows` rows a leaf."""
    ours, theirs = Counter(own), Counter(drawn)
    theta = []
    for leaf in range(leaves):
        n = sum(ours[leaf, x] for x in range(states))
        m = sum(theirs[leaf, x] for x in range(states))
        row = []
        for x in range(states):
            share = (theirs[leaf, x] + Fraction(1, 2)) / (m + Fraction(states, 2))
            row.append((ours[leaf, x] + rows * share) / (n + rows))
        theta.append(row)
    return theta
