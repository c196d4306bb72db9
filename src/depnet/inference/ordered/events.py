r"""Answers of an ordered law given an event, and its probability.

An event that says something of each variable alone is evidence, and no matter of this file. Where another is a union of
few disjoint products D_k (`depnet.model.event`), and all of this is exact,

.. math:: Q(T \mid E) = \sum_k \frac{Q(D_k)}{Q(E)}\, Q(T \mid D_k), \qquad Q(E) = \sum_k Q(D_k).

Else rows are drawn given the event's hull, with the values of their numbers, and those that are not in the event have no
weight. Errors are those between batches of rows. What is missing is neither in an event nor known to be outside of it: P(E)
is asked of the rows of which one of the two is known, as a condition on one variable is.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from depnet.arrays import CodeArray, FloatArray, new_seeds, read_only
from depnet.data.binning.levels import Levels
from depnet.data.frames.within import Drawn, Within, allowed_values
from depnet.data.table.dataset import Dataset
from depnet.data.table.values import Values
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.answer.part import Part, Spread, tables_of
from depnet.inference.answer.question import Over, Question, over_after
from depnet.inference.answer.result import QueryResult
from depnet.inference.ordered.answer import exact_log_evidence, find_part
from depnet.inference.ordered.levels import level_rows, log_allowed, some_rows
from depnet.inference.ordered.mixture import log_evidence
from depnet.inference.ordered.sums import BatchSums, largest_of, part_of_draws
from depnet.law import limits
from depnet.law.draw import PIECE, sharpen
from depnet.law.elimination import IMPOSSIBLE
from depnet.law.program import LevelPlan, joint_codes, law_of
from depnet.model.event import Event, columns_of, disjoint_products, join
from depnet.model.evidence import Evidence, narrow_domain
from depnet.model.mixture import AnyNetwork, components_of, within_of


def event_rows(
    network: AnyNetwork, evidence: Evidence, columns: Iterable[int], seed: int, beside: Iterable[int] = ()
) -> Iterator[tuple[CodeArray, Drawn, Dataset]]:
    """Rows given evidence, with the numbers of some columns; weights are 0 where they are not in its event.

    They have the codes of these columns, of those `beside`, and of the event's own.
    """
    event, domain = evidence.event, network.domain
    wanted = set(columns).union(() if event is None else columns_of(event))
    plan, narrowed = LevelPlan.of(network, evidence, wanted), narrow_domain(domain, evidence)
    bins = {i: own for i in sorted(wanted) if (own := domain.variables[i].bins) is not None}
    values = {i: allowed_values(own, narrowed.variables[i].bins or own) for i, own in bins.items()}
    # Where no tree says otherwise, all values of a bin are as likely.
    alike = Within(domain, within_of(network).order, ())
    drawers, rng = alike.drawers(list(bins), evidence.levels), np.random.default_rng([seed, 1])
    for codes, found in level_rows(network, evidence, plan, wanted.union(beside), seed):
        drawn = alike.pass_through(drawers, codes, rng) if found is None else found
        numbers = Values({i: own[np.maximum(drawn.places[i], 0)] for i, own in values.items()})
        rows = Dataset.of_checked(domain, read_only(codes), None, numbers)
        if event is not None:
            drawn.weights[~event.rows(rows)] = 0.0
        yield codes, drawn, rows


def of_event(question: Question, rng: np.random.Generator | None, stop: Over | None) -> QueryResult:
    """The result of a question to an ordered network about an event over several variables, or given one."""
    asked, given = question.event, question.evidence.event
    part = event_part(question, rng, stop)
    events = [] if asked is None else [asked[0]]
    columns = frozenset(question.wanted).union(
        *map(columns_of, [*events, *([] if given is None else [given])])
    )
    used = (question.evidence.variables | columns) - {len(question.network)}
    closure = {i for part in components_of(question.network) for i in law_of(part).ancestors(used)}
    return question.result([(question.free, part)], method=part.method, scan=None, closure=closure, used=used)


def event_part(question: Question, rng: np.random.Generator | None, stop: Over | None) -> Part:
    """What the law says about an event, or given one: exactly, or by draws."""
    part, asked = None, question.event
    if question.method != "sample":
        part = (
            part_of_products(question, question.evidence.event)
            if asked is None
            else _exact_share(question, asked)
        )
    if part is None and question.method == "exact":
        raise DomainTooLargeError(
            "this event has too many parts, or compares values that the model draws, so that there is no exact answer. Ask "
            'with the method "auto", which draws and gives standard errors.'
        )
    over = over_after(question.seconds_left, stop)
    return _part_of_draws(question, new_seeds(rng, 1)[0], over) if part is None else part


def _exact_share(question: Question, events: tuple[Event, Event]) -> Part | None:
    """The shares of what is not in an event and of what is; None where they are not exact."""
    given, sums = question.evidence.event, []
    for event in reversed(events):
        both = event if given is None else join("and", [given, event])
        products = _exact_products(question.network, question.evidence, both, question.tolerance)
        if products is None:
            return None
        sums.append(sum(math.exp(log) for _, log in products))
    if not sum(sums) > 0:
        raise EvidenceError(IMPOSSIBLE)
    return Part([np.array(sums) / sum(sums)], [np.zeros(2)], "exact")


def part_of_products(question: Question, event: Event | None) -> Part | None:
    """What disjoint products of the event say together; None where these are too many, or not exact."""
    assert event is not None
    network, cards = question.network, question.network.domain.cardinalities
    products = _exact_products(network, question.evidence, event, question.tolerance)
    if products is None or LevelPlan.of(network, question.evidence, question.wanted) is not None:
        return None
    if any(i in known.levels for known, _ in products for i in question.wanted):
        return None  # each product leaves other values of what is asked for
    if not products:
        raise EvidenceError(f"{str(event)!r} has the probability 0 under the model.")
    wanted = [question.free] if question.joint else [(i,) for i in question.free]
    values = [np.zeros([cards[i] for i in table]) for table in wanted]
    total = np.logaddexp.reduce([log for _, log in products])
    for known, log in products:
        asked = replace(question, known=known)
        part, _ = find_part(asked, None, None)
        if part.diagnostics is not None:
            return None
        for value, table in zip(
            values, tables_of(wanted, [(asked.free, part)], cards, known.clamped), strict=True
        ):
            value += math.exp(log - total) * table.values
    return Part(values, [np.zeros_like(value) for value in values], "exact")


def _exact_products(
    network: AnyNetwork, evidence: Evidence, event: Event, tolerance: float
) -> list[tuple[Evidence, float]] | None:
    """Disjoint products of an event inside of what is known, with the logs of their probabilities; None: not exactly."""
    products = disjoint_products(event, [evidence.allowed])
    known = (
        None
        if products is None
        else [Evidence.of_product(network.domain, each, evidence) for each in products]
    )
    found: list[tuple[Evidence, float]] = []
    for each in known or ():
        log = -math.inf if each is None else exact_log_evidence(network, each, tolerance)
        if log is None:
            return None
        found += [] if each is None or log == -math.inf else [(each, log)]
    return None if known is None else found


def _part_of_draws(question: Question, seed: int, over: Over) -> Part:
    """What drawn rows say, of which those outside of the event that is given have no weight."""
    domain, cards, event = question.network.domain, question.network.domain.cardinalities, question.event
    wanted = [question.free] if question.joint and question.free else [(i,) for i in question.free]
    shapes = [(2,)] if event is not None else [tuple(cards[i] for i in table) for table in wanted]
    columns = question.wanted if event is None else tuple(columns_of(event[0]))
    bins = {i: Levels.of(own) for i in columns if (own := domain.variables[i].bins) is not None}
    sums = BatchSums([*map(math.prod, shapes), *(len(own.values) for own in bins.values())])
    rows = event_rows(question.network, question.evidence, columns, seed)

    def draw(count: int) -> None:
        for codes, drawn, some in some_rows(rows, count):
            if event is not None:
                cells = [np.where(event[0].rows(some), 1, np.where(event[1].rows(some), 0, -1))]
            else:
                cells = [joint_codes(codes, table, cards) for table in wanted]
            sums.add(drawn.weights, [*cells, *(drawn.places[i].astype(np.int64) for i in bins)])

    def error() -> float:
        """The largest of the cells that are asked for; where none is, that of a share."""
        if not sums.squares:
            return math.inf
        return largest_of(sums.errors(sums.effective)[: len(shapes)]) or 0.5 / math.sqrt(sums.effective)

    sharp = sharpen(draw, error, question.tolerance, first=PIECE, most=limits.MOST_DRAWS, over=over)
    if not sums.squares:
        raise EvidenceError(
            f"none of {sums.rows:,} drawn rows matches what is given: its probability under the model is 0 or very small."
        )
    errors, laws, deviations = sums.errors(sums.effective), sums.laws(), sums.deviations()
    part = part_of_draws(sums, errors, shapes, question.tolerance, "draws")
    levels = dict(zip(bins, range(len(shapes), len(laws)), strict=True)) if event is None else {}
    spreads = {
        i: Spread(np.sqrt((deviations[at] ** 2).sum(axis=0)), deviations[at]) for i, at in levels.items()
    }
    part = replace(part, levels={i: laws[at] for i, at in levels.items()}, level_spreads=spreads)
    return part if sharp else part.stopped(error(), question.tolerance)


def log_known(
    network: AnyNetwork, known: Evidence, tolerance: float, rng: np.random.Generator | None, over: Over = bool
) -> tuple[float, float]:
    """The log of the probability of what is known, of values and events too, and its standard error (0: exact)."""
    if known.event is not None:
        return log_event(network, known, tolerance, rng)
    log, error = log_evidence(network, known, tolerance, rng, over)
    inside, own = log_allowed(network, known, tolerance, rng)
    return log + inside, math.hypot(error, own)


def log_event(
    network: AnyNetwork, evidence: Evidence, tolerance: float, rng: np.random.Generator | None
) -> tuple[float, float]:
    """The log of the probability of evidence with an event, over that of its hull if it is drawn; its error (0: exact)."""
    event = evidence.event
    assert event is not None
    products = _exact_products(network, evidence, event, tolerance)
    if products is not None:
        return float(np.logaddexp.reduce([log for _, log in products], initial=-math.inf)), 0.0
    sums, hull = BatchSums([2]), replace(evidence, event=None)
    rows = event_rows(network, hull, columns_of(event), new_seeds(rng, 1)[0])

    def draw(count: int) -> None:
        for _, drawn, some in some_rows(rows, count):
            sums.add(drawn.weights, [event.rows(some).astype(np.int64)])

    def errors() -> FloatArray:
        return sums.errors(sums.effective)[0] if sums.squares else np.full(2, math.inf)

    sharpen(draw, lambda: float(errors().max()), tolerance, first=PIECE, most=limits.MOST_DRAWS)
    share, error = float(sums.laws()[0][1]), float(errors()[1])
    if not share > 0:
        return -math.inf, 0.0
    log, own = log_known(network, hull, tolerance, rng)
    return log + math.log(share), math.hypot(error / share, own)
