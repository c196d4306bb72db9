"""SQL: what the functions say is what Python says, row by row, whatever is known; errors are the library's own."""

import contextlib
import datetime as dt
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import depnet
from depnet.data.table.variable import Variable
from depnet.errors import DataError, ModelError
from tests.doors.cases import CITIES, law_of, share_of, shop, shop_model, states_of, titanic_model
from tests.refusals import refuses

CATEGORIES = ("city", "rooms", "paid", "note")
CONDITIONS = (
    "city = Köln",
    "city != Bern",
    "rooms > 2",
    "paid = True",
    "price > 300",
    "note is missing",
    "when < 2024-04-01",
)
EPOCH = dt.datetime(1970, 1, 1)


@contextlib.contextmanager
def connected(frame: pd.DataFrame | None = None, **options: Any) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        depnet.register(connection, shop_model(), "shop", **options)
        if frame is not None:
            connection.register("orders", frame)
        yield connection


def column(connection: duckdb.DuckDBPyConnection, query: str) -> list[Any]:
    return [row[0] for row in connection.sql(query).fetchall()]


@st.composite
def some_orders(draw: st.DrawFn) -> pd.DataFrame:
    """Rows of the shop with more holes, in another order, some twice, with a column that the model does not know."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 8))
    rows = shop().iloc[rng.integers(0, 800, count)].reset_index(drop=True).astype(object)
    rows = rows.where(rng.random(rows.shape) < draw(st.sampled_from([0.4, 0.8, 1.0])), None)
    rows["price"] = rows["price"].astype(float)
    rows["when"] = pd.to_datetime(rows["when"])
    rows["id"] = np.arange(count)
    return rows[list(rng.permutation(rows.columns))]


def known_of(row: dict[str, Any], without: set[str]) -> dict[str, Any]:
    """What a row knows, as evidence: of a number its bin, by which rows are answered."""
    domain, known = shop_model().domain_, {}
    for name in set(domain.names) - without:
        value = row[name]
        if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
            continue
        variable = domain.variables[domain.index(name)]
        known[name] = variable.states[variable.code(value)]
    return known


def expected_by_hand(variable: Variable, law: Any) -> float:
    """The mean of a number: of each bin, the mean of the values that it keeps."""
    assert variable.bins is not None
    means = [sum(map(float, kept)) / len(kept) for kept in variable.bins.quantiles]
    return float(sum(p * mean for p, mean in zip(law, means, strict=True)))


@settings(max_examples=12, deadline=None)
@given(
    some_orders(),
    st.sampled_from(CONDITIONS),
    st.sets(st.sampled_from(("city", "rooms", "price")), max_size=2),
)
def test_a_probability_of_each_row_is_that_of_a_query(
    rows: pd.DataFrame, condition: str, without: set[str]
) -> None:
    about, left = condition.split()[0], ",".join(sorted(without))
    asked = f"SELECT shop_probability('{condition}', orders, without := '{left}') FROM orders"
    with connected(rows) as connection:
        said = column(connection, asked)
    for row, p in zip(rows.to_dict("records"), said, strict=True):
        found, shares = states_of(shop_model(), condition, known_of(row, {about, *without}), method="exact")
        assert p == pytest.approx(shares[1], abs=0.03 if found.levels else 1e-9)


@settings(max_examples=6, deadline=None)
@given(some_orders(), st.sampled_from(CATEGORIES))
def test_what_is_most_likely_has_the_largest_probability(rows: pd.DataFrame, name: str) -> None:
    with connected(rows) as connection:
        said = column(connection, f"SELECT shop_most_likely('{name}', orders) FROM orders")
    for row, label in zip(rows.to_dict("records"), said, strict=True):
        found, shares = states_of(shop_model(), name, known_of(row, {name}), method="exact")
        by_label = dict(zip(map(str, found.states[0]), shares.tolist(), strict=True))
        assert by_label[label] == pytest.approx(max(shares), abs=1e-9)


@settings(max_examples=6, deadline=None)
@given(some_orders(), st.floats(0.02, 0.98))
def test_numbers_and_dates_have_means_and_quantiles(rows: pd.DataFrame, level: float) -> None:
    law = law_of(shop_model())
    for name, unit in (("price", 1.0), ("when", 1e-6)):
        with connected(rows) as connection:
            asked = f"SELECT shop_expected('{name}', orders), shop_quantile('{name}', {level!r}, orders) FROM orders"
            said = connection.sql(asked).fetchall()
        variable = law.domain.variables[law.domain.index(name)]
        assert variable.bins is not None
        for row, (mean, quantile) in zip(rows.to_dict("records"), said, strict=True):
            shares = states_of(shop_model(), name, known_of(row, {name}), method="exact")[1]
            assert mean == pytest.approx(expected_by_hand(variable, shares) * unit, rel=1e-9)
            values = [
                (v, p / len(kept))
                for kept, p in zip(variable.bins.quantiles, shares, strict=True)
                for v in kept
            ]
            below = sum(p for v, p in values if v * unit < quantile - 1e-6)
            upto = sum(p for v, p in values if v * unit <= quantile + 1e-6)
            assert below <= level + 1e-9 <= upto + 2e-9


def test_odd_rows_and_why_are_those_of_the_estimator() -> None:
    rows = shop().iloc[:300]
    found = shop_model().oddness(rows)
    with connected(rows) as connection:
        said = connection.sql("SELECT shop_odd(orders), shop_why(orders) FROM orders").fetchall()
    for at, (odd, why) in enumerate(said):
        assert odd == pytest.approx(1 / found.row_tails[at])
        i = shop_model().domain_.index(why["column"])
        assert found.tails[at, i] == found.tails[at].min()
        assert why["odd"] == pytest.approx(1 / found.tails[at, i])


def test_holes_are_filled_as_the_estimator_fills_them() -> None:
    rows = shop().iloc[:200]
    with connected(rows) as connection:
        said = connection.sql("SELECT unnest(shop_fill(orders)) FROM orders").df()
    filled = shop_model().impute(rows)
    for name in ("city", "paid", "note", "rooms"):
        assert said[name].tolist() == filled[name].tolist()
    np.testing.assert_allclose(said["price"], filled["price"])
    assert said["price"].notna().all()


def test_text_is_evidence_of_any_kind() -> None:
    with connected() as connection:
        text = "price > 300, city = Köln|Bern"
        p, quoted, nothing = connection.sql(
            f"SELECT shop_probability('paid = True', '{text}'), shop_probability('city = \"O''Hare\"', 'rooms = 2'), "
            "shop_probability('paid = True')"
        ).fetchall()[0]
        mean, date = connection.sql(
            f"SELECT shop_expected('price', '{text}'), shop_expected('when', 'rooms = 2')"
        ).fetchall()[0]
        less = column(connection, f"SELECT shop_probability('paid = True', '{text}', without := ['city'])")
    known: dict[str, Any] = {"price": ">300", "city": {"Köln", "Bern"}}
    assert p == share_of(shop_model(), "paid = True", known)
    assert less[0] == share_of(shop_model(), "paid = True", {"price": ">300"})
    assert quoted == share_of(shop_model(), 'city = "O\'Hare"', {"rooms": 2})
    assert nothing == pytest.approx(share_of(shop_model(), "paid = True"))
    assert mean > 300
    when = states_of(shop_model(), "when", {"rooms": 2})[0].numbers["when"].mean
    assert date == pytest.approx((when - EPOCH).total_seconds(), rel=1e-4)


def test_events_over_several_columns_are_asked_and_given() -> None:
    event, known = "(city = Bern or rooms > 2) and not paid = True", {"note": "gift"}
    text = "city = Bern or rooms > 2"
    with connected() as connection:
        row = column(connection, f"SELECT shop_probability('{event}', {{'note': 'gift', 'city': 'Köln'}})")[0]
        of_text = column(connection, f"SELECT shop_probability('{event}', 'note = gift')")[0]
        given_event = column(connection, f"SELECT shop_probability('paid = True', '{text}')")[0]
        drawn = connection.sql(f"FROM shop_sample(300, given := '{text}', seed := 1)").df()
        with pytest.raises(duckdb.Error, match="speaks of 'rooms', which is to be left out"):
            column(connection, f"SELECT shop_probability('paid = True', '{text}', without := 'rooms')")
    assert row == pytest.approx(share_of(shop_model(), event, known), abs=0.03)
    assert of_text == share_of(shop_model(), event, known)
    assert given_event == share_of(shop_model(), "paid = True", {text: True})
    assert ((drawn["city"] == "Bern") | (drawn["rooms"] > 2) | drawn["city"].isna()).all()


def test_it_stands_anywhere_in_a_query_and_asks_different_questions_at_once() -> None:
    with connected(shop()) as connection:
        likely = column(
            connection,
            "SELECT shop_probability('paid = True', o) AS p FROM orders o WHERE shop_probability('paid = True', o) > 0.5 "
            "ORDER BY p DESC",
        )
        asked = "SELECT q, shop_probability(q, {'rooms': 2}) FROM (VALUES ('paid = True'), (NULL), ('paid = False')) t(q)"
        several = dict(connection.sql(asked).fetchall())
        by_city = "SELECT city, avg(shop_probability('paid = True', o)) FROM orders o GROUP BY city"
        groups = connection.sql(by_city).fetchall()
    assert likely == sorted(likely, reverse=True)
    assert 0 < len(likely) < 800
    assert min(likely) > 0.5
    assert several[None] is None
    assert several["paid = True"] + several["paid = False"] == pytest.approx(1)
    assert len(groups) == 5


def test_every_row_is_asked_in_large_calls() -> None:
    calls = []

    def count(law: Any, codes: Any, *rest: Any, **options: Any) -> Any:
        calls.append(len(codes))
        return depnet.query_rows(law, codes, *rest, **options)

    with pytest.MonkeyPatch.context() as patch, connected() as connection:
        patch.setattr("depnet.doors.rows.query_rows", count)
        asked = "SELECT count(shop_probability('paid = True', {'rooms': 1 + i % 3})) FROM range(10000) t(i)"
        assert column(connection, asked) == [10_000]
    assert sum(calls) == 10_000
    assert len(calls) <= 6


def test_drawn_rows_are_repeatable_and_keep_what_is_known() -> None:
    with connected() as connection:
        asked = "FROM shop_sample(5000, given := 'city = Köln, price > 300', seed := 3)"
        first, second = connection.sql(asked).df(), connection.sql(asked).df()
        fresh = [connection.sql("FROM shop_sample(50)").fetchall() for _ in range(2)]
        by_row = connection.sql(
            "FROM shop_sample(50, given := {'city': 'Bern', 'rooms': NULL}, seed := 3)"
        ).df()
    pd.testing.assert_frame_equal(first, second)
    assert len(first.drop_duplicates()) > 2500  # vectors do not repeat each other
    assert set(first["city"]) == {"Köln"}
    assert (first["price"] > 300).all()
    assert set(by_row["city"]) == {"Bern"}
    assert fresh[0] != fresh[1]


def test_columns_and_links_are_tables() -> None:
    with connected() as connection:
        columns = {row[0]: row[1:] for row in connection.sql("FROM shop_columns()").fetchall()}
        links = connection.sql("FROM shop_links()").fetchall()
    assert columns["city"][:2] == ("category", len(CITIES))
    assert columns["price"][0] == "number"
    assert columns["when"][0] == "datetime"
    assert columns["note"][4] == pytest.approx(shop()["note"].isna().mean())
    assert [link[:2] for link in links] == [
        (link.source, link.target) for link in depnet.links(shop_model().network_)
    ]


def test_names_know_no_case_and_every_number_of_sql_is_a_number() -> None:
    with connected() as connection:
        asked = "SELECT shop_probability('paid = True', {'CITY': 'Bern', 'Rooms': 2::TINYINT, 'price': %s})"
        values = {
            column(connection, asked % each)[0]
            for each in ("120.5", "120.5::DOUBLE", "120.5::FLOAT", "'120.5'")
        }
    assert len(values) == 1


def test_truth_values_of_a_file_that_duckdb_reads_are_the_models_words(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("sex,survived\nfemale,Yes\nmale,No\n")
    with duckdb.connect() as connection:
        depnet.register(connection, titanic_model())
        (kind, _), *_ = connection.sql(f"SELECT typeof(survived), 1 FROM '{file}'").fetchall()
        read = column(connection, f"SELECT depnet_probability('sex = male', t) FROM '{file}' t")
        said = column(
            connection,
            "SELECT depnet_probability('sex = male', {'survived': s}) FROM (VALUES ('Yes'), ('No')) t(s)",
        )
    assert kind == "BOOLEAN"
    assert read == said


WRONG = {
    "SELECT shop_probability('paied = True', {'rooms': 2})": "there is no variable 'paied'. Did you mean 'paid'",
    "SELECT shop_probability('paid', {'rooms': 2})": "asked of a condition, such as 'paid = False'",
    "SELECT shop_probability('paid = True', {'city': 'Brn'})": "column 'city': the model has no state 'Brn'. Did you",
    "SELECT shop_probability('paid = True', {'town': 'Bern'})": "none of the model's columns",
    "SELECT shop_probability('paid = True', 'town = Bern')": "there is no variable 'town'",
    "SELECT shop_probability('paid = True', 'Bern')": "'Bern' is not a condition",
    "SELECT shop_probability('paid = True', 7)": "probability takes a row",
    "SELECT shop_probability('paid = True', {'rooms': 2}, without := 'town')": "there is no variable 'town'",
    "SELECT shop_expected('city', {'rooms': 2})": "'city' is not a number: it has the values Bern, Köln",
    "SELECT shop_expected('price > 3', {'rooms': 2})": "is not a number",
    "SELECT shop_quantile('price', 1.5, {'rooms': 2})": "between 0 and 1; got 1.5",
    "SELECT shop_odd({'rooms': 2})": "the table has no column 'city'",
    "FROM shop_sample(3, given := 'city = Brn')": "Did you mean 'Bern'",
}  # fmt: skip


@pytest.mark.parametrize("query", WRONG)
def test_errors_are_the_librarys_own_sentences(query: str) -> None:
    with connected() as connection, pytest.raises(duckdb.Error) as caught:
        connection.sql(query).fetchall()
    assert WRONG[query] in str(caught.value)
    assert "row 0" not in str(caught.value)


def test_values_that_the_model_does_not_know_may_be_unknown() -> None:
    rows = ("{'city': 'Brn', 'rooms': 2}", "{'rooms': 2}")
    asked = ", ".join(f"shop_probability('paid = True', {row})" for row in rows)
    with connected(handle_unknown="missing") as connection, pytest.warns(UserWarning, match="does not know"):
        said = connection.sql(f"SELECT {asked}").fetchall()[0]
    assert said[0] == said[1]


def test_models_stand_side_by_side_and_leave_nothing_in_the_database(tmp_path: Path) -> None:
    place, file = tmp_path / "some.duckdb", tmp_path / "model.json"
    titanic_model().save(file)
    with duckdb.connect(place) as connection:
        depnet.register(connection, shop_model(), "shop")
        depnet.register(connection, titanic_model(), "titanic")
        depnet.register(connection, file, "titanic")  # once more, of a file
        asked = (
            "SELECT titanic_probability('survived = Yes', {'sex': 'female'}), shop_probability('paid = True')"
        )
        said = connection.sql(asked).fetchall()[0]
    assert said[0] == pytest.approx(share_of(titanic_model(), "survived = Yes", {"sex": "female"}))
    with duckdb.connect(place) as connection:
        kept = "SELECT function_name FROM duckdb_functions() WHERE function_name ILIKE '%titanic%'"
        assert connection.sql(kept).fetchall() == []


def test_what_is_no_model_or_name_is_refused() -> None:
    with duckdb.connect() as connection:
        refuses(ModelError, "a fitted DependencyNetwork", depnet.register, connection, 3)
        refuses(
            ModelError, "a fitted DependencyNetwork", depnet.register, connection, depnet.DependencyNetwork()
        )
        refuses(DataError, "letters, digits", depnet.register, connection, shop_model(), "a; DROP TABLE x")
        twice = depnet.Network.from_joint([[0.4, 0.1], [0.2, 0.3]])
        domain = depnet.Domain((Variable("a", (0, 1)), Variable("A", (0, 1))))
        named = depnet.Network(domain, twice.nodes, order=twice.order)
        refuses(DataError, "one name in SQL", depnet.register, connection, named)
