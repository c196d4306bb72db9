"""The HTTP API on a real server: Python's answers, the same bytes each time, errors in sentences, nobody foreign let in."""

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from depnet.inference.judge.influence import influence
from tests.doors.cases import law_of, shop, shop_model, states_of
from tests.doors.running import Running, running

CHECKS = (not_a_server_error, response_schema_conformance, status_code_conformance, content_type_conformance)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("served")
    shop_model().save(place / "model.json")
    shop().to_csv(place / "shop.csv", index=False)
    return place


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Running]:
    with running(folder, "serve", folder / "model.json", "--port", 0) as found:
        yield found


@pytest.fixture(scope="module")
def with_table(folder: Path) -> Iterator[Running]:
    (folder / "more").mkdir()
    words = ("serve", folder / "model.json", "--data", folder / "shop.csv", "--port", 0, "--processes", 2)
    with running(folder / "more", *words) as found:
        yield found


def rows_of(count: int) -> list[dict[str, Any]]:
    """Rows as JSON has them."""
    rows: list[dict[str, Any]] = json.loads(shop().iloc[:count].to_json(orient="records", date_format="iso"))
    return [{**row, "when": row["when"][:10]} for row in rows]


def test_schemathesis_finds_no_error_of_the_server_and_every_schema_kept(server: Running) -> None:
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    operations: list[Any] = list(schema.get_all_operations())
    assert len(operations) == 7
    for operation in (each.ok() for each in operations):

        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            case.validate_response(case.call(), checks=CHECKS)

        ask()


NAMES = st.sampled_from([*shop().columns, "town", "", "Price"])
ODD_TARGETS = [
    "price > 3",
    "price > nan",
    "rooms = 2|3",
    "note is missing",
    "paid = ",
    "when > 2024-02-30",
    "= 3",
]
ODD_TEXTS = [
    "Bern",
    "",
    ">",
    ">300",
    "..",
    "3..1",
    "nan",
    "inf",
    "2024-02-30",
    "2024-02-29",
    "true",
    "\x00",
    "é" * 40,
]
TARGETS = NAMES | st.sampled_from(ODD_TARGETS)
VALUES = (
    st.sampled_from(ODD_TEXTS)
    | st.booleans()
    | st.integers()
    | st.integers(-(10**400), 10**400)
    | st.floats(allow_nan=False, allow_infinity=False)
)
WEIGHTS = st.dictionaries(st.text(max_size=3), st.floats(-1, 5), max_size=2)
FACTS = VALUES | st.none() | st.lists(VALUES, max_size=3) | WEIGHTS
KNOWN = st.dictionaries(NAMES, FACTS, max_size=3) | st.text(max_size=20) | st.none()
ROWS = st.lists(st.dictionaries(NAMES, VALUES | st.none(), max_size=4), min_size=1, max_size=3)
SOME = st.lists(TARGETS, min_size=1, max_size=2)


def bodies(path: str, **fields: Any) -> Any:
    return st.tuples(st.just(path), st.fixed_dictionaries(fields))


BODIES = st.one_of(
    bodies("query", targets=SOME, given=KNOWN),
    bodies("query_rows", targets=SOME, rows=ROWS),
    bodies("sample", n=st.integers(1, 3), given=KNOWN),
    bodies("influence", target=TARGETS, of=VALUES | st.none(), given=KNOWN),
    bodies("impute", rows=ROWS, unknown=st.sampled_from(["error", "missing"])),
    bodies("score", rows=ROWS, unknown=st.sampled_from(["error", "missing"])),
)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(BODIES)
def test_odd_values_under_right_names_are_answered_or_refused(
    server: Running, asked: tuple[str, Any]
) -> None:
    path, body = asked
    status, said = server.ask(f"/{path}", body)
    assert status in (200, 422), (body, said)
    assert status == 200 or said["message"].strip()


