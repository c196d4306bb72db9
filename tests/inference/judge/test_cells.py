"""Tail masses of cells and rows: as the slow ones, no more than the model says, of numbers beyond all others, with holes.

Cell laws are the parts of a row's score; rows are listed as plain lists say, the lowest score first, equal ones together.
"""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Dataset, Network
from depnet.data import Holed
from depnet.data.table.values import Values
from depnet.errors import ModelError
from depnet.inference.judge.cells import Column, Order, cell_laws, joined, matching_rows, row_list, row_scores
from depnet.model.evidence import Evidence
from tests.model.test_score import rows_for
from tests.narrowed import there
from tests.reference.oddness import category_tail, ordered_tail, row_tail, upper_share
from tests.refusals import refuses
from tests.strategies import mixed_networks, networks, seeds


def people(rows: int = 2000, unit: float = 1.0) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.gamma(9, 5, rows).round()
    return pd.DataFrame(
        {
            "age": age * unit,
            "income": np.exp(rng.normal(8 + age / 40, 0.5)) * (rng.random(rows) > 0.2),
            "town": rng.choice([f"t{k}" for k in range(200)], rows),
            "works": np.where(age < 16, "no", rng.choice(["yes", "no"], rows)),
        }
    )


@pytest.fixture(scope="module")
def model() -> depnet.DependencyNetwork:
    return depnet.DependencyNetwork(random_state=0).fit(people())


@given(networks() | mixed_networks(), seeds)
def test_each_tail_is_the_slow_one(network: Network, seed: int) -> None:
    rows = rows_for(network, seed, 5, weighted=False)
    found = cell_laws(network, rows)
    tails = found.tails
    for i, (variable, node) in enumerate(zip(network.domain.variables, network.nodes, strict=True)):
        shares = Column.of(network, i).shares.tolist()
        for r, theta in enumerate(node.probabilities(rows.codes).tolist()):
            x = int(rows.codes[r, i])
            expected = (
                category_tail(theta, x)
                if not variable.has_order
                else ordered_tail(theta, shares, x, present=len(variable.present_states))
            )
            assert tails[r, i] == pytest.approx(max(expected, 1e-280), rel=1e-9)
    expected_rows = [row_tail(own) for own in tails.tolist()]
    np.testing.assert_allclose(joined(tails), expected_rows, rtol=1e-9)
    np.testing.assert_allclose(found.row_tails, expected_rows, rtol=1e-9)


def test_a_number_counts_by_itself_in_the_outermost_bins(model: depnet.DependencyNetwork) -> None:
    network, table = model.network_, model.data_
    some = there(table).rows_at(np.arange(300))
    laws = cell_laws(network, some)
    for i in (0, 1):
        column, bins = Column.of(network, i), network.domain.variables[i].bins
        assert bins is not None
        kept = [[float(v) for v in own] for own in bins.quantiles]
        turned = [[-v for v in reversed(own)] for own in reversed(kept)]
        masses = column.shares.tolist()
        for r, theta in enumerate(network.nodes[i].probabilities(some.codes).tolist()):
            x, value = int(some.codes[r, i]), float(some.numbers(i)[r])  # type: ignore[index]  # they are kept
            high = upper_share(kept, masses, column.rows, value) if x == len(bins) - 1 else 1.0
            low = upper_share(turned, masses[::-1], column.rows, -value) if x == 0 else 1.0
            expected = ordered_tail(theta, masses, x, low=low, high=high, present=len(bins))
            assert laws.tails[r, i] == pytest.approx(expected, rel=1e-6)


def test_the_unit_of_a_column_does_not_matter(model: depnet.DependencyNetwork) -> None:
    other = depnet.DependencyNetwork(random_state=0).fit(people(unit=1000.0))
    np.testing.assert_allclose(
        model.oddness(people()).tails, other.oddness(people(unit=1000.0)).tails, rtol=1e-6
    )


def test_no_more_cells_are_odd_than_the_model_says(model: depnet.DependencyNetwork) -> None:
    drawn = model.oddness(model.sample(20_000)).tails
    for t in (0.2, 0.1, 0.05, 0.01):
        assert (drawn <= t).mean(axis=0).max() < t * 1.15 + 0.002
    assert 0.002 < (drawn <= 0.05).mean() < 0.05
    town = model.domain_.index("town")
    assert (drawn[:, town] <= 0.1).mean() < 0.11  # though each of 200 states has a probability of 0.005


def test_values_beyond_all_others_are_the_oddest(model: depnet.DependencyNetwork) -> None:
    scores = model.oddness(people()).row_tails
    typed = people().iloc[:50].assign(age=[120.0 + k for k in range(50)])
    found = model.oddness(typed)
    assert max((scores < tail).mean() for tail in found.row_tails.tolist()) < 0.01
    one = pd.concat([people().iloc[:1]] * 50).assign(age=[120.0 + k for k in range(50)])
    assert (np.diff(model.oddness(one).tails[:, model.domain_.index("age")]) < 0).all()


@pytest.mark.parametrize(
    "rows", [400, 2000]
)  # of an outermost bin, every second row is kept, and one of four
@pytest.mark.parametrize("age", [440.0, -90.0])
def test_a_mistake_in_the_learned_table_does_not_hide_itself(rows: int, age: float) -> None:
    learned = people(rows)
    learned.loc[7, "age"] = age
    model = depnet.DependencyNetwork(random_state=0).fit(learned)
    assert model.oddness(learned).row_tails.argmin() == 7
    assert model.oddness(learned).tails[7, model.domain_.index("age")] < 1e-6


