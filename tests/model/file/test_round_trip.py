"""What is loaded is what was saved; the same network gives the same bytes; the documented example is true."""

import contextlib
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import (
    ConditionalTable,
    DecisionGraph,
    Domain,
    FunctionSource,
    Mixture,
    Network,
    Node,
    TableNode,
    Variable,
)
from depnet.arrays import read_only
from depnet.errors import ModelError, ModelFileError
from depnet.model.boosted import BoostedNode
from depnet.model.file import load_model
from depnet.model.marginals import HeldOut
from depnet.model.model import Model
from tests.model.file.documents import DOMAIN, law, model, network
from tests.model.file.networks import assert_same, assert_same_model, models, save
from tests.model.test_network import uniform
from tests.refusals import refuses

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "model-file.md"


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


@given(given=models())
def test_what_is_loaded_is_what_was_saved(directory: Path, given: Model) -> None:
    for name in ("model.json", "model.json.gz"):
        save(given, directory / name)
        loaded = load_model(directory / name)
        assert_same_model(loaded, given)
        assert depnet.load(directory / name) == loaded.network
        if loaded.law is not None:
            assert depnet.load(directory / name, law=True) == loaded.law
        save(loaded, directory / f"again.{name}")
        assert (directory / f"again.{name}").read_bytes() == (directory / name).read_bytes()
    packed = (directory / "model.json.gz").read_bytes()
    assert gzip.decompress(packed) == (directory / "model.json").read_bytes()


@given(given=models())
def test_any_layout_of_the_text_is_the_same_file(directory: Path, given: Model) -> None:
    """Line breaks and blanks do not matter to the checksum; the order of fields does not matter to the model."""
    save(given, directory / "model.json")
    text = (directory / "model.json").read_text(encoding="utf-8")
    (directory / "model.json").write_text(text.replace("\n", "\r\n\t "), encoding="utf-8")
    assert_same_model(load_model(directory / "model.json"), given)
    document = json.loads(text)
    del document["checksum"]
    (directory / "model.json").write_text(json.dumps(dict(reversed(document.items())), indent=1))
    assert_same_model(load_model(directory / "model.json"), given)


def with_other(model: Model, name: str, network: Network) -> Model:
    if len(model.networks) == 1:
        return Model(network)
    return replace(model, network=network) if name == "network" else replace(model, law=network)


@given(given=models())
def test_another_order_or_another_score_is_noticed(directory: Path, given: Model) -> None:
    save(given, directory / "model.json")
    loaded = load_model(directory / "model.json")
    for name in ("network", "law") if len(loaded.networks) == 2 else ("network",):
        found = getattr(loaded, name)
        if found.held_out is None or not isinstance(found, Network):
            continue
        other = replace(found.held_out, score=float(np.nextafter(found.held_out.score, 1)))
        for wrong in (replace(found, held_out=other), replace(found, held_out=None)):
            with pytest.raises(AssertionError):
                assert_same_model(with_other(loaded, name, wrong), given)
    if isinstance(loaded.law, Mixture):
        first, *others = loaded.law.components
        weights = [1.0 + k for k in range(len(others) + 1)][::-1]
        spoiled = replace(loaded.law.components[-1], held_out=HeldOut(3, -1.0, -2.0))
        for law in (
            (
                Mixture([first, *others[:-1], spoiled], loaded.law.weights, loaded.law.within),
                Mixture(loaded.law.components, weights, loaded.law.within),
            )
            if others
            else ()
        ):
            with pytest.raises(AssertionError):
                assert_same_model(replace(loaded, law=law), given)
    elif loaded.law is not None and loaded.law.order is not None and len(loaded.law.order) > 1:
        order = loaded.law.order
        with contextlib.suppress(ModelError):  # where a source reads the variable that would come later
            wrong = replace(loaded.law, order=(*order[:-2], order[-1], order[-2]), within=None)
            with pytest.raises(AssertionError):
                assert_same_model(with_other(loaded, "law", wrong), given)
    if len(loaded.networks) == 2:
        with pytest.raises(AssertionError):
            assert_same_model(replace(loaded, law=None), given)


