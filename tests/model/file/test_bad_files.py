"""Every way in which a file can be wrong has an error that says where and what."""

import contextlib
import copy
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import (
    ConstantSource,
    DecisionGraph,
    FunctionSource,
    InformationSource,
    LosslessSource,
    Merge,
    Network,
    Split,
)
from depnet.errors import ModelFileAccessError, ModelFileError, ModelFileNotFoundError
from depnet.model.file import load_both
from tests.model.file.fuzzing import places, random_pair

Document = dict[str, Any]


def good_network() -> Network:
    data = depnet.titanic()
    cards = data.domain.cardinalities
    sources: list[InformationSource] = [
        ConstantSource(),
        DecisionGraph((Split(0, 0), Merge(0, 3), Split(1, 3)), cards),
        FunctionSource(lambda x: x.sum(axis=1), (0, 1), 5),
        LosslessSource((0, 1, 2), (4, 2, 2)),
    ]
    learned = depnet.learn_parameters(data, sources, smoothing=0.5)
    given = depnet.ConditionalTable.from_probabilities(learned.nodes[3].table.probabilities)
    nodes = (*learned.nodes[:3], depnet.Node((3,), learned.nodes[3].source, given))
    return Network(data.domain, nodes).with_counts(data)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "m.json"
    depnet.save(good_network(), path)
    return path.read_bytes()


def message_of(content: bytes, tmp_path: Path) -> str:
    path = tmp_path / "m.json"
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as error:
        depnet.load(path)
    assert error.value.__traceback__ is not None
    message = str(error.value)
    assert message.startswith(repr(str(path)[:200])[:-1]), "says which file"
    assert len(message) < 1500, "and is short"
    return message


def expect(content: bytes, tmp_path: Path, *parts: str) -> None:
    message = message_of(content, tmp_path)
    for part in parts:
        assert part in message, f"{part!r} is not in {message!r}"


def edited(good: bytes, edit: Callable[[Document], object]) -> bytes:
    """The good file with one thing wrong, and without the checksum that would tell of any change."""
    document = json.loads(good)
    del document["checksum"]
    edit(document)
    return json.dumps(document).encode()


def at(*place: str | int, be: Any) -> Callable[[Document], None]:
    def edit(document: Document) -> None:
        value: Any = document
        for step in place[:-1]:
            value = value[step]
        value[place[-1]] = copy.deepcopy(be)

    return edit


def without(*place: str | int) -> Callable[[Document], None]:
    def edit(document: Document) -> None:
        value: Any = document
        for step in place[:-1]:
            value = value[step]
        del value[place[-1]]

    return edit


