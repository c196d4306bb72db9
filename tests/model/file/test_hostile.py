"""Hostile files: bounded time and memory, and nothing but a ModelFileError or a sound network comes out."""

import gzip
import json
import random
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Network
from depnet.errors import ModelFileError
from depnet.model.file import load_both
from tests.model.file.fuzzing import assert_sound, bytes_mutated, fuzz, structurally_mutated
from tests.model.file.networks import Pair, pairs

MB = 2**20


def refusal(path: Path, **options: Any) -> tuple[str, float]:
    """The message, and the CPU seconds that it takes to refuse a file."""
    start = time.process_time()
    with pytest.raises(ModelFileError) as error:
        depnet.load(path, **options)
    return str(error.value), time.process_time() - start


def megabytes_of_refusal(path: Path, **options: Any) -> float:
    """The memory that it takes at most, traced: slow, so time is taken apart."""
    tracemalloc.start()
    try:
        refusal(path, **options)
        return tracemalloc.get_traced_memory()[1] / MB
    finally:
        tracemalloc.stop()


def bomb(path: Path) -> None:
    """One gigabyte of blanks before the model file's brace, in one megabyte."""
    member = gzip.compress(b" " * (16 * MB), 9)
    with path.open("wb") as file:
        for _ in range(64):
            file.write(member)


def test_a_gzip_bomb_is_refused_within_the_limit(tmp_path: Path) -> None:
    bomb(tmp_path / "bomb")
    message, seconds = refusal(tmp_path / "bomb", max_bytes=8 * MB)
    assert "the content, unpacked, is larger than 8,388,608 bytes" in message
    assert "depnet.load(path, max_bytes=...)" in message
    assert seconds < 5
    assert megabytes_of_refusal(tmp_path / "bomb", max_bytes=8 * MB) < 30


def test_a_large_file_is_refused_or_read_on_request(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5])
    depnet.save(network, tmp_path / "m.json")
    size = (tmp_path / "m.json").stat().st_size
    assert depnet.load(tmp_path / "m.json", max_bytes=size) == network
    with pytest.raises(ModelFileError, match="the file is larger than"):
        depnet.load(tmp_path / "m.json", max_bytes=size - 1)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**40)
    message, seconds = refusal(tmp_path / "sparse", max_bytes=4 * MB)
    assert "larger than 4,194,304 bytes" in message
    assert seconds < 2
    assert "this is a device, not a model file" in refusal(Path("/dev/zero"), max_bytes=4 * MB)[0]


def document(states: list[int], nodes: list[Any], **more: Any) -> bytes:
    variables = [{"name": f"X{i}", "states": list(range(k))} for i, k in enumerate(states)]
    head = {"format": "depnet network", "version": 3 if more else 1, "domain": {"variables": variables}}
    return json.dumps({**head, "nodes": nodes, **more}).encode()


def graph(operations: list[Any]) -> dict[str, Any]:
    return {"kind": "decision graph", "operations": operations}


HALF = {"probabilities": [[0.5, 0.5]]}
CONSTANT = {"variables": [0], "source": {"kind": "constant"}, "table": HALF}

ENORMOUS = b'"' + b"X" * 3_000_000 + b'"'

