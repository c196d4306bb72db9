"""Random evidence, scans and targets for a network."""

import numpy as np

from depnet import Network, RandomScan, SequentialScan
from depnet.model import Evidence, Scan


def random_evidence(
    rng: np.random.Generator, network: Network, *, tilts: bool = True, share: float = 0.5
) -> Evidence:
    """Some variables clamped, some tilted; at least one is left free."""
    cards = network.domain.cardinalities
    free = int(rng.integers(len(cards)))
    given: dict[str, object] = {}
    for i, k in enumerate(cards):
        if rng.random() > share:
            continue
        name = network.domain.variables[i].name
        if tilts and rng.random() < 0.4:
            given[name] = {x: float(rng.random() + 0.05) for x in range(k) if rng.random() < 0.8 or x == 0}
        elif i != free:
            given[name] = int(rng.integers(k))
    parsed = Evidence.parse(network.domain, given)  # type: ignore[arg-type]  # the values are labels or weights
    clamped = {i: code for i, code in parsed.clamped.items() if i != free}
    return Evidence(clamped, parsed.tilts)


def random_scan(rng: np.random.Generator, network: Network) -> Scan:
    """One of the scans, uniform or not."""
    kind = rng.random()
    if kind < 0.3:
        return RandomScan()
    if kind < 0.6:
        weights = rng.dirichlet(np.full(len(network), 3.0)) + 1e-2
        return RandomScan(tuple(weights / weights.sum()))
    return SequentialScan(tuple(int(i) for i in rng.permutation(len(network))))


def random_targets(rng: np.random.Generator, network: Network, most: int = 3) -> list[int]:
    """A few distinct variables."""
    n = len(network.domain)
    return [int(i) for i in rng.permutation(n)[: int(rng.integers(1, min(n, most) + 1))]]


def names(network: Network, variables: list[int]) -> list[str]:
    return [network.domain.variables[i].name for i in variables]
