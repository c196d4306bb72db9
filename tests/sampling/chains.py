"""Random evidence, and kernels and the slow twin fed from the same words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from depnet import Network, RandomScan, SequentialScan
from depnet.arrays import CodeArray
from depnet.model import Evidence, Scan
from depnet.sampling.kernels import KERNELS, Kernel, Randomness, Task
from depnet.sampling.plan import ChainPlan, chain_plan
from tests.reference import sampling as reference

States = list[tuple[int, ...]]


def random_words(rng: np.random.Generator, rows: int, chains: int) -> NDArray[np.uint32]:
    """Uniform words, with the extreme ones more often than chance would bring them."""
    words = rng.integers(0, 2**32, size=(rows, chains), dtype=np.uint32)
    extreme = rng.random(words.shape) < 0.05
    words[extreme] = rng.choice(np.array([0, 1, 2**31, 2**32 - 2, 2**32 - 1], dtype=np.uint32), extreme.sum())
    return words


def random_evidence(rng: np.random.Generator, network: Network) -> Evidence:
    """Some variables clamped, some tilted, at least one left open."""
    clamped, tilts = {}, {}
    cards = network.domain.cardinalities
    for i in rng.permutation(len(cards))[1:].tolist():
        kind = rng.random()
        if kind < 0.25:
            clamped[i] = int(rng.integers(cards[i]))
        elif kind < 0.4 and cards[i] > 2:
            tilts[i] = np.append(rng.random(cards[i] - 1) + 0.1, 0.0)
    return Evidence(clamped, tilts)


def random_start(rng: np.random.Generator, made: ChainPlan, chains: int) -> CodeArray:
    """Arbitrary allowed states [variables, chains]."""
    codes = made.blank(chains)
    for i, k in enumerate(made.network.domain.cardinalities):
        if i not in made.evidence.clamped:
            codes[i] = rng.integers(0, k - (i in made.evidence.tilts), size=chains)
    return codes


def scans(rng: np.random.Generator, network: Network) -> tuple[Scan, ...]:
    """Both scans, plain and with weights or an order of their own."""
    nodes = len(network)
    weights = rng.dirichlet(np.full(nodes, 2.0)) + 1e-3
    return (
        RandomScan(),
        RandomScan(tuple(weights / weights.sum())),
        SequentialScan(),
        SequentialScan(tuple(rng.permutation(nodes).tolist())),
    )


def twin_trace(made: ChainPlan, start: Sequence[int], words: NDArray[np.uint32]) -> States:
    """X^0, X^1, ... of the slow twin for one chain, whose words are a column of the kernels' buffer."""
    numbers = list(made.order)
    column = [int(w) for w in words]
    if not made.random:
        return list(reference.sequential_trace(made.network, numbers, start, column, made.evidence))
    weights = made.weights if made.weights is not None else np.ones(len(numbers))
    pairs = list(zip(column[::2], column[1::2], strict=True))
    return list(reference.random_trace(made.network, numbers, weights.tolist(), start, pairs, made.evidence))


def twin_rows(
    made: ChainPlan, task: Task, start: CodeArray, words: NDArray[np.uint32], places: NDArray[np.uint32]
) -> CodeArray:
    """The rows [variables, records * chains] that a task should record, from the twin's traces."""
    m = len(made.order)
    out = np.zeros((made.variables, task.records * task.chains), dtype=made.dtype)
    for c in range(task.chains):
        states = twin_trace(made, tuple(start[:, c].tolist()), words[:, c])
        sweep = 0
        for r in range(task.records):
            sweep += task.gap if r else task.lead
            place = 0 if made.random else int(places[r, c]) * m >> 32
            out[:, r * task.chains + c] = states[sweep * m + place]
            sweep += 0 if made.random else 1
    return out


def run_kernel(
    kernel: Kernel, task: Task, start: CodeArray, words: NDArray[np.uint32], places: NDArray[np.uint32]
) -> CodeArray:
    """The rows that a kernel records, fed from the buffers."""
    out = np.zeros((kernel.plan.variables, task.records * task.chains), dtype=kernel.plan.dtype)
    kernel.run(task, Randomness(0, words, places), kernel.state(start), out)
    return out


def words_needed(made: ChainPlan, task: Task) -> int:
    """Rows of the buffer that a task reads at most."""
    sweeps = task.lead + task.records * (task.gap + 1)
    return sweeps * len(made.order) * (2 if made.random else 1)


def kernels_of(network: Network, scan: Scan, evidence: Evidence) -> list[Kernel]:
    """Every kernel that can run this plan."""
    made = chain_plan(network, scan, evidence)
    return [kind(made) for kind in KERNELS.values() if kind.fits(made)]