def with_another_bit(node: Node) -> Node:
    if isinstance(node, BoostedNode):
        return BoostedNode(node.variable, node.start, node.start_scores + 1, node.stages, node.gains)
    theta = node.table.probabilities.copy()
    theta[0, 0] = np.nextafter(theta[0, 0], 0.5)
    return TableNode(node.variable, node.source, ConditionalTable(read_only(theta)))


@given(given=models())
def test_a_change_in_the_last_bit_is_noticed(directory: Path, given: Model) -> None:
    network = given.network
    depnet.save(network, directory / "model.json")
    loaded = depnet.load(directory / "model.json")
    changed = with_another_bit(loaded.nodes[0])
    with pytest.raises(AssertionError):
        assert_same(replace(loaded, nodes=(changed, *loaded.nodes[1:])), network)


def test_labels_are_text_that_people_can_read(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5], Domain((Variable("x", ("日本語", "b")),)))
    depnet.save(network, tmp_path / "m.json")
    assert "日本語" in (tmp_path / "m.json").read_text(encoding="utf-8")


def test_compression_shows_by_content_and_not_by_name(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5])
    depnet.save(network, tmp_path / "m.json.gz")
    (tmp_path / "renamed").write_bytes((tmp_path / "m.json.gz").read_bytes())
    assert depnet.load(str(tmp_path / "renamed")) == network
    # no name, no time
    assert (tmp_path / "m.json.gz").read_bytes()[:8] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00"