def test_the_good_file_is_good(good: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_bytes(edited(good, lambda d: None))
    assert len(depnet.load(tmp_path / "m.json").nodes) == 4


NOT_TEXT = {
    "empty": (b"", "the file is empty"),
    "blank": (b" \n\n", "the file is empty"),
    "BOM": (b"\xef\xbb\xbf{}", "byte order mark"),
    "UTF-16": ("{}".encode("utf-16"), "byte 0 is not UTF-8 text"),
    "not UTF-8": (b'{"format": "\xff"}', "byte 12 is not UTF-8 text"),
    "a CSV": (b"class,sex\n1st,male\n", "this is no model file: it starts with 'class,sex"),
    "a pickle": (b"\x80\x04\x95\x00", "byte 0 is not UTF-8 text"),
    "a list": (b"[1, 2]", "no model file: it starts with '[1, 2]'"),
    "a number": (b"3", "no model file"),
    "null": (b"null", "no model file"),
    "no JSON": (b"{'format': 1}", "line 1, column 2: this is not JSON"),
    "two": (b'{"format": 1}{"format": 1}', "line 1, column 14: this is not JSON (Extra data)"),
    "a comma": (b'{"format": 1,}', "this is not JSON"),
    "a comment": (b'{"format": 1 // one\n}', "this is not JSON"),
    "a control character": (b'{"format": "a\nb"}', "line 1, column 14: this is not JSON"),
    "other JSON": (b"{}", "format: expected 'depnet network'; got None. This is no model file"),
    "other format": (b'{"format": "pgmpy"}', "format: expected 'depnet network'; got 'pgmpy'"),
    "long format": (b'{"format": "' + b"x" * 10**6 + b'"}', "got 'xxxx"),
    "deep lists": (b'{"a": ' + b"[" * 100_000, "nested too deeply"),
    "deep objects": (b'{"a":' * 100_000, "nested too deeply"),
    "long number": (b'{"a": ' + b"9" * 5000 + b"}", "a whole number has thousands of digits"),
    "NaN": (b'{"a": [0, {"b": NaN}]}', "a[1].b: NaN is not a number that a model file can hold"),
    "Infinity": (b'{"a": Infinity}', "a: Infinity is not a number"),
    "-Infinity": (b'{"a": {"counts": [[-Infinity]]}}', "a.counts[0][0]: -Infinity is not a number"),
    "twice": (b'{"a": {"b": 1, "c": 1, "b": 2}}', "a: the field 'b' stands twice"),
    "format twice": (b'{"format": 1, "format": 1}', "the file: the field 'format' stands twice"),
    "NaN dropped by a double": (b'{"a": NaN, "a": 1}', "the file: the field 'a' stands twice"),
}


@pytest.mark.parametrize("case", NOT_TEXT)
def test_what_is_not_strict_json(case: str, tmp_path: Path) -> None:
    content, message = NOT_TEXT[case]
    expect(content, tmp_path, message)
    expect(gzip.compress(content), tmp_path, message)


NODE = "nodes"
COUNTS = ("nodes", 1, "table", "counts")
OPERATIONS = ("nodes", 1, "source", "operations")

WRONG: dict[str, tuple[Callable[[Document], object], str]] = {
    "newer version": (at("version", be=7), "version: the file has version 7 and comes from a newer depnet"),
    "much newer": (at("version", be=10**100), "about 10^100 and comes from a newer depnet"),
    "version 0": (at("version", be=0), "version: expected a whole number from 1 to 6; got 0"),
    "version 1.0": (at("version", be=1.0), "version: expected a whole number from 1 to 6; got 1.0"),
    "version true": (at("version", be=True), "got True"),
    "no version": (without("version"), "version: expected a whole number from 1 to 6; got None"),
    "no domain": (without("domain"), "the field 'domain' is missing"),
    "no nodes": (without("nodes"), "the field 'nodes' is missing"),
    "domain a list": (at("domain", be=[]), "domain: expected an object with 'variables'; got []"),
    "no variables": (at("domain", "variables", be=[]), "domain.variables: a domain needs at least one"),
    "variable null": (at("domain", "variables", 1, be=None), "domain.variables[1]: expected an object"),
    "unknown field": (
        at("domain", "variables", 1, "statez", be=1),
        "domain.variables[1]: there is no field 'statez' here. Did you mean 'states'?",
    ),
    "name missing": (
        without("domain", "variables", 1, "name"),
        "domain.variables[1]: the field 'name' is missing",
    ),
    "name a number": (at("domain", "variables", 1, "name", be=3), "domain.variables[1]: a variable's name"),
    "name empty": (at("domain", "variables", 1, "name", be=""), "domain.variables[1]: a variable's name"),
    "name twice": (
        at("domain", "variables", 1, "name", be="class"),
        "variables 0 and 1 are both named 'class'",
    ),
    "name half a pair": (at("domain", "variables", 1, "name", be="\ud800"), "not valid Unicode text"),
    "states a string": (
        at("domain", "variables", 1, "states", be="ab"),
        "variables[1].states: expected a list",
    ),
    "state null": (at("domain", "variables", 1, "states", 0, be=None), "code 0: a state is a string"),
    "state a list": (at("domain", "variables", 1, "states", 0, be=[1]), "a state is a string"),
    "state twice": (
        at("domain", "variables", 1, "states", 0, be="male"),
        "domain.variables[1]: variable 'sex': state",
    ),
    "state too long": (
        at("domain", "variables", 1, "states", 0, be=2**5000),
        "variables[1].states[0]: this whole",
    ),
    "a state more": (
        lambda d: d["domain"]["variables"][1]["states"].append("x"),
        "counts.singles[1]: expected 3",
    ),
    "65,536 states": (at("domain", "variables", 1, "states", be=list(range(65_536))), "has 65,536 states"),
    "nodes an object": (at("nodes", be={}), "nodes: expected a list; got {}"),
    "nodes empty": (at("nodes", be=[]), "nodes: no node updates variable 'class'"),
    "node null": (
        at("nodes", 2, be=None),
        "nodes[2]: expected an object with 'variables', 'source', 'table'",
    ),
    "a node less": (without("nodes", 3), "nodes: no node updates variable 'survived'"),
    "updates nothing": (
        at("nodes", 0, "variables", be=[]),
        "nodes[0].variables: expected [0]: each variable has one node",
    ),
    "updates another": (
        at("nodes", 0, "variables", be=[1]),
        "nodes[0].variables: expected [0]: each variable has one node, in the order of the domain; got [1]",
    ),
    "updates two": (
        at("nodes", 0, "variables", be=[0, 1]),
        "nodes[0].variables: this node updates 2 variables at once: a block, which depnet no longer has. Fit again",
    ),
    "a node more": (
        lambda d: d["nodes"].append(d["nodes"][3]),
        "nodes[4]: there are 4 variables, and each has one node",
    ),
    "tilted": (
        at("nodes", 1, "table", "tilt", be=[1.0, 2.0]),
        "nodes[1].table.tilt: this table was calibrated, which depnet no longer does. Fit again",
    ),
    "updates 4": (
        at("nodes", 0, "variables", be=[4]),
        "nodes[0].variables[0]: expected a whole number from 0 to 3",
    ),
    "updates true": (
        at("nodes", 0, "variables", be=[True]),
        "nodes[0].variables[0]: expected a whole number; got True",
    ),
    "updates 0.0": (
        at("nodes", 0, "variables", be=[0.0]),
        "nodes[0].variables[0]: expected a whole number; got 0.0",
    ),
    "source missing": (without("nodes", 1, "source"), "nodes[1]: the field 'source' is missing"),
    "source a string": (
        at("nodes", 1, "source", be="constant"),
        "nodes[1].source: expected an object whose 'kind'",
    ),
    "source unknown": (
        at("nodes", 1, "source", be={"kind": "neural"}),
        "nodes[1].source: expected an object whose",
    ),
    "constant with more": (
        at("nodes", 0, "source", "inputs", be=[]),
        "nodes[0].source: there is no field 'inputs'",
    ),
    "no such leaf": (
        at(*OPERATIONS, 1, be=["split", 4, 0]),
        "nodes[1].source.operations: operation 1 is Split(leaf=4",
    ),
    "no such variable": (at(*OPERATIONS, 0, be=["split", 0, 4]), "operation 0 is Split(leaf=0, variable=4)"),
    "merge of one": (at(*OPERATIONS, 1, be=["merge", 1, 1]), "operation 1 is Merge(first=1, second=1)"),
    "merge backwards": (at(*OPERATIONS, 1, be=["merge", 3, 0]), "first < second"),
    "merge past the end": (at(*OPERATIONS, 1, be=["merge", 0, 4]), "there are 4 leaves then"),
    "negative leaf": (
        at(*OPERATIONS, 0, be=["split", -1, 0]),
        "nodes[1].source.operations[0][0]: expected a whole",
    ),
    "leaf 2^70": (at(*OPERATIONS, 0, be=["split", 2**70, 0]), "operations[0][0]: expected a whole number"),
    "leaf 0.0": (
        at(*OPERATIONS, 0, be=["split", 0.0, 0]),
        "operations[0][0]: expected a whole number; got 0.0",
    ),
    "leaf true": (at(*OPERATIONS, 0, be=["split", True, 0]), "got True"),
    "operation unknown": (
        at(*OPERATIONS, 0, be=["prune", 0, 0]),
        "operations[0]: expected ['split', leaf, variable]",
    ),
    "operation short": (at(*OPERATIONS, 0, be=["split", 0]), "operations[0]: expected 3 entries; got 2"),
    "operation an object": (at(*OPERATIONS, 0, be={"split": [0, 0]}), "operations[0]: expected a list"),
    "an operation less": (
        without(*OPERATIONS, 2),
        "nodes[1].table.counts: expected one row for each of the source's 3",
    ),
    "own input": (
        at(*OPERATIONS, 2, be=["split", 1, 1]),
        "nodes[1]: node 1: its information source reads variable 1",
    ),
    "input twice": (
        at("nodes", 3, "source", "inputs", be=[0, 0, 1]),
        "nodes[3].source.inputs: inputs are distinct",
    ),
    "input 9": (
        at("nodes", 3, "source", "inputs", 2, be=9),
        "nodes[3].source.inputs[2]: expected a whole number",
    ),
    "an input less": (
        at("nodes", 3, "source", "inputs", be=[0, 1]),
        "nodes[3].table.probabilities: expected one row",
    ),
    "leaf of no table": (
        at("nodes", 2, "source", "leaves", 3, be=5),
        "nodes[2].source.leaves[3]: expected a whole",
    ),
    "a leaf less": (
        without("nodes", 2, "source", "leaves", 3),
        "nodes[2].source.leaves: expected 8 entries; got 7",
    ),
    "size 6": (
        at("nodes", 2, "source", "size", be=6),
        "nodes[2].table.counts: expected one row for each of the source's 6",
    ),
    "size 0": (
        at("nodes", 2, "source", "size", be=0),
        "nodes[2].source.size: expected a whole number from 1",
    ),
    "size 2^31": (
        at("nodes", 2, "source", "size", be=2**31),
        "nodes[2].source.size: expected a whole number from 1",
    ),
    "table missing": (without("nodes", 1, "table"), "nodes[1]: the field 'table' is missing"),
    "table empty": (at("nodes", 1, "table", be={}), "nodes[1].table: the field 'probabilities' is missing"),
    "table a list": (
        at("nodes", 1, "table", be=[]),
        "nodes[1].table: expected an object with 'probabilities'",
    ),
    "both forms": (
        at("nodes", 1, "table", "probabilities", be=[]),
        "nodes[1].table: there is no field 'probabilities'",
    ),
    "no smoothing": (
        without("nodes", 1, "table", "smoothing"),
        "nodes[1].table: the field 'smoothing' is missing",
    ),
    "negative smoothing": (
        at("nodes", 1, "table", "smoothing", be=-0.5),
        "nodes[1].table: smoothing is a number",
    ),
    "huge smoothing": (
        at("nodes", 1, "table", "smoothing", be=10**400),
        "nodes[1].table: smoothing is a number",
    ),
    "smoothing true": (
        at("nodes", 1, "table", "smoothing", be=True),
        "nodes[1].table.smoothing: expected a number",
    ),
    "counts a number": (at(*COUNTS, be=3), "nodes[1].table.counts: expected a list; got 3"),
    "counts empty": (
        at(*COUNTS, be=[]),
        "nodes[1].table.counts: expected one row for each of the source's 4 leaves; got 0",
    ),
    "counts flat": (at(*COUNTS, be=[1, 2, 3, 4]), "nodes[1].table.counts[0]: expected a list; got 1"),
    "rows empty": (at(*COUNTS, be=[[], [], [], []]), "nodes[1].table.counts[0]: expected 2 entries; got 0"),
    "a row more": (
        lambda d: d["nodes"][1]["table"]["counts"].append([1, 1]),
        "counts: expected one row for each",
    ),
    "a cell more": (
        lambda d: d["nodes"][1]["table"]["counts"][2].append(1),
        "nodes[1].table.counts[2]: expected 2 entries",
    ),
    "all rows long": (
        lambda d: [row.append(1) for row in d["nodes"][1]["table"]["counts"]],
        "nodes[1].table.counts[0]: expected 2 entries; got 3",
    ),
    "negative count": (
        at(*COUNTS, 2, 1, be=-3),
        "nodes[1].table.counts[2][1]: expected a whole number from 0",
    ),
    "count 1.0": (at(*COUNTS, 2, 1, be=1.0), "nodes[1].table.counts[2][1]: expected a whole number; got 1.0"),
    "all counts floats": (
        at(*COUNTS, be=[[1.0, 2.0]] * 4),
        "nodes[1].table.counts[0][0]: expected a whole number",
    ),
    "count true": (
        at(*COUNTS, 2, 1, be=True),
        "nodes[1].table.counts[2][1]: expected a whole number; got True",
    ),
    "count null": (
        at(*COUNTS, 2, 1, be=None),
        "nodes[1].table.counts[2][1]: expected a whole number; got None",
    ),
    "count a string": (
        at(*COUNTS, 2, 1, be="3"),
        "nodes[1].table.counts[2][1]: expected a whole number; got '3'",
    ),
    "count past int64": (
        at(*COUNTS, 2, 1, be=2**63),
        "nodes[1].table.counts[2][1]: expected a whole number from 0",
    ),
    "count past 2^53": (
        at(*COUNTS, 2, 1, be=2**53 + 1),
        "nodes[1].table.counts[2][1]: expected a whole number from 0",
    ),
    "counts sum past 2^53": (
        at(*COUNTS, 2, be=[2**52, 2**52]),
        "nodes[1].table: the counts of leaf 2 sum to",
    ),
    "row of 0.9": (
        at("nodes", 3, "table", "probabilities", 5, be=[0.4, 0.5]),
        "nodes[3].table: row 5 of the cond",
    ),
    "negative probability": (
        at("nodes", 3, "table", "probabilities", 5, be=[-0.5, 1.5]),
        "nodes[3].table.probabilities[5][0]: expected a probability; got -0.5",
    ),
    "infinite probability": (
        at("nodes", 3, "table", "probabilities", 5, 1, be=1e200),
        "nodes[3].table.probabilities[5][1]: expected a probability; got 1e+200",
    ),
    "probability true": (
        at("nodes", 3, "table", "probabilities", 5, be=[True, 0]),
        "nodes[3].table.probabilities[5][0]: expected a number; got True",
    ),
    "probability a string": (
        at("nodes", 3, "table", "probabilities", 5, 0, be="0.5"),
        "expected a number; got '0.5'",
    ),
    "probability 10^400": (
        at("nodes", 3, "table", "probabilities", 5, 0, be=10**400),
        "expected a probability",
    ),
    "counts null": (at("counts", be=None), "counts: expected an object with 'singles', 'pairs'; got None"),
    "singles short": (without("counts", "singles", 3), "counts.singles: expected 4 entries; got 3"),
    "single short": (without("counts", "singles", 3, 1), "counts.singles[3]: expected 2 entries; got 1"),
    "single negative": (
        at("counts", "singles", 3, 1, be=-1),
        "counts.singles[3][1]: expected a whole number",
    ),
    "single float": (
        at("counts", "singles", 3, 1, be=711.0),
        "counts.singles[3][1]: expected a whole number",
    ),
    "singles too many": (
        at("counts", "singles", 3, be=[2**53, 2**53]),
        "counts.singles[3]: the counts sum to 2^53",
    ),
    "other total": (at("counts", "singles", 3, 1, be=712), "counts: 1- and 2-way counts"),
    "pairs short": (without("counts", "pairs", 5), "counts.pairs: expected 6 entries; got 5"),
    "pair short": (without("counts", "pairs", 5, 1), "counts.pairs[5]: expected 4 entries; got 3"),
    "pair swapped": (
        at("counts", "pairs", 5, be=[654, 1438, 52, 57]),
        "counts: the 2-way counts of variables 2 and 3",
    ),
    "checksum wrong": (at("checksum", be="sha256:00"), "checksum: 'sha256:00' is not that of the content"),
    "checksum null": (at("checksum", be=None), "checksum: None is not that of the content"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_a_network(case: str, good: bytes, tmp_path: Path) -> None:
    edit, message = WRONG[case]
    expect(edited(good, edit), tmp_path, message)


def test_a_truncated_file_is_not_complete(good: bytes, tmp_path: Path) -> None:
    for end in np.linspace(1, len(good.rstrip()) - 1, 60).astype(int):
        message = message_of(good[:end], tmp_path)
        assert "the file ends too early" in message or "not JSON" in message, message
    expect(good[: len(good) // 2], tmp_path, "the file ends too early: it is not complete")
    packed = gzip.compress(good)
    for end in range(2, len(packed), 37):
        expect(packed[:end], tmp_path, "the compressed file ends too early")


def test_a_damaged_compressed_file(good: bytes, tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(good))
    packed[len(packed) // 2] ^= 0xFF
    expect(bytes(packed), tmp_path, "the compressed file is damaged")
    expect(gzip.compress(good) + b"more", tmp_path, "the compressed file is damaged")
    expect(
        gzip.compress(good)[:-8] + b"\x00" * 8,
        tmp_path,
        "the compressed file is damaged (Error -3 while decompressing",
    )


def test_a_valid_change_is_told_by_the_checksum(good: bytes, tmp_path: Path) -> None:
    changed = good.replace(b'"smoothing": 0.5', b'"smoothing": 0.6', 1)
    assert changed != good
    expect(
        changed, tmp_path, "checksum: 'sha256:", "If you changed it on purpose, remove the field 'checksum'"
    )
    document = json.loads(changed)
    del document["checksum"]
    (tmp_path / "m.json").write_text(json.dumps(document))
    assert depnet.load(tmp_path / "m.json").nodes[0].table.smoothing == 0.6
    later = json.loads(good)
    later["later"] = 1
    expect(json.dumps(later).encode(), tmp_path, "is not that of the content")


def test_a_number_past_all_floats_in_a_section_that_is_not_read(good: bytes, tmp_path: Path) -> None:
    document = json.loads(good)
    text = json.dumps(document)[:-1]
    expect((text + ', "later": 1e999}').encode(), tmp_path, "the content has no checksum")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelFileNotFoundError, match=r"there is no such model file.*missing\.json") as error:
        depnet.load(tmp_path / "missing.json")
    assert isinstance(error.value, FileNotFoundError)
    assert error.value.filename == str(tmp_path / "missing.json")
    assert error.value.errno == 2


def test_a_directory_and_other_odd_names(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="this is a directory, not a model file"):
        depnet.load(tmp_path)
    with pytest.raises(ModelFileError, match="null"):
        depnet.load("a\0b")
    with pytest.raises(ModelFileAccessError, match="cannot be read"):
        depnet.load("x" * 5000)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-1e400"])
def test_a_number_past_all_floats_in_every_place_of_a_number(number: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    seen = 0
    rng = random.Random(0)
    for _ in range(4):
        random_pair(rng).save(path)
        tree = json.loads(path.read_text())
        tree.pop("checksum", None)
        for *above, key in places(tree):
            holder = tree
            for step in above:
                holder = holder[step]
            if type(holder[key]) not in (int, float):
                continue
            kept, holder[key] = holder[key], "PAST ALL FLOATS"
            path.write_text(json.dumps(tree).replace('"PAST ALL FLOATS"', number))
            holder[key] = kept
            with contextlib.suppress(ModelFileError):
                load_both(path, layout=True)
            seen += 1
    assert seen > 100
