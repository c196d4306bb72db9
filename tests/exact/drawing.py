"""Evidence and scans to try the exact laws on."""

import numpy as np

from depnet import ConditionalTable, Domain, LosslessSource, Network, RandomScan, SequentialScan, TableNode
from depnet.model import Given


def random_scan(rng: np.random.Generator, network: Network) -> RandomScan:
    """A random scan, of uniform weights one time in three."""
    if rng.random() < 0.3:
        return RandomScan()
    weights = rng.dirichlet(np.full(len(network), 2.0)) + 1e-3
    return RandomScan(tuple(weights / weights.sum()))


def sequential_scan(rng: np.random.Generator, network: Network) -> SequentialScan:
    """A sequential scan, in the order of the nodes one time in three."""
    return SequentialScan(None if rng.random() < 0.3 else tuple(rng.permutation(len(network)).tolist()))


def any_scan(rng: np.random.Generator, network: Network) -> RandomScan | SequentialScan:
    """A scan of one kind or the other."""
    return random_scan(rng, network) if rng.random() < 0.5 else sequential_scan(rng, network)


def random_given(rng: np.random.Generator, network: Network, share: float = 0.5) -> Given:
    """Clamped states, sets of states and soft weights on a share of the variables."""
    given: dict[str, int | set[int] | dict[int, float]] = {}
    for variable in network.domain.variables:
        states = [int(s) for s in rng.permutation(variable.cardinality)]
        some = states[: int(rng.integers(1, len(states) + 1))]
        kind = rng.random()
        if kind < share * 0.4:
            given[variable.name] = states[0]
        elif kind < share * 0.7:
            given[variable.name] = set(some)
        elif kind < share:
            given[variable.name] = {s: float(rng.choice([0.1, 1.0, 7.5])) for s in some}
    return given


def inconsistent_network(cardinalities: tuple[int, ...] = (2, 3, 2), seed: int = 5) -> Network:
    """A network whose nodes read all other variables and agree on nothing."""
    rng = np.random.default_rng(seed)
    nodes = []
    for i, k in enumerate(cardinalities):
        source = LosslessSource.of_all_but(i, cardinalities)
        table = ConditionalTable.from_probabilities(rng.dirichlet(np.ones(k), size=source.size))
        nodes.append(TableNode(i, source, table))
    return Network(Domain.from_cardinalities(cardinalities), tuple(nodes))