@pytest.mark.parametrize(
    "known", [{}, {"city": "Bern"}, {"price": ">300", "city": ["Bern", "Köln"]}, {"rooms": 2, "note": None}]
)
@pytest.mark.parametrize("target", ["paid", "price", "price > 300"])
def test_a_query_has_pythons_answer(server: Running, target: str, known: dict[str, Any]) -> None:
    facts = {name: value for name, value in known.items() if value is not None}
    found, shares = states_of(shop_model(), target, facts, max_seconds=5.0)
    status, said = server.ask("/query", {"targets": [target], "given": known})
    assert status == 200
    assert said["probabilities"][target] == shares.tolist()
    assert said["converged"] == found.converged
    if target == "price":
        assert said["numbers"]["price"]["probabilities"]["mean"] == found.numbers["price"].mean
    text = ", ".join(
        name
        + (value if str(value)[0] == ">" else f"={'|'.join(value) if isinstance(value, list) else value}")
        for name, value in facts.items()
    )
    assert (
        server.ask("/query", {"targets": [target], "given": text})[1]["probabilities"]
        == said["probabilities"]
    )


def test_rows_are_answered_as_a_query_of_rows_is(server: Running) -> None:
    rows = rows_of(40)
    status, said = server.ask(
        "/query_rows", {"targets": ["city", "price", "paid = True"], "rows": rows, "without": ["note"]}
    )
    assert status == 200
    frame = shop().iloc[:40].drop(columns="note")
    np.testing.assert_allclose(
        said["answers"]["city"]["probabilities"],
        [
            states_of(shop_model(), "city", _known(row, {"city"}), method="exact")[1]
            for row in frame.to_dict("records")
        ],
        atol=1e-9,
    )
    assert said["answers"]["paid = True"]["states"] == ["False", "True"]
    assert len(said["answers"]["price"]["mean"]) == 40


def _known(row: dict[str, Any], without: set[str]) -> dict[str, Any]:
    from tests.doors.test_sql import known_of

    return known_of({**row, "note": None}, without)


def test_holes_are_filled_rows_scored_and_drawn_as_python_does(server: Running) -> None:
    rows = rows_of(30)
    filled = pd.DataFrame(server.ask("/impute", {"rows": rows})[1]["rows"])
    wanted = shop_model().impute(shop().iloc[:30])
    assert filled["city"].tolist() == wanted["city"].tolist()
    np.testing.assert_allclose(filled["price"], wanted["price"])
    scores = server.ask("/score", {"rows": rows})[1]
    np.testing.assert_allclose(scores["log_likelihood"], shop_model().score_samples(shop().iloc[:30]))
    np.testing.assert_allclose(scores["odd"], 1 / shop_model().oddness(shop().iloc[:30]).row_tails)
    drawn = server.ask("/sample", {"n": 50, "given": {"city": "Bern"}, "seed": 3})[1]["rows"]
    assert {row["city"] for row in drawn} == {"Bern"}
    assert drawn != server.ask("/sample", {"n": 50, "given": {"city": "Bern"}, "seed": 4})[1]["rows"]


def test_what_moves_a_target_and_what_the_model_is(server: Running) -> None:
    found = influence(law_of(shop_model()), "paid", {"rooms": 2})
    said = server.ask("/influence", {"target": "paid", "given": {"rooms": 2}})[1]
    assert said["value"] == pytest.approx(found.value)
    assert [effect["column"] for effect in said["effects"]] == [
        effect.variable.name for effect in found.effects
    ]
    about = server.ask("/describe")[1]
    assert about["rows"] == 800
    assert [column["name"] for column in about["columns"]] == list(shop().columns)


def test_the_same_question_has_the_same_bytes_in_every_process(with_table: Running) -> None:
    asked = json.dumps({"targets": ["price", "paid"], "given": "city = Bern|Köln, price > 200"}).encode()
    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(lambda _: with_table.raw("/query", asked), range(8)))
    assert len(answers) == 1
    ((status, content),) = answers
    assert status == 200
    said = json.loads(content)
    known: dict[str, Any] = {"city": {"Bern", "Köln"}, "price": ">200"}
    rows = shop_model().query(["price", "paid"], known)
    assert said["matching"]["paid"] == rows.matching["paid"]
    np.testing.assert_allclose(said["observed"]["paid"], rows.observed["paid"])


