"""Answers of an ordered law, one network or a mixture: what it says of codes (`codes`, `mixture`), then of numbers.

Where in their bins numbers lie, and what evidence says that cuts a bin, is drawn after that (`levels`).
"""

import numpy as np

from depnet.arrays import new_seeds
from depnet.inference.answer.part import Part
from depnet.inference.answer.question import Over, Question, over_after
from depnet.inference.answer.result import QueryResult
from depnet.inference.ordered.codes import answer_codes
from depnet.inference.ordered.levels import HALF, refine
from depnet.inference.ordered.mixture import answer_mixture, exact_log_of_any
from depnet.law.program import Conditional, LevelPlan
from depnet.model.evidence import Evidence
from depnet.model.mixture import AnyNetwork, Mixture, components_of


def of_law(question: Question, rng: np.random.Generator | None, stop: Over | None) -> QueryResult:
    """The result of a question to an ordered law: Q(T | x_C), "exact", by "sample", or by whichever is quicker."""
    part, variables = find_part(question, rng, stop)
    if variables is None:
        return question.result([], method="evidence", scan=None, closure=(), used=())
    known, used = question.evidence, question.evidence.variables
    if not isinstance(
        question.network, Mixture
    ):  # where each component counts by what is known, all of it has an effect
        used &= {*variables, *(j for i in variables for j in question.network.nodes[i].inputs)}
    closure = [i for i in variables if i not in known.clamped]
    return question.result([(question.free, part)], method=part.method, scan=None, closure=closure, used=used)


def find_part(
    question: Question, rng: np.random.Generator | None, stop: Over | None
) -> tuple[Part, tuple[int, ...] | None]:
    """What the law says of the free targets, and the variables that took part; None: the evidence says it all."""
    plan = LevelPlan.of(question.network, question.evidence, question.wanted)
    if not question.free and plan is None:
        return Part([], [], "evidence"), None
    tables = (question.free,) if question.joint else tuple((i,) for i in question.free)
    part, variables = Part([], [], "evidence"), tuple[int, ...]()
    if question.free:
        part, variables = _answer_tables(question, tables, 1.0 if plan is None else HALF, rng, stop)
    if plan is not None:
        asked = Conditional(components_of(question.network)[0], question.evidence, tables)
        # What is exact in codes is the same whenever it is asked, if no generator is given.
        (seed,) = new_seeds(np.random.default_rng(0) if rng is None and part.diagnostics is None else rng, 1)
        part = refine(question, asked, plan, part, seed, over_after(question.seconds_left, stop))
    return part, variables


def _answer_tables(
    question: Question,
    tables: tuple[tuple[int, ...], ...],
    share: float,
    rng: np.random.Generator | None,
    stop: Over | None,
) -> tuple[Part, tuple[int, ...]]:
    """What the law says of tables, within a share of the tolerance; and the variables that took part."""
    network = question.network
    if isinstance(network, Mixture):
        return answer_mixture(network, question, tables, share, rng, stop)
    asked = Conditional(network, question.evidence, tables)
    timed, over = question.max_seconds is not None, over_after(question.seconds_left, stop)
    return answer_codes(asked, question.method, share * question.tolerance, rng, timed, over), asked.variables


def exact_log_evidence(network: AnyNetwork, evidence: Evidence, tolerance: float) -> float | None:
    """The log of the probability of evidence by elimination; None where that is too large, or values have to be drawn."""
    plan = LevelPlan.of(network, evidence, ())
    if plan is not None and plan.cuts:
        return None
    log = exact_log_of_any(network, evidence, tolerance)
    return None if log is None else log + evidence.log_share
