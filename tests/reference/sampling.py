"""Algorithms 1 and 2, one update at a time, fed from a list of 32-bit words.

A word w stands for a uniform draw from 0, ..., 2^32 - 1. State s is drawn when w falls into the s-th of
the intervals whose ends are the cumulative probabilities times 2^32, rounded so that each end is off by
at most 1 and that probabilities 0 and 1 stay exact.
"""

import functools
import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from depnet import Network
from depnet.model import Evidence, Node
from tests.reference.stages import node_theta

LARGEST = 2**32 - 1


class ImpossibleRowError(Exception):
    """The evidence leaves no state possible in a row that the chain reached."""


@functools.cache
def interval_ends(weights: tuple[float, ...]) -> list[int]:
    """The inner ends of the states' intervals; `LARGEST` stands for "beyond every word"."""
    exact = [Fraction(w) for w in weights]
    total = sum(exact, Fraction(0))
    ends = []
    for below in itertools.accumulate(exact[:-1]):
        c = below / total
        if c == 0:
            ends.append(0)
        elif c >= 1 - Fraction(1, 2**32):
            ends.append(LARGEST)
        else:
            ends.append(min(max(int(c * 2**32 + Fraction(1, 2)), 1), LARGEST - 1))
    return ends


def drawn_state(weights: Sequence[float], word: int) -> int:
    """The state whose interval holds the word; the largest word counts as the one below it."""
    return sum(end <= min(word, LARGEST - 1) for end in interval_ends(tuple(weights)))


def tilted_row(node: Node, state: Sequence[int], evidence: Evidence) -> list[float]:
    """theta(. | Y(X)) times the weight that the evidence gives to every state of the node."""
    i = node.variable
    row = []
    for code, weight in enumerate(node_theta(node, state)):
        if i in evidence.clamped:
            weight *= code == evidence.clamped[i]
        if i in evidence.tilts:
            weight *= float(evidence.tilts[i][code])
        row.append(weight)
    return row


def updated(node: Node, state: Sequence[int], word: int, evidence: Evidence) -> tuple[int, ...]:
    """Lines 5 to 7 of Algorithm 1: y <- Y(X), draw x ~ theta(. | y), X_i <- x."""
    row = tilted_row(node, state, evidence)
    if sum(row) == 0:
        raise ImpossibleRowError(f"node {node.variable}, state {tuple(state)}")
    changed = list(state)
    changed[node.variable] = drawn_state(row, word)
    return tuple(changed)


def sequential_trace(
    network: Network, order: Sequence[int], start: Sequence[int], words: Sequence[int], evidence: Evidence
) -> Iterator[tuple[int, ...]]:
    """X^0, X^1, ..., one more than there are words: step t updates the node at place t modulo n."""
    state = tuple(start)
    yield state
    for word, number in zip(words, itertools.cycle(order), strict=False):
        state = updated(network.nodes[number], state, word, evidence)
        yield state


def random_trace(
    network: Network,
    free: Sequence[int],
    weights: Sequence[float],
    start: Sequence[int],
    words: Sequence[tuple[int, int]],
    evidence: Evidence,
) -> Iterator[tuple[int, ...]]:
    """X^0, X^1, ...: the first word of a step chooses the node among `free`, the second its state."""
    state = tuple(start)
    yield state
    for choice, word in words:
        number = free[drawn_state(weights, choice)]
        state = updated(network.nodes[number], state, word, evidence)
        yield state


def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Philox4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw 2011): four words from counter and key."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & LARGEST, (p0 >> 32) ^ c3 ^ k1, p0 & LARGEST
        k0, k1 = (k0 + 0x9E3779B9) & LARGEST, (k1 + 0xBB67AE85) & LARGEST
    return [c0, c1, c2, c3]


def word(seed: int, stream: int, chain: int, index: int) -> int:
    """Word `index` of a chain's stream: a block of four words has the counter (block, chain, stream)."""
    block = index // 4
    counter = (block & LARGEST, block >> 32, chain, stream)
    return philox(counter, (seed & LARGEST, seed >> 32))[index % 4]


GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def split_word(key: int, counter: int) -> int:
    """Word number `counter` of the SplitMix64 stream `key`."""
    z = (key + (counter + 1) * GOLDEN) % 2**64
    z = (z ^ (z >> 30)) * FIRST % 2**64
    z = (z ^ (z >> 27)) * SECOND % 2**64
    return z ^ (z >> 31)
