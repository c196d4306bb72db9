"""Answers before and after evidence, and the cards that show them, without a browser."""

import time
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import Dataset, Network
from depnet.explorer.ask import Answer, describe_method, sharpness
from depnet.explorer.known import Held
from depnet.explorer.loaded import TOLERANCE, Loaded
from tests.explorer.browser import SECONDS
from tests.explorer.cases import all_answers, shift_of, titanic_models
from tests.narrowed import by_name


def asked(
    network: Network, chosen: dict[str, Held], *, data: Dataset | None = None, **options: Any
) -> list[Answer]:
    return all_answers(Loaded(network, data=data), chosen, **options)


@pytest.fixture(scope="module")
def table() -> Dataset:
    """Sixty variables, each the median of three before it or chance: tied too much for an elimination to be quick."""
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 3, 2000) for _ in range(6)]
    while len(columns) < 60:
        three = np.stack([columns[int(k)] for k in rng.choice(len(columns), 3, replace=False)])
        columns.append(np.where(rng.random(2000) < 0.3, rng.integers(0, 3, 2000), np.median(three, axis=0)))
    return Dataset.from_codes(np.stack(columns, axis=1).astype(np.uint8), [3] * 60)


@pytest.fixture(scope="module")
def wide(table: Dataset) -> Network:
    return depnet.learn(table, smoothing=0.5, order="auto").with_counts(table)


@pytest.fixture(scope="module")
def sticky() -> Network:
    """Thirty variables in a chain, without an order: too many states for an exact law, and mixing slowly."""
    rng = np.random.default_rng(3)
    steps = np.cumsum(rng.random((2000, 30)) < 0.02, axis=1)
    rows = Dataset.from_codes((rng.integers(0, 3, (2000, 1)) + steps) % 3, [3] * 30)
    return depnet.learn(rows, smoothing=0.5).with_counts(rows)


def test_a_small_model_answers_once_and_exactly(people: Network) -> None:
    (answer,) = asked(people, {"sex": ("female",), "class": ("1st", "2nd")})
    assert answer.last
    expected = depnet.query(people, ["class", "age", "survived"], {"sex": "female", "class": {"1st", "2nd"}})
    prior = depnet.query(people, ["class", "age", "survived"])
    assert answer.sharp
    assert answer.error == 0
    shifts = {shift.name: shift for shift in answer.shifts}
    assert shifts.keys() == {"class", "age", "sex", "survived"}
    assert shifts.pop("sex").posterior.tolist() == [1.0, 0.0]  # what is known has all of it
    for shift in shifts.values():
        assert np.allclose(shift.posterior, by_name(expected.probabilities)[shift.name], rtol=0, atol=1e-12)
        assert np.allclose(shift.prior, by_name(prior.probabilities)[shift.name], rtol=0, atol=1e-12)
    assert answer.result.scan is None  # of the law


def test_on_a_shared_page_nothing_of_the_table_is_shown(people: Network) -> None:
    loaded = Loaded(people.with_counts(depnet.titanic()), data=depnet.titanic()).share()
    rare: dict[str, Held] = {"sex": ("female",), "class": ("1st",), "age": ("child",)}
    found = loaded.answer(people.domain.names, {name: held[0] for name, held in rare.items()})
    assert found.observed is None
    assert found.support is None or found.support.rows >= 5
    assert not any("training row" in text for text in found.warnings)
    assert loaded.column(0) is None
    assert loaded.whole is None


def test_a_wide_law_answers_within_the_tolerance(wide: Network, table: Dataset) -> None:
    chosen: dict[str, Held] = {"X3": (1,)}
    *_, answer = asked(wide, chosen)  # the first is the last, but on a busy machine
    assert answer.last
    assert answer.result.diagnostics is not None  # of passes
    assert answer.result.diagnostics.largest_error <= TOLERANCE
    expected = depnet.query(wide, "X4", {"X3": 1}, tolerance=0.001).probabilities
    shift = next(shift for shift in answer.shifts if shift.name == "X4")
    assert np.abs(shift.posterior - np.asarray(expected)).max() < 5 * TOLERANCE
    # Joined with rows, the model's error has the model's share.
    *_, joined = asked(wide, chosen, data=table)
    share = joined.result.table(joined.result.targets[0]).share
    assert max(shift.now.error.max() for shift in joined.shifts) <= share * TOLERANCE


def test_an_answer_that_is_not_within_the_tolerance_is_sharpened(sticky: Network) -> None:
    found = asked(sticky, {"X3": (1,)}, max_seconds=6)
    assert [answer.last for answer in found] == [False, True]
    errors = [answer.result.diagnostics.largest_error for answer in found if answer.result.diagnostics]
    assert errors[1] < errors[0]


def test_an_answer_is_compared_with_another(people: Network) -> None:
    men: dict[str, Held] = {"sex": ("male",)}
    (answer,) = asked(people, {"sex": ("female",)}, versus=men)
    (other,) = asked(people, men)
    before = {shift.name: shift.posterior for shift in other.shifts}
    assert answer.before is not None
    assert all(np.array_equal(shift.prior, before[shift.name]) for shift in answer.shifts)
    (same,) = asked(people, men, versus=men)
    assert all(shift.change == 0 for shift in same.shifts)


def test_a_stopped_question_keeps_what_it_had(sticky: Network) -> None:
    began = time.monotonic()
    (answer,) = asked(sticky, {"X3": (2,)}, stop=lambda: True)
    assert time.monotonic() - began < SECONDS
    assert not answer.last


def test_a_model_of_one_variable_can_be_asked() -> None:
    network = depnet.learn(Dataset.from_codes([[0], [1], [1]], [2]), smoothing=0.5)
    (answer,) = asked(network, {})
    assert [shift.name for shift in answer.shifts] == ["X0"]


@pytest.mark.parametrize(
    ("error", "sharp", "said"),
    [
        (0.0, True, "computed in full"),
        (0.0099, True, "± 0.01"),
        (0.031, False, "not yet sharp: ± 0.04 at most"),
        (np.nan, False, "not yet sharp"),
        (0.0, False, "not yet sharp: ± 0 at most"),
    ],
)
def test_nothing_is_called_sharp_that_is_not(error: float, sharp: bool, said: str) -> None:
    half = np.array([0.5, 0.5])
    shift = shift_of(depnet.Variable("x", ("a", "b")), half, half, errors=np.array([0.0, error]))
    result = shift.now.result
    assert isinstance(result, depnet.QueryResult)
    assert sharpness(Answer((shift,), result, sharp, True)) == said


def test_methods_are_said_in_words() -> None:
    law = titanic_models()[1]
    assert (
        describe_method(depnet.query(law, "sex"))
        == "Found by adding up all cases, without any error of chance."
    )
    drawn = depnet.query(law, "sex", {"survived": "Yes"}, method="sample", tolerance=0.05)
    assert "draws of the model, weighted by what is given" in describe_method(drawn)
    chains = depnet.query(titanic_models()[0], ["sex", "age"], method="sample", tolerance=0.05)
    assert "of draws in which what is given stays as it is" in describe_method(chains)
