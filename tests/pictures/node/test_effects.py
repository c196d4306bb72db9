"""A boosted node as gains and effects: the means are those of rows one by one, and every format takes any label."""

import math
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset, Domain, Network, Variable
from depnet.errors import ModelError
from depnet.model.boosted import BoostedNode
from depnet.pictures import boosted, boosted_svg, boosted_text, decision, node_svg, node_text
from depnet.pictures.node.effects import MOST_ROWS, reference
from tests.boosted import random_boosted_network
from tests.mixed import mixed_titanic
from tests.narrowed import there
from tests.pictures.cases import HOSTILE
from tests.strategies import cardinalities, seeds

TEXT = """\
survived (No, Yes)
  boosted: 3 stages of 7 leaves together, after a graph of 2 leaves, reads sex, class, age

What its inputs gained, bits a row
  sex                        0.1443  ████████████████████████
  class                      0.0577  ██████████
  age                        0.0043  █

Effects: with one input set to each of its states
  Means over 2,000 of the table's 2,201 rows
█ No  ▓ Yes
  as it is                 ███████████▓▓▓▓▓ No 0.708  Yes 0.292
sex
"""


def literal(network: Network, i: int, j: int, rows: Dataset) -> list[list[float]]:
    """theta with X_j set, row by row."""
    means = []
    for z in range(network.domain.cardinalities[j]):
        total = np.zeros(network.domain.cardinalities[i])
        for row in rows.codes.tolist():
            row[j] = z
            total += network.nodes[i].probabilities(np.array([row], dtype=np.uint8))[0]
        means.append((total / rows.total).tolist())
    return means


@given(seed=seeds, cards=cardinalities())
def test_effects_are_means_over_rows(seed: int, cards: tuple[int, ...]) -> None:
    network = random_boosted_network(seed, list(cards))
    rows = Dataset.from_codes(
        np.random.default_rng(seed).integers(0, cards, size=(7, len(cards))), domain=network.domain
    )
    for i, node in enumerate(network.nodes):
        said = boosted(network, i, rows)
        assert [one.variable for one in said.inputs] == list(node.inputs), (
            "all gained nothing: in their order"
        )
        for one, effect in zip(said.inputs, said.effects, strict=False):
            assert np.allclose(effect.means, literal(network, i, one.variable, rows))
        assert np.allclose(said.mean, node.probabilities(rows.codes).mean(axis=0))
        assert said.measured == "the table's 7 rows"
        ET.fromstring(boosted_svg(said))
        assert boosted_text(said).startswith(f"X{i} ")


def test_row_weights_count() -> None:
    network = mixed_titanic()
    people = depnet.titanic()
    rows, weights = np.unique(people.codes, axis=0, return_counts=True)
    weighed = Dataset.from_codes(rows, domain=people.domain, weights=weights)
    said = boosted(network, "survived", weighed)
    assert said.measured == "the table's 2,201 rows"
    assert np.allclose(said.effects[0].means, literal(network, 3, 1, people))


def test_gains_are_bits_and_sorted() -> None:
    said = boosted(mixed_titanic(), 3)
    assert [one.name for one in said.inputs] == ["sex", "class", "age"]
    assert said.inputs[0].bits == pytest.approx(0.1 / math.log(2))
    assert [effect.name for effect in said.effects] == ["sex", "class", "age"]
    assert said.effects[0].states == ("female", "male")
    assert boosted(mixed_titanic(), 3, most=1).effects == said.effects[:1]


def test_without_rows_the_reference_is_made_and_says_so() -> None:
    network = mixed_titanic()
    counts = there(network.counts)
    rows = reference(network)
    assert (
        rows.said == "2,000 rows made for it: every variable by itself, the frequencies that the model keeps"
    )
    for j, single in enumerate(counts.singles):
        shares = np.bincount(rows.codes[:, j], minlength=len(single)) / MOST_ROWS
        assert np.abs(shares - single / counts.total).max() <= 1 / MOST_ROWS
    assert np.array_equal(rows.codes, reference(network).codes), "the same rows every time"
    bare = reference(replace(network, counts=None))
    assert bare.said.endswith("every variable by itself, all states alike")
    assert np.bincount(bare.codes[:, 0]).tolist() == [500] * 4
    empty = Dataset.from_codes(np.zeros((0, 4), dtype=np.int64), domain=network.domain)
    assert reference(network, empty).said == rows.said


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
    text = node_text(network, "survived", people)
    assert text.startswith(TEXT)
    assert "its first graph, before the stages\nsurvived (No, Yes): 2 leaves, reads sex" in text
    picture = ET.fromstring(node_svg(network, "survived", people))
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
    made = random_boosted_network(1, [14] * n, stages=200)
    names = [*HOSTILE, *(f"variable {i}" for i in range(n))][:n]
    domain = Domain(
        tuple(
            Variable(name, tuple(f"{HOSTILE[(i + k) % len(HOSTILE)]}{k}" for k in range(14)))
            for i, name in enumerate(names)
        )
    )
    network = Network(domain, made.nodes)
    node = network.nodes[0]
    assert isinstance(node, BoostedNode)
    ET.fromstring(node_svg(network, 0))
    text = node_text(network, 0)
    assert "  and 9 inputs more, 0.0000 together" in text
    assert "  and 2 more states" in text
    assert "other states" in text
    assert "\x1b" not in text + node_svg(network, 0)


def test_a_node_that_reads_nothing() -> None:
    network = random_boosted_network(0, [3])
    assert "reads nothing" in node_text(network, 0)
    ET.fromstring(node_svg(network, 0))
