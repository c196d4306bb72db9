"""Two models, or a model and a table, side by side, against what the exact laws say; how near drawn rows are to the data."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset, Domain, Network, Variable, compare, learn, score, stationary, titanic
from depnet.data.table.dataset import Holed, holed_rows
from depnet.errors import DataError, ModelError
from depnet.inference.judge.compare import scored
from depnet.inference.judge.nearness import by_chance, nearness
from depnet.model.marginals import MarginalCounts
from depnet.model.scan import RandomScan
from depnet.model.score import score_samples
from tests.narrowed import there
from tests.refusals import refuses
from tests.strategies import datasets, random_joint, seeds

PEOPLE = titanic()
ROWS = 40_000


def generator() -> np.random.Generator:
    return np.random.default_rng(7)


def test_distances_are_those_of_the_exact_laws() -> None:
    """Each of the 2 tables of K cells is off by less than sqrt(2 (K log 2 + log 1e9) / N) / 2 in total variation,
    with a false alarm of 1e-9 (Bretagnolle and Huber-Carol).
    """
    close, apart = learn(PEOPLE, smoothing=0.5), learn(PEOPLE, smoothing=200.0)
    found = compare(close, apart, rows=ROWS, rng=generator())
    laws = [stationary(network, RandomScan()) for network in (close, apart)]
    cards = PEOPLE.domain.cardinalities
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    largest = 0.0
    for at, (i, j) in enumerate(pairs):
        others = tuple(k for k in range(4) if k not in (i, j))
        exact = np.abs(laws[0].sum(axis=others) - laws[1].sum(axis=others)).sum() / 2
        radius = math.sqrt(2 * (cards[i] * cards[j] * math.log(2) + math.log(1e9)) / ROWS)
        assert abs(there(found.marginals.pairs)[at] - exact) < radius
        largest = max(largest, exact - radius)
    assert largest > 0.05, "the two laws differ by more than the test resolves"


@pytest.mark.parametrize("test_rows", [50, 400_000])
def test_a_table_of_the_model_s_own_law_is_apart_by_chance(test_rows: int) -> None:
    """The floor knows both sides' sizes: a small table is far from its own law. Means of 6 pairs, of 20 tables."""
    network = learn(PEOPLE, smoothing=0.5)
    law = stationary(network, RandomScan()).ravel()
    rng, ratios = generator(), []
    for _ in range(20):
        weights = rng.multinomial(test_rows, law / law.sum())
        codes = np.stack(np.unravel_index(np.arange(law.size), PEOPLE.domain.cardinalities), axis=1)
        table = Dataset.from_codes(codes, domain=PEOPLE.domain, weights=weights)
        near = compare(network, table, rows=4_000, rng=rng).marginals
        ratios.append(near.two_way / near.floor_two_way)
    assert 0.6 < np.median(ratios) < 1.6


def test_laws_are_compared_by_their_likelihoods() -> None:
    close = learn(PEOPLE, smoothing=0.5, order="auto")
    apart = learn(PEOPLE, smoothing=200.0, order="auto")
    found = compare(close, apart, PEOPLE, rows=ROWS, rng=generator())
    laws = [stationary(network) for network in (close, apart)]
    gain = (laws[0] * np.log(laws[0] / laws[1])).sum()  # KL of the two laws, from rows of the first
    drawn = found.score("first", "first") - found.score("first", "second")
    assert drawn == pytest.approx(gain, abs=0.02)  # some 10 standard errors
    assert gain > 0.1
    assert found.score("data", "first") == pytest.approx(score(close, PEOPLE), abs=1e-12)
    near = compare(close, close, rows=ROWS, rng=generator()).marginals
    assert near.two_way < 2 * near.floor_two_way < found.marginals.two_way
    with pytest.raises(DataError, match="ordered law and the other is not"):
        compare(close, learn(PEOPLE, smoothing=0.5))


def test_one_variable_has_no_pairs() -> None:
    coins = Dataset.from_codes([[0], [1]] * 50, cardinalities=[2])
    text = str(compare(learn(coins, smoothing=0.5), coins, rows=100, rng=generator()))
    assert "single columns" in text
    assert "nan" not in text


def test_links_gained_and_lost() -> None:
    many, few = learn(PEOPLE), learn(PEOPLE, max_leaves=4)
    found = compare(many, few, rows=100)
    names = PEOPLE.domain.names
    reads = [
        {(names[j], names[n.variable]) for n in network.nodes for j in n.source.inputs}
        for network in (many, few)
    ]
    assert set(there(found.lost)) == reads[0] - reads[1]
    assert found.lost
    assert set(there(found.kept)) == reads[0] & reads[1]
    back = compare(few, many, rows=100)
    assert back.gained == found.lost


