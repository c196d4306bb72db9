"""Interventions against textbook cases whose answers are known, and against the truncated product by loops."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import ConditionalTable, Domain, Network, TableNode, Variable, query
from depnet.arrays import FloatArray
from depnet.errors import EvidenceError, LearningError, ModelError
from depnet.model import LosslessSource
from tests.reference.ordered import theta
from tests.refusals import refuses
from tests.strategies import ordered_networks, seeds


def network_of(tables: Mapping[str, tuple[Sequence[str], Any]]) -> Network:
    """Columns of 0 and 1, causes first: of each the causes, and the probability of 1 given their states."""
    names = list(tables)
    nodes = []
    for i, (parents, ones) in enumerate(tables.values()):
        rows = np.asarray(ones, dtype=float).ravel()
        source = LosslessSource(tuple(names.index(p) for p in parents), (2,) * len(parents))
        table = ConditionalTable.from_probabilities(np.stack([1 - rows, rows], axis=1))
        nodes.append(TableNode(i, source, table))
    domain, order = Domain(tuple(Variable(name, (0, 1)) for name in names)), tuple(range(len(names)))
    return Network(domain, tuple(nodes), order=order, tiers=order)


def one(network: Network, target: str, known: dict[str, Any] | None = None, **do: int) -> float:
    found = query(network, target, known, do=do or None, method="exact")
    assert not isinstance(found.probabilities, dict)
    return float(found.probabilities[1])


def test_back_door() -> None:
    network = network_of(
        {"z": ((), [0.5]), "x": (["z"], [0.2, 0.8]), "y": (["z", "x"], [[0.1, 0.3], [0.5, 0.9]])}
    )
    assert one(network, "y", x=1) == pytest.approx(0.5 * 0.3 + 0.5 * 0.9)
    assert one(network, "y", {"x": 1}) == pytest.approx(0.2 * 0.3 + 0.8 * 0.9), "seen, it says something of z"
    assert one(network, "z", x=1) == pytest.approx(0.5), "an effect moves no cause"
    assert one(network, "y", {"z": 0}, x=1) == pytest.approx(0.3)


def test_simpsons_paradox() -> None:
    """Kidney stones (Charig et al. 1986): treatment 1 is better for small and for large stones, and seems worse."""
    small = 357 / 700
    network = network_of(
        {
            "large": ((), [1 - small]),
            "treatment": (["large"], [87 / 357, 263 / 343]),
            "cured": (["large", "treatment"], [[234 / 270, 81 / 87], [55 / 80, 192 / 263]]),
        }
    )
    assert one(network, "cured", {"treatment": 1}) == pytest.approx(273 / 350)
    assert one(network, "cured", {"treatment": 0}) == pytest.approx(289 / 350)
    assert one(network, "cured", treatment=1) == pytest.approx(small * 81 / 87 + (1 - small) * 192 / 263)
    assert one(network, "cured", treatment=1) > one(network, "cured", treatment=0)


def test_a_collider_is_not_averaged_over() -> None:
    network = network_of({"x": ((), [0.3]), "y": ((), [0.6]), "c": (["x", "y"], [[0.1, 0.9], [0.9, 0.95]])})
    assert one(network, "y", x=1) == one(network, "y") == pytest.approx(0.6)
    assert one(network, "y", {"c": 1}, x=0) == pytest.approx(0.54 / 0.58), "given the effect, causes are tied"


FRONT = {
    "u": ((), [0.4]),
    "x": (["u"], [0.1, 0.9]),
    "m": (["x"], [0.2, 0.7]),
    "y": (["u", "m"], [[0.1, 0.4], [0.6, 0.95]]),
}


def test_front_door_with_the_hidden_cause_as_a_column() -> None:
    network = network_of(FRONT)
    p_u, p_m = [0.6, 0.4], 0.7
    expected = sum(
        p_u[u] * (p_m * m + (1 - p_m) * (1 - m)) * FRONT["y"][1][u][m]  # type: ignore[index]  # a nested list
        for u, m in itertools.product((0, 1), (0, 1))
    )
    assert one(network, "y", x=1) == pytest.approx(expected)


def test_front_door_with_the_cause_hidden_is_wrong_as_documented() -> None:
    """Without u as a column, x -> m -> y with y reading x, too: the answer is what is seen, and wrong (docs/causes.md)."""
    full = network_of(FRONT)
    ones = {(x, m): one(full, "y", {"x": x, "m": m}) for x, m in itertools.product((0, 1), (0, 1))}
    hidden = network_of(
        {
            "x": ((), [one(full, "x")]),
            "m": (["x"], [0.2, 0.7]),
            "y": (["x", "m"], [[ones[0, 0], ones[0, 1]], [ones[1, 0], ones[1, 1]]]),
        }
    )
    assert one(hidden, "y", x=1) == pytest.approx(one(full, "y", {"x": 1}))
    assert abs(one(hidden, "y", x=1) - one(full, "y", x=1)) > 0.1


def truncated(network: Network, do: Mapping[int, int]) -> FloatArray:
    """The product of all tables but those of what is set, state by state."""
    found = np.zeros(network.domain.cardinalities)
    for state in np.ndindex(found.shape):
        if all(state[i] == x for i, x in do.items()):
            found[state] = np.prod(
                [theta(network, i, state)[state[i]] for i in range(len(network)) if i not in do]
            )
    return found


@given(ordered_networks(min_variables=2), seeds)
def test_it_is_the_truncated_product(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = network.order or ()
    network = replace(network, tiers=tuple(order.index(i) for i in range(len(order))))
    target, *others = rng.permutation(len(network)).tolist()
    do = {
        i: int(rng.integers(network.domain.cardinalities[i]))
        for i in others[: int(rng.integers(1, len(network)))]
    }
    names = network.domain.names
    found = query(
        network, names[target], do={names[i]: network.domain.variables[i].states[x] for i, x in do.items()}
    )
    joint = truncated(network, do)
    expected = joint.sum(axis=tuple(a for a in range(joint.ndim) if a != target))
    assert np.asarray(found.probabilities).tolist() == pytest.approx((expected / expected.sum()).tolist())


def test_an_answer_says_what_it_assumes() -> None:
    model = depnet.DependencyNetwork(random_state=0, boost=None, order=["sex", "age", "class", "survived"])
    model.fit(depnet.titanic())
    found = model.query("survived", {"age": "adult"}, do={"class": "1st"})
    said = str(found)
    assert said.startswith("P(survived | do(class = 1st), age = adult)")
    assert "class = 1st is set, not seen. This is right if the order of causes is" in said
    assert "whatever is set: sex." in said
    assert "where it is only seen, the model says: survived: " in said
    assert found.seen_alone is not None
    assert found.seen_alone.matching == 319
    assert found.observed is None, "no rows show what is set"
    rare = model.query("survived", {"age": "child"}, do={"class": "Crew"})
    assert any("no training row matches" in text for text in rare.warnings)


def test_tiers(tmp_path: Any) -> None:
    people = depnet.titanic()
    law = depnet.learn(people, order=[["sex", "age"], "class", "survived"], smoothing=0.5)
    assert law.tiers == (1, 0, 0, 2)
    assert sorted((law.order or ())[:2]) == [1, 2]
    depnet.save(law, tmp_path / "law.json")
    assert depnet.load(tmp_path / "law.json") == law
    assert depnet.load(tmp_path / "law.json").tiers == law.tiers
    assert query(law, "survived", do={"class": "1st"}).do == {"class": "1st"}
    refuses(
        EvidenceError, "'sex' and 'age' are in one tier", lambda: query(law, "survived", do={"sex": "male"})
    )
    refuses(
        LearningError,
        "twice",
        lambda: depnet.learn(people, order=[["sex", "age"], "sex", "class", "survived"]),
    )


def test_what_cannot_be_set_is_said() -> None:
    people = depnet.titanic()
    law = depnet.learn(people, order=["sex", "age", "class", "survived"])
    auto = depnet.learn(people, order="auto")
    refuses(
        ModelError, "does not know what causes what", lambda: query(auto, "survived", do={"class": "1st"})
    )
    refuses(
        ModelError,
        "does not know what causes what",
        lambda: query(depnet.learn(people), "age", do={"class": "1st"}),
    )
    refuses(
        EvidenceError, "to one value; got class != 1st", lambda: query(law, "survived", do={"class": "!=1st"})
    )
    refuses(
        EvidenceError, "on other columns", lambda: query(law, "age", {"class": "1st"}, do={"class": "1st"})
    )


def test_a_number_is_said_shortly_and_selection_is_said() -> None:
    """The result of a course is known of those who stayed, and who stays depends on the course."""
    rng = np.random.default_rng(0)
    course = rng.choice(["easy", "hard"], 3000)
    result = rng.normal(50, 10, 3000).round(1)
    left = rng.random(3000) < np.where(course == "hard", 0.6, 0.05)
    known: list[dict[str, Any]] = [
        {"course": c, "result": r} for c, r in zip(course.tolist(), result.tolist(), strict=True)
    ]
    rows = [{**row, "result": None} if gone else row for row, gone in zip(known, left, strict=True)]
    model = depnet.DependencyNetwork(random_state=0, missing="state", order=["course", "result"]).fit(rows)
    warnings = model.query("result", do={"course": "hard"}).warnings
    assert "answers are of rows in which result is known, which may depend on what is set." in warnings
    (seen,) = (text for text in warnings if "only seen" in text)
    assert re.search(r"result: mean \d\d\.\d{1,2}\.$", seen)
    whole = depnet.DependencyNetwork(random_state=0, order=["course", "result"]).fit(known)
    assert not any("is known" in text for text in whole.query("result", do={"course": "hard"}).warnings)
