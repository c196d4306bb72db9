"""The order in which the rows of a table are drawn and filled: by what they say, so that the order in which they come is
of no matter.

Each cell has a word of 64 bits, of its column and its code, hole or number, and a row's hash is the sum of its words. Equal
rows have one hash, and are of one kind; two others have the same one in one of 2^64 cases.
"""

import numpy as np

from depnet.arrays import IntArray
from depnet.data.binning.bins import Numbers
from depnet.data.table.dataset import Holed
from depnet.learning.rows.some_rows import Words, words_of

SHIFTS = (30, 27, 31)
FACTORS = tuple(map(np.uint64, (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)))
"""Of SplitMix64, which makes words of numbers."""


def row_order(table: Holed) -> IntArray:
    """The rows, ascending by their hashes.

    >>> from depnet.data import Domain
    >>> codes = np.arange(6, dtype=np.uint8)[:, None]
    >>> ways = [Holed(Domain.from_cardinalities([6]), each, np.zeros((6, 1), bool)) for each in (codes, codes[::-1])]
    >>> first, second = (each.codes[row_order(each)].ravel().tolist() for each in ways)
    >>> first == second, first == sorted(first)
    (True, False)
    """
    hashes = np.zeros(table.rows, dtype=np.uint64)
    for i, (words, _) in enumerate(words_of([k + 1 for k in table.domain.cardinalities])):
        codes, known = table.column(i), table.known(i)
        word = words[codes]
        numbers = table.numbers(i)
        if numbers is not None:
            word ^= _words_of_numbers(numbers)
        if known is not None:
            # What a hole has beside its code is not of the table; a state for holes has a code of its own.
            word = np.where(known, word, words[np.where(table.hidden[:, i], len(words) - 1, codes)])
        hashes += word
    return np.argsort(hashes)


def _words_of_numbers(numbers: Numbers) -> Words:
    """SplitMix64 of the bits of numbers; 0 and -0 are one."""
    words = (np.asarray(numbers) + 0).view(np.uint64)
    for shift, factor in zip(SHIFTS, FACTORS, strict=False):
        words ^= words >> np.uint64(shift)
        words *= factor
    words ^= words >> np.uint64(SHIFTS[-1])
    return words