WRONG = {
    "query": ({"targets": ["paied"]}, "there is no variable 'paied'. Did you mean 'paid'"),
    "query ": ({"targets": ["paid"], "given": {"city": "Brn"}}, "Did you mean 'Bern'"),
    "query  ": ({"targets": ["paid"], "given": {"when": {"a": 1}}}, "'a'"),
    "query   ": ({"targets": []}, "body.targets: List should have at least 1 item"),
    "query_rows": ({"targets": ["paid"], "rows": [{"city": "Brn"}]}, '("unknown": "missing")'),
    "query_rows ": ({"targets": ["paid"], "rows": [{"town": "Bern"}]}, "none of the model's columns"),
    "sample": ({"n": 10**9}, "body.n: Input should be less than or equal to 100000"),
    "sample ": ({"given": {"city": "Bern", "rooms": 99}}, ""),
    "influence": ({"target": "paid", "of": "maybe"}, "maybe"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_are_sentences(server: Running, case: str) -> None:
    body, sentence = WRONG[case]
    status, said = server.ask(f"/{case.strip()}", body)
    assert status == 422 or case == "sample "
    assert sentence in str(said.get("message"))


def test_too_large_answers_are_refused_before_they_are_made(server: Running) -> None:
    before = server.memory()
    rows = [{"rooms": 2}] * 100_000
    status, said = server.ask("/query_rows", {"targets": ["price", "when", "city"], "rows": rows})
    assert (status, said["error"]) == (422, "InferenceError")
    status, said = server.ask("/query_rows", {"targets": ["price"], "rows": rows + rows[:1]})
    assert (status, said["error"]) == (422, "RequestError")
    place = urlsplit(server.url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port or 0, timeout=60)
    connection.putrequest("POST", f"{place.path}/query")
    connection.putheader("content-length", str(17 * 2**20))  # none of which has to come
    connection.endheaders()
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["error"]) == (413, "Refused")
    connection.close()
    assert server.memory() < before + 400e6


def test_foreign_pages_and_names_are_turned_away(server: Running) -> None:
    assert server.ask("/describe", host="evil.example")[0] == 421
    assert server.ask("/describe", origin="http://evil.example")[0] == 403
    asked = {"targets": ["paid"]}
    assert server.ask("/query", asked, origin="null")[0] == 403
    assert server.ask("/query", asked, sec_fetch_site="cross-site")[0] == 403
    status, said = server.ask("/query", asked, content_type="text/plain")
    assert (status, "Content-Type: application/json" in said["message"]) == (422, True)
    assert server.ask("/query", asked)[0] == 200


def test_a_server_that_others_reach_has_a_token_which_no_log_has(folder: Path) -> None:
    (folder / "far").mkdir()
    words = ("serve", folder / "model.json", "--data", folder / "shop.csv", "--port", 0, "--host", "0.0.0.0")
    with running(folder / "far", *words, environment={"DEPNET_TOKEN": "a-secret-of-mine"}) as found:
        near = Running(
            found.url.replace("0.0.0.0", "127.0.0.1"), found.process, found.log, "a-secret-of-mine"
        )
        asked = {"targets": ["paid"]}
        status, said = near.ask("/query", asked, authorization="")
        assert (status, said["error"]) == (401, "Refused")
        assert "Authorization: Bearer" in said["message"]
        assert near.ask("/query", asked, authorization="Bearer wrong")[0] == 401
        assert near.ask("/describe?token=a-secret-of-mine", authorization="")[0] == 401
        status, said = near.ask("/query", asked)
        assert status == 200
        assert said["observed"] is None  # nothing of the table, unless --show-table
    assert "the token is that of DEPNET_TOKEN" in found.log.read_text()
    assert "a-secret-of-mine" not in found.log.read_text()


@pytest.mark.long
def test_twenty_clients_get_their_own_answers_and_memory_stays(server: Running) -> None:
    cities = ["Bern", "Köln", "O'Hare"]
    right = {
        city: states_of(shop_model(), "paid", {"city": city}, max_seconds=5.0)[1].tolist() for city in cities
    }

    def client(number: int) -> None:
        for turn in range(60):
            city = cities[(number + turn) % 3]
            status, said = server.ask("/query", {"targets": ["paid"], "given": {"city": city}})
            assert status == 503 or said["probabilities"]["paid"] == right[city]

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(client, range(20)))
        level = server.memory()
        list(pool.map(client, range(20)))
    assert server.memory() < level + 20e6
