"""`fit`: the whole way from a table with holes to a fitted model, for the estimators, the command and the page.

Holes that mean something become states of their columns (`depnet.fitting.choose_missing`), all others are completed.
Both networks are learned from one completed table: the paper's, in full conditionals, and the ordered law.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from depnet.arrays import IntArray
from depnet.data.frames.within import Within
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.variable import Domain
from depnet.errors import LearningError, brief
from depnet.fitting.choose_missing import make_holes_states, with_hole_states
from depnet.fitting.complete import Completion, complete_and_learn
from depnet.fitting.worth import PARTS, Sure, choose_sure, choose_worth
from depnet.learning import limits
from depnet.learning.auto import Choice, learn_copies
from depnet.learning.constraints import find_constraints
from depnet.learning.cost import Auto, Mdl, StructuralMdl
from depnet.learning.distil import distil
from depnet.learning.grow import TrainingRows, warn_of_identifiers
from depnet.learning.learn import learn_with_choice
from depnet.learning.mixture import MixtureLike, check_mixture, learn_mixture
from depnet.learning.options import LearnOptions, Order, node_specs, tiers_of
from depnet.learning.rows import row_order
from depnet.learning.within import learn_within, most_rows
from depnet.model.marginals import MarginalCounts
from depnet.model.mixture import Mixture, components_of
from depnet.model.model import Model
from depnet.model.network import Network
from depnet.threads import Progress, Work

QUICK = StructuralMdl(0.75, 1.0, 0.5 * Mdl())
"""The best single penalty of docs/penalties.md: for the rounds of completion, and where "auto" has too few rows."""

BEFORE, PATIENCE = 2, 2
"""The law's ladder begins `BEFORE` rungs before the network's best, and ends after `PATIENCE` that are no better."""

MISSING = ("auto", "complete", "state", "error")

NETWORK_SHARE = 0.6
"""The share of `max_seconds` for completing the table and the paper's network; the law has the rest."""


@dataclass(frozen=True, slots=True)
class FitOptions(LearnOptions):
    """The options of a fit, as the estimators' parameters have them: those of learning, and of what is missing.

    `order` is the law's: "auto", or the names of all variables. The rounds of completion are not boosted.
    """

    penalty: Any = "auto"
    smoothing: float = 0.5
    order: Order = "auto"
    cuts: bool = True  # numbers have an order, and few rows can pay for a leaf a bin
    missing: str = "auto"
    """Which holes are states of their columns: "auto" (those that mean something, `depnet.fitting.choose_missing`),
    "state" (all), "complete" (none); all others are completed. "error": there are none."""
    rounds: int = 20
    """Rounds of completion, at most."""
    mixture: MixtureLike | None = None
    """How many ordered networks, each of another order, the law is made of; None: it is one."""
    distil: bool = True
    """Whether a boosted law may teach the law's graphs (`depnet.learning.distil`)."""
    constraints: Any = "auto"
    """What drawn rows keep: what the table's do ("auto"), or what is listed; None: nothing."""
    n_jobs: int | None = None
    max_seconds: float | None = None
    """For both networks together."""

    def __post_init__(self) -> None:
        LearnOptions.__post_init__(self)
        if self.missing not in MISSING:
            raise LearningError(f"missing is one of {', '.join(MISSING)}; got {brief(self.missing)}.")

    def work(self, progress: Progress | None = None) -> Work:
        """What the options leave to learning, from now on."""
        return Work.of(self.n_jobs, self.max_seconds, progress)

    def steps(self, table: Holed) -> int:
        """What `progress` of `fit` counts to: rounds of completion, then the nodes of both networks.

        Whether holes are left to complete is not known before: rounds are counted where the table has any.
        """
        return (0 if table.complete else self.rounds) + 2 * len(table.domain)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(Model):
    """A model with the rows that it was learned from, and how their holes were completed."""

    law: Any
    """A network, or a mixture."""
    completion: Completion = field(kw_only=True)
    table: Holed = field(kw_only=True)
    """The rows as they came, in the model's codes: their holes are holes."""

    @property
    def dataset(self) -> Dataset:
        """The completed rows that both were learned from."""
        return self.completion.dataset


