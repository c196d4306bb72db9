"""Order "auto", one pair after another: Prim's rule on all of the information there is."""

import math
from collections.abc import Collection, Iterable

from depnet import Dataset
from depnet._native.learner import xlogx
from tests.reference.counting import weighted_rows


def information(dataset: Dataset, most: int = 64) -> list[list[int]]:
    """2^s J(X_i, X_j), where N I = T(N) - sum of T(N_x) - sum of T(N_x') + sum of T(N_xx'), each 2^s T a whole number."""
    cards = dataset.domain.cardinalities
    n, rows = len(cards), weighted_rows(dataset)
    total = sum(weight for _, weight in rows)
    scale = 62 - math.frexp(xlogx(total))[1] - n.bit_length()

    def folded(i: int, x: int) -> int:
        return x if cards[i] <= most else most * x // cards[i]

    def terms(*variables: int) -> int:
        counts: dict[tuple[int, ...], int] = {}
        for row, weight in rows:
            states = tuple(folded(i, row[i]) for i in variables)
            counts[states] = counts.get(states, 0) + weight
        return sum(round(math.ldexp(xlogx(count), scale)) for count in counts.values())

    def chance(i: int, j: int) -> int:
        degrees = math.prod(
            max(len({folded(a, row[a]) for row, weight in rows if weight}) - 1, 0) for a in (i, j)
        )
        return round(math.ldexp(degrees / 2, scale))

    return [
        [
            max(0, terms() - terms(i) - terms(j) + terms(i, j) - chance(i, j)) if i != j else 0
            for j in range(n)
        ]
        for i in range(n)
    ]


def kept(
    n: int, inputs: Collection[int], targets: Collection[int], before: Iterable[tuple[int, int]]
) -> set[tuple[int, int]]:
    """The pairs (i, j), i before j, that roles and `before` ask for and that can hold."""
    stage = [0 if i in inputs else 2 if i in targets else 1 for i in range(n)]
    asked = {(i, j) for i, j in before if i != j and stage[i] == stage[j]}
    asked = {(i, j) for i, j in asked if (j, i) not in asked}

    def leads(start: int, end: int) -> bool:
        ahead, seen = [start], {start}
        while ahead:
            i = ahead.pop()
            for j in (j for a, j in asked if a == i and j not in seen):
                ahead.append(j)
                seen.add(j)
        return end in seen

    return {(i, j) for i, j in asked if not leads(j, i)} | {
        (i, j) for i in range(n) for j in range(n) if stage[i] < stage[j]
    }


def chosen_order(
    dataset: Dataset,
    *,
    inputs: Collection[int] = (),
    targets: Collection[int] = (),
    before: Iterable[tuple[int, int]] = (),
    most: int = 64,
) -> tuple[int, ...]:
    """Begin with the largest sum of information; then always take the pair of most, one end placed."""
    n, told = len(dataset.domain), information(dataset, most)
    asked = kept(n, inputs, targets, before)
    order: list[int] = []
    while len(order) < n:
        may = [j for j in range(n) if j not in order and all(i in order for i, k in asked if k == j)]
        if not order:
            order.append(max(may, key=lambda i: (sum(told[i]), -i)))
        else:
            pairs = [(-told[i][j], min(i, j), max(i, j), j) for i in order for j in may]
            order.append(min(pairs)[-1])
    return tuple(order)
