"""Rules in words: exactly the rows that come to a vertex meet one of its rules."""

import numpy as np
import pytest

from depnet import Dataset, Network, Variable, learn, titanic
from depnet.data import Bins
from depnet.pictures import decision
from depnet.pictures.node.decision import Leaf
from depnet.pictures.node.rules import describe_rules, describe_states, find_reached, rules_of
from tests.pictures.cases import chain

PEOPLE = titanic()
NETWORK = learn(PEOPLE)


@pytest.mark.parametrize(("network", "data"), [(NETWORK, PEOPLE), chain(6)])
def test_the_rows_of_a_vertex_are_those_that_meet_its_rules(network: Network, data: Dataset) -> None:
    variables = data.domain.variables
    for name in data.domain.names:
        graph = decision(network, name)
        rules = [rules_of(graph, data.domain, v) for v in range(len(graph.vertices))]
        assert not any(more for _, more in rules)
        for row in np.unique(data.codes, axis=0).tolist():
            states = {x.name: x.states[code] for x, code in zip(variables, row, strict=True)}
            met = [
                any(all(states[key] in some for key, some in rule.items()) for rule in each)
                for each, _ in rules
            ]
            path = find_reached(graph, {name: (state,) for name, state in states.items()}).path
            assert [v for v, is_met in enumerate(met) if is_met] == sorted(path)


def test_rules_that_differ_in_one_variable_are_one() -> None:
    graph = decision(NETWORK, "age")
    texts = [
        describe_rules(PEOPLE.domain, *rules_of(graph, PEOPLE.domain, v)) for v in range(len(graph.vertices))
    ]
    assert texts[0] == "all rows"
    assert "class is Crew; or class is 2nd, and survived is No" in texts


def test_numbers_are_said_by_their_ends() -> None:
    bins = Bins((0, 18, 40, 65, 99), ((9,), (30,), (50,), (70,)), "integer")
    age = Variable("age", (*bins.ranges, "?"), bins, missing="?")
    a, b, c, d, gone = age.states
    assert describe_states(age, [a, b]) == "age is below 40"
    assert describe_states(age, [b, c]) == "age is at least 18 and below 65"
    assert describe_states(age, [d, gone]) == "age is at least 65 or missing"
    assert describe_states(age, [a, c, d]) == "age is below 18 or at least 40"
    assert describe_states(age, [a, b, c, d]) == "age is not missing"
    assert describe_states(age, [gone]) == "age is missing"
    size = Variable("size", ("small", "medium", "large", "huge"), ordered=True)
    assert describe_states(size, ["medium", "large"]) == "size is from medium to large"
    assert describe_states(size, ["large"]) == "size is large"
    other = Variable("n", (1, 2, 3, "other"), other="other")
    assert describe_states(other, [3, "other"]) == "n is 3 or other"
    many = Variable("town", tuple(f"t{k}" for k in range(20)))
    assert describe_states(many, many.states[:9]) == "town is t0, t1, t2, t3, t4 or 4 others"


def test_what_is_known_leads_as_far_as_it_decides() -> None:
    for name in PEOPLE.domain.names:
        graph = decision(NETWORK, name)
        source = NETWORK.nodes[PEOPLE.domain.index(name)].source
        for row in np.unique(PEOPLE.codes, axis=0):
            states = {
                v.name: (v.states[c],) for v, c in zip(PEOPLE.domain.variables, row.tolist(), strict=True)
            }
            found = find_reached(graph, states)
            assert found.vertices == set(found.path)  # all is known
            leaf = graph.vertices[found.path[-1]]
            assert isinstance(leaf, Leaf)
            assert leaf.number == source(row[None, :])[0]
    graph = decision(NETWORK, "survived")
    nothing = find_reached(graph, {})
    assert nothing.path == (0,)
    assert nothing.vertices == set(range(len(graph.vertices)))
    women = find_reached(graph, {"sex": ("female",)})
    assert len(women.path) == 2
    assert women.vertices < nothing.vertices
