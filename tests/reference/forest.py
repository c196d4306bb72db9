"""Trees with random tests, in loops: the words of their randomness, their nodes, and the leaf of a row."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

MASK = 2**64 - 1


@dataclass
class SlowTree:
    """A node: a leaf's members, or a test (variable, kind, value) and the trees of those that pass and of the others."""

    members: list[int] = field(default_factory=list)
    test: tuple[int, str, float] | None = None
    inside: "SlowTree | None" = None
    outside: "SlowTree | None" = None


class Words:
    """The random words of a seed, one after the other."""

    def __init__(self, seed: int) -> None:
        self.seed, self.count = seed, 0

    def draw(self, below: int) -> int:
        self.count += 1
        z = (self.seed + self.count * 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return (z ^ (z >> 31)) % below


def passes(test: tuple[int, str, float], row: Sequence[float]) -> bool:
    variable, kind, value = test
    return row[variable] <= value if kind == "at most" else row[variable] == value


def squared(target: Sequence[float], states: int) -> float:
    """|S|^2 / n of a part."""
    if not states:
        return sum(target) ** 2 / len(target)
    return sum(sum(y == x for y in target) ** 2 for x in range(states)) / len(target)


def slow_tree(
    rows: Sequence[Sequence[float]],
    target: Sequence[float],
    members: Sequence[int],
    *,
    readable: Sequence[int],
    categorical: Sequence[bool],
    states: int,
    least: int,
    seed: int,
) -> SlowTree:
    """The tree of the members, grown from its last open node on."""
    words = Words(seed)
    root = SlowTree(list(members))
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        own = [target[r] for r in node.members]
        if len(own) < 2 * least or len(set(own)) == 1:
            continue
        best, most = None, 0.0
        for j in readable:
            value = rows[node.members[words.draw(len(own))]][j]
            if categorical[j]:
                test = (j, "equal", value)
            else:
                test = (j, "at most", math.nextafter(value, -math.inf) if words.draw(2) else value)
            inside = [y for r, y in zip(node.members, own, strict=True) if passes(test, rows[r])]
            outside = [y for r, y in zip(node.members, own, strict=True) if not passes(test, rows[r])]
            if len(inside) < least or len(outside) < least:
                continue
            worth = squared(inside, states) + squared(outside, states) - squared(own, states)
            if worth > most:
                best, most = test, worth
        if best is None:
            continue
        node.test = best
        node.inside = SlowTree([r for r in node.members if passes(best, rows[r])])
        node.outside = SlowTree([r for r in node.members if not passes(best, rows[r])])
        open_nodes += [node.inside, node.outside]
    return root


def leaf_of(tree: SlowTree, row: Sequence[float]) -> SlowTree:
    """The leaf that a row comes to."""
    while tree.test is not None:
        assert tree.inside is not None
        assert tree.outside is not None
        tree = tree.inside if passes(tree.test, row) else tree.outside
    return tree
