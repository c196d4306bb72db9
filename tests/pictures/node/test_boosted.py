"""A boosted node as gains and its first graph; every format takes any label."""

import math
import xml.etree.ElementTree as ET

import pytest

import depnet
from depnet import Domain, Network, Variable
from depnet.errors import ModelError
from depnet.pictures import boosted, decision, node_svg, node_text
from tests.boosted import random_boosted_network
from tests.mixed import mixed_titanic
from tests.narrowed import there
from tests.pictures.cases import HOSTILE

TEXT = """\
survived (No, Yes)
  boosted: 3 stages of 7 leaves together, after a graph of 2 leaves, reads sex, class, age

What its inputs gained, bits a row
  sex                        0.1443  ████████████████████████
  class                      0.0577  ██████████
  age                        0.0043  █

its first graph, before the stages
survived (No, Yes): 2 leaves, reads sex
"""


def test_gains_are_bits_and_sorted() -> None:
    said = boosted(mixed_titanic(), 3)
    assert [one.name for one in said.inputs] == ["sex", "class", "age"]
    assert said.inputs[0].bits == pytest.approx(0.1 / math.log(2))


def test_the_first_graph_has_theta_before_the_stages() -> None:
    first = there(boosted(mixed_titanic(), "survived").first)
    assert first.inputs == ("sex",)
    leaves = [v for v in first.vertices if v.branches == ()]
    assert [leaf.probabilities for leaf in leaves] == [  # type: ignore[union-attr]
        pytest.approx((0.27, 0.73), abs=1e-5),
        pytest.approx((0.79, 0.21), abs=1e-5),
    ]
    assert boosted(random_boosted_network(0, [2, 2]), 0).first is None


def test_texts_and_pictures_of_a_node() -> None:
    network, people = mixed_titanic(), depnet.titanic()
    assert node_text(network, "survived", theory=True).startswith(TEXT)
    picture = ET.fromstring(node_svg(network, "survived"))
    said = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "boosted: 3 stages of 7 leaves together, after a graph of 2 leaves, reads sex, class, age" in said
    assert "0.1443" in said
    assert node_text(network, "age") == node_text(depnet.learn(people, smoothing=0.5), "age"), "plain as ever"


def test_what_a_boosted_node_has_not() -> None:
    network = mixed_titanic()
    with pytest.raises(
        ModelError, match=r"'survived' is boosted: .* depnet.pictures.boosted\(network, node\)"
    ):
        decision(network, "survived")
    with pytest.raises(ModelError, match="'age' is not boosted: decision"):
        boosted(network, "age")


def test_hostile_labels_many_states_and_many_inputs() -> None:
    n = 30
    names = [*HOSTILE, *(f"variable {i}" for i in range(n))][:n]
    states = [[f"{HOSTILE[(i + k) % len(HOSTILE)]}{k}" for k in range(14)] for i in range(n)]
    domain = Domain(tuple(Variable(name, tuple(own)) for name, own in zip(names, states, strict=True)))
    network = Network(domain, random_boosted_network(1, [14] * n, stages=200).nodes)
    ET.fromstring(node_svg(network, 0))
    text = node_text(network, 0, theory=True)
    assert "  and 9 inputs more, 0.0000 together" in text
    assert "\x1b" not in text + node_svg(network, 0)


def test_a_node_that_reads_nothing() -> None:
    network = random_boosted_network(0, [3])
    assert "reads nothing" in node_text(network, 0, theory=True)
    ET.fromstring(node_svg(network, 0))