def fit(
    table: Holed,
    options: FitOptions,
    rng: np.random.Generator,
    progress: Callable[[int], object] | None = None,
) -> Fitted:
    """Complete the table, and learn both networks from it; `progress` counts to `options.steps(table)`."""
    check_order(table.domain, options)
    report = progress or (lambda done: None)
    work = options.work()
    before = options.steps(table) - len(table.domain)
    table = choose_holes(table, options, work.threads)
    constraints = find_constraints(table, options.constraints)
    order = _row_order(table)
    completed, rows, choice = _complete(table, options, work.share(NETWORK_SHARE), rng, report, order)
    report(before)
    law_work = replace(work, progress=lambda done, nodes: report(before + done))
    law = fit_law(rows, options, law_work, beside=choice)
    counts = MarginalCounts.of(table)
    network = replace(completed.network, counts=counts)
    parts = [
        replace(part, counts=counts, tiers=tiers_of(table.domain, options.order), constraints=constraints)
        for part in components_of(law)
    ]
    within = _within(parts[0], table, completed.dataset, order, work.threads)
    one = replace(parts[0], within=within)
    law = Mixture(parts, law.weights, within) if isinstance(law, Mixture) else one
    return Fitted(network, law, completion=replace(completed, network=network), table=table)


def choose_holes(table: Holed, options: FitOptions, threads: int) -> Holed:
    """The table with those holes as states that `missing` says; all others stay holes."""
    if table.complete or options.missing not in ("auto", "state"):
        return table
    if options.missing == "auto":
        return make_holes_states(table, n_jobs=threads)
    return with_hole_states(table, range(len(table.domain)))


def _row_order(table: Holed) -> IntArray | None:
    """The order of the rows by what they say, where anything is drawn for them, or some of them are drawn; else None."""
    some = table.values is not None and table.rows > most_rows(len(table.domain))
    return row_order(table) if some or not table.complete else None


def _within(
    law: Network, table: Holed, completed: Dataset, order: IntArray | None, threads: int
) -> Within | None:
    """Where in their bins numbers lie, where the table knows more of them than their bins."""
    if table.values is None or completed.rows != table.rows:  # rows with weights and holes come several times
        return None
    return learn_within(law, completed.codes, table, order, n_jobs=threads)


def fit_network(
    table: Holed, options: FitOptions, rng: np.random.Generator, work: Work | None = None
) -> Completion:
    """The paper's network alone, from a table with holes; without `work`, within what the options say."""
    work = options.work() if work is None else work
    tell, steps = work.progress, options.steps(table) - len(table.domain)
    report = (lambda done: None) if tell is None else lambda done: tell(done, steps)
    return _complete(choose_holes(table, options, work.threads), options, work, rng, report)[0]


def _network(rows: TrainingRows, options: FitOptions, work: Work) -> tuple[Network, Choice | None]:
    """The paper's network from complete rows, and what penalty="auto" chose for it."""
    return learn_with_choice(rows, replace(_for_few(rows.total, options), order=None), work)


def fit_law(
    rows: Dataset | TrainingRows,
    options: FitOptions,
    work: Work | None = None,
    *,
    beside: Choice | None = None,
) -> Any:
    """The ordered network from complete rows, or a mixture of such, each learned alike; one alone is no mixture."""
    rows = TrainingRows.of(rows)
    work = options.work() if work is None else work
    if options.mixture is None:
        return _one_law(rows, options, work, beside)[0]
    count = None if options.mixture == "auto" and rows.total >= limits.FEW_ROWS else options.mixture
    count = 1 if count == "auto" else count  # of few rows none are held out to ask

    def learner(_: TrainingRows, own: LearnOptions, part: Work) -> tuple[Network, Choice | None]:
        return _one_law(rows, replace(options, order=own.order, mixture=None), part, beside)

    # A hidden class would be tried with a teacher of its own for each number of classes, and each round.
    found = learn_mixture(learner, rows, options, count, work, most_classes=1)
    return found if len(found.components) > 1 else found.components[0]


