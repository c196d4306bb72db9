"""Links of networks in which nodes are boosted: those of plain nodes as ever, those of boosted ones what inputs gained."""

import math
from dataclasses import replace

import pytest

import depnet
from depnet.errors import LearningError
from depnet.fitting.known import all_links, certified
from depnet.learning.links.links import Link
from depnet.model.links import one_sided_links
from depnet.pictures import dependency_graph
from tests.boosted import random_boosted_network
from tests.mixed import mixed_titanic

PEOPLE = depnet.titanic()
PLAIN = depnet.learn(PEOPLE, smoothing=0.5).with_counts(PEOPLE)


def by_ends(found: tuple[Link, ...]) -> dict[tuple[int, int], Link]:
    return {(link.node, link.variable): link for link in found}


@pytest.mark.parametrize("rows", [None, PEOPLE], ids=["kept counts", "rows"])
def test_links_of_a_mixed_network(rows: depnet.Dataset | None) -> None:
    mixed, plain = by_ends(all_links(mixed_titanic(), rows)), by_ends(depnet.links(PLAIN, rows))
    assert {ends: link for ends, link in mixed.items() if ends[0] != 3} == {
        ends: link for ends, link in plain.items() if ends[0] != 3
    }
    assert [mixed[3, j].strength for j in (0, 1, 2)] == pytest.approx(
        [gain / math.log(2) for gain in (0.04, 0.1, 0.003)]
    )
    for j in (0, 1, 2):
        assert mixed[3, j].mutual_information == pytest.approx(plain[3, j].mutual_information)
        assert mixed[3, j].conditional_information is None
    strengths = [link.strength for link in all_links(mixed_titanic(), rows)]
    assert strengths == sorted(strengths, reverse=True)


def test_links_of_plain_networks_are_those_of_the_library() -> None:
    assert all_links(PLAIN, PEOPLE) == depnet.links(PLAIN, PEOPLE)


def test_links_where_nothing_is_kept() -> None:
    network = replace(mixed_titanic(), counts=None)
    assert by_ends(all_links(network))[3, 1].mutual_information is None
    boosted = random_boosted_network(3, [2, 3, 2], ordered=True)
    assert {(link.node, link.variable) for link in all_links(boosted)} == {
        (i, j) for i, node in enumerate(boosted.nodes) for j in node.inputs
    }
    assert one_sided_links(boosted)


def test_bootstrap_says_that_it_is_not_for_boosted_nodes() -> None:
    with pytest.raises(LearningError, match="which boosted nodes are not made for yet"):
        all_links(mixed_titanic(), PEOPLE, 3)


def test_pictures_say_what_strengths_are() -> None:
    assert dependency_graph(mixed_titanic(), PEOPLE).measured == (
        "gained while nodes were boosted, or measured on 2,201 rows"
    )
    assert dependency_graph(random_boosted_network(0, [2, 2])).measured == "gained while nodes were boosted"


def test_what_is_proven_of_a_plain_network_is_the_certificate() -> None:
    assert str(certified(PLAIN, PEOPLE)) == str(depnet.certificate(PLAIN, PEOPLE))
