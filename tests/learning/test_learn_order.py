"""learn(order=...): the reference learner with earlier variables to read, and every option with it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet import Aic, Dataset, Mdl, Network, NoPenalty, SplitMerge, StructuralMdl, WithLossless, learn
from depnet.errors import DepnetError, LearningError, ModelError
from depnet.learning.cost import Auto, Penalty
from depnet.learning.framework import learn_parameters, learn_with
from depnet.learning.grow import TrainingRows
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import LearnOptions, node_specs
from depnet.learning.order import choose_order
from depnet.learning.rows import held_out
from depnet.model.score import score
from tests.learning.test_learn import penalties
from tests.learning.test_learn_options import copies
from tests.narrowed import there
from tests.reference.learning import learn_operations, learn_ordered
from tests.refusals import refuses
from tests.strategies import datasets, seeds

LADDER = Auto((StructuralMdl(), Mdl(), Aic()), (0.5, 2.0), standard_errors=0.5)


def names_of(dataset: Dataset, order: Any) -> list[str]:
    return [dataset.domain.names[i] for i in order]


def some_order(dataset: Dataset, seed: int) -> tuple[int, ...]:
    return tuple(np.random.default_rng(seed).permutation(len(dataset.domain)).tolist())


def operations(network: Network) -> list[list[Any]]:
    return [list(node.source.operations) for node in network.nodes]  # type: ignore[attr-defined]  # learned sources


@pytest.mark.parametrize("ordered", [True, False])
@settings(max_examples=2 * settings().max_examples)
@given(
    datasets() | datasets(weighted=True), penalties, st.none() | st.integers(1, 8), st.integers(0, 6), seeds
)
def test_equals_the_reference_with_weights_limits_forbidden_links_and_maybe_an_order(
    ordered: bool, dataset: Dataset, penalty: Penalty, max_leaves: int | None, min_leaf_rows: int, seed: int
) -> None:
    order, rng, n = some_order(dataset, seed), np.random.default_rng(seed), len(dataset.domain)
    barred = [(int(j), int(i)) for j, i in rng.integers(0, n, size=(rng.integers(n + 1), 2)) if i != j]
    limits: dict[str, Any] = {"max_leaves": max_leaves, "min_leaf_rows": min_leaf_rows}
    forbidden = [tuple(names_of(dataset, link)) for link in barred]
    by_name = names_of(dataset, order) if ordered else None
    network = learn(dataset, penalty=penalty, order=by_name, forbidden=forbidden, **limits)  # type: ignore[arg-type]
    assert network.order == (order if ordered else None)
    expected = learn_ordered(dataset, order, penalty, barred=barred, **limits) if ordered else []
    for i in range(0 if ordered else n):
        inputs = [j for j in range(n) if j != i and (j, i) not in barred]
        expected.append(learn_operations(dataset, (i,), penalty, inputs=inputs, **limits))
    assert operations(network) == expected


def test_mutant_another_order_is_noticed() -> None:
    dataset = copies()
    assert operations(learn(dataset, order=[2, 0, 3, 1])) == learn_ordered(dataset, [2, 0, 3, 1], Mdl())
    with pytest.raises(AssertionError):
        assert operations(learn(dataset, order=[0, 2, 3, 1])) == learn_ordered(dataset, [2, 0, 3, 1], Mdl())


@given(datasets(weighted=True), seeds)
def test_auto_is_the_chosen_order_and_rows_may_lie_anyhow(dataset: Dataset, seed: int) -> None:
    order = choose_order(dataset)
    network = learn(dataset, order="auto")
    assert network == learn(dataset, order=names_of(dataset, order))
    rows = np.random.default_rng(seed).permutation(dataset.rows)
    weights = None if dataset.weights is None else dataset.weights[rows]
    shuffled = Dataset.from_codes(dataset.codes[rows], weights=weights, domain=dataset.domain)
    assert learn(shuffled, order="auto") == network
    assert learn(dataset, order="auto", n_jobs=2) == network


@pytest.mark.parametrize("order", ["auto", ["X1", "X3", "X0", "X2"]])
def test_roles(order: Any) -> None:
    """Inputs come first and read earlier inputs; a target comes last, and nobody reads it."""
    network = learn(copies(), order=order, roles={"X1": "input", "X3": "input", "X2": "target"})
    assert network.order is not None
    assert set(network.order[:2]) == {1, 3}
    assert network.order[-1] == 2
    first, second = network.order[:2]
    assert network.nodes[first].inputs == ()
    assert network.nodes[second].inputs == (first,)
    assert network.nodes[0].inputs
    assert all(2 not in node.inputs for node in network.nodes)


def test_targets_do_not_read_each_other() -> None:
    network = learn(copies(), order=[0, 1, 3, 2], roles={"X3": "target", "X2": "target"})
    assert network.nodes[2].inputs == network.nodes[3].inputs == (0, 1)


def test_a_forbidden_link_turns_the_order_of_auto() -> None:
    dataset = Dataset.from_codes(copies().codes[:, :2], [2, 2])
    for source, target in (("X0", "X1"), ("X1", "X0")):
        network = learn(dataset, order="auto", forbidden=[(source, target)])
        assert network.order == (dataset.domain.index(target), dataset.domain.index(source))
        assert network.nodes[dataset.domain.index(source)].inputs, "the other way is allowed"
    neither = learn(dataset, order="auto", forbidden=[("X0", "X1"), ("X1", "X0")])
    assert all(node.inputs == () for node in neither.nodes)


def test_links_between_inputs_may_be_forbidden() -> None:
    roles: Any = {"X0": "input", "X1": "input"}
    network = learn(copies(), order=[0, 1, 2, 3], roles=roles, forbidden=[("X0", "X1")])
    assert network.nodes[1].inputs == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "names"}, 'order is None, "auto", or the names of all variables in order; got .names'),
        ({"order": 3}, "order is None"),
        ({"order": [0.0, 1.0, 2.0, 3.0]}, "order is None"),
        ({"order": ["X0", "X1", "X2"]}, "order names all 4 variables; 'X3' is missing"),
        ({"order": ["X2"]}, "'X0' and 2 more are missing"),
        ({"order": ["X0", "X1", "X2", "X2"]}, "'X2' is there twice"),
        ({"order": ["X0", "X1", "X2", "Y"]}, "no variable 'Y'"),
        ({"order": [0, 1, 2, 4]}, "there is no variable 4; the table has 4"),
        (
            {"order": [0, 1, 2, 3], "roles": {"X1": "input"}},
            "'X0' before 'X1', but 'X1' has the role 'input'",
        ),
        (
            {"order": [0, 1, 2, 3], "roles": {"X1": "target"}},
            "'X1' before 'X2', but 'X1' has the role 'target'",
        ),
    ],
)
def test_bad_orders_are_clear_errors(options: dict[str, Any], message: str) -> None:
    refuses(DepnetError, message, learn, copies(), **options)
    with pytest.raises(DepnetError, match=message):
        node_specs(copies().domain, LearnOptions(**options))  # before rows are read


def test_updated_networks_stay_ordered() -> None:
    dataset = copies()
    first, second = (
        Dataset.from_codes(dataset.codes[rows], domain=dataset.domain)
        for rows in (slice(0, 300), slice(300, 400))
    )
    network = learn(first, order="auto", smoothing=0.5)
    sources = [node.source for node in network.nodes]
    updated = network.updated(second)
    assert updated.order == network.order
    assert network.order is not None
    for order in (names_of(dataset, network.order), network.order):
        assert updated == learn_parameters(dataset, sources, smoothing=0.5, order=order)
    assert network.smoothed(2.0).order == network.order


def test_given_sources_are_checked_against_the_order() -> None:
    dataset = copies()
    sources: list[depnet.InformationSource] = [depnet.ConstantSource()] * 4
    sources[2] = depnet.LosslessSource((3,), (2,))
    with pytest.raises(ModelError, match="reads 'X3', which comes later in the order"):
        learn_parameters(dataset, sources, order=[2, 3, 0, 1])
    with pytest.raises(LearningError, match="'X3' is missing"):
        learn_parameters(dataset, [depnet.ConstantSource()] * 4, order=["X0", "X1", "X2"])


@settings(max_examples=25)
@given(datasets(max_variables=4, max_cardinality=3, max_rows=40), penalties, seeds)
def test_algorithm_3_with_an_order(dataset: Dataset, penalty: Penalty, seed: int) -> None:
    order = some_order(dataset, seed)
    assert learn_with(dataset, SplitMerge(), penalty=penalty, order=order) == learn(
        dataset, penalty=penalty, order=order
    )
    lossless = learn_with(dataset, WithLossless(), penalty=NoPenalty(), order="auto")
    assert lossless.order == choose_order(dataset)


def test_held_out_scores_are_those_of_the_parts() -> None:
    dataset = copies(rows=500, noise=0.2)
    for order in (None, "auto"):
        ladder = Auto((Mdl(),), (2.0,))
        network, choice = learn_with_choice(dataset, LearnOptions(penalty=ladder, smoothing=0.5, order=order))
        found = there(network.held_out)
        assert found == there(choice).held_out
        fixed = learn(dataset, order=order).order
        total = score_of_leaves = 0.0
        for rows, held in held_out(dataset):
            total += held.total * score(learn(rows, smoothing=1.0, order=fixed), held)
            alone = learn(rows, smoothing=0.5, max_leaves=1)
            score_of_leaves += held.total * score(alone, held)
        assert (found.rows, found.gained > 0) == (500, True)
        assert found.score == pytest.approx(total / 500, rel=1e-12)
        assert found.independent == pytest.approx(score_of_leaves / 500, rel=1e-12)


def test_what_was_tried_are_the_networks_without_each_part() -> None:
    dataset = copies(rows=500, noise=0.2)
    network, choice = learn_with_choice(dataset, LearnOptions(penalty=LADDER, smoothing=0.5, order="auto"))
    choice = there(choice)
    for tried, (rows, held) in zip(choice.tried, held_out(dataset), strict=True):
        assert rows.total + held.total == 500
        assert tried.order == network.order
        for i, (penalty, smoothing) in enumerate(zip(choice.penalties, choice.smoothings, strict=True)):
            again = learn(rows, penalty=penalty, smoothing=smoothing, order=network.order)
            assert again.nodes[i] == tried.nodes[i]
    assert learn_with_choice(dataset, LearnOptions(order="auto"))[1] is None


def test_validation_rows_judge_an_order_too() -> None:
    dataset, held = copies(), copies(rows=200, noise=0.3)
    options = LearnOptions(penalty=LADDER, smoothing=0.5, order="auto")
    network, choice = learn_with_choice(TrainingRows(dataset, validation=held), options)
    found = there(network.held_out)
    assert found.rows == 200
    assert there(choice).tried[0].nodes == network.nodes
    assert found.score == pytest.approx(score(network, held), rel=1e-12)