DECLARED = {
    "65,535-way splits": (
        document(
            [2, 65_535], [{"variables": [0], "source": graph([["split", 0, 1]] * 3_000), "table": HALF}]
        ),
        "nodes[0].table.probabilities: expected one row for each of the source's 196,602,001 leaves; got 1 rows",
    ),
    "a lossless source of 2^30 leaves": (
        document(
            [2] * 31,
            [{"variables": [0], "source": {"kind": "lossless", "inputs": list(range(1, 31))}, "table": HALF}],
        ),
        "nodes[0].table.probabilities: expected one row for each of the source's 1,073,741,824 leaves",
    ),
    "a lossless source of 2^31 leaves": (
        document(
            [2] * 32,
            [{"variables": [0], "source": {"kind": "lossless", "inputs": list(range(1, 32))}, "table": HALF}],
        ),
        "nodes[0].source.inputs: a lossless source over 31 inputs would have 2,147,483,648 leaves",
    ),
    "a lossless source of 10^1431 leaves": (
        document(
            [3] * 3_001,
            [
                {
                    "variables": [0],
                    "source": {"kind": "lossless", "inputs": list(range(1, 3_001))},
                    "table": HALF,
                }
            ],
        ),
        "would have about 10^1431 leaves",
    ),
    "a tabulated source of 2^30 states": (
        document(
            [2] * 31,
            [
                {
                    "variables": [0],
                    "source": {
                        "kind": "tabulated",
                        "inputs": list(range(1, 31)),
                        "size": 2,
                        "leaves": [0, 1],
                    },
                    "table": HALF,
                }
            ],
        ),
        "nodes[0].source.leaves: expected 1,073,741,824 entries; got 2",
    ),
    "a tabulated source of 2^31-1 leaves": (
        document(
            [2, 2],
            [
                {
                    "variables": [0],
                    "source": {"kind": "tabulated", "inputs": [1], "size": 2**31 - 1, "leaves": [0, 1]},
                    "table": HALF,
                }
            ],
        ),
        "expected one row for each of the source's 2,147,483,647 leaves; got 1 rows",
    ),
    "a block of 2^40 states": (
        document([2] * 40, [{"variables": list(range(40)), "source": {"kind": "constant"}, "table": HALF}]),
        "nodes[0].variables: this node updates 40 variables at once: a block",
    ),
    "a block of 10^903 states": (
        document(
            [2] * 3_000, [{"variables": list(range(3_000)), "source": {"kind": "constant"}, "table": HALF}]
        ),
        "this node updates 3,000 variables at once: a block",
    ),
    "an order of a million places": (
        document([2, 2], [], law={"order": [0] * 10**6, "nodes": []}),
        "law.order: expected 2 entries; got 1,000,000",
    ),
    "a law of more nodes than variables": (
        document([2], [], law={"order": [0], "nodes": [CONSTANT] * 10_000}),
        "law.nodes[1]: there are 1 variables, and each has one node",
    ),
    "a law that is a string": (
        document([2], [], law="x" * 10**6),
        "law: expected an object with 'order', 'nodes'; got 'xxx",
    ),
    "an enormous name": (
        document([2, 2], []).replace(b'"X0"', ENORMOUS).replace(b'"X1"', ENORMOUS),
        "variables 0 and 1 are both named 'XXX",
    ),
    "counts of pairs that are not there": (
        document([1] * 3000, [])[:-1]
        + b', "counts": {"singles": ['
        + b",".join([b"[1]"] * 3000)
        + b'], "pairs": []}}',
        "counts.pairs: expected 4,498,500 entries; got 0",
    ),
}


@pytest.mark.parametrize("case", DECLARED)
def test_what_is_only_declared_costs_nothing(case: str, tmp_path: Path) -> None:
    content, expected = DECLARED[case]
    (tmp_path / "m.json").write_bytes(content)
    message, seconds = refusal(tmp_path / "m.json")
    assert expected in message
    assert len(message) < 1000
    assert seconds < 5
    assert megabytes_of_refusal(tmp_path / "m.json") < 5 + 30 * len(content) / MB


def test_more_leaves_than_there_are_numbers(tmp_path: Path) -> None:
    node = {"variables": [0], "source": graph([["split", 0, 1]] * 32_770), "table": HALF}
    (tmp_path / "m.json").write_bytes(document([2, 65_535], [node]))
    message, seconds = refusal(tmp_path / "m.json")
    assert (
        "operations: operation 32769 makes 2,147,549,181 leaves; at most 2,147,483,647 are possible"
        in message
    )
    assert seconds < 5


def test_time_is_in_proportion_to_operations(tmp_path: Path) -> None:
    """A hundred thousand splits: erasing a leaf from a list each time would move 20 gigabytes."""
    n = 100_000
    rows = [[1, 0]] * (n + 1)
    node = {
        "variables": [0],
        "source": graph([["split", 0, 1]] * n),
        "table": {"smoothing": 0, "counts": rows},
    }
    other = {"variables": [1], "source": {"kind": "constant"}, "table": HALF}
    (tmp_path / "m.json").write_bytes(document([2, 2], [node, other]))
    start = time.process_time()
    network = depnet.load(tmp_path / "m.json")
    assert time.process_time() - start < 5
    assert network.nodes[0].source.size == n + 1


