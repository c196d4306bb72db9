"""Boosted nodes in model files: version 4, bit for bit, and every fault with its place."""

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import DecisionGraph, Domain, Network, Node, Split
from depnet.errors import ModelFileError
from depnet.model import stages as staged
from depnet.model.boosted import BoostedNode
from depnet.model.file import load_both
from depnet.model.sources.source import ConstantSource
from depnet.model.stages import Stages
from tests.boosted import random_boosted_network
from tests.strategies import cardinalities, seeds

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "model-file.md"


def small() -> Network:
    """X1 is boosted, from a decision graph on; X0 and X2 are not."""
    cards = (2, 2, 3)
    start = DecisionGraph((Split(0, 0),), cards)
    stages = Stages.of(
        [
            ([(0, staged.Test(2, 1, 2)), (1, staged.Test(0, 0, 0))], [[1, -1], [2, -2], [-30, 30]]),
            ([], [[5, -5]]),
            ([(0, staged.Test(2, 0, 0))], [[7, -7], [8, -8]]),
        ],
        2,
    )
    boosted = BoostedNode((1,), start, [[100, -100], [-200, 200]], stages, [0.25, 0.125])
    others = [
        Node((i,), ConstantSource(), depnet.ConditionalTable.from_probabilities([[1 / cards[i]] * cards[i]]))
        for i in (0, 2)
    ]
    return Network(Domain.from_cardinalities(cards), (others[0], boosted, others[1]))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    depnet.save(small(), tmp_path / "m.json")
    return tmp_path / "m.json"


def test_what_the_file_says(path: Path) -> None:
    document = json.loads(path.read_text())
    assert document["version"] == 4
    assert document["nodes"][1] == {
        "variables": [1],
        "source": {"kind": "decision graph", "operations": [["split", 0, 0]]},
        "boosted": {
            "start_scores": [100, -100, -200, 200],
            "gains": [0.25, 0.125],
            "variable": [2, 0, 2],
            "low": [1, 0, 0],
            "high": [2, 0, 0],
            "begin": [0, 2, 2, 3],
            "leaf": [0, 1, 0],
            "test": [0, 1, 2],
            "scores": [1, -1, 2, -2, -30, 30, 5, -5, 7, -7, 8, -8],
        },
    }
    assert depnet.load(path) == small()
    text = DOCUMENTATION.read_text(encoding="utf-8")
    for name in document["nodes"][1]["boosted"]:
        assert f"`boosted.{name}`" in text


@given(seed=seeds, cards=cardinalities())
def test_a_law_and_a_network_of_boosted_nodes(
    tmp_path_factory: pytest.TempPathFactory, seed: int, cards: tuple[int, ...]
) -> None:
    path = tmp_path_factory.getbasetemp() / "both.json.gz"
    network = random_boosted_network(seed, list(cards))
    law = random_boosted_network(seed, list(cards), ordered=True)
    depnet.save(network, path, law)
    loaded = load_both(path)
    assert (loaded.network, loaded.law, loaded.version) == (network, law, 4)
    rows = np.random.default_rng(seed).integers(0, cards, size=(30, len(cards)), dtype=np.uint8)
    assert loaded.law is not None
    for ours, theirs in zip(loaded.law.nodes, law.nodes, strict=True):
        assert ours.probabilities(rows).tobytes() == theirs.probabilities(rows).tobytes()


def test_one_boosted_node_anywhere_makes_version_4(tmp_path: Path) -> None:
    plain = Network.from_joint(np.full((2, 2, 3), 1 / 12))
    law = random_boosted_network(0, [2, 2, 3], ordered=True)
    for network, beside, version in ((plain, None, 3), (small(), None, 4), (plain, law, 4), (law, None, 4)):
        depnet.save(network, tmp_path / "m.json", beside)
        assert json.loads((tmp_path / "m.json").read_text())["version"] == version


def test_a_file_that_has_no_law_says_so_whatever_its_version(path: Path) -> None:
    assert str(load_both(path).lacks).startswith("this file has no ordered law")


def test_the_checksum_covers_boosted_nodes(path: Path) -> None:
    text = path.read_text()
    for old, new in (("-30, 30", "-30, 31"), ("[0.25, 0.125]", "[0.25, 0.126]"), ("[1, 0, 0]", "[2, 0, 0]")):
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))
        with pytest.raises(ModelFileError, match="is not that of the content"):
            depnet.load(path)
    document = json.loads(text)
    checksum = document.pop("checksum")
    content = json.dumps(document, sort_keys=True, separators=(",", ":"))
    assert checksum == f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