def test_the_documented_example_is_a_model_file(tmp_path: Path) -> None:
    example = re.search(r"```json\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.S)
    assert example
    (tmp_path / "m.json").write_text(example[1], encoding="utf-8")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.domain.names == ("sex", "survived")
    assert isinstance(loaded.law, Network)
    assert loaded.law.order == (1, 0)
    save(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == example[1]


def test_every_field_is_documented(tmp_path: Path) -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    save(model(), tmp_path / "m.json")

    def names(value: Any) -> Iterator[str]:
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from names(inner)
        if isinstance(value, dict):
            yield from value

    for name in set(names(json.loads((tmp_path / "m.json").read_text()))) | {"other", "form", "total"}:
        assert re.search(rf"[`.]{name}[`.\[]", text), f"{name} is not in docs/model-file.md"


def test_top_level_fields_of_a_later_depnet_are_left_alone(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5])
    depnet.save(network, tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    del document["checksum"]
    (tmp_path / "m.json").write_text(json.dumps({"provenance": {"rows": 12}, **document, "bins": [None]}))
    assert depnet.load(tmp_path / "m.json") == network


def test_network_and_law_share_domain_and_counts(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    save(model(), path)
    loaded = load_model(path)
    assert loaded == model()
    own, ordered = loaded.network, loaded.law
    assert isinstance(ordered, Network)
    assert own.domain is ordered.domain
    assert own.counts is ordered.counts
    assert path.read_text().count('"singles"') == 1
    for one, other in ((replace(network(), counts=None), law()), (network(), replace(law(), counts=None))):
        depnet.save(one, path, other)
        assert load_model(path, layout=False) == Model(network(), law())


def test_either_may_be_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    depnet.save(law(), path)
    assert depnet.load(path) == depnet.load(path, law=True) == load_model(path).network == law()
    assert len(load_model(path).networks) == 1
    depnet.save(network(), path)
    assert depnet.load(path) == network()
    assert load_model(path).law is None
    said = r"m.json': the file has no ordered law. Fit again .*order=\"auto\""
    refuses(ModelFileError, said, depnet.load, path, law=True)


def test_what_save_does_not_take(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    said = "the law of a model is an ordered Network; got a Network without an order"
    refuses(ModelError, said, depnet.save, network(), path, network())
    refuses(ModelError, "the law of a model is an ordered Network; got 3", depnet.save, network(), path, 3)
    refuses(ModelError, "a model's network is a Network without an order", depnet.save, law(), path, law())
    with pytest.raises(ModelError, match="of different domains"):
        depnet.save(Network.from_joint(np.full(DOMAIN.cardinalities, 1 / 96)), path, law())
    fewer = depnet.Dataset.from_codes([[0] * 5], domain=DOMAIN)
    refuses(ModelError, "counts of different rows", depnet.save, network(), path, law().with_counts(fewer))
    said = r"was not written: law.held_out.rows: expected a whole number from 1"
    refuses(ModelFileError, said, depnet.save, replace(law(), held_out=HeldOut(2**60, -1.0, -1.0)), path)
    assert not path.exists()


def test_the_text_is_laid_out_for_people(tmp_path: Path) -> None:
    save(model(), tmp_path / "m.json")
    lines = (tmp_path / "m.json").read_text().splitlines()
    held_out = '{"rows": 100, "score": -2.25, "independent": -3.0, "worth": 42.0, "sure_shares": 25.0, "sure_means": 12.0}'
    assert f'"law": {{"order": [2, 3, 0, 1, 4], "held_out": {held_out},' in lines
    assert lines.count('"nodes": [') == 2
    assert sum(line.startswith('{"source"') for line in lines) == 10
    assert '"edges": [null, 18, 65, null], "quantiles": [[3, 9, 17], [30, 40], [70]]' in lines[4]


@dataclass(frozen=True)
class Parity:
    """A source of a user's own class, of the shape that the protocol asks for."""

    inputs: tuple[int, ...] = (1, 2)
    size: int = 2

    def __call__(self, codes: Any) -> Any:
        return np.asarray(codes)[:, [1, 2]].sum(axis=1).astype(np.int32) % 2

    def check_domain(self, cardinalities: Any) -> None:
        pass


def test_a_source_of_a_users_class_is_written_out(tmp_path: Path) -> None:
    others = tuple(TableNode(i, DecisionGraph((), (2, 2, 3)), uniform(1, k)) for i, k in ((1, 2), (2, 3)))
    network = Network(Domain.from_cardinalities([2, 2, 3]), (TableNode(0, Parity(), uniform(2, 2)), *others))
    depnet.save(network, tmp_path / "m.json")
    source = depnet.load(tmp_path / "m.json").nodes[0].source
    assert source == depnet.TabulatedSource((1, 2), (2, 3), np.array([0, 1, 0, 1, 0, 1]), 2)


def test_a_function_of_too_many_inputs_cannot_be_saved(tmp_path: Path) -> None:
    n = 22
    count = FunctionSource(lambda x: x.sum(axis=1), tuple(range(1, n)), n)
    nodes = [TableNode(i, DecisionGraph((), (2,) * n), uniform(1, 2)) for i in range(1, n)]
    network = Network(Domain.from_cardinalities([2] * n), (TableNode(0, count, uniform(n, 2)), *nodes))
    message = (
        r"m.json' was not written: nodes\[0\].source: a FunctionSource cannot be saved as it is: .*21 inputs"
    )
    refuses(ModelFileError, message, depnet.save, network, tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_a_table_that_is_not_that_of_its_counts_cannot_be_saved(tmp_path: Path) -> None:
    table = ConditionalTable(np.array([[0.5, 0.5]]), np.array([[3, 1]]), 0.0)
    network = Network(Domain.from_cardinalities([2]), (TableNode(0, DecisionGraph((), (2,)), table),))
    said = r"nodes\[0\].table: its probabilities are not those of its counts"
    refuses(ModelFileError, said, depnet.save, network, tmp_path / "m.json")


def test_a_label_that_no_reader_could_take_cannot_be_saved(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5], Domain((Variable("x", (0, 10**5000)),)))
    with pytest.raises(ModelFileError, match=r"domain.variables\[0\].states\[1\]: .*too long for a label"):
        depnet.save(network, tmp_path / "m.json")


def test_what_save_and_load_take(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5])
    with pytest.raises(ModelError, match=r"takes a Network first; got 'm.json'\. A fitted estimator"):
        depnet.save("m.json", network)  # type: ignore[arg-type]  # on purpose
    nothing: Any = None
    for call in (lambda: depnet.save(network, 3), lambda: depnet.load(nothing)):  # type: ignore[arg-type]  # on purpose
        refuses(ModelFileError, "the path is a string or a Path", call)
