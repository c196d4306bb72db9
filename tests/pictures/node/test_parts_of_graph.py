"""What evidence leaves of a graph, and the colours of its states."""

import numpy as np

from depnet import Dataset, Domain, Variable, learn, titanic
from depnet.pictures import colours, decision
from depnet.pictures.colours import REST
from depnet.pictures.node.decision import Leaf, legend, shares, state_colours
from depnet.pictures.node.parts_of_graph import reached

PEOPLE = titanic()
NETWORK = learn(PEOPLE)


def test_what_is_known_leads_as_far_as_it_decides() -> None:
    for name in PEOPLE.domain.names:
        graph = decision(NETWORK, name)
        source = NETWORK.nodes[PEOPLE.domain.index(name)].source
        for row in np.unique(PEOPLE.codes, axis=0):
            states = {
                v.name: (v.states[c],) for v, c in zip(PEOPLE.domain.variables, row.tolist(), strict=True)
            }
            found = reached(graph, states)
            assert found.vertices == set(found.path)  # all is known
            leaf = graph.vertices[found.path[-1]]
            assert isinstance(leaf, Leaf)
            assert leaf.number == source(row[None, :])[0]
    graph = decision(NETWORK, "survived")
    nothing = reached(graph, {})
    assert nothing.path == (0,)
    assert nothing.vertices == set(range(len(graph.vertices)))
    women = reached(graph, {"sex": ("female",)})
    assert len(women.path) == 2
    assert women.vertices < nothing.vertices


def test_states_in_an_order_go_from_light_to_dark_and_the_missing_one_is_grey() -> None:
    size = Variable("size", (*range(9), "?"), missing="?")
    domain = Domain((size, Variable("big", ("no", "yes"))))
    codes = np.array([[k % 10, int(k % 10 > 4)] for k in range(400)])
    graph = decision(learn(Dataset.from_codes(codes, domain=domain)), "size")
    colour = state_colours(graph)
    assert list(colour) == list(range(9))
    light = [sum(int(c[k : k + 2], 16) for k in (1, 3, 5)) for c in colour.values()]
    assert light == sorted(light, reverse=True)
    named = legend(graph.states, colour)
    assert [label for label, _ in named] == ["0", "1", "2", "4", "5", "6", "8", "other states"]
    assert shares((0.0,) * 9 + (1.0,), colour)[-1] == (REST, 1.0)
    assert state_colours(decision(NETWORK, "sex")) == {0: colours.SKY, 1: colours.ORANGE}
