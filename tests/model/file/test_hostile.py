"""Hostile files: time and memory in proportion to the file, and nothing but a ModelFileError or a sound model comes out."""

import gzip
import json
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
from depnet.model.file.document import VERSION
from tests.model.file.fuzzing import fuzz
from tests.refusals import refuses

MB = 2**20
TIMES = 60
"""Bytes of memory that a byte of a file takes at most while it is read, beside the file itself."""


def refusal(path: Path, **options: Any) -> tuple[str, float]:
    """The message, and the CPU seconds that it takes to refuse a file."""
    start = time.process_time()
    with pytest.raises(ModelFileError) as error:
        depnet.load(path, **options)
    return str(error.value), time.process_time() - start


def bytes_of_refusal(path: Path, **options: Any) -> int:
    """The memory that it takes at most, traced: slow, so time is taken apart."""
    tracemalloc.start()
    try:
        refusal(path, **options)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_gzip_bomb_is_refused_within_the_limit(tmp_path: Path) -> None:
    """One gigabyte of blanks before the model file's brace, in one megabyte."""
    (tmp_path / "bomb").write_bytes(gzip.compress(b" " * (16 * MB), 9) * 64)
    message, seconds = refusal(tmp_path / "bomb", max_bytes=8 * MB)
    assert "the content, unpacked, is larger than 8,388,608 bytes" in message
    assert "depnet.load(path, max_bytes=...)" in message
    assert seconds < 5
    assert bytes_of_refusal(tmp_path / "bomb", max_bytes=8 * MB) < 30 * MB


def test_a_large_file_is_refused_or_read_on_request(tmp_path: Path) -> None:
    network = Network.from_joint([0.5, 0.5])
    depnet.save(network, tmp_path / "m.json")
    size = (tmp_path / "m.json").stat().st_size
    assert depnet.load(tmp_path / "m.json", max_bytes=size) == network
    refuses(ModelFileError, "the file is larger than", depnet.load, tmp_path / "m.json", max_bytes=size - 1)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**40)
    message, seconds = refusal(tmp_path / "sparse", max_bytes=4 * MB)
    assert "larger than 4,194,304 bytes" in message
    assert seconds < 2
    assert "this is a device, not a model file" in refusal(Path("/dev/zero"), max_bytes=4 * MB)[0]


def document(states: list[int], nodes: list[Any], **more: Any) -> bytes:
    variables = [{"name": f"X{i}", "states": list(range(k))} for i, k in enumerate(states)]
    head = {"format": "depnet network", "version": VERSION, "domain": {"variables": variables}}
    return json.dumps({**head, "nodes": nodes, **more}).encode()


HALF = {"probabilities": [[0.5, 0.5]]}
CONSTANT = {"source": {"kind": "constant"}, "table": HALF}
ENORMOUS = "X" * 3_000_000


def first(variables: int, source: Any, states: int = 2) -> bytes:
    """A document whose first node has this source; the others are constant."""
    node = {"source": source, "table": HALF}
    return document([2, *[states] * (variables - 1)], [node, *[CONSTANT] * (variables - 1)])


def graph(operations: list[Any]) -> dict[str, Any]:
    return {"kind": "decision graph", "operations": operations}


def lossless(inputs: int, **more: Any) -> dict[str, Any]:
    return {"kind": "tabulated" if more else "lossless", "inputs": list(range(1, inputs + 1)), **more}


