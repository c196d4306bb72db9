"""The walk of p^t: its laws, where it ends, and the numbers beside it are those of `exact` and `geometry`."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Network, RandomScan, SequentialScan, law_path, stationary, stationary_cycle
from depnet.arrays import FloatArray
from depnet.errors import PictureError
from depnet.geometry import fc_limit, full_conditional_divergence, kl, m_projection, manifolds
from depnet.model import Scan
from depnet.pictures.tetrahedron.scene import Scene, place
from depnet.pictures.tetrahedron.simplex import GENUINE, PSEUDO, START, two_nodes
from depnet.pictures.tetrahedron.walk import walk, walk_scene

chances = st.tuples(*[st.floats(0.02, 0.98)] * 4)
SCANS: tuple[Scan, ...] = (RandomScan(), SequentialScan())


@given(chances, st.sampled_from(SCANS))
def test_a_walk_is_the_path_of_the_law_with_its_divergences(
    p: tuple[float, float, float, float], scan: Scan
) -> None:
    network = two_nodes(p[:2], p[2:])
    path = walk(network, scan, steps=6)
    end = stationary(network, scan)
    assert np.array_equal(path.end, end)
    for t, law in enumerate(itertools.islice(law_path(network, scan, START), 7)):
        assert np.array_equal(path.laws[t], law)
        assert path.kl[t] == kl(law, end)
        assert path.fc[t] == full_conditional_divergence(law, end)
        assert path.limit[t] == fc_limit(law, network)
    if isinstance(scan, RandomScan):
        assert path.cycle == ()
        assert (path.fc <= path.limit * (1 + 1e-9) + 1e-12).all()  # Theorem 3
    else:
        assert np.array_equal(path.cycle, stationary_cycle(network, scan))


@pytest.mark.parametrize("scan", SCANS)
def test_genuine_tables_meet_and_others_do_not(scan: Scan) -> None:
    assert walk(two_nodes(*GENUINE), scan).meets
    assert not walk(two_nodes(*PSEUDO), scan).meets


def curve(scene: Scene, label: str) -> FloatArray:
    return next(c.points for c in scene.curves if c.label == label)


@pytest.mark.parametrize("step", [0, 1, 5])
def test_the_scene_shows_the_way_so_far_and_what_comes_next(step: int) -> None:
    network = two_nodes(*PSEUDO)
    path = walk(network, SequentialScan())
    scene = walk_scene(path, step)
    assert np.array_equal(curve(scene, "pᵗ"), place(path.laws[: step + 1]))
    ahead = curve(scene, "next m-projection")
    assert np.allclose(ahead[1], place(path.laws[step + 1]), rtol=0, atol=1e-12)
    random = walk(network, RandomScan())
    expected = place(np.stack([random.laws[step], m_projection(random.laws[step], manifolds(network)[0])]))
    assert np.array_equal(curve(walk_scene(random, step), "m-projections of pᵗ"), expected)
    names = [point.label for point in walk_scene(path, step, ("a", "b", "c", "d")).points]
    assert names[:4] == ["a", "b", "c", "d"]
    assert {"p⁰", "π", "π⁰", "π¹"} <= set(names)
    assert ("pᵗ" in names) == (step > 0)


def test_other_domains_have_no_tetrahedron() -> None:
    with pytest.raises(PictureError, match="two binary variables"):
        walk(Network.from_joint(np.full((2, 3), 1 / 6)), RandomScan())
