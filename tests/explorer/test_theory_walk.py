"""The walk of p^t: its laws, where it ends, and the numbers beside it are those of `exact` and `geometry`."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depnet import Network, RandomScan, SequentialScan, law_path, stationary, stationary_cycle
from depnet.errors import DepnetError, PictureError
from depnet.explorer.theory_walk import LIGHT, walk, walk_figure
from depnet.explorer.two_tables import binary_variables, pair_network, relevant_others
from depnet.geometry import fc_limit, full_conditional_divergence, kl, m_projection, manifolds
from depnet.model import Scan
from depnet.pictures.tetrahedron import GENUINE, PSEUDO, START, place, two_nodes
from tests.explorer.cases import titanic_models

chances = st.tuples(*[st.floats(0.02, 0.98)] * 4)
SCANS: tuple[Scan, ...] = (RandomScan(), SequentialScan())
NAMES = ("a", "b", "c", "<d>")


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


def line(figure: dict[str, Any], name: str) -> Any:
    trace = next(trace for trace in figure["data"] if trace.get("name") == name)
    return np.transpose([trace[axis] for axis in "xyz"])


@pytest.mark.parametrize("step", [0, 1, 5])
def test_the_figure_shows_the_way_so_far_and_what_comes_next(step: int) -> None:
    network = two_nodes(*PSEUDO)
    path, random = walk(network, SequentialScan()), walk(network, RandomScan())
    figure = walk_figure(path, step, NAMES, LIGHT)
    assert np.allclose(line(figure, "pᵗ"), place(path.laws[: step + 1]), rtol=0, atol=1e-6)
    assert np.allclose(line(figure, "next m-projection")[1], place(path.laws[step + 1]), rtol=0, atol=1e-6)
    first = place(np.stack([random.laws[step], m_projection(random.laws[step], manifolds(network)[0])]))
    ahead = line(walk_figure(random, step, NAMES, LIGHT), "m-projections of pᵗ")
    assert np.allclose(ahead, first, rtol=0, atol=1e-6)
    texts = [trace["text"][0] for trace in figure["data"] if "text" in trace]
    assert texts[:4] == ["a", "b", "c", "&lt;d&gt;"]
    assert {"p⁰", "π", "π⁰", "π¹"} <= set(texts)
    assert ("pᵗ" in texts) == (step > 0)


def test_other_domains_have_no_tetrahedron() -> None:
    with pytest.raises(PictureError, match="two binary variables"):
        walk(Network.from_joint(np.full((2, 3), 1 / 6)), RandomScan())


def test_a_pair_is_the_network_with_the_others_clamped() -> None:
    titanic, _ = titanic_models()
    assert binary_variables(titanic) == ("sex", "age", "survived")
    others = {"class": "3rd", "age": "child"}
    assert set(relevant_others(titanic, ("sex", "survived"))) <= set(others)
    for scan in (RandomScan(), SequentialScan()):
        path = walk(pair_network(titanic, ("survived", "sex"), others), scan)
        clamped = stationary(titanic, scan, evidence=others)
        code = {
            name: titanic.domain.variables[titanic.domain.index(name)].code(v) for name, v in others.items()
        }
        expected = clamped[code["class"], :, code["age"], :]
        assert np.allclose(path.end, expected, rtol=0, atol=1e-9)
    with pytest.raises(DepnetError, match="two different variables"):
        pair_network(titanic, ("class", "sex"), {})