def put(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def edit(boosted: dict[str, Any]) -> None:
        boosted[name] = copy.deepcopy(value)

    return edit


def cell(name: str, place: int, value: Any) -> Callable[[dict[str, Any]], None]:
    def edit(boosted: dict[str, Any]) -> None:
        boosted[name][place] = value

    return edit


FAULTS = {
    "no list": (put("scores", {"a": 1}), "boosted.scores: expected a list; got"),
    "a score too few": (put("scores", [1] * 11), "boosted.scores: expected 12 entries; got 11"),
    "a score that is a float": (
        cell("scores", 3, 1.0),
        "boosted.scores[3]: expected a whole number; got 1.0",
    ),
    "a score that is a list": (cell("scores", 3, [[]]), "boosted.scores[3]: expected a whole number; got"),
    "a score that is true": (cell("scores", 3, True), "boosted.scores[3]: expected a whole number; got True"),
    "a large score": (cell("scores", 3, 2**30), "boosted.scores[3]: expected a whole number from"),
    "an enormous score": (cell("scores", 3, 10**400), "boosted.scores[3]: expected a whole number from"),
    "an endless score": (cell("scores", 3, float("inf")), "boosted.scores[3]: expected a whole number; got"),
    "scores of a large sum": (
        lambda boosted: [cell("scores", k, 2**29)(boosted) for k in (0, 6)],
        "boosted.scores: the scores of a boosted node sum to more than 1,000 nats",
    ),
    "first scores of a large sum": (
        cell("start_scores", 0, 2**30 - 1),
        "boosted: node 1: its scores sum to more than",
    ),
    "a first score too many": (
        put("start_scores", [0] * 5),
        "boosted.start_scores: expected 4 entries; got 5",
    ),
    "no variable": (
        cell("variable", 1, 3),
        "boosted.variable[1]: expected a whole number from 0 to 2; got 3",
    ),
    "its own variable": (cell("variable", 1, 1), "boosted.gains: expected 3 entries; got 2"),
    "its own variable, with a gain": (
        lambda boosted: (cell("variable", 1, 1)(boosted), put("gains", [0.0] * 3)(boosted)),
        "boosted: node 1: it reads variable 1, which the node itself updates",
    ),
    "no state": (cell("high", 0, 3), "boosted.high[0]: the variable of this test has fewer states"),
    "an enormous state": (
        cell("high", 0, 2**70),
        "boosted.high[0]: expected a whole number from 0 to 65,535",
    ),
    "low above high": (
        cell("low", 0, 3),
        "boosted.low[0]: the lowest state of this test is above its highest",
    ),
    "a test without low": (put("low", [0, 0]), "boosted.low: expected 3 entries; got 2"),
    "no such leaf": (cell("leaf", 1, 2), "boosted.leaf[1]: the stage of this split has fewer leaves"),
    "a negative leaf": (
        cell("leaf", 1, -1),
        "boosted.leaf[1]: expected a whole number from 0 to 254; got -1",
    ),
    "no such test": (cell("test", 2, 3), "boosted.test[2]: expected a whole number from 0 to 2; got 3"),
    "splits without tests": (put("test", []), "boosted.test: expected 3 entries; got 0"),
    "no beginnings": (put("begin", []), "boosted.begin: expected numbers from 0 to 3"),
    "a late beginning": (put("begin", [1, 2, 2, 3]), "boosted.begin: expected numbers from 0 to 3"),
    "an early end": (put("begin", [0, 1, 1, 2]), "boosted.begin: expected numbers from 0 to 3"),
    "backwards": (put("begin", [0, 3, 2, 3]), "boosted.begin[1]: this stage ends before it begins"),
    "leaves without end": (
        lambda boosted: boosted.update(leaf=[0] * 256, test=[0] * 256, begin=[0, 256]),
        "boosted.begin[0]: this stage has more than 256 leaves",
    ),
    "a gain too many": (put("gains", [0.5] * 3), "boosted.gains: expected 2 entries; got 3"),
    "a gain in words": (put("gains", ["a", 0.5]), "boosted.gains[0]: expected a number; got 'a'"),
    "an enormous gain": (put("gains", [10**400, 0.5]), "boosted.gains[0]: expected a finite number; got"),
    "an endless gain": (put("gains", [0.5, float("inf")]), "boosted.gains[1]: expected a finite number; got"),
    "another field": (put("stages", []), "boosted: there is no field 'stages' here"),
    "a field too few": (lambda boosted: boosted.pop("begin"), "boosted: the field 'begin' is missing"),
}


def refusal(path: Path, document: dict[str, Any]) -> str:
    """The message; what is infinite is written as the number 1e400."""
    path.write_text(json.dumps(document).replace("Infinity", "1e400"))
    with pytest.raises(ModelFileError) as error:
        depnet.load(path)
    assert len(str(error.value)) < 600
    return str(error.value)


@pytest.mark.parametrize("case", FAULTS)
def test_faults_are_located(case: str, path: Path) -> None:
    edit, expected = FAULTS[case]
    document = json.loads(path.read_text())
    del document["checksum"]
    edit(document["nodes"][1]["boosted"])
    assert f"nodes[1].{expected}" in refusal(path, document)


def test_faults_around_boosted_nodes(path: Path) -> None:
    document = json.loads(path.read_text())
    document["nodes"][1]["table"] = {"probabilities": [[0.5, 0.5]]}
    assert "nodes[1]: there is no field 'table' here" in refusal(path, document)
    document["nodes"][1] = {"variables": [1], "source": {"kind": "constant"}, "boosted": [1]}
    assert "nodes[1].boosted: expected an object with 'start_scores'" in refusal(path, document)
    document["version"] = 3
    assert "nodes[1].boosted: boosted nodes came with version 4; the file has version 3" in refusal(
        path, document
    )


def test_no_one_constant_is_a_number(path: Path) -> None:
    path.write_text(path.read_text().replace("[0.25, 0.125]", "[NaN, 0.125]"))
    with pytest.raises(ModelFileError, match=r"nodes\[1\].boosted.gains\[0\]: NaN is not a number"):
        depnet.load(path)


def test_a_law_may_not_read_later_variables(path: Path) -> None:
    document = json.loads(path.read_text())
    del document["checksum"]
    document["law"] = {"order": [1, 0, 2], "nodes": document.pop("nodes")}
    assert "law: the information source of" in refusal(path, document)
