"""Queries: what is likely, given what is known (Sec. 5).

The relevance closure is found first. Where one node is left the answer is a row of its table; where the
closure is small, its exact law; otherwise clamped chains are run until the standard errors are small enough.
"""

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from depnet.arrays import FloatArray, read_only
from depnet.data.dataset import Dataset
from depnet.data.domain import Domain
from depnet.errors import EvidenceError
from depnet.inference.chains import Over
from depnet.inference.law import at_last, exact_law, is_look_up, looked_up, marginal
from depnet.inference.mean_field import mean_field
from depnet.inference.pool import Pool
from depnet.inference.relevance import Reduced, closure, reduce
from depnet.inference.result import Answer, Diagnostics, QueryResult
from depnet.inference.sampled import sampled
from depnet.inference.support import support
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.sampling.checks import checked_network, seconds_given
from depnet.sampling.words import generator

EXACT_STATES = 1 << 14
"""A closure with at most so many joint states is solved exactly by method="auto"."""

MAX_JOINT_CELLS = 1 << 22
TOLERANCE = 0.002
METHODS = ("auto", "exact", "sample", "mean-field", "bayes")

Method = Literal["auto", "exact", "sample", "mean-field", "bayes"]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The answers of some of the estimators."""

    values: list[FloatArray]
    errors: list[FloatArray]
    method: str
    converged: bool = True
    diagnostics: Diagnostics | None = None
    warnings: tuple[str, ...] = ()


def query(
    network: Network,
    targets: str | Sequence[str],
    evidence: Given | Evidence | None = None,
    *,
    scan: Scan = RandomScan(),  # noqa: B008  # a frozen value
    joint: bool = False,
    method: Method = "auto",
    tolerance: float = TOLERANCE,
    max_seconds: float | None = None,
    data: Dataset | None = None,
    pool: Pool | None = None,
    rng: np.random.Generator | None = None,
    stop: Over | None = None,
) -> QueryResult:
    """The law of `targets` given `evidence`: each one's marginal, or their joint table.

    Evidence gives, by labels, one state of a variable, a set of allowed states, or weights of states.
    `method` is "exact", "sample", "mean-field" (fast, deterministic, approximate) or "auto": a table
    look-up or the exact law where the relevant part of the network is small, else chains until every
    standard error is under `tolerance`, or until `max_seconds`, or until `stop()`, which is asked several times a
    second, says True. These clamp the evidence (Sec. 5).
    "bayes" conditions the joint law on it instead, pi(T | x_C): slower the rarer the evidence is, but evidence
    that no relevant node reads, though its own node reads others, then has its effect; docs/queries.md compares the
    two. With a `Pool` of the network's states, drawn once, such a question takes milliseconds wherever the pool
    has enough of them for the `tolerance`; else chains are run as without. With the training `data`, the support of the
    evidence is counted exactly.

    >>> from depnet import Network
    >>> import numpy as np
    >>> network = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
    >>> query(network, "X1", {"X0": 0}).probabilities.round(3).tolist()
    [0.8, 0.2]
    """
    started = time.monotonic()
    domain = checked_network(network).domain
    known = Evidence.parse(domain, evidence)
    wanted = _checked_targets(domain, targets)
    _check_arguments(network, wanted, known, joint, method, tolerance, max_seconds)
    checked_scan(scan)
    _check_pool(network, scan, method, pool)
    free = tuple(i for i in wanted if i not in known.clamped)
    # By Bayes' rule, clamped variables are asked for together with the targets, and then given.
    given_codes = dict(known.clamped) if method == "bayes" and free else {}
    held = Evidence({}, known.tilts) if given_codes else known
    rng = generator(rng)
    inside: tuple[int, ...] = ()
    used: frozenset[int] = frozenset(i for i in wanted if i in known.clamped)
    parts: list[tuple[tuple[int, ...], _Part]] = []
    for group in _groups(network, free, held, joint, method):
        reached, _, _ = closure(network, (*group, *given_codes), held) if pool is not None else ((), (), ())
        pooled = None if pool is None else _pooled(pool, reached, group, known, joint, tolerance)
        if pooled is not None:
            inside = reached
            used |= given_codes.keys()
            parts.append((group, pooled))
            continue
        reduced = reduce(network, (*group, *given_codes), held, scan)
        inside += tuple(i for i in reduced.closure if i not in inside)
        used |= reduced.used | given_codes.keys()
        places = tuple(reduced.place(i) for i in group)
        asked: list[tuple[int, ...]] = [places] if joint else [(place,) for place in places]
        estimators = [(*variables, *(reduced.place(i) for i in given_codes)) for variables in asked]
        left = None if max_seconds is None else max(max_seconds - (time.monotonic() - started), 0.0)
        condition = tuple(given_codes.values())
        part = _answered(
            reduced, estimators, condition, method, tolerance=tolerance, max_seconds=left, rng=rng, stop=stop
        )
        parts.append((group, part))
    values, errors = _assembled(domain, wanted, known, joint, parts)
    counted = support(network, known, data)
    given = _given(domain, evidence, known)
    warnings = [text for _, part in parts for text in part.warnings]
    if method != "bayes":
        warnings += _unread(network, inside, known, used)
    if counted is not None and given and counted.warning is not None:
        warnings.append(counted.warning)
    return QueryResult(
        targets=tuple(domain.variables[i].name for i in wanted),
        states=tuple(domain.variables[i].states for i in wanted),
        joint=joint,
        probabilities=values,
        standard_errors=errors,
        method=_named({part.method for _, part in parts}, bool(given_codes)),
        scan=scan,
        closure=tuple(domain.variables[i].name for i in sorted(inside)),
        evidence=given,
        evidence_used=tuple(name for name in given if domain.index(name) in used),
        evidence_ignored=tuple(name for name in given if domain.index(name) not in used),
        support=counted,
        tolerance=tolerance,
        converged=all(part.converged for _, part in parts),
        seconds=time.monotonic() - started,
        diagnostics=next((part.diagnostics for _, part in parts if part.diagnostics is not None), None),
        warnings=tuple(warnings),
    )


def _named(methods: set[str], bayes: bool) -> str:
    name = " and ".join(sorted(methods)) or "evidence"
    return f"{name}, by Bayes' rule" if bayes else name


def _check_pool(network: Network, scan: Scan, method: str, pool: Pool | None) -> None:
    if pool is None:
        return
    if not isinstance(pool, Pool):
        raise ValueError(f"pool is a Pool, as Pool.draw(network) makes; got {type(pool).__name__}.")
    if method != "bayes":
        raise ValueError(
            f'a pool answers by Bayes\' rule: give method="bayes" with it; got method={method!r}.'
        )
    if (pool.network is not network and pool.network != network) or pool.scan != scan:
        raise ValueError("the pool was drawn from another network or under another scan. Draw one from this.")


def _pooled(
    pool: Pool,
    reached: tuple[int, ...],
    group: tuple[int, ...],
    known: Evidence,
    joint: bool,
    tolerance: float,
) -> _Part | None:
    """The answer from the pool; None where the law is small enough to be exact, or the pool has too little to say."""
    cards = pool.network.domain.cardinalities
    if known.tilts or math.prod(cards[i] for i in reached) <= EXACT_STATES:
        return None
    found = pool.answer([group] if joint else [(i,) for i in group], known.clamped)
    if found is None or found.diagnostics.largest_error > tolerance:
        return None
    warnings = (
        () if pool.mixing.settled else ("the chains of the pool had not settled when they were recorded.",)
    )
    return _Part(found.values, found.errors, "pool", pool.mixing.settled, found.diagnostics, warnings)


def _checked_targets(domain: Domain, targets: str | Sequence[str]) -> tuple[int, ...]:
    if isinstance(targets, (str, bytes)) or not isinstance(targets, Iterable):
        targets = [targets]  # what is no name is the domain's error
    names = list(targets)
    if not names:
        raise EvidenceError("a query needs at least one target; got none.")
    wanted = tuple(domain.index(name) for name in names)
    if len(set(wanted)) < len(wanted):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise EvidenceError(f"the target {twice!r} stands twice.")
    return wanted


def _check_arguments(
    network: Network,
    wanted: Sequence[int],
    known: Evidence,
    joint: bool,
    method: str,
    tolerance: float,
    max_seconds: float | None,
) -> None:
    if len(known.clamped) == len(network.domain):
        raise EvidenceError("the evidence gives the state of every variable: nothing is left to ask.")
    if method not in METHODS:
        raise ValueError(f"method is one of {', '.join(map(repr, METHODS))}; got {method!r}.")
    if not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise ValueError(f"tolerance is a standard error between 0 and 1; got {tolerance!r}.")
    seconds_given(max_seconds)
    conditioned = set(known.clamped) if method == "bayes" else set()
    tables = [set(wanted) | conditioned] if joint else [{i} | conditioned for i in wanted]
    cells, size = max(
        (math.prod(network.domain.cardinalities[i] for i in table), len(table)) for table in tables
    )
    if cells > MAX_JOINT_CELLS:
        clamping = ', or clamp the evidence (method="auto")' if conditioned else ""
        raise EvidenceError(
            f"the joint table of {size} variables has {cells:,} cells, more than {MAX_JOINT_CELLS:,}. Ask "
            f"for fewer targets, or for their marginals (joint=False){clamping}."
        )


def _groups(
    network: Network, free: tuple[int, ...], known: Evidence, joint: bool, method: str
) -> list[tuple[int, ...]]:
    """Targets answered together: all of a joint; of marginals, those whose closures are one.

    Small closures are answered apart, exactly; what is too large for that is sampled together.
    """
    if not free:
        return []
    if joint or method in ("sample", "mean-field", "bayes") or len(free) == 1:
        return [free]
    cards = network.domain.cardinalities
    by_closure: dict[tuple[int, ...], list[int]] = {}
    for i in free:
        inside, _, _ = closure(network, (i,), known)
        small = method == "exact" or (
            method == "auto" and math.prod(cards[j] for j in inside) <= EXACT_STATES
        )
        by_closure.setdefault(inside if small else (), []).append(i)
    return [tuple(group) for group in by_closure.values()]


def _answered(
    reduced: Reduced,
    estimators: list[tuple[int, ...]],
    condition: tuple[int, ...],
    method: str,
    *,
    tolerance: float,
    max_seconds: float | None,
    rng: np.random.Generator,
    stop: Over | None,
) -> _Part:
    cards = reduced.network.domain.cardinalities
    if method in ("auto", "exact") and is_look_up(reduced):
        return _from_law(looked_up(reduced), estimators, condition, "look-up")
    if method == "exact" or (method in ("auto", "bayes") and reduced.size <= EXACT_STATES):
        return _from_law(exact_law(reduced), estimators, condition, "exact")
    if method == "mean-field":
        field = mean_field(reduced.network, reduced.evidence, reduced.scan)
        values = []
        for variables in estimators:
            table = np.ones(())
            for i in variables:
                table = np.multiply.outer(table, field.marginals[i])
            values.append(table)
        warnings = () if field.converged else (f"mean field still moves by {field.change:.2g}.",)
        errors = [np.full(table.shape, np.nan) for table in values]
        return _Part(values, errors, "mean-field", field.converged, warnings=warnings)
    answer = sampled(
        reduced,
        estimators,
        tolerance=tolerance,
        max_seconds=max_seconds,
        rng=rng,
        condition=condition,
        stop=stop,
    )
    shapes = [
        tuple(cards[i] for i in variables[: len(variables) - len(condition)]) for variables in estimators
    ]
    return _Part(
        [value.reshape(shape) for value, shape in zip(answer.values, shapes, strict=True)],
        [error.reshape(shape) for error, shape in zip(answer.errors, shapes, strict=True)],
        "sample",
        answer.converged,
        answer.diagnostics,
        answer.warnings,
    )


def _from_law(
    law: FloatArray, estimators: list[tuple[int, ...]], condition: tuple[int, ...], method: str
) -> _Part:
    values = [at_last(marginal(law, variables), condition) for variables in estimators]
    if condition:
        if not all(value.sum() > 0 for value in values):
            raise EvidenceError(
                'the evidence has probability 0 under the joint law; clamp it instead (method="exact").'
            )
        values = [value / value.sum() for value in values]
    return _Part(values, [np.zeros_like(value) for value in values], method)


def _assembled(
    domain: Domain,
    wanted: tuple[int, ...],
    known: Evidence,
    joint: bool,
    parts: list[tuple[tuple[int, ...], _Part]],
) -> tuple[Answer, Answer]:
    """The answers in the order of the targets; a clamped target has its state with certainty."""
    cards = domain.cardinalities
    if joint:
        shape = tuple(cards[i] for i in wanted)
        tables = np.zeros((2, *shape))
        where = tuple(known.clamped[i] if i in known.clamped else slice(None) for i in wanted)
        if parts:
            part = parts[0][1]
            tables[(0, *where)], tables[(1, *where)] = part.values[0], part.errors[0]
        else:
            tables[(0, *where)] = 1.0
        return read_only(tables[0].copy()), read_only(tables[1].copy())
    values: dict[str, FloatArray] = {}
    errors: dict[str, FloatArray] = {}
    found = {
        i: (value, error)
        for group, part in parts
        for i, value, error in zip(group, part.values, part.errors, strict=True)
    }
    for i in wanted:
        certain = (np.eye(cards[i])[known.clamped[i]], np.zeros(cards[i])) if i in known.clamped else found[i]
        name = domain.variables[i].name
        values[name], errors[name] = (read_only(np.array(part)) for part in certain)
    if len(wanted) == 1:
        name = domain.variables[wanted[0]].name
        return values[name], errors[name]
    return values, errors


def _unread(network: Network, inside: Sequence[int], known: Evidence, used: frozenset[int]) -> list[str]:
    """A warning for evidence that clamping makes silent, though the joint law links it to the targets."""
    found = []
    for i in sorted(known.clamped.keys() - used):
        others = Evidence({j: code for j, code in known.clamped.items() if j != i}, known.tilts)
        reached, _, _ = closure(network, (i,), others)
        if set(reached) & set(inside):
            found.append(
                f"no relevant node reads {network.domain.variables[i].name!r}, so clamping it has no effect, though its "
                'own node depends on relevant variables. method="bayes" conditions the joint law on it instead.'
            )
    return found


def _given(domain: Domain, evidence: Given | Evidence | None, known: Evidence) -> Mapping[str, Any]:
    if isinstance(evidence, Evidence):
        variables = domain.variables
        clamped = {variables[i].name: variables[i].states[code] for i, code in known.clamped.items()}
        tilts = {
            variables[i].name: {
                state: float(w) for state, w in zip(variables[i].states, weights, strict=True) if w > 0
            }
            for i, weights in known.tilts.items()
        }
        return clamped | tilts
    return dict(evidence or {})
