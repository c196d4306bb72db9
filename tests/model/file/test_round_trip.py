"""What is loaded is what was saved; the same network gives the same bytes; the documented example is true."""

import contextlib
import gzip
import hashlib
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
    ConstantSource,
    DecisionGraph,
    Domain,
    FunctionSource,
    InformationSource,
    Network,
    Node,
    Split,
    TabulatedSource,
    Variable,
)
from depnet.arrays import read_only
from depnet.errors import ModelError, ModelFileError
from depnet.model.boosted import BoostedNode
from depnet.model.file import load_both
from depnet.model.held_out import HeldOut
from tests.model.file.networks import Pair, assert_same, assert_same_pair, pairs

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "model-file.md"


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def read(path: Path) -> Pair:
    loaded = load_both(path)
    return Pair(loaded.network, loaded.law)


@given(pair=pairs())
def test_what_is_loaded_is_what_was_saved(directory: Path, pair: Pair) -> None:
    for name in ("model.json", "model.json.gz"):
        pair.save(directory / name)
        loaded = read(directory / name)
        assert_same_pair(loaded, pair)
        assert depnet.load(directory / name) == loaded.first
        if loaded.law is not None:
            assert depnet.load(directory / name, law=True) == loaded.law
        loaded.save(directory / f"again.{name}")
        assert (directory / f"again.{name}").read_bytes() == (directory / name).read_bytes()
    assert (
        gzip.decompress((directory / "model.json.gz").read_bytes()) == (directory / "model.json").read_bytes()
    )


@given(pair=pairs())
def test_any_layout_of_the_text_is_the_same_file(directory: Path, pair: Pair) -> None:
    """Read in one piece, the checksum with it; and the checksum is what the documentation says."""
    pair.save(directory / "model.json")
    document = json.loads((directory / "model.json").read_bytes())
    (directory / "model.json").write_text(json.dumps(dict(reversed(document.items())), indent=1))
    assert_same_pair(read(directory / "model.json"), pair)
    checksum = document.pop("checksum")
    content = json.dumps(document, sort_keys=True, separators=(",", ":"))
    assert checksum == f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


@given(pair=pairs())
def test_another_order_or_another_score_is_noticed(directory: Path, pair: Pair) -> None:
    pair.save(directory / "model.json")
    loaded = read(directory / "model.json")
    for network, place in zip(loaded, ("network", "law"), strict=True):
        if network is None or network.held_out is None:
            continue
        other = replace(network.held_out, score=float(np.nextafter(network.held_out.score, 1)))
        for wrong in (replace(network, held_out=other), replace(network, held_out=None)):
            with pytest.raises(AssertionError):
                assert_same_pair(loaded._replace(**{place: wrong}), pair)
    if loaded.law is not None and loaded.law.order is not None and len(loaded.law.order) > 1:
        order = loaded.law.order
        with contextlib.suppress(ModelError):  # where a source reads the variable that would come later
            wrong = replace(loaded.law, order=(*order[:-2], order[-1], order[-2]))
            with pytest.raises(AssertionError):
                assert_same_pair(loaded._replace(law=wrong), pair)
    if loaded.law is not None and loaded.network is not None:
        with pytest.raises(AssertionError):
            assert_same_pair(Pair(loaded.network, None), pair)


def with_another_bit(node: Node) -> Node:
    if isinstance(node, BoostedNode):
        return BoostedNode(node.variables, node.start, node.start_scores + 1, node.stages, node.gains)
    theta = node.table.probabilities.copy()
    theta[0, 0] = np.nextafter(theta[0, 0], 0.5)
    return replace(node, table=ConditionalTable(read_only(theta)))


@given(pair=pairs())
def test_a_change_in_the_last_bit_is_noticed(directory: Path, pair: Pair) -> None:
    network = pair.first
    depnet.save(network, directory / "model.json")
    loaded = depnet.load(directory / "model.json")
    changed = with_another_bit(loaded.nodes[0])
    with pytest.raises(AssertionError):
        assert_same(replace(loaded, nodes=(changed, *loaded.nodes[1:])), network)


def test_labels_keep_their_types(tmp_path: Path) -> None:
    states = (
        True,
        2,
        3.0,
        -0.5,
        "1",
        "",
        '日本語 \N{GRINNING FACE}\u2028\x00"\\',
        2**63,
        -(2**64),
        1e300,
        5e-324,
    )
    network = Network.from_joint(np.full(len(states), 1 / len(states)), Domain((Variable("x", states),)))
    depnet.save(network, tmp_path / "m.json")
    loaded = depnet.load(tmp_path / "m.json").domain.variables[0].states
    assert [(type(s), s) for s in loaded] == [(type(s), s) for s in states]
    assert "日本語" in (tmp_path / "m.json").read_text(encoding="utf-8"), "people can read it"


def test_as_many_states_as_there_can_be(tmp_path: Path) -> None:
    network = Network.from_joint(np.full(65_535, 1 / 65_535))
    depnet.save(network, tmp_path / "m.json.gz")
    assert depnet.load(tmp_path / "m.json.gz") == network


def test_compression_shows_by_content_and_not_by_name(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5])
    depnet.save(network, tmp_path / "m.json.gz")
    (tmp_path / "renamed").write_bytes((tmp_path / "m.json.gz").read_bytes())
    assert depnet.load(str(tmp_path / "renamed")) == network
    assert (tmp_path / "m.json.gz").read_bytes()[:8] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00", (
        "no name, no time"
    )


