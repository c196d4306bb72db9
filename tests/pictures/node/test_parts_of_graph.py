"""Parts of a graph: what evidence leaves, what is below a vertex, the rows that come to one."""

import numpy as np

from depnet import Dataset, Domain, Variable, learn, titanic
from depnet.pictures import colours, decision
from depnet.pictures.colours import REST
from depnet.pictures.node.decision import Folded, Leaf, legend, shares, state_colours
from depnet.pictures.node.parts_of_graph import (
    counts_at,
    depths,
    leaves_below,
    levels_within,
    part_below,
    reached,
)
from depnet.pictures.node.svg import decision_svg

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


def test_a_part_is_the_graph_below_a_vertex_and_folds_what_lies_deeper() -> None:
    graph = decision(NETWORK, "survived")
    whole = part_below(graph)
    assert sorted(whole.numbers) == list(range(len(graph.vertices)))
    assert not any(isinstance(v, Folded) for v in whole.graph.vertices)
    below = part_below(graph, 1)
    assert {
        below.graph.vertices[k] for k, v in enumerate(below.numbers) if isinstance(graph.vertices[v], Leaf)
    } == {graph.vertices[v] for v in leaves_below(graph, 1)}
    one = part_below(graph, 0, 1)
    folded = [v for v in one.graph.vertices if isinstance(v, Folded)]
    assert folded
    assert [f.leaves for f in folded] == [len(leaves_below(graph, v)) for v in one.numbers[1:]]
    assert len(one.numbers) == 1 + len({b.to for b in graph.vertices[0].branches})
    assert levels_within(graph, 0, 1000) == max(depths(graph).values())
    assert levels_within(graph, 0, 5) == 1
    assert "leaves below" in decision_svg(one.graph)


def test_rows_are_counted_with_their_weights_at_every_vertex() -> None:
    weights = np.arange(PEOPLE.rows) % 3
    data = Dataset.from_codes(PEOPLE.codes, domain=PEOPLE.domain, weights=weights)
    graph = decision(NETWORK, "survived")
    assert counts_at(graph, 0, data).sum() == weights.sum()
    root = graph.vertices[0]
    assert len(root.branches) == 2
    sex = PEOPLE.codes[:, 1]
    for branch in root.branches:
        chosen = sex == PEOPLE.domain.variables[1].code(branch.states[0])
        assert counts_at(graph, branch.to, data).sum() == weights[chosen].sum()


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
