"""Hidden classes: started as their twin says, drawn by what the law says of a row, and summed out of it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Dataset, Mixture, learn, score
from depnet.arrays import FloatArray, IntArray
from depnet.data.table.variable import Domain, Variable
from depnet.data.table.weights import survey_weights
from depnet.learning import mixture as learning
from depnet.learning.classes import draw_classes, em, product_mixture, with_class, without_class
from depnet.learning.rows import distinct_rows
from depnet.model.mixture import class_shares
from depnet.model.score import score_samples
from tests.boosted import with_boosted_nodes
from tests.laws import assert_same_law
from tests.reference import classes as twin
from tests.reference import mixtures
from tests.strategies import random_ordered_network, seeds


@given(seeds, st.integers(1, 3), st.integers(1, 3))
def test_em_equals_its_twin(seed: int, classes: int, steps: int) -> None:
    rng = np.random.default_rng(seed)
    cards = tuple(int(k) for k in rng.integers(1, 4, size=3))
    codes = np.stack([rng.integers(0, k, size=8) for k in cards], axis=1).astype(np.uint8)
    counts = rng.integers(1, 5, size=8)
    shares = rng.dirichlet(np.ones(classes), size=8)
    weights, theta = em(codes, counts, cards, shares, steps)
    slow = shares.tolist()
    for _ in range(steps):
        expected = twin.maximise(codes.tolist(), counts.tolist(), cards, slow)
        slow = twin.expect(codes.tolist(), *expected)
    np.testing.assert_allclose(weights, expected[0], rtol=0, atol=1e-4)
    flat = [[p for column in columns for p in column] for columns in expected[1]]
    np.testing.assert_allclose(theta, flat, rtol=0, atol=1e-4)


def in_three_classes(rows: int, seed: int, columns: int = 9) -> tuple[Dataset, IntArray]:
    """Columns of three states, which the class, hidden, makes likely or not; and the classes."""
    rng = np.random.default_rng(seed)
    hidden = rng.choice(3, size=rows, p=[0.5, 0.3, 0.2])
    likely = rng.dirichlet(np.full(3, 0.4), size=(3, columns))
    codes = (rng.random((rows, columns, 1)) > likely.cumsum(axis=2)[hidden, :, :2]).sum(axis=2)
    return Dataset.from_codes(codes, [3] * columns), hidden


def test_steps_make_rows_more_likely_and_shuffled_shares_do_not() -> None:
    """EM ascends what it maximises: the log-likelihood of the rows, with one row more in each class."""
    rows, _ = in_three_classes(400, 0)
    start = np.random.default_rng(1).dirichlet(np.ones(3), size=rows.rows)
    counts = np.ones(rows.rows)

    def reached(steps: int, shares: FloatArray) -> float:
        weights, theta = em(rows.codes, counts, rows.domain.cardinalities, shares, steps)
        logs = np.log(theta)
        begin = 3 * np.arange(9)
        of_rows = np.logaddexp.reduce(logs[:, rows.codes + begin].sum(axis=2) + np.log(weights)[:, None])
        whole = np.concatenate([np.bincount(rows.column(j), minlength=3) + 0.5 for j in range(9)])
        whole /= rows.rows + 1.5
        return float(of_rows.sum() + (logs @ whole).sum() + np.log(weights).sum())

    curve = [reached(steps, start) for steps in (1, 2, 4, 8, 16, 32)]
    assert all(after > before - 1e-3 for before, after in pairwise(curve))
    assert curve[-1] > curve[0] + 100
    with pytest.raises(AssertionError):
        assert reached(1, np.random.default_rng(2).permutation(start)) > curve[-1] - 100


def test_classes_are_found() -> None:
    rows, hidden = in_three_classes(3_000, 3)
    found = product_mixture(rows, 3, 0)
    shares = class_shares(found, np.stack([score_samples(each, rows) for each in found.components]))
    joint = np.zeros((3, 3))
    np.add.at(joint, (hidden, shares.argmax(axis=0)), 1 / rows.rows)
    assert joint.max(axis=1).sum() > 0.85
    assert product_mixture(rows, 3, 0).weights == found.weights


def test_drawn_classes_follow_the_law_of_each_row_and_not_another() -> None:
    rng = np.random.default_rng(0)
    parts = [random_ordered_network(rng, [2, 2], [0, 1]) for _ in range(3)]
    mixture = Mixture(parts, [0.2, 0.3, 0.5])
    rows = Dataset.from_codes([[0, 1]] * 80_000 + [[1, 1]] * 80_000, [2, 2])
    drawn = draw_classes(rows, mixture, 1)
    assert drawn.total == rows.total
    logs = np.stack([score_samples(each, Dataset.from_codes([[0, 1]], [2, 2])) for each in parts])
    first = drawn.codes[:, 0] == 0
    counts = np.bincount(drawn.codes[first, 2], drawn.weights[first], minlength=3)  # type: ignore[index]
    assert_same_law(counts, class_shares(mixture, logs)[:, 0], detects_l1=0.05)
    with pytest.raises(AssertionError, match="L1 distance"):
        assert_same_law(counts, np.array(mixture.weights), detects_l1=0.05)


def test_draws_do_not_depend_on_the_order_of_rows_or_on_weights() -> None:
    rows, _ = in_three_classes(500, 1, columns=4)
    mixture = product_mixture(rows, 2, 0)
    order = np.random.default_rng(0).permutation(rows.rows)
    again = Dataset.from_codes(rows.codes[order], domain=rows.domain)
    distinct = distinct_rows(rows)
    once = Dataset.from_codes(rows.codes[distinct.rows], domain=rows.domain, weights=distinct.counts)
    assert product_mixture(again, 2, 0) == product_mixture(once, 2, 0) == mixture
    drawn = [draw_classes(each, mixture, 0) for each in (rows, again, once)]
    assert (drawn[0].codes == drawn[1].codes).all()
    assert (drawn[0].codes == drawn[2].codes).all()
    assert (drawn[0].weights == drawn[2].weights).all()  # type: ignore[union-attr]


@given(seeds, st.booleans())
def test_a_class_summed_out_leaves_the_law_of_the_others(seed: int, boosted: bool) -> None:
    rng = np.random.default_rng(seed)
    network = random_ordered_network(rng, [2, 3, 2, 3], [3, *rng.permutation(3).tolist()], zeros=0.2)
    network = with_boosted_nodes(rng, network) if boosted else network
    law, expected = mixtures.law(without_class(network)), twin.without_last(network)
    np.testing.assert_allclose(law, expected, rtol=1e-9, atol=1e-12)


def test_mutant_classes_that_are_all_as_likely_are_noticed() -> None:
    network = random_ordered_network(np.random.default_rng(0), [2, 3, 3], [2, 0, 1])
    even = Mixture(without_class(network).components)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(mixtures.law(even), twin.without_last(network), rtol=1e-3)


def test_summed_out_tables_have_no_counts_of_one_class_and_names_are_free() -> None:
    rows, _ = in_three_classes(200, 2, columns=3)
    drawn = draw_classes(rows, product_mixture(rows, 2, 0), 0)
    found = without_class(learn(drawn, order=[drawn.domain.names[-1], *rows.domain.names], smoothing=0.5))
    assert all(node.counts is None for network in found.components for node in network.nodes)
    domain = Domain.from_cardinalities([2, 2])
    assert with_class(with_class(domain, 2), 2).names == ("X0", "X1", "X0 class", "X0 class class")


def test_held_out_rows_choose_a_class_where_there_is_one() -> None:
    """Many columns of one class each: a class gains, whatever the threads; of independent columns it does not."""
    both, _ = in_three_classes(1_200, 4, columns=24)
    rows, judge, fresh = (Dataset.from_codes(both.codes[at::3], domain=both.domain) for at in range(3))
    settings = {"penalty": "auto", "smoothing": 0.5, "validation": judge}
    found = [learn(rows, mixture=1, n_jobs=n, **settings) for n in (1, 2)]  # type: ignore[call-overload]
    one = learn(rows, order="auto", **settings)  # type: ignore[call-overload]
    assert found[0] == found[1]
    assert len(found[0].components) > 1
    assert score(found[0], fresh) > score(one, fresh)
    held_out = found[0].held_out
    np.testing.assert_allclose(held_out.score, score(found[0], judge), rtol=1e-9)
    assert held_out.score > one.held_out.score
    apart = Dataset.from_codes(np.random.default_rng(0).integers(0, 2, size=(400, 3)), [2, 2, 2])
    assert len(learn(apart, mixture=2, penalty="auto", smoothing=0.5).components) == 2
    surveyed = Dataset(rows.domain, rows.codes, survey_weights(1 + np.arange(rows.rows) % 2, rows.rows))
    assert len(learn(surveyed, mixture=1, penalty="auto", smoothing=0.5).components) == 1


def test_classes_of_numbers_and_categories_make_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "_gains", lambda more: True)
    rng = np.random.default_rng(0)
    bins: tuple[str | int, ...] = (0, 1, 2, 3, "?")
    variables = [
        Variable("x", bins, missing="?"),
        Variable("sex", ("f", "m")),
        Variable("place", tuple("abc")),
    ]
    codes = np.stack([rng.integers(0, k, size=200) for k in (5, 2, 3)], axis=1)
    rows = Dataset.from_codes(codes, domain=Domain(tuple(variables)))
    found = learn(
        rows, mixture=2, penalty="auto", smoothing=0.5, boost="auto", cuts=True, roles={"place": "target"}
    )
    assert len(found.components) == 2 * learning.MOST_CLASSES
    assert found.domain == rows.domain
    np.testing.assert_allclose(mixtures.law(found).sum(), 1, rtol=1e-9)
    assert all(network.order is not None and network.order[-1] == 2 for network in found.components)


def test_rounds_have_seeds_of_their_own() -> None:
    assert learning.ROUNDS * learning.ROUND_STEP < 2**32
    assert learning.ROUND_STEP > learning.MOST_COMPONENTS
