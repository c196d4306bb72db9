"""Random evidence, scans and targets for a network; a network that is not consistent."""

import numpy as np

from depnet import ConditionalTable, Network, TableNode
from depnet.model import Evidence, Scan
from tests.exact.drawing import any_scan, inconsistent_network, random_given


def random_evidence(rng: np.random.Generator, network: Network) -> Evidence:
    """Some variables clamped, some tilted; at least one is left free."""
    known = Evidence.parse(network.domain, random_given(rng, network))
    free = int(rng.integers(len(network)))
    return Evidence({i: code for i, code in known.clamped.items() if i != free}, known.tilts)


def random_targets(rng: np.random.Generator, network: Network, most: int = 3) -> list[int]:
    """A few distinct variables."""
    n = len(network.domain)
    return [int(i) for i in rng.permutation(n)[: int(rng.integers(1, min(n, most) + 1))]]


def names(network: Network, variables: list[int]) -> list[str]:
    return [network.domain.variables[i].name for i in variables]


def uneven() -> Network:
    """Three variables with inconsistent tables, all reading each other."""
    return inconsistent_network((2, 2, 2))


def coupled() -> Network:
    """The same with 2, 3 and 2 states."""
    return inconsistent_network((2, 3, 2))


def slightly_wrong(network: Network) -> Network:
    """The same with one table a little nearer to the uniform one."""
    node = network.nodes[2]
    table = ConditionalTable.from_probabilities(0.85 * node.table.probabilities + 0.15 / 2)
    return Network(network.domain, (*network.nodes[:2], TableNode(2, node.source, table)))


def random_rows(rng: np.random.Generator, network: Network, count: int = 12) -> np.ndarray:
    """Codes with holes (-1), some rows twice."""
    cards = network.domain.cardinalities
    codes = np.stack([rng.integers(0, k, size=count) for k in cards], axis=1)
    codes[rng.random(codes.shape) < 0.5] = -1
    codes[count // 2 :] = codes[rng.integers(0, count // 2 + 1, size=count - count // 2)]
    return codes


def random_question(network: Network, seed: int) -> tuple[Evidence, Scan, list[int]]:
    """Evidence, a scan and targets that the evidence does not give; there may be none of these."""
    rng = np.random.default_rng(seed)
    evidence, scan = random_evidence(rng, network), any_scan(rng, network)
    return evidence, scan, [i for i in random_targets(rng, network) if i not in evidence.clamped]
