r"""Answers of one ordered network about codes: Q(T | x_C), exact where that is small, else by weighted passes.

First what does not matter is left out. Only ancestors of targets and evidence take part; of these, once what is known for
certain has no axis, only those that factors connect with a target.

Exact answers come from elimination (`depnet.law.elimination`). Where its clusters are too large, passes are weighted, and
resampled and moved where a few of them have most of the weight (`depnet.inference.ordered.weighted`).
"""

import math

import numpy as np

from depnet.arrays import new_seeds
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.answer.part import Part
from depnet.inference.answer.question import Over
from depnet.inference.ordered.sums import part_of_draws
from depnet.inference.ordered.weighted import log_mean_weight, move_passes, weighted_passes
from depnet.law import limits
from depnet.law.elimination import Elimination, network_plan
from depnet.law.program import Conditional, certain
from depnet.model.evidence import Evidence
from depnet.model.network import Network


def answer_codes(
    asked: Conditional,
    method: str,
    tolerance: float,
    rng: np.random.Generator | None,
    timed: bool,
    over: Over,
) -> Part:
    """What one network says of tables: exactly, by "sample", or by whichever is quicker."""
    if method != "sample":
        part = exact(asked, limits.MOST_CELLS if method == "exact" else _worth(asked, tolerance))
        if part is not None:
            return part
        if method == "exact":
            raise DomainTooLargeError(
                f"eliminating the {len(asked.variables)} variables that matter for this question needs a table of "
                f'more than {limits.LARGEST:,} cells. Ask with the method "auto", which draws and gives standard errors.'
            )
    return _draw(asked, tolerance, rng, timed, over)


def _worth(asked: Conditional, tolerance: float) -> int:
    """The cells of an elimination that takes about as long as passes would take, at this tolerance: one an update."""
    passes = max(0.25 / tolerance**2, limits.FIRST_DRAWS)
    summed = sum(asked.cells)  # a pass adds up theta of all states of a target
    return int(min(max(passes * (len(asked.variables) + summed), limits.QUICK_CELLS), limits.MOST_CELLS))


def exact(asked: Conditional, most_cells: int = limits.MOST_CELLS) -> Part | None:
    """The exact laws, by elimination; None where that takes too many cells."""
    fixed = certain(asked.network, asked.evidence)
    if all(len(table) == 1 for table in asked.tables):
        done = _eliminate(asked, (), most_cells)
        if done is None:
            return None
        found = done.marginals([i for (i,) in asked.tables if i not in fixed])
        laws = [np.ones(1) if i in fixed else found[i] for (i,) in asked.tables]  # a fixed one has one state
    else:
        laws = []
        for table in asked.tables:
            done = _eliminate(asked, table, most_cells)
            if done is None:
                return None
            law, _ = done.joint([i for i in table if i not in fixed])
            laws.append(law.reshape([asked.network.domain.cardinalities[i] for i in table]))
    return Part(laws, [np.zeros_like(law) for law in laws], "exact")


def _eliminate(asked: Conditional, keep: tuple[int, ...], most_cells: int) -> Elimination | None:
    """All variables that matter summed out but `keep`; None where it takes too many cells."""
    plan = network_plan(asked.network, asked.variables, asked.evidence, keep, most_cells)
    return None if plan is None else Elimination.of(asked.network, asked.variables, asked.own, plan)


def log_of_codes(
    network: Network,
    evidence: Evidence,
    tolerance: float,
    rng: np.random.Generator | None,
    over: Over = bool,
    most_draws: float = limits.MOST_DRAWS,
) -> tuple[float, float]:
    """The log of the sum of Q(x) w(x), the probability of the evidence, and its standard error (0: exact)."""
    asked = Conditional.of_evidence(network, evidence)
    log = _exact_log(asked, tolerance)
    if log is not None:
        return log, 0.0
    return log_mean_weight(asked, tolerance, new_seeds(rng, 1)[0], over, most_draws)


def exact_log_of_codes(network: Network, evidence: Evidence, tolerance: float) -> float | None:
    """The same by elimination, -inf where it is impossible; None where that is too large."""
    try:
        return _exact_log(Conditional.of_evidence(network, evidence), tolerance)
    except EvidenceError:
        return -math.inf


def _exact_log(asked: Conditional, tolerance: float) -> float | None:
    done = _eliminate(asked, (), _worth(asked, tolerance))
    return None if done is None else done.log_total


def _draw(
    asked: Conditional, tolerance: float, rng: np.random.Generator | None, timed: bool, over: Over
) -> Part:
    """Weighted passes, or passes that are moved where a few have most of the weight."""
    passes_seed, moves_seed = new_seeds(rng, 2)
    most_updates = math.inf if timed else limits.MOST_UPDATES
    found, uneven = weighted_passes(asked, tolerance, passes_seed, most_updates, over)
    if uneven:
        found = move_passes(asked, tolerance, moves_seed, most_updates, over) or found
    method = "passes and moves" if found.moved else "passes"
    shapes = [tuple(asked.network.domain.cardinalities[i] for i in table) for table in asked.tables]
    part = part_of_draws(found.sums, found.errors, shapes, tolerance, method, found.moved)
    if found.converged:
        return part
    return part.stopped(found.error, tolerance, " by the time limit," if timed and over() else "")
