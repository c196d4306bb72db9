"""The figures are what they say: points on their manifolds, right angles, paths that end at pi; files are light."""

from pathlib import Path

import numpy as np
import pytest

from depnet import Network, RandomScan, SequentialScan, stationary
from depnet.paper.figures import FIGURES, TARGET, learn_example, partitions, write_figures
from depnet.paper.report import ExperimentError
from depnet.pictures.tetrahedron import CORNERS, GENUINE, PSEUDO, manifold_lines, place, two_nodes

PAPER_FIGURES = {"node", "m-projection", "genuine_gs", "pseudo-gs", "movement", "fcd", "split_merge"}


def test_every_figure_of_the_paper_is_written_light_and_always_the_same(tmp_path: Path) -> None:
    report = write_figures(tmp_path / "new", formats=["svg"])
    assert set(FIGURES) == PAPER_FIGURES | {"tetrahedron"}
    assert {p.name for p in (tmp_path / "new").iterdir()} == {f"{n}.svg" for n in FIGURES}
    write_figures(tmp_path / "new", ["movement"])
    assert (tmp_path / "new" / "movement.png").stat().st_size < 200_000
    assert max(r["kib"] for r in report.records) < 200
    again = write_figures(tmp_path / "again", ["fcd"], ["svg"])
    assert Path(again.records[0]["file"]).read_bytes() == (tmp_path / "new" / "fcd.svg").read_bytes()
    with pytest.raises(ExperimentError, match="there is no figure 'x'; the figures are tetrahedron"):
        write_figures(tmp_path, ["x"])


def test_corners_are_the_joint_states_and_the_map_is_linear() -> None:
    states = np.eye(4).reshape(4, 2, 2)
    assert np.array_equal(place(states), CORNERS)
    p, q = np.random.default_rng(0).dirichlet(np.ones(4), size=2).reshape(2, 2, 2)
    assert np.allclose(place(0.3 * p + 0.7 * q), 0.3 * place(p) + 0.7 * place(q), rtol=0, atol=1e-12)


def test_the_manifolds_of_consistent_tables_meet_and_those_of_others_do_not() -> None:
    def gap(network: Network) -> float:
        lines = [curve.points for curve in manifold_lines(network)]
        normal = np.cross(lines[0][1] - lines[0][0], lines[1][1] - lines[1][0])
        return float(abs((lines[1][0] - lines[0][0]) @ normal) / np.linalg.norm(normal))

    assert gap(two_nodes(*GENUINE)) < 1e-9
    assert gap(two_nodes(*PSEUDO)) > 0.1


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
    data, network = learn_example()
    node = network.nodes[data.domain.index(TARGET)]
    frames = partitions()
    assert np.array_equal(frames["Y = 0: one leaf"], np.zeros((4, 4)))
    *_, last = frames.values()
    assert data.domain.names == ("class", "sex", "age", TARGET)
    for (row, column), leaf in np.ndenumerate(last):
        assert node.source([[row, *divmod(column, 2), 0]])[0] == leaf