def _one_law(
    rows: TrainingRows, options: FitOptions, work: Work, beside: Choice | None
) -> tuple[Network, Choice | None]:
    """The law in one order, and what held-out rows chose; with penalty="auto" its `held_out` says how many rows it is worth.

    And how sure its answers are. That is judged on the rows held out, by the laws that the trials have learned without
    them, and by laws of these rows. Where the choice of the network `beside` it is known, the ladder of penalties
    begins a few rungs before that; a law whose best is the first of these is learned again by the whole ladder.
    """
    whole = _for_few(rows.total, options)
    near = whole if beside is None else replace(whole, penalty=_ladder_near(whole.auto, beside))
    law, choice = learn_with_choice(rows, near, work)
    if choice is not None and near.auto is not None and whole.auto is not None and work.seconds is None:
        first = near.auto.penalties[0]
        if choice.pooled[0] == first != whole.auto.penalties[0]:
            law, choice = learn_with_choice(rows, whole, work)
    if choice is None or law.held_out is None:
        return law, choice
    if whole.distil and whole.boost is None and not work.over:
        law, choice = distil(rows, law, choice, whole, work.silent())
    law, choice = learn_copies(rows, law, choice, whole)
    parts = [(learned.dataset, scored) for learned, scored in rows.held_out]
    worth = choose_worth(choice.tried, parts[: len(choice.tried)])
    sure = _sure(law, choice, parts, worth, options, work)
    assert law.held_out is not None  # as before
    judged = replace(law.held_out, worth=worth, sure_shares=sure.shares, sure_means=sure.means)
    return replace(law, held_out=judged), choice


def _sure(
    law: Network,
    choice: Choice,
    parts: Sequence[tuple[Dataset, Dataset]],
    worth: float,
    options: FitOptions,
    work: Work,
) -> Sure:
    """How sure answers are, by laws of the rows that were held out: learned in the law's order, and never boosted."""
    some = parts[:PARTS]
    if work.over or min(held.total for _, held in some) < limits.FEW_ROWS:
        return Sure()
    penalty, smoothing = choice.pooled
    order = [law.domain.names[i] for i in law.order or ()]
    own = replace(options, penalty=penalty, smoothing=smoothing, order=order, boost=None)
    laws = [learn_with_choice(held, own, work.silent())[0] for _, held in some]
    return choose_sure(laws, some, worth)


def _complete(
    table: Holed,
    options: FitOptions,
    work: Work,
    rng: np.random.Generator,
    report: Callable[[int], object],
    order: IntArray | None = None,
) -> tuple[Completion, TrainingRows, Choice | None]:
    """The paper's network from the completed table, the rows of that, and what penalty="auto" chose for it.

    The rounds take half of the time that there is, each an equal part of it, and the last network what is left.
    """
    warn_of_identifiers(table)
    rounds = 0 if table.complete else options.rounds
    quick = replace(options, penalty=options.penalty if options.auto is None else QUICK, boost=None)
    half, left = work.share(0.5).silent(), iter(range(rounds, 0, -1))
    learned: list[tuple[TrainingRows, Choice | None]] = []

    def learn_last(rows: Dataset) -> Network:
        training = TrainingRows(rows)
        last = replace(work, progress=lambda done, nodes: report(rounds + done))
        network, choice = _network(training, options, last)
        learned.append((training, choice))
        return network

    completed = complete_and_learn(
        table,
        learn_last,
        between=lambda rows: _network(TrainingRows(rows), quick, half.share(1 / next(left)))[0],
        rounds=options.rounds,
        rng=rng,
        n_jobs=work.threads,
        progress=lambda done, total: report(done),
        order=order,
    )
    return completed, *learned[-1]


def _for_few(total: int, options: FitOptions) -> FitOptions:
    """The options, where rows are so few that none can be held out: with the best single penalty, and without boosting."""
    if total >= limits.FEW_ROWS:
        return options
    return replace(options, penalty=options.penalty if options.auto is None else QUICK, boost=None)


def check_order(domain: Domain, options: FitOptions) -> None:
    """Errors of an order that is given, before anything is learned."""
    if options.order is None:
        raise LearningError(
            'order is "auto", or the names of all variables in order: a fitted model has an ordered law. The paper\'s '
            "network alone is learned by depnet.learn(dataset)."
        )
    if options.mixture is not None:
        check_mixture(options.mixture, options)
    node_specs(domain, options)


def _ladder_near(auto: Auto | None, beside: Choice) -> Auto:
    """The ladder near the rung that was best for the network beside."""
    assert auto is not None  # the network beside has chosen from it
    first = max(auto.penalties.index(beside.pooled[0]) - BEFORE, 0)
    return replace(auto, penalties=auto.penalties[first:], patience=min(auto.patience, PATIENCE))