ROWS = "nodes[0].table.probabilities: expected one row for each of the source's"
DECLARED = {
    "65,535-way splits": (first(2, graph([["split", 0, 1]] * 3_000), 65_535), f"{ROWS} 196,602,001 leaves; got 1"),
    "too many leaves": (
        first(2, graph([["split", 0, 1]] * 32_770), 65_535),
        "operation 32769 makes 2,147,549,181 leaves; at most 2,147,483,647 are possible",
    ),
    "2^30 leaves": (first(31, lossless(30)), f"{ROWS} 1,073,741,824 leaves"),
    "10^1431 leaves": (first(3_001, lossless(3_000), 3), "would have about 10^1431 leaves"),
    "2^30 tabulated": (
        first(31, lossless(30, size=2, leaves=[0, 1])),
        "nodes[0].source.leaves: expected 1,073,741,824 entries; got 2",
    ),
    "an order of a million places": (
        document([2, 2], [], law={"order": [0] * 10**6, "nodes": []}), "law.order: expected 2 entries; got 1,000,000",
    ),
    "a field of an enormous name": (document([2], [], law={ENORMOUS: 1}), "law: object contains unknown field"),
    "pairs that are not there": (
        document([1] * 3000, [], counts={"singles": [[1]] * 3000, "pairs": []}),
        "counts.pairs: expected 4,498,500 entries; got 0",
    ),
    "labels of one hash": (  # Python hashes whole numbers modulo 2^61 - 1: a dictionary would take quadratic time
        document([2], []).replace(b"[0, 1]", str([k * (2**61 - 1) for k in range(1, 60_000)]).encode()),
        "domain.variables[0].states: 59,999 of the labels have one hash",
    ),
    "nodes that are numbers": (document([2], [0] * 300_000), "nodes: expected one node for each of the 1"),
    "rows of nothing": (first(1, {"kind": "constant"}).replace(b"[[0.5, 0.5]]", b"[" + b"[]," * 300_000 + b"[]]"), ROWS),
    "operations": (first(2, graph([["split", 0, 1]] * 50_000)), f"{ROWS} 50,001 leaves"),
    "a wide name": (document([2], []).replace(b"X0", ("\U0001f600" * 300_000).encode()), "nodes"),
}  # fmt: skip


@pytest.mark.parametrize("case", DECLARED)
def test_time_and_memory_are_in_proportion_to_the_file(case: str, tmp_path: Path) -> None:
    """Whatever it declares, and however little text makes a value of Python's."""
    content, expected = DECLARED[case]
    (tmp_path / "m.json").write_bytes(content)
    message, seconds = refusal(tmp_path / "m.json")
    assert expected in message
    assert len(message) < 1000
    assert seconds < 5
    assert bytes_of_refusal(tmp_path / "m.json") < 3 * MB + TIMES * len(content)


def test_time_is_in_proportion_to_operations_and_nodes(tmp_path: Path) -> None:
    """Erasing a leaf from a list with each of many splits would move 20 gigabytes; no node has a domain of its own."""
    splits, wide = 100_000, 2_000
    table = {"smoothing": 0, "counts": [[1, 0]] * (splits + 1)}
    node = {"source": graph([["split", 0, 1]] * splits), "table": table}
    (tmp_path / "m.json").write_bytes(document([2, 2], [node, CONSTANT]))
    (tmp_path / "wide.json").write_bytes(document([2] * wide, [{"source": graph([]), "table": HALF}] * wide))
    start = time.process_time()
    assert depnet.load(tmp_path / "m.json").nodes[0].source.size == splits + 1
    network = depnet.load(tmp_path / "wide.json")
    assert time.process_time() - start < 5
    sources = [node.source for node in network.nodes if isinstance(node.source, depnet.DecisionGraph)]
    assert len(sources) == wide
    assert len({id(source.cardinalities) for source in sources}) == 1


def test_a_large_network_takes_little_more_than_itself(tmp_path: Path) -> None:
    """100,000 leaves: each node is read, made and forgotten as text before the next."""
    source = {"kind": "tabulated", "inputs": [], "size": 1_000, "leaves": [0]}
    node = {"source": source, "table": {"smoothing": 0, "counts": [[12, 3456]] * 1_000}}
    content = document([2] * 100, [node] * 100)
    (tmp_path / "m.json").write_bytes(content)
    tracemalloc.start()
    network = depnet.load(tmp_path / "m.json")
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    kept = sum(each.table.probabilities.nbytes * 2 for each in network.nodes)
    assert kept == 100 * 1_000 * 2 * 16
    assert taken < kept + 3 * len(content)


MANY = [pytest.param(10_000, 100 + part, marks=pytest.mark.long) for part in range(10)]


@pytest.mark.parametrize(("files", "seed"), [(600, 1), *MANY])
def test_mutated_files_are_refused_or_sound(tmp_path: Path, files: int, seed: int) -> None:
    refused, accepted = fuzz(tmp_path, files, seed)
    assert refused > files / 2
    assert accepted > files / 20, (
        "some changes are harmless or make another network: the test reaches that far"
    )


@given(
    st.binary(max_size=300), st.sampled_from([b"", b"{", b'{"format": "depnet network", ', b"\x1f\x8b\x08"])
)
def test_any_bytes_are_refused(data: bytes, head: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "m.json").write_bytes(head + data)
        with pytest.raises(ModelFileError):
            depnet.load(Path(place) / "m.json")
