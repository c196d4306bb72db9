"""A sampled answer: chains of a reduced network, run until the standard errors are small enough."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from depnet.errors import EvidenceError
from depnet.geometry.size import check_bytes
from depnet.inference.answer.part import Diagnostics, Part, Remark, effective_sample_size, margins
from depnet.inference.answer.question import RESOLUTION, Over, over_after
from depnet.inference.clamped.chains import ClampedChains, Estimate, estimate, start_states
from depnet.inference.clamped.relevance import Reduced
from depnet.law.draw import sharpen
from depnet.model.scan import SequentialScan
from depnet.sampling.chains import ChainProgram, Order
from depnet.sampling.plan import UNCHECKED, chain_plan

QUESTION_CHAINS = 64
ROUNDS = 16
MOST_BYTES = 1 << 30
"""Of the sums that all chains keep of all rounds."""
R_HAT = 1.05
FALSE_DRIFT = 0.02
FIRST_SWEEPS = 32

STALLED_DOUBLINGS = 5
"""After this many doublings without a smaller error, the chains are taken not to mix at all."""


def sampled(
    reduced: Reduced,
    estimators: Sequence[Sequence[int]],
    *,
    tolerance: float,
    max_seconds: float | None,
    rng: np.random.Generator,
    stop: Over | None = None,
    rows: NDArray[np.uint16] | None = None,
    threads: int | None = None,
) -> tuple[Part, ClampedChains]:
    """Rao-Blackwell estimates of the joint laws of `estimators`, each a tuple of reduced variables; and the chains.

    It ends early after `max_seconds`, or when `stop` says so. Chains start at `rows` of the data, if there are any, and
    at random states.
    """
    over = over_after(max_seconds, stop)
    cards = reduced.network.domain.cardinalities
    shapes = [tuple(cards[i] for i in variables) for variables in estimators]
    cells = sum(map(math.prod, shapes))
    check_bytes(
        8 * ROUNDS * QUESTION_CHAINS * cells,
        what=f"sampling tables of {cells:,} cells with {QUESTION_CHAINS} chains",
        way_out='Ask for fewer targets, or for an ordered law (learn(dataset, order="auto")), which keeps one table.',
        limit_bytes=MOST_BYTES,
    )
    chains = _started(reduced, estimators, rng, rows, threads)
    history: list[float] = []
    found: Estimate | None = None
    in_time = True

    def draw(_: int) -> None:
        nonlocal found, in_time
        in_time = chains.extend(ROUNDS, FIRST_SWEEPS, over)
        if len(chains.rounds) >= 2:
            found = estimate(chains)
            history.append(float(found.errors.max()))

    def error() -> float:
        if found is None or not in_time:
            return math.inf
        # Chains that still move need as many sweeps again.
        return history[-1] if _is_settled(found, tolerance) else max(history[-1], math.sqrt(2) * tolerance)

    def is_over() -> bool:
        return not in_time or (found is not None and _is_stalled(history, found))

    good = sharpen(draw, error, tolerance, first=ROUNDS * FIRST_SWEEPS, most=math.inf, over=is_over)
    said = None
    if found is None:  # not even two rounds were done in time: at least one sweep is
        if not chains.rounds:
            chains.run(1)
        found = estimate(chains)
        said = (
            "stopped before the chains could be compared with each other: take the answer as a first guess."
        )
    elif not in_time:  # where rounds had just been joined, the last estimate stands
        why = "" if stop is not None and stop() else " by the time limit"
        said = (
            f"stopped{why}, at a standard error of {found.errors.max():.2g} where {tolerance:.2g} was asked."
        )
    elif not good:
        said = (
            f"stopped: the chains do not mix (R-hat {_largest_r_hat(found):.2f}), and more sweeps do not help. They "
            "hardly leave the mode in which they start, or tables with zeros leave several recurrent classes. An "
            'ordered law has no chain to wait for (learn(dataset, order="auto")).'
        )
    # Zeros in the tables may leave several recurrent classes, and nobody can check.
    unchecked = chain_plan(reduced.network, reduced.scan, reduced.evidence).unchecked
    warnings = [*([Remark(UNCHECKED)] if unchecked else []), *([Remark(said, "stopped")] if said else [])]
    return _part(chains, found, shapes, tolerance, warnings), chains


def _largest_r_hat(found: Estimate) -> float:
    return float(np.nanmax(found.r_hat, initial=1.0))


def _is_settled(found: Estimate, tolerance: float) -> bool:
    """Errors are small enough, and neither R-hat nor a common drift says that chains still move."""
    small = bool(found.errors.max() <= tolerance)
    return small and _largest_r_hat(found) <= R_HAT and bool(found.drift <= _most_drift(found.values.size))


def _is_stalled(history: Sequence[float], found: Estimate) -> bool:
    """Several doublings have not made the error smaller, and the chains do not agree."""
    if len(history) <= STALLED_DOUBLINGS or _largest_r_hat(found) <= 1.5:
        return False
    return history[-1] > 0.7 * history[-1 - STALLED_DOUBLINGS]


def _most_drift(cells: int) -> float:
    """What settled chains drift by at most, in standard errors, but for a share FALSE_DRIFT of queries (Bonferroni)."""
    from scipy import special  # slow to import

    return -float(special.ndtri(FALSE_DRIFT / 2 / cells))


def _started(
    reduced: Reduced,
    estimators: Sequence[Sequence[int]],
    rng: np.random.Generator,
    rows: NDArray[np.uint16] | None,
    threads: int | None,
) -> ClampedChains:
    network, evidence = reduced.network, reduced.evidence
    codes = start_states(network, evidence, QUESTION_CHAINS, rng, rows)
    order = Order.of(reduced.scan, np.ones((1, len(network)), dtype=bool))
    if isinstance(reduced.scan, SequentialScan):
        order = replace(
            order,
            position=np.array(reduced.positions, dtype=np.int32),
            length=np.array([reduced.steps], dtype=np.int32),
        )
    return ClampedChains(ChainProgram(network, estimators, evidence), order, codes, rng, threads)


def _part(
    chains: ClampedChains,
    found: Estimate,
    shapes: Sequence[tuple[int, ...]],
    tolerance: float,
    warnings: Sequence[Remark],
) -> Part:
    if chains.impossible.sum() > 0:
        raise EvidenceError(
            "the evidence contradicts itself: the chains keep coming to contexts where the states that it allows have "
            "probability 0. Smooth the tables (learn with a smoothing of 0.5), or give other evidence."
        )
    values = found.values
    errors = np.maximum(found.errors, RESOLUTION * tolerance)
    too_few = bool(np.isnan(found.r_hat).any())  # rounds
    diagnostics = Diagnostics(
        r_hat=math.nan if too_few else _largest_r_hat(found),
        effective_sample_size=effective_sample_size(values, found.errors),
        chains=len(chains.codes),
        sweeps=chains.sweeps,
        burn_in=found.burn_in,
        updates=chains.updates,
        largest_error=float(errors.max()),
    )
    at = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
    laws, spreads, deviations = (
        [
            flat.reshape(*flat.shape[:-1], *shape)
            for flat, shape in zip(np.split(table, at, axis=-1), shapes, strict=True)
        ]
        for table in (values, errors, found.deviations)
    )
    converged = not too_few and _is_settled(found, tolerance)
    return Part(
        laws,
        spreads,
        "sample",
        converged,
        diagnostics,
        tuple(warnings),
        [margins(each) for each in deviations],
    )