def test_scores_on_a_table_are_the_library_s_and_the_difference_is_paired() -> None:
    many, few = learn(PEOPLE, penalty="none", smoothing=0.5), learn(PEOPLE, smoothing=0.5)
    found = compare(few, many, PEOPLE, rows=1000, rng=generator())
    assert found.score("data", "first") == pytest.approx(score(few, PEOPLE), abs=1e-12)
    assert found.score("data", "second") == pytest.approx(score(many, PEOPLE), abs=1e-12)
    each = score_samples(many, PEOPLE) - score_samples(few, PEOPLE)
    difference = there(found.difference)
    assert difference.mean == pytest.approx(each.mean(), abs=1e-12)
    assert difference.standard_error == pytest.approx(each.std() / math.sqrt(2201), rel=1e-9)
    assert "times as likely by second as by first" in str(found)


def test_weights_count_as_rows() -> None:
    network = learn(PEOPLE, smoothing=0.5)
    distinct, counts = np.unique(PEOPLE.codes, axis=0, return_counts=True)
    weighed = Dataset.from_codes(distinct, domain=PEOPLE.domain, weights=counts)
    one = scored("data", "first", score_samples(network, PEOPLE), PEOPLE)
    other = scored("data", "first", score_samples(network, weighed), weighed)
    assert one.mean == pytest.approx(other.mean, abs=1e-12)
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)


def test_other_variables_are_left_out_and_said() -> None:
    first = Network.from_joint(np.full((2, 2), 0.25))
    domain = Domain((Variable("X1", (0, 1)), Variable("X0", ("a", "b")), Variable("more", (0, 1, 2))))
    second = Network.from_joint(np.full((2, 2, 3), 1 / 12), domain)
    found = compare(first, second, rows=1000, rng=generator())
    assert found.shared == ("X1",)
    assert found.differing == ("X0", "more")
    assert found.marginals.names == ("X1",)
    assert {(s.rows_of, s.by) for s in found.scores} == {("first", "first"), ("second", "second")}
    with pytest.raises(DataError, match="no variable in common"):
        compare(first, Network.from_joint([0.5, 0.5], Domain((Variable("Z", (0, 1)),))))


def test_a_row_of_probability_0_has_the_score_minus_infinity() -> None:
    network = Network.from_joint(np.array([[0.5, 0.0], [0.0, 0.5]]))
    table = Dataset.from_codes([[0, 1], [0, 0]], [2, 2])
    result = scored("data", "first", score_samples(network, table), table)
    assert result.mean == -math.inf
    assert math.isnan(result.standard_error)
    with pytest.raises(DataError, match="no rows of data"):
        scored("data", "first", np.empty(0), Dataset.from_codes(np.empty((0, 2), dtype=int), [2, 2]))


def with_gaps(rows: Dataset, share: float, seed: int) -> Holed:
    hidden = np.random.default_rng(seed).random(rows.codes.shape) < share
    return holed_rows(rows.domain, rows.codes, hidden)


def test_a_table_with_holes_is_compared_by_all_that_it_knows() -> None:
    law = learn(PEOPLE, smoothing=0.5, order="auto")
    holed = with_gaps(PEOPLE, 0.3, 0)
    found = compare(law, holed, rows=ROWS, rng=generator())
    drawn = compare(law, PEOPLE, rows=ROWS, rng=generator())
    for i, name in enumerate(found.marginals.names):
        known = holed.codes[~holed.hidden[:, i], i]
        shares = np.bincount(known, minlength=PEOPLE.domain.cardinalities[i]) / len(known)
        exact = np.bincount(PEOPLE.codes[:, i], minlength=len(shares)) / PEOPLE.rows
        moved = np.abs(shares - exact).sum() / 2
        assert abs(found.marginals.singles[i] - drawn.marginals.singles[i]) <= moved + 1e-12, name
    # Rows of the law have the holes of the table's, so that both know as much, and the floor knows how many cells are known.
    scores = {each.rows_of: each for each in found.scores}
    error = math.hypot(scores["first"].standard_error, scores["data"].standard_error)
    assert abs(scores["first"].mean - scores["data"].mean) < 4 * error
    assert found.marginals.floor_one_way > drawn.marginals.floor_one_way
    assert found.marginals.two_way < 2 * found.marginals.floor_two_way