def test_wide_networks_share_their_cardinalities(tmp_path: Path) -> None:
    """Two thousand nodes on two thousand variables: no node has its own copy of the domain."""
    n = 2_000
    nodes = [{"variables": [i], "source": graph([]), "table": HALF} for i in range(n)]
    (tmp_path / "m.json").write_bytes(document([2] * n, nodes))
    start = time.process_time()
    network = depnet.load(tmp_path / "m.json")
    assert time.process_time() - start < 5
    shared = {
        id(node.source.cardinalities)
        for node in network.nodes
        if isinstance(node.source, depnet.DecisionGraph)
    }
    assert len(shared) == 1


HEAD = '{"format": "depnet network", "version": 3,\n"domain": {"variables": [\n{"name": "A", "states": [0, 1]}\n]},\n'
LISTS = "[" + "[]," * 300_000 + "[]]"

MANY_LINES = {
    "blank lines": HEAD + "\n" * 8_000_000,
    "short lines of variables": HEAD.replace("]},", ",") + "0,\n" * 2_000_000 + "0\n]}}",
    "short lines of nodes": HEAD + '"nodes": [\n' + "0,\n" * 2_000_000 + "0\n]}",
    "lines of lists for nodes": HEAD + '"nodes": [\n' + f"{LISTS},\n" * 8 + "0\n]}",
    "the line that ends the nodes": HEAD + f'"nodes": [\n0\n], "x": {LISTS},\n"y": {LISTS},\n"z": {LISTS}}}',
    "a line that ends too early": HEAD + '"nodes": [\n' + "1," * 1_000_000 + "\n0]}",
}


@pytest.mark.parametrize("case", MANY_LINES)
def test_no_layout_of_lines_costs_time_or_memory(case: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(MANY_LINES[case])
    message, seconds = refusal(tmp_path / "m.json")
    assert ("ends too early" if case == "blank lines" else "more than 200 MB") in message
    assert seconds < 5


def test_mutated_files_are_refused_or_sound(tmp_path: Path) -> None:
    refused, accepted = fuzz(tmp_path, 600, seed=1)
    assert refused > 300
    assert accepted > 30, "some changes are harmless or make another network: the test reaches that far"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_many_mutated_files_are_refused_or_sound(tmp_path: Path, seed: int) -> None:
    fuzz(tmp_path, 10_000, seed=100 + seed)


@given(pairs(), st.randoms(use_true_random=False), st.booleans())
def test_any_change_of_any_network_is_refused_or_sound(
    pair: Pair, rng: random.Random, structural: bool
) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "m.json"
        pair.save(path)
        good = path.read_bytes()
        path.write_bytes(structurally_mutated(good, rng) if structural else bytes_mutated(good, rng))
        try:
            loaded = load_both(path)
        except ModelFileError:
            return
        assert_sound(loaded, Path(place) / "again.json")


@given(
    st.binary(max_size=300), st.sampled_from([b"", b"{", b'{"format": "depnet network", ', b"\x1f\x8b\x08"])
)
def test_any_bytes_are_refused(data: bytes, head: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "m.json").write_bytes(head + data)
        with pytest.raises(ModelFileError):
            depnet.load(Path(place) / "m.json")


def test_labels_made_to_collide(tmp_path: Path) -> None:
    """Python hashes whole numbers modulo 2^61 - 1: a table of 65,535 such labels would be built in quadratic time."""
    states = ",".join(str(k * (2**61 - 1)) for k in range(1, 60_000))
    content = document([2, 2], []).replace(b"[0, 1]", f"[{states}]".encode(), 1)
    (tmp_path / "m.json").write_bytes(content)
    message, seconds = refusal(tmp_path / "m.json")
    assert "domain.variables[0].states: 59,999 of the labels" in message
    assert seconds < 5
