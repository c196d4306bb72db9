r"""the penalty "auto": the penalty and the smoothing chosen on held-out rows.

No one penalty is best everywhere. Every candidate, a penalty of the ladder with one of its smoothings, is
learned and scored by the pseudo-log-likelihood of rows it has not seen (of an ordered network the log-likelihood), node by
node (`trials` says how the choice follows).
The ladder goes from strict to generous and is left where the pooled score has not improved for some rungs, since generous
penalties cost the most time. Held out are the rows given as `validation`, else parts of the data (`held_out`). Then the
chosen penalties learn from all rows. What the held-out rows said of the choice stays with the network (`held_out`), and the
choice has the networks that were learned without each part of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from depnet.data.table.dataset import Dataset
from depnet.errors import LearningError
from depnet.learning.choose.ladder import Auto
from depnet.learning.choose.trials import Choice, Trials, Tuning
from depnet.learning.grow.node_specs import NodeSpec, chosen_specs
from depnet.learning.grow.nodes import learn_nodes
from depnet.learning.options import LearnOptions, Order, Progress, Role
from depnet.learning.rows.training import TrainingRows
from depnet.learning.work import Work
from depnet.model.counting import check_same_domain
from depnet.model.network import Network

TRIALS_SHARE = 0.75
"""Of the time that there is, what trials take at most."""


def learn_graphs(
    rows: TrainingRows, options: LearnOptions, work: Work, validation: Dataset | None = None
) -> tuple[Network, Choice | None]:
    """The network of these rows, of decision graphs, and what penalty="auto" chose, where it did.

    `validation` are rows to choose the penalty by; None: parts of the rows.
    """
    check_validation(validation, rows)
    specs = chosen_specs(rows.dataset, options)
    if options.auto is not None:
        return _learn_chosen(rows, specs, options.auto, options, work, validation)
    if validation is not None:
        raise LearningError(
            'validation rows are for the penalty "auto"; no other penalty looks at held-out rows.'
        )
    penalties = [options.fixed_penalty] * len(specs)
    return learn_nodes(rows, specs, penalties, options, work, smoothing=options.smoothing), None


def _learn_chosen(
    rows: TrainingRows,
    specs: Sequence[NodeSpec],
    auto: Auto,
    options: LearnOptions,
    work: Work,
    validation: Dataset | None,
) -> tuple[Network, Choice]:
    """With chosen penalties and smoothings."""
    trials, stages = _tried(rows, specs, auto, options, work.share(TRIALS_SHARE), validation)
    choice = trials.choice()
    del trials  # and with them the rows held out, before all rows are learned from
    last = work.stage(len(specs), stages - 1, stages)
    network = learn_nodes(rows, specs, choice.penalties, options, last)
    return replace(network.smoothed(choice.smoothings), held_out=choice.held_out), choice


def tune(
    dataset: Dataset,
    *,
    auto: Auto = Auto(),  # noqa: B008  # a frozen value
    smoothing: float = 0.5,
    validation: Dataset | None = None,
    order: Order = None,
    roles: Mapping[str, Role] | None = None,
    forbidden: Iterable[tuple[str, str]] = (),
    max_leaves: int | None = None,
    min_leaf_rows: int = 0,
    n_jobs: int | None = 1,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    cuts: bool = False,
) -> Tuning:
    """The ladder that `penalty="auto"` climbs, with the held-out score of every rung and smoothing, and the choice.

    Args:
        dataset: the rows.
        auto: the penalties and smoothings to choose from.
        smoothing: the unit of the smoothings tried.
        validation: the rows held out; None: parts of `dataset`.
        order, roles, forbidden, max_leaves, min_leaf_rows, n_jobs, max_seconds, progress, cuts: as of `learn`.

    Returns:
        A `Tuning`.

    >>> from depnet import titanic
    >>> tuning = tune(titanic(), auto=Auto(penalties=("mdl", "aic"), smoothings=(1.0, 2.0)))
    >>> tuning.scores.shape
    (2, 2)
    """
    options = LearnOptions(auto, smoothing, order, max_leaves, min_leaf_rows, roles, forbidden, cuts)
    rows = TrainingRows(dataset)
    check_validation(validation, rows)
    work = Work.of(n_jobs, max_seconds, progress)
    specs = chosen_specs(dataset, options)
    return _tried(rows, specs, auto, options, work, validation)[0].tuning()


def check_validation(validation: Dataset | None, rows: TrainingRows) -> None:
    """Refuse rows to score on that have other variables, or are none."""
    if validation is None:
        return
    check_same_domain("validation", rows.domain, validation)
    if validation.total == 0:
        raise LearningError("validation has no rows to score on; leave it out to hold out rows of the data.")


def _tried(
    rows: TrainingRows,
    specs: Sequence[NodeSpec],
    auto: Auto,
    options: LearnOptions,
    work: Work,
    validation: Dataset | None,
) -> tuple[Trials, int]:
    """The ladder climbed; and the stages that progress was told of, the last fit being one more."""
    if rows.total == 0:
        raise LearningError('the penalty "auto": the dataset has no rows; there is nothing to learn from.')
    parts = rows.held_out if validation is None else ((rows, validation),)
    stages = len(auto.penalties) * len(parts) + 1
    trials = Trials([held for _, held in parts], auto, options.smoothing)
    while not trials.over and not (work.over and trials.networks):
        rung = len(trials.networks)
        penalties = [auto.penalties[rung]] * len(specs)
        trials.add(
            [
                learn_nodes(
                    learned,
                    specs,
                    penalties,
                    options,
                    work.stage(len(specs), rung * len(parts) + number, stages),
                )
                for number, (learned, _) in enumerate(parts)
            ]
        )
    return trials, stages
