"""Every format is read back by its own reader, whatever the labels are, and is the same bytes twice."""

import csv
import html
import io
import re
from xml.etree import ElementTree as ET

import networkx as nx
import pytest

from depnet import Dataset, Network, links
from depnet.learning.links import Link
from depnet.pictures import (
    DependencyGraph,
    decision,
    dependency_graph,
    links_csv,
    node_svg,
    node_text,
    to_dot,
    to_graphml,
    to_svg,
)
from depnet.pictures.graph.exports import guard
from depnet.pictures.graph.svg import small_svg
from depnet.pictures.labels import line, short
from depnet.pictures.node.decision import Leaf
from tests.pictures.cases import CASES, hostile


@pytest.fixture(params=CASES, scope="module")
def drawn(request: pytest.FixtureRequest) -> tuple[Network, Dataset, DependencyGraph]:
    network, data = CASES[request.param]()
    return network, data, dependency_graph(network, data)


def ways(graph: DependencyGraph) -> set[tuple[int, int]]:
    return {(a.source, a.target) for a in graph.arrows}


def test_graphml(drawn: tuple[Network, Dataset, DependencyGraph]) -> None:
    network, _, graph = drawn
    text = to_graphml(graph)
    assert text == to_graphml(dependency_graph(network, drawn[1]))
    back = nx.parse_graphml(text)
    assert {(int(a[1:]), int(b[1:])) for a, b in back.edges} == ways(graph)
    for arrow in graph.arrows:
        data = back.edges[f"n{arrow.source}", f"n{arrow.target}"]
        assert data["strength"] == arrow.strength
    for v, name in enumerate(graph.names):
        assert back.nodes[f"n{v}"].get("name", "") == re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "\ufffd", name)


def dot_statements(text: str) -> list[str]:
    """The statements between the braces, by DOT's own rules for quoted strings."""
    body = text[text.index("{") + 1 : text.rindex("}")]
    parts = re.findall(r'(?:"(?:\\.|[^"\\])*"|[^";])+', body)
    return [part.strip() for part in parts if part.strip()]


def unquoted(quoted: str) -> str:
    assert quoted[0] == quoted[-1] == '"'
    return html.unescape(re.sub(r"\\(.)", r"\1", quoted[1:-1]))


def test_dot(drawn: tuple[Network, Dataset, DependencyGraph]) -> None:
    graph = drawn[2]
    text = to_dot(graph)
    assert text == to_dot(graph)
    statements = dot_statements(text)
    named = {}
    found = set()
    for statement in statements:
        vertex = re.fullmatch(r'n(\d+) \[label=("(?:\\.|[^"\\])*"), color="#\w{6}"\]', statement)
        edge = re.fullmatch(r"n(\d+) -> n(\d+) \[(.+)\]", statement)
        if vertex:
            named[int(vertex[1])] = unquoted(vertex[2])
        elif edge:
            a, b = int(edge[1]), int(edge[2])
            found |= {(a, b), (b, a)} if "dir=both" in edge[3] else {(a, b)}
        else:
            assert statement.split()[0] in ("graph", "node", "edge"), statement
    assert found == ways(graph)
    assert named == {v: line(name) for v, name in enumerate(graph.names)}


def test_svg(drawn: tuple[Network, Dataset, DependencyGraph]) -> None:
    network, data, graph = drawn
    text = to_svg(graph)
    assert text == to_svg(dependency_graph(network, data))
    root = check_svg(text)
    words = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    if len(graph) < 50:
        for name in graph.names:
            assert short(name, 22) in words
    lines = [e for e in root.iter("{http://www.w3.org/2000/svg}g") if "opacity" in e.attrib]
    if len(graph) <= 150:
        assert len(lines) == len(graph.strongest(3 * len(graph)).ties)
    else:
        assert 150 <= len(lines) <= 450
        assert len(words) <= 150 + 4, "a name for each variable that is drawn, and the legend"


def test_a_small_picture_has_the_strongest_links_and_what_they_join(
    drawn: tuple[Network, Dataset, DependencyGraph],
) -> None:
    graph = drawn[2]
    text = small_svg(graph, 5)
    assert bool(text) == bool(graph.arrows)
    if text:
        words = [e.text for e in check_svg(text).iter("{http://www.w3.org/2000/svg}text")]
        joined = {v for arrow in graph.arrows[:5] for v in (arrow.source, arrow.target)}
        assert words == [short(graph.names[v], 22) for v in sorted(joined)]


def check_svg(text: str) -> ET.Element:
    """Well-formed, nothing that runs, nothing from elsewhere."""
    root = ET.fromstring(text)
    for element in root.iter():
        tag = element.tag.split("}")[1]
        assert tag in ("svg", "style", "rect", "g", "title", "path", "text", "circle"), tag
        assert not [k for k in element.attrib if k.startswith("on") or "href" in k]
    assert "url(" not in text
    return root


def test_csv(drawn: tuple[Network, Dataset, DependencyGraph]) -> None:
    network, data, _ = drawn
    found = links(network, data)
    rows = list(csv.DictReader(io.StringIO(links_csv(found), newline="")))
    assert len(rows) == len(found)
    for row, link in zip(rows, found, strict=True):
        assert (row["source"], row["target"]) == (guard(link.source), guard(link.target))
        assert (float(row["strength"]), int(row["node"])) == (link.strength, link.node)
        assert (row["conditional_information"] == "") == (link.conditional_information is None)


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-2+3", "@SUM(1)", "\t=1", "a\n=1", "\uff1d1"])
def test_no_spreadsheet_computes_a_name_in_the_csv(name: str) -> None:
    rows = list(csv.reader(io.StringIO(links_csv([Link(name, name, 0, 0, 0.5, None, None)]), newline="")))
    assert rows[1][0] == rows[1][1] == guard(name) != name
    plain = Link("a", "b", 0, 0, -0.5, None, None)
    assert links_csv([plain]).splitlines()[1] == "a,b,0,-0.5,,"


def test_decision_graphs(drawn: tuple[Network, Dataset, DependencyGraph]) -> None:
    network, _, _ = drawn
    for number in range(min(len(network), 12)):
        graph = decision(network, number)
        check_svg(node_svg(network, number))
        assert node_svg(network, number) == node_svg(network, number)
        text = node_text(network, number, theory=True)
        assert not re.search("[\x00-\x09\x0b-\x1f]", text)
        leaves = {v.number for v in graph.vertices if isinstance(v, Leaf)}
        assert {int(y) for y in re.findall(r"\(leaf (\d+)[,)]", text)} == leaves


def test_mutant_a_label_that_is_not_escaped_would_be_seen() -> None:
    network, data = hostile()
    text = to_svg(dependency_graph(network, data)).replace("&lt;", "<")
    with pytest.raises((AssertionError, ET.ParseError)):
        check_svg(text)
