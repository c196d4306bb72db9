"""Networks to draw: small, wide, of mixed cardinalities, with names that would break any format that did not escape them."""

from collections.abc import Callable
from functools import cache

import numpy as np

from depnet import Dataset, Domain, Network, Variable, learn

HOSTILE = (
    '<script>alert("1")</script>',
    "a\"b'c\\d",
    "line\nbreak\r\ttab",
    "  ",
    "&amp;&lt;\\N\\G",
    "変数 – ünï 🎲",
    "\x00\x01\x1b[31m",
    "]]>--><!--",
    "#35;`**md**` %% end",
    "=1+1,;|{}[]()",
    "\u202eright to left\u202c",
    "x" * 300,
)
"""Names, and states, of a table made by someone who means no good."""


@cache
def hostile(rows: int = 400) -> tuple[Network, Dataset]:
    """A chain of variables with hostile names and states."""
    variables = tuple(
        Variable(name, tuple(f"{HOSTILE[(i + k) % len(HOSTILE)]}{k}" for k in range(3)))
        for i, name in enumerate(HOSTILE)
    )
    data = Dataset.from_codes(chain_codes(rows, [3] * len(variables)), domain=Domain(variables))
    return learn(data, smoothing=0.5), data


@cache
def chain(variables: int, rows: int = 500) -> tuple[Network, Dataset]:
    """Each variable is mostly a copy of the one before, in groups of ten that know nothing of each other."""
    data = Dataset.from_codes(chain_codes(rows, [2] * variables), [2] * variables)
    return learn(data, smoothing=0.5), data


@cache
def mixed() -> tuple[Network, Dataset]:
    data = Dataset.from_codes(chain_codes(800, [2, 3, 2, 3, 2, 3]), [2, 3, 2, 3, 2, 3])
    return learn(data, smoothing=0.5), data


def chain_codes(rows: int, cards: list[int]) -> np.ndarray:
    rng = np.random.default_rng(5)
    codes = np.zeros((rows, len(cards)), dtype=np.int64)
    for i, k in enumerate(cards):
        fresh = rng.integers(0, k, rows)
        codes[:, i] = fresh if i % 10 == 0 else np.where(rng.random(rows) < 0.2, fresh, codes[:, i - 1] % k)
    return codes


CASES: dict[str, Callable[[], tuple[Network, Dataset]]] = {
    "hostile": hostile,
    "one": lambda: chain(1),
    "two hundred": lambda: chain(200, rows=200),
    "mixed": mixed,
}
