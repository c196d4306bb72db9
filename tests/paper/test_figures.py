"""The figures are what they say: points on their manifolds, right angles, paths that end at pi; files are light."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from depnet import RandomScan, SequentialScan, law_path, stationary, stationary_cycle
from depnet.geometry import manifolds
from depnet.paper.figures import FIGURES, write_figures
from depnet.paper.figures.diagram import Diagram
from depnet.paper.figures.graphs import TARGET, learned, split_merge_figure
from depnet.paper.figures.simplex import genuine, pseudo, pseudo_figure
from depnet.paper.figures.web import page
from depnet.paper.report import ExperimentError
from depnet.pictures.tetrahedron.scene import CORNERS, Scene, place
from depnet.pictures.tetrahedron.simplex import START, manifold_lines, two_nodes

PAPER_FIGURES = {"node", "m-projection", "genuine_gs", "pseudo-gs", "movement", "fcd", "split_merge"}


def test_every_figure_of_the_paper_is_there() -> None:
    assert set(FIGURES) == PAPER_FIGURES | {"tetrahedron"}


def test_corners_are_the_joint_states_and_the_map_is_linear() -> None:
    states = np.eye(4).reshape(4, 2, 2)
    assert np.array_equal(place(states), CORNERS)
    p, q = np.random.default_rng(0).dirichlet(np.ones(4), size=2).reshape(2, 2, 2)
    assert np.allclose(place(0.3 * p + 0.7 * q), 0.3 * place(p) + 0.7 * place(q), rtol=0, atol=1e-12)


def test_the_manifolds_of_consistent_tables_meet_and_those_of_others_do_not() -> None:
    def gap(network: object) -> float:
        lines = [c.points for c in pseudo_lines(network)]
        normal = np.cross(lines[0][1] - lines[0][0], lines[1][1] - lines[1][0])
        return float(abs((lines[1][0] - lines[0][0]) @ normal) / np.linalg.norm(normal))

    assert gap(genuine()) < 1e-9
    assert gap(pseudo()) > 0.1


def pseudo_lines(network: object) -> tuple:  # type: ignore[type-arg]  # curves of the module under test
    from depnet import Network

    assert isinstance(network, Network)
    return manifold_lines(network)


def test_the_path_lies_on_the_manifolds_and_ends_on_the_cycle() -> None:
    network = pseudo()
    laws = list(itertools.islice(law_path(network, SequentialScan(), START), 60))
    spaces = manifolds(network)
    for t in range(1, 60):
        assert spaces[(t - 1) % 2].contains(laws[t])
        assert not spaces[t % 2].contains(laws[t])
    cycle = stationary_cycle(network, SequentialScan())
    assert np.allclose(laws[58], cycle[0], rtol=0, atol=1e-9)
    drawn = next(c for c in pseudo_figure().curves if c.stepwise)
    assert np.allclose(drawn.points[5], place(laws[5]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("tables", [((0.9, 0.2), (0.7, 0.4)), ((0.3, 0.8), (0.1, 0.15))])
def test_with_two_nodes_the_centroid_is_the_law_of_the_random_scan(
    tables: tuple[tuple[float, float], tuple[float, float]],
) -> None:
    network = two_nodes(*tables)
    pi, centroid = stationary(network, RandomScan()), stationary(network, SequentialScan())
    assert np.allclose(pi, centroid, rtol=0, atol=1e-9)
    with pytest.raises(AssertionError):  # other weights, another law
        assert np.allclose(stationary(network, RandomScan((0.3, 0.7))), centroid, rtol=0, atol=1e-9)


def test_cells_of_the_partition_are_the_leaves_of_the_recorded_operations() -> None:
    data, network = learned()
    node = network.nodes[data.domain.index(TARGET)]
    diagram = split_merge_figure()
    last = diagram.frames[-1]
    assert {box.text for box in last.boxes} == {str(y) for y in range(node.source.size)}
    assert len(last.boxes) == 16
    assert {box.text for box in diagram.frames[0].boxes} == {"0"}
    for box in last.boxes:
        states = dict(part.split("=") for part in box.tip.split(", "))
        codes = [[v.states.index(states[v.name]) if v.name in states else 0 for v in data.domain.variables]]
        assert box.text == str(node.source(codes)[0])


def test_pages_stand_alone_and_carry_the_picture() -> None:
    for make in FIGURES.values():
        picture = make()
        text = page(picture)
        assert "http" not in text.replace("http-equiv", "")
        assert "src=" not in text
        data = json.loads(text.split("const picture = ")[1].split(";\n")[0].replace("<\\/", "</"))
        assert data["title"] == picture.title
        assert data["kind"] == ("scene" if isinstance(picture, Scene) else "diagram")
        assert isinstance(picture, (Scene, Diagram))


def test_files_are_written_and_light(tmp_path: Path) -> None:
    report = write_figures(tmp_path / "new", ["fcd", "node"], ["png", "svg", "html"])
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == [
        "fcd.html", "fcd.png", "fcd.svg", "node.html", "node.png", "node.svg",
    ]  # fmt: skip
    assert max(r["kib"] for r in report.records) < 200
    again = write_figures(tmp_path / "again", ["fcd"], ["svg"])
    assert Path(again.records[0]["file"]).read_bytes() == (tmp_path / "new" / "fcd.svg").read_bytes()


def test_an_unknown_figure_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="there is no figure 'x'; the figures are tetrahedron"):
        write_figures(tmp_path, ["x"])
    with pytest.raises(ExperimentError, match="png, svg, html; got 'gif'"):
        write_figures(tmp_path, ["fcd"], ["gif"])