def test_the_documented_example_is_a_model_file(tmp_path: Path) -> None:
    example = re.search(r"```json\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.S)
    assert example
    (tmp_path / "m.json").write_text(example[1], encoding="utf-8")
    pair = read(tmp_path / "m.json")
    assert pair.first.domain.names == ("sex", "survived")
    assert pair.law is not None
    assert pair.law.order == (1, 0)
    pair.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == example[1]


def test_every_field_is_documented(tmp_path: Path) -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    sources: list[InformationSource] = [
        FunctionSource(lambda x: x[:, 0], (1,), 2),
        DecisionGraph((Split(0, 0),), (2, 2)),
    ]
    data = depnet.Dataset.from_codes([[0, 1], [1, 1]], [2, 2])
    network = depnet.learn_parameters(data, sources, smoothing=0.5).with_counts(data)
    nodes = (Node((0,), ConstantSource(), uniform(1, 2)), network.nodes[1])
    law = Network(network.domain, nodes, order=(0, 1), held_out=HeldOut(3, -1.0, -2.0, 50.0))
    depnet.save(network, tmp_path / "m.json", law)

    def names(value: Any) -> Iterator[str]:
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from names(inner)
        if isinstance(value, dict):
            yield from value

    for name in set(names(json.loads((tmp_path / "m.json").read_text()))):
        assert re.search(rf"[`.]{name}[`.\[]", text), f"{name} is not in docs/model-file.md"


def test_top_level_fields_of_a_later_depnet_are_left_alone(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5])
    depnet.save(network, tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    del document["checksum"]
    (tmp_path / "m.json").write_text(json.dumps({"provenance": {"rows": 12}, **document, "bins": [None]}))
    assert depnet.load(tmp_path / "m.json") == network


def test_layout_and_order_do_not_matter_to_the_checksum(tmp_path: Path) -> None:
    network = Network.from_joint([[0.1, 0.2], [0.3, 0.4]])
    depnet.save(network, tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps(dict(reversed(document.items())), indent=3))
    assert depnet.load(tmp_path / "m.json") == network


def uniform(leaves: int, states: int) -> ConditionalTable:
    return ConditionalTable.from_probabilities(np.full((leaves, states), 1 / states))


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
    others = tuple(Node((i,), DecisionGraph((), (2, 2, 3)), uniform(1, k)) for i, k in ((1, 2), (2, 3)))
    network = Network(Domain.from_cardinalities([2, 2, 3]), (Node((0,), Parity(), uniform(2, 2)), *others))
    depnet.save(network, tmp_path / "m.json")
    source = depnet.load(tmp_path / "m.json").nodes[0].source
    assert source == TabulatedSource((1, 2), (2, 3), np.array([0, 1, 0, 1, 0, 1]), 2)


def test_a_function_of_too_many_inputs_cannot_be_saved(tmp_path: Path) -> None:
    n = 22
    count = FunctionSource(lambda x: x.sum(axis=1), tuple(range(1, n)), n)
    nodes = [Node((i,), DecisionGraph((), (2,) * n), uniform(1, 2)) for i in range(1, n)]
    network = Network(Domain.from_cardinalities([2] * n), (Node((0,), count, uniform(n, 2)), *nodes))
    message = (
        r"m.json' was not written: nodes\[0\].source: a FunctionSource cannot be saved as it is: .*21 inputs"
    )
    with pytest.raises(ModelFileError, match=message):
        depnet.save(network, tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_a_function_that_fails_says_which_node(tmp_path: Path) -> None:
    wrong = FunctionSource(lambda x: x.sum(axis=1) + 5, (1,), 2)
    nodes = (Node((0,), wrong, uniform(2, 2)), Node((1,), DecisionGraph((), (2, 2)), uniform(1, 2)))
    with pytest.raises(ModelFileError, match=r"nodes\[0\].source: .* returned 5, outside 0\.\.1"):
        depnet.save(Network(Domain.from_cardinalities([2, 2]), nodes), tmp_path / "m.json")


def test_a_table_that_is_not_that_of_its_counts_cannot_be_saved(tmp_path: Path) -> None:
    table = ConditionalTable(np.array([[0.5, 0.5]]), np.array([[3, 1]]), 0.0)
    network = Network(Domain.from_cardinalities([2]), (Node((0,), DecisionGraph((), (2,)), table),))
    with pytest.raises(
        ModelFileError, match=r"nodes\[0\].table: its probabilities are not those of its counts"
    ):
        depnet.save(network, tmp_path / "m.json")


def test_a_label_that_no_reader_could_take_cannot_be_saved(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5], Domain((Variable("x", (0, 10**5000)),)))
    with pytest.raises(ModelFileError, match=r"domain.variables\[0\].states\[1\]: .*too long for a label"):
        depnet.save(network, tmp_path / "m.json")


def test_what_save_and_load_take(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5])
    with pytest.raises(ModelError, match=r"takes a Network first; got 'm.json'\. A fitted estimator"):
        depnet.save("m.json", network)  # type: ignore[arg-type]  # on purpose
    for call in (lambda: depnet.save(network, 3), lambda: depnet.load(None)):  # type: ignore[arg-type]  # on purpose
        with pytest.raises(ModelFileError, match="the path is a string or a Path"):
            call()
