"""Explanations: steps that are Shapley values, and add up."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet.errors import EvidenceError
from depnet.law import limits
from tests.reference.explain import shapley

TITANIC = depnet.titanic()
LAW = depnet.learn(TITANIC, order="auto", smoothing=0.5)
NAMES = ("class", "age", "sex", "survived")


@given(st.integers(0, TITANIC.rows - 1), st.sampled_from(NAMES), st.booleans())
def test_steps_are_the_mean_over_every_order(row: int, target: str, with_rows: bool) -> None:
    codes = TITANIC.codes[row]
    cells = {v.name: v.states[code] for v, code in zip(TITANIC.domain.variables, codes, strict=True)}
    data = TITANIC if with_rows else None
    found = depnet.explain(LAW, cells, target, data=data)
    state = [str(s) for s in LAW.domain.variables[LAW.domain.index(target)].states].index(
        found.about.removesuffix(")").split(" = ")[1]
    )
    facts = [name for name in cells if name != target]

    def answer(some: frozenset[str]) -> float:
        asked = depnet.query(LAW, target, {name: cells[name] for name in some}, data=data)
        return float(np.asarray(asked.combined)[state])

    expected = shapley(facts, answer)
    assert {s.name: s.change for s in found.steps} == pytest.approx(expected, abs=1e-9)
    assert found.orders is None


def test_a_mutant_that_tells_the_facts_in_one_order_alone_differs() -> None:
    cells = {"class": "1st", "sex": "female", "age": "child"}
    found = depnet.explain(LAW, cells, "survived", state="Yes")
    one_order = np.asarray(depnet.query(LAW, "survived", {"class": "1st"}).combined)[1] - found.start
    step = next(s.change for s in found.steps if s.name == "class")
    with pytest.raises(AssertionError):
        assert step == pytest.approx(one_order, abs=1e-3)


def test_many_facts_are_told_in_a_fixed_set_of_orders_and_add_up() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, 2000)
    rows = np.column_stack([first, *(np.where(rng.random(2000) < 0.8, first, 1 - first) for _ in range(11))])
    law = depnet.learn(depnet.Dataset.from_codes(rows, [2] * 12), order="auto", smoothing=0.5)
    facts = {f"X{i}": 1 for i in range(1, 12)}
    assert len(facts) > limits.ORDERS
    found = depnet.explain(law, facts, "X0", state=1)
    assert found.orders == 16
    assert found.start + sum(s.change for s in found.steps) == pytest.approx(found.end, abs=1e-9)
    assert found.end == pytest.approx(np.asarray(depnet.query(law, "X0", facts).probabilities)[1])
    assert depnet.explain(law, facts, "X0", state=1) == found


def test_a_number_is_explained_by_its_mean_and_a_condition_by_its_share() -> None:
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 3000)
    size = rng.normal(10.0 + 5.0 * kind, 1.0)
    noise = rng.integers(0, 2, 3000)
    frame = pd.DataFrame({"kind": np.where(kind == 1, "large", "small"), "noise": noise, "size": size})
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    found = model.explain({"kind": "large", "noise": 1, "size": 99.0}, "size")
    assert found.about == "the mean of size"
    assert [s.name for s in found.steps] == ["kind", "noise"]
    assert found.start == pytest.approx(size.mean(), abs=0.1)
    assert found.end == pytest.approx(size[(kind == 1) & (noise == 1)].mean(), abs=0.1)
    assert abs(found.steps[1].change) < 0.1
    above = model.explain({"kind": "large"}, "size > 12.5")
    assert above.about == "P(size > 12.5)"
    assert above.end == pytest.approx(1.0, abs=0.03)
    assert "kind = large" in str(above)
    assert above.frame()["answer"].tolist() == pytest.approx([above.start, above.end])


def test_without_a_target_the_steps_are_of_the_row_itself() -> None:
    cells = {"class": "Crew", "sex": "female", "age": "adult", "survived": "No"}
    found = depnet.explain(LAW, cells)
    assert found.start == 0.0
    assert found.end == pytest.approx(float(depnet.log_probability(LAW, cells).values[0]))
    assert found.steps[0].name == "sex"  # women are rare among the crew


@pytest.mark.parametrize("target", ["survived", "survived = No"])
def test_what_a_row_says_of_the_target_is_no_fact(target: str) -> None:
    told = {"class": "1st", "sex": "female"}
    found, without = (depnet.explain(LAW, row, target) for row in ({**told, "survived": "No"}, told))
    assert (found.steps, found.end) == (without.steps, without.end)


def test_what_cannot_be_explained_is_refused() -> None:
    with pytest.raises(EvidenceError, match="facts are a mapping of column names to values, or a row"):
        depnet.explain(LAW, "sex = female", "survived")  # type: ignore[arg-type]
    with pytest.raises(EvidenceError, match="no facts to explain the answer"):
        depnet.explain(LAW, {"survived": "Yes"}, "survived")
    with pytest.raises(EvidenceError, match="no state 'Maybe'"):
        depnet.explain(LAW, {"sex": "female"}, "survived", state="Maybe")
