"""Drawn rows keep the constraints of their law: none breaks one, whatever is given, and marginals stay."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from depnet import DependencyNetwork, Sampler, sample
from depnet.data import Dataset
from depnet.data.table.variable import Domain, Variable
from depnet.errors import EvidenceError
from depnet.model import ConstantSource, Network
from depnet.model.constraints import Before, Total, keeps
from depnet.model.node import TableNode
from depnet.model.table import ConditionalTable
from tests.laws import assert_same_law, joint_counts
from tests.reference import constraints as reference


def orders_frame(rows: int = 600, seed: int = 0) -> pd.DataFrame:
    """Dates in order, a total with cents, counts that add up, three numbers in order, and holes in one column."""
    rng = np.random.default_rng(seed)
    left = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 200, rows), unit="D")
    net = np.round(rng.gamma(2, 50, rows), 2)
    tax = np.round(net * 0.2 + rng.random(rows), 2)
    boys, girls = rng.integers(0, 40, rows), rng.integers(0, 7, rows)
    low = rng.normal(10, 5, rows)
    middle = low + rng.exponential(1, rows)
    found = {
        "left": left,
        "back": left + pd.to_timedelta(rng.poisson(3, rows), unit="D"),
        "net": net,
        "tax": tax,
        "total": np.round(net + tax, 2),
        "boys": boys,
        "girls": girls,
        "children": boys + girls,
        "low": low,
        "middle": middle,
        "high": np.where(rng.random(rows) < 0.2, np.nan, middle + rng.exponential(2, rows)),
        "kind": rng.choice(["a", "b"], rows),
    }
    return pd.DataFrame(found)


NAMES = ["left", "back", "net", "tax", "total", "boys", "girls", "children", "low", "middle", "high"]
ORDERS = [(0, 1, False), (2, 4, True), (8, 9, True), (9, 10, True)]
SUMS = [(4, (2, 3)), (7, (5, 6))]


def broken(frame: pd.DataFrame) -> int:
    """How many rows break what the table keeps, by the twin."""
    plain = frame[NAMES].copy()
    for name in ("left", "back"):
        plain[name] = (pd.to_datetime(plain[name]) - pd.Timestamp("2024-01-01")).dt.days
    rows = [[None if pd.isna(cell) else cell for cell in row] for row in plain.itertuples(index=False)]
    return reference.broken(rows, ORDERS, SUMS)


@pytest.fixture(scope="module")
def model() -> Any:
    return DependencyNetwork(random_state=0, penalty="mdl").fit(orders_frame())


def test_what_the_table_keeps_is_found_and_said(model: Any) -> None:
    told = [*map(str, model.constraints_)]
    assert set(told) >= {
        "back >= left",
        "middle > low",
        "high > middle",
        "total = net + tax",
        "children = boys + girls",
    }
    assert (
        next(c.say(model.domain_) for c in model.constraints_ if str(c) == "back >= left")
        == "back is never before left"
    )
    assert broken(orders_frame()) == 0


def test_no_drawn_row_breaks_one_and_without_constraints_many_do(model: Any) -> None:
    assert broken(model.sample(2_000, random_state=1)) == 0
    free = DependencyNetwork(random_state=0, penalty="mdl", constraints=None).fit(orders_frame())
    assert free.constraints_ == ()
    assert broken(free.sample(2_000, random_state=1)) > 500  # the mutant


@pytest.mark.parametrize(
    "given",
    [
        {"total": slice(100, 120)},
        {"total": ">100", "net": ">50", "tax": ">20"},
        {"boys": 5, "girls": 3},
        {"children": 10},
        {"children": 10, "boys": "<4"},
        {"back": "2024-03-05"},
        {"low": ">12", "high": "<14"},
        {"kind": {"a": 0.2, "b": 0.8}, "girls": {1: 1.0, 2: 1.0}},
        "low > 5 and total > 60 or children > 20",
        "back > left",
    ],
)
def test_what_is_given_holds_beside_them(model: Any, given: Any) -> None:
    rows = model.sample(300, given, random_state=2, holes=False)
    assert len(rows) == 300
    assert broken(rows) == 0
    for name, known in (given if isinstance(given, dict) else {}).items():
        column = rows[name]
        if isinstance(known, dict):
            assert set(column.unique()) <= set(known)
        elif isinstance(known, slice):
            assert column.between(known.start, known.stop, inclusive="left").all()
        elif isinstance(known, str) and known[0] in "<>":
            assert rows.eval(f"{name} {known}").all()
        else:
            assert (column == known).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"left": "2024-06-01", "back": "2024-01-02"}, "back >= left"),
        ({"boys": 5, "girls": 3, "children": 9}, "children = boys \\+ girls"),
    ],
)
def test_what_cannot_be_is_an_error_that_says_which(model: Any, given: Any, said: str) -> None:
    with pytest.raises(EvidenceError, match=f"none of .* rows keeps what is given.*{said}"):
        model.sample(10, given, random_state=0)


def test_rows_are_the_same_in_blocks_and_threads(model: Any) -> None:
    law = model.law_
    whole = sample(law, 9_000, rng=np.random.default_rng(3), n_jobs=2)
    blocks = [*Sampler(law, rng=np.random.default_rng(3)).blocks(9_000, block_rows=1_700)]
    assert np.array_equal(whole.codes, np.concatenate([block.codes for block in blocks]))
    assert whole.values is not None
    for i, numbers in whole.values.items():
        assert np.array_equal(numbers, np.concatenate([block.numbers(i) for block in blocks]))
    for i, variable in enumerate(law.domain.variables):
        if variable.bins is not None:
            known = whole.known(i)
            at = np.flatnonzero(np.ones(whole.rows, dtype=bool) if known is None else known)
            assert np.array_equal(variable.bins.locate(whole.values[i][at]), whole.codes[at, i])


def test_values_are_those_of_the_table_or_sums_of_them(model: Any) -> None:
    """Numbers that are drawn or moved are values of the table: cents stay cents, and no others come up."""
    table, rows = orders_frame(), model.sample(2_000, random_state=4)
    for name in ("left", "back", "net", "tax", "boys", "girls", "low", "middle", "high"):
        assert set(rows[name].dropna()) <= set(table[name])
    assert np.allclose(rows["total"], rows["total"].round(2), atol=1e-9)
    assert rows["total"].between(table["total"].min(), table["total"].max()).all()


def test_marginals_stay(model: Any) -> None:
    """By Dvoretzky, Kiefer and Wolfowitz the law of 20,000 rows is known to .024 with a false alarm of 2e-9."""
    table = orders_frame()
    rows = model.sample(20_000, random_state=5)
    for name in ("net", "tax", "total", "children", "low", "middle", "high"):
        ends = np.sort(table[name].dropna())
        shares = [
            np.searchsorted(np.sort(t[name].dropna()), ends, side="right") / t[name].count()
            for t in (table, rows)
        ]
        assert np.abs(shares[0] - shares[1]).max() < 0.06, name


def independent_law(constraints: tuple[Any, ...]) -> Network:
    """Two columns of three numbers and their total, all alike likely, and independent."""
    domain = Domain((Variable("a", (0, 1, 2)), Variable("b", (0, 1, 2)), Variable("total", (0, 1, 2, 3, 4))))
    nodes = tuple(
        TableNode(i, ConstantSource(), ConditionalTable.from_probabilities([[1 / n] * n]))
        for i, n in enumerate(domain.cardinalities)
    )
    return Network(domain, nodes, order=(0, 1, 2), constraints=constraints)


def test_rows_that_break_an_order_are_drawn_again() -> None:
    """States have no bin to move in: the law is the one given the order."""
    rows = sample(independent_law((Before("a", "b"),)), 40_000, rng=np.random.default_rng(6))
    law = np.triu(np.ones((3, 3)))
    counts = joint_counts(rows.codes[:, :2], (3, 3))
    assert_same_law(counts, law / law.sum(), detects_l1=0.08)
    with pytest.raises(AssertionError):  # the mutant: the order is strict
        assert_same_law(counts, np.triu(np.ones((3, 3)), 1) / 3, detects_l1=0.08)


def test_a_total_follows_from_its_parts_which_stay_as_they_are() -> None:
    rows = sample(independent_law((Total("total", ("a", "b")),)), 40_000, rng=np.random.default_rng(7))
    a, b, total = rows.codes.T.astype(int)
    assert (a + b == total).all()
    assert_same_law(joint_counts(rows.codes[:, :2], (3, 3)), np.full((3, 3), 1 / 9), detects_l1=0.08)
    law = independent_law((Total("total", ("a", "b")),))
    given = sample(law, 2_000, evidence={"total": 3}, rng=np.random.default_rng(7))
    assert {*map(tuple, given.codes[:, :2].tolist())} == {(1, 2), (2, 1)}


def test_sums_of_sums_and_of_the_same_total() -> None:
    names = ("a", "b", "c", "d", "both", "all")
    domain = Domain(tuple(Variable(name, tuple(range(9))) for name in names))
    nodes = tuple(
        TableNode(i, ConstantSource(), ConditionalTable.from_probabilities([[1 / 9] * 9])) for i in range(6)
    )
    sums = (Total("both", ("a", "b")), Total("all", ("both", "c")), Total("all", ("d", "a")))
    law = Network(domain, nodes, order=tuple(range(6)), constraints=sums)
    rows = sample(law, 500, rng=np.random.default_rng(8))
    assert all(keeps(each, rows).all() for each in sums)
    assert len(np.unique(rows.codes, axis=0)) > 60
    free = sample(replace(law, constraints=()), 500, rng=np.random.default_rng(8))
    assert not any(keeps(each, free).all() for each in sums)
    assert isinstance(rows, Dataset)
