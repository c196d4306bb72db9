"""The faces that results have in a notebook: alike, whole, and safe whatever the labels are."""

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

import depnet
from depnet import Dataset, Domain, Variable, certificate, compare, learn, pictures, query
from depnet.notebook import BAR, Bar, card, table
from depnet.pictures import colours

HOSTILE = "<script>alert('&\"')</script>\u202e\x1b[2J"


@pytest.fixture(scope="module")
def faces() -> dict[str, str]:
    """Every kind of face, of a table whose names and labels are hostile."""
    domain = Domain(
        (Variable(HOSTILE, (HOSTILE, "b")), Variable("x", (1, 2, 3)), Variable("y", ("</div>", "z")))
    )
    rows = Dataset.from_codes([[0, 0, 1], [1, 2, 0], [1, 1, 0], [0, 0, 1]] * 25, domain=domain)
    network, law = learn(rows, smoothing=0.5), learn(rows, smoothing=0.5, order="auto")
    alone = learn(rows, smoothing=0.5, max_leaves=1)
    model = depnet.DependencyNetwork(penalty="mdl", random_state=0).fit(rows)
    shown: dict[str, Any] = {
        "answer": query(law, [HOSTILE, "x"], {"y": "z"}, data=rows),
        "comparison": compare(alone, network, rows, rows=100),
        "certificate": certificate(network, rows),
        "certificate of a law": certificate(law, rows),
        "network": network,
        "model": model,
        "summary": model.summary(),
    }
    return {name: value._repr_html_() for name, value in shown.items()}


def test_every_face_is_whole_safe_and_has_the_label(faces: dict[str, str]) -> None:
    for name, face in faces.items():
        tree = ET.fromstring(face)  # whole: every element is closed
        assert {each.tag.rpartition("}")[2] for each in tree.iter()}.isdisjoint(
            {"script", "a", "img", "link"}
        ), name
        assert not any(key.startswith("on") for each in tree.iter() for key in each.attrib), name
        text = "".join(tree.itertext())
        assert "<script>alert(" in text, name
        assert "\u202e" not in text, name
        assert "\x1b" not in text, name


def test_pictures_show_themselves() -> None:
    domain = Domain((Variable(HOSTILE, (HOSTILE, "b")), Variable("x", (1, 2))))
    rows = Dataset.from_codes([[0, 0], [1, 1]] * 25, domain=domain)
    network = learn(rows, smoothing=0.5)
    graph = pictures.dependency_graph(network, rows)
    assert graph._repr_svg_() == pictures.to_svg(graph)
    node = pictures.decision(network, "x")
    assert node._repr_svg_() == pictures.node_svg(network, "x")
    for shown in (graph._repr_svg_(), node._repr_svg_()):
        assert "<script" not in shown
        assert "script&gt;" in shown


def test_all_faces_are_alike(faces: dict[str, str]) -> None:
    frames = {re.match(r"<div style='([^']*)'>", face)[1] for face in faces.values()}  # type: ignore[index]
    assert len(frames) == 1
    styles = {re.search(r"<th style='([^']*)'>", face)[1] for face in faces.values()}  # type: ignore[index]
    assert len(styles) == 1


def test_colours_are_those_of_pictures(faces: dict[str, str]) -> None:
    assert BAR == colours.SKY
    assert BAR in faces["answer"]
    assert BAR in faces["certificate"]


def test_what_each_face_says(faces: dict[str, str]) -> None:
    assert "times as likely by second as by first" in faces["comparison"]
    assert "links: 0 in both" in faces["comparison"]
    assert "by chance" in faces["comparison"]
    assert "FC(data || model) &lt;= " in faces["certificate"]
    assert "KL(data || law)" in faces["certificate of a law"]
    assert "a dependency network of 3 variables" in faces["network"]
    assert "strongest links" in faces["summary"]


def test_a_certificate_without_a_bound_shows_no_bars() -> None:
    rows = Dataset.from_codes([[0, 0], [1, 1]] * 5, [2, 2])
    other = Dataset.from_codes([[0, 1], [1, 0]] * 5, [2, 2])
    face = certificate(learn(rows), other)._repr_html_()
    assert "no bound on FC(data || model)" in face
    assert BAR not in face


def test_a_bar_stays_in_its_cell() -> None:
    shown = card("t", table(["a", "b"], [["x", Bar(2.0)], ["y", Bar(-1.0)], ["z", Bar(0.25)]]))
    assert re.findall(r"width:([\d.]+)%", shown) == ["100.0", "0.0", "25.0"]