def test_two_laws_are_compared_on_rows_with_holes_pair_by_pair() -> None:
    near, far = (learn(PEOPLE, smoothing=s, order="auto") for s in (0.5, 300.0))
    table = Dataset.from_codes(np.tile(PEOPLE.codes, (3, 1)), domain=PEOPLE.domain)
    found = compare(near, far, with_gaps(table, 0.4, 1), rows=1000, rng=generator())
    assert found.difference is not None
    assert found.difference.mean < -4 * found.difference.standard_error < 0
    data = [each for each in found.scores if each.rows_of == "data"]
    assert found.difference.mean == pytest.approx(data[1].mean - data[0].mean)


def shares(table: Dataset, variables: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    """The relative frequencies of states, by a loop over rows."""
    found: Counter[tuple[int, ...]] = Counter()
    weights = np.ones(table.rows) if table.weights is None else table.weights
    for row, weight in zip(table.codes.tolist(), weights.tolist(), strict=True):
        found[tuple(row[i] for i in variables)] += weight / table.total
    return found


def slow_distance(first: Dataset, second: Dataset, variables: tuple[int, ...]) -> float:
    """Half the sum over states of the difference of relative frequencies."""
    p, q = shares(first, variables), shares(second, variables)
    return sum(abs(p[state] - q[state]) for state in p.keys() | q.keys()) / 2


def slow_floor(table: Dataset, variables: tuple[int, ...], n: int) -> float:
    """Half the sum over states of E|K / n - p|, K binomial, by a sum over all K."""
    total = 0.0
    for p, k in itertools.product(shares(table, variables).values(), range(n + 1)):
        total += math.comb(n, k) * p**k * (1 - p) ** (n - k) * abs(k / n - p)
    return total / 2


@given(datasets(weighted=True), seeds)
def test_distances_and_floors_are_their_definitions(table: Dataset, seed: int) -> None:
    rng = np.random.default_rng(seed)
    if not table.total:
        return
    n, rows = len(table.domain), int(rng.integers(1, 31))
    codes = rng.integers(0, table.domain.cardinalities, size=(rows, n))
    drawn = Dataset.from_codes(codes, domain=table.domain)
    found = nearness(drawn, table)
    pairs = list(itertools.combinations(range(n), 2))
    singles = [slow_distance(drawn, table, (i,)) for i in range(n)]
    np.testing.assert_allclose(found.singles, singles, rtol=0, atol=1e-12)
    floors = [slow_floor(table, (i,), rows) for i in range(n)]
    assert found.floor_one_way == pytest.approx(np.mean(floors), abs=1e-9)
    np.testing.assert_allclose(
        there(found.pairs), [slow_distance(drawn, table, pair) for pair in pairs], rtol=0, atol=1e-12
    )
    if pairs:
        floors = [slow_floor(table, pair, rows) for pair in pairs]
        assert found.floor_two_way == pytest.approx(np.mean(floors), abs=1e-9)
    from_counts = nearness(drawn, MarginalCounts.of(table))
    assert from_counts.one_way == found.one_way


def drawn_from(p: np.ndarray, rows: int, rng: np.random.Generator) -> Dataset:
    states = rng.choice(p.size, size=rows, p=p.ravel())
    return Dataset.from_codes(np.column_stack(np.unravel_index(states, p.shape)), p.shape)


def test_a_perfect_model_is_at_its_floor_and_a_wrong_one_is_not() -> None:
    rng = np.random.default_rng(0)
    p = random_joint(rng, (2, 3, 2))
    table = drawn_from(p, 2_000_000, rng)

    def assert_at_its_floor(law: np.ndarray) -> None:
        found = nearness(drawn_from(law, 20_000, rng), table)
        assert found.two_way < 2.5 * found.floor_two_way

    assert_at_its_floor(p)
    with pytest.raises(AssertionError):
        assert_at_its_floor(0.7 * p + 0.3 / p.size)


def test_it_prints_itself_and_refuses_what_it_cannot_compare() -> None:
    table = depnet.titanic()
    shown = str(nearness(table, table))
    assert "2,201 drawn rows against the data" in shown
    assert "1-way: mean 0.0000" in shown
    assert "by chance alone" in shown
    refuses(ModelError, "nearness", lambda: nearness(table, Dataset.from_codes([[0]], [2])))
    refuses(
        DataError,
        r"compare: expected rows as codes.*encode\(frame",
        compare,
        learn(PEOPLE),
        [{"sex": "male"}],
    )
    empty = Dataset.from_codes(np.zeros((0, 4), dtype=np.uint8), domain=table.domain)
    refuses(DataError, "no rows", lambda: nearness(table, empty))
    one = Dataset.from_codes([[0], [1]], [2])
    assert math.isnan(by_chance(MarginalCounts.of(one), 10)[1])
