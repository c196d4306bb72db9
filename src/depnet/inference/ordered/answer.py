r"""Answers of an ordered law: Q(T | x_C), exact where that is small, else by weighted passes.

First what does not matter is left out. Only ancestors of targets and evidence take part; of these, once what is known for
certain has no axis, only those that factors connect with a target.

Exact answers come from elimination (`depnet.law.elimination`). Where its clusters are too large, passes are weighted, and
resampled and moved where a few of them have most of the weight (`depnet.inference.ordered.weighted`). Where in their bins
numbers lie, and what evidence says that cuts a bin, is drawn after that (`depnet.inference.ordered.levels`).
"""

import math

import numpy as np

from depnet.arrays import new_seeds
from depnet.errors import DomainTooLargeError
from depnet.inference.answer.part import Part, PassDiagnostics, Remark, margins
from depnet.inference.answer.question import RESOLUTION, Over, Question, over_after
from depnet.inference.answer.result import QueryResult
from depnet.inference.ordered.levels import HALF, refine
from depnet.inference.ordered.weighted import log_mean_weight, move_passes, weighted_passes
from depnet.law import limits
from depnet.law.elimination import Elimination, network_plan
from depnet.law.program import Conditional, LevelPlan, certain
from depnet.model.evidence import Evidence
from depnet.model.network import Network


def of_law(question: Question, rng: np.random.Generator | None, stop: Over | None) -> QueryResult:
    """The result of a question to an ordered network: Q(T | x_C), "exact", by "sample", or by whichever is quicker."""
    part, asked = find_part(question, rng, stop)
    if asked is None:
        return question.result([], method="evidence", scan=None, closure=(), used=())
    read = {j for i in asked.variables for j in question.network.nodes[i].inputs}
    return question.result(
        [(question.free, part)],
        method=part.method,
        scan=None,
        closure=[i for i in asked.variables if i not in question.evidence.clamped],
        used=question.evidence.variables & (read | set(asked.variables)),
    )


def find_part(
    question: Question, rng: np.random.Generator | None, stop: Over | None
) -> tuple[Part, Conditional | None]:
    """What the law says of the free targets, and what it was asked; None: nothing, the evidence says it all."""
    plan = LevelPlan.of(question.network, question.evidence, question.wanted)
    if not question.free and plan is None:
        return Part([], [], "evidence"), None
    tables = (question.free,) if question.joint else tuple((i,) for i in question.free)
    asked = Conditional(question.network, question.evidence, tables)
    part = None if question.free else Part([], [], "evidence")
    tolerance = question.tolerance * (1.0 if plan is None else HALF)
    if part is None and question.method != "sample":
        most = limits.MOST_CELLS if question.method == "exact" else _worth(asked, tolerance)
        part = exact(asked, most)
        if part is None and question.method == "exact":
            raise DomainTooLargeError(
                f"eliminating the {len(asked.variables)} variables that matter for this question needs a table of "
                f'more than {limits.LARGEST:,} cells. Ask with the method "auto", which draws and gives standard errors.'
            )
    if part is None:
        timed = question.max_seconds is not None
        part = _draw(asked, tolerance, rng, timed, over_after(question.seconds_left, stop))
    if plan is not None:
        # What is exact in codes is the same whenever it is asked, if no generator is given.
        (seed,) = new_seeds(np.random.default_rng(0) if rng is None and part.diagnostics is None else rng, 1)
        part = refine(question, asked, plan, part, seed, over_after(question.seconds_left, stop))
    return part, asked


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


def log_evidence(
    network: Network,
    evidence: Evidence,
    tolerance: float,
    rng: np.random.Generator | None,
    over: Over = bool,
    most_draws: float = limits.MOST_DRAWS,
) -> tuple[float, float]:
    """The log of the sum of Q(x) w(x), the probability of the evidence, and its standard error (0: exact)."""
    asked = Conditional.of_evidence(network, evidence)
    done = _eliminate(asked, (), _worth(asked, tolerance))
    if done is not None:
        return done.log_total, 0.0
    return log_mean_weight(asked, tolerance, new_seeds(rng, 1)[0], over, most_draws)


def exact_log_evidence(network: Network, evidence: Evidence, tolerance: float) -> float | None:
    """The log of the probability of evidence by elimination; None where that is too large, or values have to be drawn."""
    plan = LevelPlan.of(network, evidence, ())
    if plan is not None and plan.cuts:
        return None
    asked = Conditional.of_evidence(network, evidence)
    done = _eliminate(asked, (), _worth(asked, tolerance))
    return None if done is None else done.log_total + evidence.log_share


def _draw(
    asked: Conditional, tolerance: float, rng: np.random.Generator | None, timed: bool, over: Over
) -> Part:
    """Weighted passes, or passes that are moved where a few have most of the weight."""
    passes_seed, moves_seed = new_seeds(rng, 2)
    most_updates = math.inf if timed else limits.MOST_UPDATES
    found, uneven = weighted_passes(asked, tolerance, passes_seed, most_updates, over)
    if uneven:
        found = move_passes(asked, tolerance, moves_seed, most_updates, over) or found
    errors = [np.maximum(each, RESOLUTION * tolerance) for each in found.errors]
    largest = max(float(each.max()) for each in errors)
    shapes = [tuple(asked.network.domain.cardinalities[i] for i in table) for table in asked.tables]
    why = " by the time limit," if timed and over() else ""
    stopped = f"stopped{why} at a standard error of {found.error:.2g} where {tolerance:.2g} was asked."
    return Part(
        [law.reshape(shape) for law, shape in zip(found.sums.laws(), shapes, strict=True)],
        [each.reshape(shape) for each, shape in zip(errors, shapes, strict=True)],
        "passes and moves" if found.moved else "passes",
        found.converged,
        PassDiagnostics(found.passes, found.effective, found.moved, largest),
        () if found.converged else (Remark(stopped, "stopped"),),
        [margins(d.reshape(-1, *shape)) for d, shape in zip(found.sums.deviations(), shapes, strict=True)],
    )