def test_a_hole_is_never_odd_and_others_are_judged_without_it(model: depnet.DependencyNetwork) -> None:
    table = there(model.data_)
    hidden = np.random.default_rng(1).random(table.codes.shape) < 0.1
    hidden[0] = True
    codes = table.codes.copy()
    codes[hidden] = 0
    # What stands in a hole is not looked at.
    values = Values({i: np.where(hidden[:, i], 1e9, numbers) for i, numbers in (table.values or {}).items()})
    holed = Holed(table.domain, codes, hidden, values=values)
    laws, whole = cell_laws(model.network_, holed), cell_laws(model.network_, table)
    assert (laws.tails[hidden] == 1.0).all()
    assert np.isnan(laws.theta[hidden]).all()
    assert (laws.best[hidden] == -1).all()
    assert laws.row_tails[0] == 1.0
    full = ~hidden.any(axis=1)
    np.testing.assert_allclose(laws.tails[full], whole.tails[full], rtol=1e-9)
    assert (laws.tails[~hidden] <= 0.05).mean() < 0.05
    np.testing.assert_allclose(
        np.exp(row_scores(model.network_, holed, 10**9).each), laws.row_tails, rtol=1e-9
    )


def test_missing_as_a_state_may_be_odd() -> None:
    rng = np.random.default_rng(0)
    paid = rng.choice(["yes", "no"], 3000, p=[0.6, 0.4])
    amount = pd.Series(rng.normal(100, 10, 3000)).where(paid == "yes")
    table = pd.DataFrame({"paid": paid, "amount": amount})
    model = depnet.DependencyNetwork(random_state=0, missing="state").fit(table)
    odd = pd.DataFrame({"paid": ["yes", "no"], "amount": [np.nan, np.nan]})
    tails = model.oddness(odd).tails
    assert tails[0, 1] < 0.01 < 0.9 < tails[1, 1]


def test_a_table_without_values_is_judged_by_its_bins(model: depnet.DependencyNetwork) -> None:
    table = there(model.data_)
    bare = Dataset.from_codes(table.codes, domain=table.domain)
    assert (cell_laws(model.network_, bare).tails >= cell_laws(model.network_, table).tails - 1e-12).all()


@given(networks(), seeds)
def test_each_cell_is_what_its_node_says(network: Network, seed: int) -> None:
    rows = rows_for(network, seed, 5, weighted=False)
    laws = cell_laws(network, rows)
    last = len(network) - 1
    only = cell_laws(network, rows, [last])
    assert np.array_equal(only.theta[:, 0], laws.theta[:, last])
    for i, node in enumerate(network.nodes):
        for r, leaf in enumerate(node.source(rows.codes).tolist()):
            theta = node.table.probabilities[leaf]
            assert laws.theta[r, i] == theta[rows.codes[r, i]]
            assert laws.best_theta[r, i] == theta.max() == theta[laws.best[r, i]]


def test_rows_of_another_domain_are_refused() -> None:
    network = Network.from_joint([[0.4, 0.1], [0.2, 0.3]])
    refuses(ModelError, "1 variables, the network 2", cell_laws, network, Dataset.from_codes([[0]], [2]))


PEOPLE = depnet.titanic()
SOME = Dataset.from_codes(PEOPLE.codes[::37], domain=PEOPLE.domain)
SCORES = row_scores(depnet.learn(PEOPLE, smoothing=0.5), SOME, 10**9)


def expected(by: Order, down: bool, once: bool, sex: int | None, text: str) -> list[int]:
    """Row by row: those that match, in a stable order, and of equal ones the first."""
    variables, codes = SOME.domain.variables, SOME.codes.tolist()
    labels = [[str(v.states[code]) for v, code in zip(variables, row, strict=True)] for row in codes]
    rows = [
        r
        for r in range(SOME.rows)
        if (sex is None or codes[r][1] == sex)
        and (not text or any(text in label.lower() for label in labels[r]))
    ]

    def key(r: int) -> Any:
        return r if by == "row" else SCORES.each[r] if by == "score" else codes[r][by]

    first = {tuple(codes[r]): r for r in reversed(rows)}
    kept = [r for r in rows if not once or first[tuple(codes[r])] == r]
    return sorted(kept, key=lambda r: -key(r) if down else key(r))


@given(
    st.sampled_from(["score", "row", 0, 3]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 0, 1]),
    st.sampled_from(["", "crew", "CHILD", "nobody has this"]),
)
def test_rows_are_listed_as_one_would_by_hand(
    by: Order, down: bool, once: bool, sex: int | None, text: str
) -> None:
    known = None if sex is None else Evidence.parse(SOME.domain, {"sex": ("female", "male")[sex]})
    found = row_list(SOME, SCORES, by=by, down=down, once=once, evidence=known, text=text)
    assert found.rows.tolist() == expected(by, down, once, sex, text.lower())
    assert found.alike.sum() == found.matching == matching_rows(SOME, known, text).sum()


LAW = depnet.learn(PEOPLE, smoothing=0.5, order="auto")


def test_the_most_surprising_rows_come_first_and_equal_ones_together() -> None:
    scores = row_scores(LAW, PEOPLE, 10**9)
    np.testing.assert_allclose(np.exp(scores.each), cell_laws(LAW, PEOPLE).row_tails)
    assert np.array_equal(scores.each[scores.order], np.sort(scores.each))
    assert scores.kinds == len(np.unique(PEOPLE.codes, axis=0))
    for first, last in itertools.pairwise(scores.begins.tolist()):
        assert len(np.unique(PEOPLE.codes[scores.order[first:last]], axis=0)) == 1


def test_work_is_bounded_and_what_progress_raises_ends_it() -> None:
    told: list[float] = []
    scores = row_scores(LAW, PEOPLE, 400, told.append)
    assert told == [0.0, 1.0]
    assert (len(scores.each), scores.rows) == (100, PEOPLE.rows)

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        row_scores(LAW, PEOPLE, 400, stop)
