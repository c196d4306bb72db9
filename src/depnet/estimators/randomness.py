"""Seeds as scikit-learn gives them, generators as depnet takes them."""

import numpy as np
from sklearn.utils import check_random_state


def generator_of(random_state: object) -> np.random.Generator:
    """A generator from `random_state`: None (fresh), a seed, a RandomState (which moves on), or a Generator.

    >>> generator_of(3).integers(100, size=2).tolist() == generator_of(3).integers(100, size=2).tolist()
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    words = check_random_state(random_state).randint(0, 2**32, size=4, dtype=np.uint32)
    return np.random.default_rng(words.tolist())
