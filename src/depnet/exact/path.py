"""The path of the chain's law: p^0, p^1, ... (Sec. 3.1 and 3.2)."""

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from depnet.arrays import FloatArray
from depnet.errors import DataError, EvidenceError, whole_number
from depnet.geometry.chain import FreeChain, in_order
from depnet.geometry.joint import checked_joint
from depnet.geometry.size import check_dense
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, checked_scan


def law_path(
    network: Network,
    scan: Scan,
    start: ArrayLike,
    steps: int | None = None,
    evidence: Given | Evidence | None = None,
) -> Iterator[FloatArray]:
    r"""The laws p^0, p^1, ... of the chain started from `start`, one at a time.

    A sequential scan m-projects onto one node's manifold after another, in its order; a random scan mixes
    the m-projections, :math:`p^{t+1} = \sum_i c_i\, p^t_i` (Eq. p^(t+1)).

    Args:
        network: the network.
        scan: a `RandomScan` or a `SequentialScan`.
        start: a joint distribution over the whole domain, or one state (a code for each variable); it must agree with
            the evidence.
        steps: the path ends with p^steps; None: never.
        evidence: what is clamped, by name and label.

    Yields:
        Tensors over the joint domain.

    >>> from depnet import Network, SequentialScan
    >>> network = Network.from_joint([[0.1, 0.2], [0.3, 0.4]])
    >>> *_, last = law_path(network, SequentialScan(), (0, 0), steps=20)
    >>> last.round(6).tolist()
    [[0.1, 0.2], [0.3, 0.4]]
    """
    scan = checked_scan(scan)
    if steps is not None:
        steps = whole_number("steps", steps, at_least=0, error=DataError)
    chain = FreeChain.of(network, evidence)
    check_dense(network.domain.cardinalities, bytes_per_state=24, what="the law of the chain")
    p = chain.gather(_checked_start(network, start))
    if not math.isclose(float(p.sum()), 1.0, abs_tol=1e-9):
        raise EvidenceError(
            f"the start of a path must lie on the evidence; only {p.sum():.6g} of its probability does."
        )
    return _path(chain, _step(chain, network, scan), p / p.sum(), steps)


def _step(chain: FreeChain, network: Network, scan: Scan) -> Callable[[FloatArray, int], FloatArray]:
    """The map from p^t to p^(t+1)."""
    if not chain.nodes:
        return lambda p, _: p
    if isinstance(scan, RandomScan):
        weights = scan.weights_of(len(network), chain.nodes)
        return lambda p, _: chain.mix(weights, p)
    order = in_order(chain, network, scan)
    return lambda p, t: chain.updates[order[t % len(order)]].project(p)


def _path(
    chain: FreeChain, step: Callable[[FloatArray, int], FloatArray], p: FloatArray, steps: int | None
) -> Iterator[FloatArray]:
    for t in itertools.count():
        yield chain.spread(p)
        if t == steps:
            return
        p = step(p, t)


def _checked_start(network: Network, start: ArrayLike) -> FloatArray:
    cardinalities = network.domain.cardinalities
    if _is_state(start, cardinalities):
        state = tuple(int(x) for x in np.asarray(start))
        if not all(0 <= x < k for x, k in zip(state, cardinalities, strict=True)):
            raise DataError(
                f"a state has a code 0..k-1 for each of the cardinalities {cardinalities}; got {state}."
            )
        tensor = np.zeros(cardinalities)
        tensor[state] = 1.0
        return tensor
    law = checked_joint(start, "start")
    if law.shape != cardinalities:
        raise DataError(
            f"a path starts at a joint distribution of the shape {cardinalities}, or at a state of "
            f"{len(cardinalities)} codes; got the shape {law.shape}."
        )
    return law


def _is_state(start: ArrayLike, cardinalities: tuple[int, ...]) -> bool:
    try:
        codes = np.asarray(start)
    except ValueError:  # ragged: no joint either, as its check will say
        return False
    is_joint = codes.shape == cardinalities and codes.sum() == 1  # [1], where one variable has one state
    return codes.shape == (len(cardinalities),) and codes.dtype.kind in "ui" and not is_joint
