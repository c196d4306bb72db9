"""SVG pictures by matplotlib: every element is there, where the SVG has it."""

import re
from collections.abc import Iterator

import pytest
from matplotlib import pyplot as plt

from depnet import DependencyNetwork, learn, titanic
from depnet.errors import PictureError
from depnet.pictures import dependency_graph, node_svg, plot_svg, to_image, to_svg
from tests.pictures.cases import hostile

NETWORK = learn(titanic(), smoothing=0.5)
SVG = to_svg(dependency_graph(NETWORK))


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.mark.parametrize("svg", [SVG, node_svg(NETWORK, "survived")], ids=["graph", "node"])
def test_every_label_and_shape_is_drawn(svg: str) -> None:
    ax = plot_svg(svg)
    texts = re.findall(r'<text x="([^"]*)" y="([^"]*)"[^>]*>([^<]*)', svg)
    drawn = [(*text.get_position(), text.get_text()) for text in ax.texts]
    assert drawn == [(float(x), float(y), said) for x, y, said in texts]
    assert len(ax.patches) == svg.count("<rect") + svg.count("<path")
    assert ax.yaxis_inverted()


def test_letters_are_as_large_as_the_picture_makes_them() -> None:
    own, (_, small) = plot_svg(SVG), plt.subplots(figsize=(2, 2))
    assert plot_svg(SVG, small) is small
    assert own.texts[0].get_size() == pytest.approx(13 * 72 / 96, rel=0.01)
    assert small.texts[0].get_size() < 0.6 * own.texts[0].get_size()


def test_files_are_the_same_bytes_each_time() -> None:
    for form, begins in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        data = to_image(SVG, form)  # type: ignore[arg-type]  # one of both
        assert data.startswith(begins)
        assert data == to_image(SVG, form)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:Glyph")  # what matplotlib's own font lacks is a box, and it says so
def test_labels_of_any_text_are_drawn() -> None:
    network, _ = hostile()
    assert to_image(to_svg(dependency_graph(network)), "pdf").startswith(b"%PDF")


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(PictureError, match="png"):
        to_image(SVG, "gif")  # type: ignore[arg-type]
    with pytest.raises(PictureError, match="to_svg"):
        to_image("no picture", "png")


def test_a_model_draws_its_links() -> None:
    model = DependencyNetwork(random_state=0).fit(titanic())
    assert {"class", "sex", "age", "survived"} <= {text.get_text() for text in model.plot().texts}
