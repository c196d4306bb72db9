"""The decision graph of a node, from any source, by number or name; and as text."""

import numpy as np

from depnet import Dataset, LosslessSource, learn, learn_parameters, titanic
from depnet.data import Domain, Variable
from depnet.errors import EvidenceError, ModelError
from depnet.pictures import colours, decision, node_svg, node_text
from depnet.pictures.node.decision import Leaf, legend, shares, state_colours
from tests.pictures.cases import chain
from tests.refusals import refuses

TITANIC_AGE = """\
age (adult, child), 2,201 rows: 4 leaves, reads class, sex, survived
█ adult  ▓ child
├─ class = 1st  ████████████████ adult 0.982  child 0.018  (leaf 0, 325 rows)
"""


def test_text_of_a_node() -> None:
    network = learn(titanic())
    text = node_text(network, "age", theory=True)
    assert text.startswith(TITANIC_AGE)
    assert "shared by 2 branches" in text
    assert node_text(network, 2, theory=True) == text
    plain = node_text(network, 2)
    assert "leaf" not in plain
    assert plain.splitlines()[2:3] == [text.splitlines()[2].replace("leaf 0, ", "")]
    cut = node_text(network, "age", most_lines=4)
    assert cut.splitlines()[-1].startswith("… and ")
    assert "→ [A] above" in node_text(network, "class"), "a test that two branches lead to is written once"


def test_states_without_mass_are_not_listed() -> None:
    rows = [[0, k % 2] for k in range(40)] + [[1, 2 + k % 4] for k in range(40)]
    domain = Domain((Variable("x", ("a", "b")), Variable("y", tuple("pqrstu"))))
    for smoothing in (0.0, 1e-6):
        network = learn(Dataset.from_codes(rows, domain=domain), smoothing=smoothing)
        text = node_text(network, "y", theory=True)
        assert "p 0.500  q 0.500  (leaf" in text
        assert "r 0.250  s 0.250  t 0.250  u 0.250  (leaf" in text
    text = node_text(learn(Dataset.from_codes(rows, domain=domain), smoothing=0.5), "y")
    assert "+2 states" in text, "the others have some mass here"


def test_sources_that_are_no_decision_graph_are_written_out() -> None:
    data = titanic()
    source = LosslessSource.of_all_but(3, data.domain.cardinalities)
    rest = [LosslessSource((3,), (2,))] * 3
    network = learn_parameters(data, [*rest, source])
    graph = decision(network, "survived")
    assert sum(isinstance(v, Leaf) for v in graph.vertices) == graph.leaves == 16
    codes = data.codes[::97]
    for row, leaf in zip(codes, source(codes), strict=True):
        v = 0
        while not isinstance(vertex := graph.vertices[v], Leaf):
            i = data.domain.index(vertex.variable)
            state = data.domain.variables[i].states[row[i]]
            (v,) = [b.to for b in vertex.branches if state in b.states]
        assert vertex.number == leaf
    assert graph.rows == data.total


def test_too_large_to_draw() -> None:
    n = 14
    data = Dataset.from_codes([[0] * n, [1] * n], [2] * n)
    sources = [LosslessSource.of_all_but(i, [2] * n) for i in range(n)]
    refuses(ModelError, "too large to be drawn", lambda: node_text(learn_parameters(data, sources), 0))


def test_unknown_nodes() -> None:
    network, _ = chain(3)
    refuses(EvidenceError, "there is no variable 'X9'", lambda: node_svg(network, "X9"))
    refuses(ModelError, "from 0 to 2; got 3", lambda: node_text(network, 3))


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
    assert shares((0.0,) * 9 + (1.0,), colour)[-1] == (colours.REST, 1.0)
    assert state_colours(decision(learn(titanic()), "sex")) == {0: colours.SKY, 1: colours.ORANGE}
