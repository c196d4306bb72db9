"""Every way in which a file can be wrong has an error that says where and what."""

import contextlib
import copy
import gzip
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import Mixture, Network
from depnet.errors import ModelFileAccessError, ModelFileError, ModelFileNotFoundError
from depnet.model.file import load_model
from depnet.model.model import Model
from tests.model.file.documents import DOMAIN, ORDER, document, law, model, network, put, text_of
from tests.model.file.fuzzing import places, random_model
from tests.model.file.networks import save
from tests.refusals import refuses

BIG = 10**400
AGE, BINS, OPERATIONS = "domain.variables[0]", "domain.variables[0].bins", "nodes[1].source.operations"
COUNTS, GIVEN, BOOSTED = "nodes[1].table.counts", "nodes[3].table.probabilities", "nodes[4].boosted"
COLUMN = {"key": "a", "kind": "label", "dtype": None}

WRONG: list[tuple[str, Any, str]] = [
    ("format", "other", "format: expected 'depnet network'; got 'other'. This is not a model file"),
    ("format", ..., "format: expected 'depnet network'; got None"),
    ("version", 6, "version: expected 7; got 6. Fit again from the table: depnet fit TABLE -o MODEL"),
    ("version", ..., "version: expected 7; got None"),
    ("version", True, "version: expected 7; got True"),
    ("version", 8, "version: the file has version 8 and comes from a newer depnet; this one reads version 7"),
    ("version", BIG, "comes from a newer depnet"),
    ("domain", ..., "the file: object missing required field `domain`"),
    ("domain", [], "domain: expected `object`, got `array`"),
    ("domain.variables", [], "domain.variables: "),
    ("domain.more", 1, "domain: object contains unknown field `more`"),
    (f"{AGE}.name", "", "domain.variables[0]: a variable's name is a non-empty string"),
    (f"{AGE}.name", "day", "domain.variables: variables 0 and 1 are both named 'day'"),
    ("domain.variables[2].states", [], "domain.variables[2]: variable 'sex'"),
    ("domain.variables[2].states[0]", None, "domain.variables[2].states[0]: expected `bool | int | float | str`"),
    ("domain.variables[2].states[0]", "male", "domain.variables[2]: variable 'sex': state"),
    ("domain.variables[2].states[0]", "NaN", "this is not JSON: invalid character (byte"),
    ("domain.variables[2].states[0]", 2**5000, "variables[2].states[0]: this whole number is too long"),
    ("domain.variables[2].states[2]", "x", "counts.singles[2]: expected 3 entries; got 2"),
    ("domain.variables[2].states", list(range(65_536)), "has 65,536 states"),
    ("domain.variables[2].ordered", 1, "domain.variables[2].ordered: expected `bool`, got `int`"),
    (f"{AGE}.missing", False, "has 4 states for its 3 bins; expected one a bin"),
    (f"{BINS}.kind", "text", "kind of bins is one of float, integer, date"),
    (f"{BINS}.edges", [1, 2, 3], "bins: 2 bins have 2 tuples of quantiles; got 3"),
    (f"{BINS}.edges[1]", 66, "bins: edges ascend; edge 2 is 65 after 66"),
    (f"{BINS}.edges[1]", None, "bins: edge 1 is inf; only the first edge may be -inf"),
    (f"{BINS}.edges[1]", "1e999", "bins.edges[1]: number out of range"),
    (f"{BINS}.edges[1]", True, "bins.edges[1]: expected `int | float | null`, got `bool`"),
    (f"{BINS}.edges[1]", 18.5, "edges of bins of the kind 'integer' are whole"),
    (f"{BINS}.edges[1]", 10**300, "whole numbers from -9,223,372,036,854,775,808"),
    (f"{BINS}.quantiles", [[1], [20]], "bins: 3 bins have 3 tuples of quantiles; got 2"),
    (f"{BINS}.quantiles[1]", [], "bin 1 has 0 quantiles; expected 1 to 32"),
    (f"{BINS}.quantiles[1]", [20] * 33, "quantiles[1]: expected `array` of length <= 32"),
    (f"{BINS}.quantiles[1]", [40, 30], "the quantiles of bin 1 ascend"),
    (f"{BINS}.quantiles[1][0]", 3, "the quantiles of bin 1 lie in it; it is [18, 65)"),
    ("domain.variables[1].bins.edges[2]", 10**9, "'date' are whole"),
    ("nodes", {}, "nodes: expected `array`, got `object`"),
    ("nodes", [], "nodes: expected one node for each of the 5 variables; got 0"),
    ("nodes[4]", ..., "nodes: expected one node for each of the 5 variables; got 4"),
    ("nodes[1].source.kind", "neural", "nodes[1].source.kind: invalid value 'neural'"),
    (f"{OPERATIONS}[1]", ["split", 4, 0], "nodes[1].source.operations: operation 1 is Split(leaf=4"),
    (f"{OPERATIONS}[0]", ["split", 0, 5], "operation 0 is Split(leaf=0, variable=5)"),
    (f"{OPERATIONS}[1]", ["merge", 1, 1], "operation 1 is Merge(first=1, second=1)"),
    (f"{OPERATIONS}[1]", ["merge", 0, 4], "there are 4 leaves then"),
    (f"{OPERATIONS}[0]", ["split", -1, 0], f"{OPERATIONS}[0][1]: expected `int` >= 0"),
    (f"{OPERATIONS}[0]", ["split", 2**70, 0], f"{OPERATIONS}[0][1]: expected `int` <="),
    (f"{OPERATIONS}[0]", ["prune", 0, 0], f"{OPERATIONS}[0][0]: invalid enum value 'prune'"),
    (f"{OPERATIONS}[2]", ..., f"{COUNTS}: expected one row for each of the source's 3"),
    (f"{OPERATIONS}[2]", ["split", 1, 1], "nodes[1]: node 1: its information source reads variable 1"),
    ("nodes[3].source.inputs", [2, 2], "nodes[3].source.inputs: inputs are distinct"),
    ("nodes[3].source.inputs[1]", 9, "nodes[3].source.inputs[1]: expected a whole number from 0 to 4; got 9"),
    ("nodes[3].source.inputs", [1], "nodes[3].table.probabilities: expected one row"),
    ("nodes[2].source.leaves[3]", 5, "nodes[2].source.leaves[3]: expected a whole number from 0 to 4; got 5"),
    ("nodes[2].source.leaves[3]", ..., "nodes[2].source.leaves: expected 8 entries; got 7"),
    ("nodes[2].source.size", 6, "nodes[2].table.counts: expected one row for each of the source's 6"),
    ("nodes[1].table", ..., "nodes[1]: expected either of the fields 'table' and 'boosted'"),
    ("nodes[4].table", {"probabilities": []}, "nodes[4]: expected either of the fields 'table' and 'boosted'"),
    ("nodes[1].table", {}, "nodes[1].table: expected the fields 'counts' and 'smoothing', or 'probabilities'"),
    ("nodes[1].table.probabilities", [], "nodes[1].table: expected the fields 'counts' and 'smoothing'"),
    ("nodes[1].table.smoothing", -0.5, "nodes[1].table: smoothing is a number"),
    ("nodes[1].table.smoothing", True, "nodes[1].table.smoothing: expected `float`, got `bool`"),
    (COUNTS, [], f"{COUNTS}: expected one row for each of the source's 4 leaves; got 0"),
    (f"{COUNTS}[4]", [1, 1], f"{COUNTS}: expected one row for each of the source's 4 leaves; got 5"),
    (f"{COUNTS}[2][2]", 1, f"{COUNTS}[2]: expected 2 entries; got 3"),
    (f"{COUNTS}[2]", [2**52, 2**52], "nodes[1].table: the counts of leaf 2 sum to"),
    (f"{GIVEN}[2]", [0.4, 0.5], "nodes[3].table: row 2 of the cond"),
    (f"{BOOSTED}.scores", [1] * 17, f"{BOOSTED}.scores: expected 18 entries; got 17"),
    (f"{BOOSTED}.scores[3]", 2**30, f"{BOOSTED}.scores[3]: expected `int` <= 1073741823"),
    (f"{BOOSTED}.start_scores[0]", 2**30 - 1, f"{BOOSTED}: node 4: its scores sum to more than"),
    (f"{BOOSTED}.start_scores", [0] * 5, f"{BOOSTED}.start_scores: expected 6 entries; got 5"),
    (f"{BOOSTED}.variable[1]", 5, f"{BOOSTED}: a stage tests state 0 of variable 5; the domain has 5 variables"),
    (f"{BOOSTED}.variable[1]", 4, f"{BOOSTED}: node 4: it reads variable 4, which the node itself updates"),
    (f"{BOOSTED}.high[0]", 4, f"{BOOSTED}: a stage tests state 4 of variable 0; the domain has 4 states there"),
    (f"{BOOSTED}.low[0]", 3, f"{BOOSTED}: a test is low <= x <= high of a variable; low is above high"),
    (f"{BOOSTED}.low", [0, 0], f"{BOOSTED}: the arrays of these stages do not fit together"),
    (f"{BOOSTED}.leaf[1]", 2, f"{BOOSTED}: split 1 is of leaf 2; its stage has 2 leaves then"),
    (f"{BOOSTED}.test[2]", 3, f"{BOOSTED}: a split names one of the 3 tests; got 0..3"),
    (f"{BOOSTED}.begin", [0, 3, 2, 3], f"{BOOSTED}: the arrays of these stages do not fit together"),
    (f"{BOOSTED}.gains", [0.5] * 4, f"{BOOSTED}: node 4: it has 3 inputs; expected one finite gain each"),
    ("nodes", ..., "held_out: this is of the network in 'nodes', which is missing"),
    ("law.order", [2, 3, 0, 1], "law.order: expected 5 entries; got 4"),
    ("law.order", [2, 3, 0, 1, 2], "law: the order of a network names each of its variables 0..4 once"),
    ("law.order[3]", 5, "law: the order of a network names each of its variables 0..4 once"),
    ("law.order", [3, 2, 0, 1, 4], "law: the information source of 'survived' reads 'sex', which comes later"),
    ("law.held_out.worth", 0, "law.held_out: worth of held-out rows is a number of rows above 0"),
    ("law.held_out.sure_means", 0, "law.held_out: sure_means of held-out rows is a number of rows above 0"),
    ("counts.singles[4]", ..., "counts.singles: expected 5 entries; got 4"),
    ("counts.singles[3][1]", ..., "counts.singles[3]: expected 2 entries; got 1"),
    ("counts.singles[3]", [2**53, 2**53], "counts.singles[3]: the counts sum to 2^53"),
    ("counts.singles[3][1]", 712, "counts: 1- and 2-way counts"),
    ("counts.pairs[5]", ..., "counts.pairs: expected 10 entries; got 9"),
    ("counts.pairs[5][1]", ..., "counts.pairs[5]: expected 4 entries; got 3"),
    ("counts.pairs[5]", [0, 0, 0, 200], "counts: the 2-way counts of variables 1 and 3"),
    ("within[0].column", 2, "within[0].column: expected the number of a variable with bins; got 2"),
    ("within[0].roots[0]", 10**6, "within[0].roots[0]: expected a whole number from -1 to 2"),
    ("within[0].variable[0]", 0, "within[0].variable[0]: a tree does not read the variable that it is of"),
    ("within[0].threshold[0]", 10**6, "within[0].threshold[0]: the variable of this test has no such level"),
    ("within[0].child[0]", 0, "within[0].child[0]: expected the first of two later nodes"),
    ("within[0].child[2]", 2, "within[0].child[2]: there is no such leaf"),
    ("within[0].shares[5]", ..., "within[0].shares: expected 3 numbers for each leaf; got 5 in all"),
    ("within[0].shares[0]", 300, "within[0].shares[0]: expected a whole number from 0 to 256"),
    ("within[0].shares[0]", 255, "within[0].shares[0]: the shares of a leaf are 256 in all"),
    ("layout.columns", [], "layout.columns: expected 5 entries; got 0"),
    ("layout.columns[2]", {**COLUMN, "dtype": "integer 5"}, "layout.columns[2].dtype: "),
    ("layout.columns[2]", {**COLUMN, "dtype": "<U99999999"}, "layout.columns[2].dtype: "),
    ("layout.columns[2]", {**COLUMN, "dtype": {"os": "system"}}, "layout.columns[2].dtype: "),
    ("layout.columns[2]", {**COLUMN, "dtype": "<i8"}, "layout.columns[2].dtype: "),
    ("layout.columns[2].key", "age", "layout.columns: two columns have one key"),
    ("layout.columns[0].kind", "date", "layout.columns[0].kind: expected one of integer, float; got 'date'"),
    ("checksum", "sha256:00", "checksum: 'sha256:00' is not that of the content"),
]  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return document(tmp_path_factory.mktemp("good") / "m.json")


def refusal(content: str | bytes, tmp_path: Path) -> str:
    path = tmp_path / "m.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ModelFileError) as error:
        load_model(path)
    message = str(error.value)
    assert message.startswith(repr(str(path)[:200])[:-1]), "says which file"
    assert len(message) < 1000, "and is short"
    return message


def test_the_good_file_is_good(good: Any, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(good))
    assert load_model(tmp_path / "m.json") == load_model(good_file(tmp_path))


def good_file(tmp_path: Path) -> Path:
    save(model(), tmp_path / "good.json")
    return tmp_path / "good.json"


@pytest.mark.parametrize(("place", "value", "message"), WRONG, ids=lambda each: str(each)[:40])
def test_what_is_no_model(place: str, value: Any, message: str, good: Any, tmp_path: Path) -> None:
    wrong = copy.deepcopy(good)
    put(wrong, place, value)
    said = refusal(text_of(wrong), tmp_path)
    assert message in said


def test_neither_network_nor_law(good: Any, tmp_path: Path) -> None:
    wrong = {name: each for name, each in good.items() if name not in ("nodes", "law")}
    assert "the field 'nodes' is missing, and so are 'law' and 'mixture'" in refusal(
        json.dumps(wrong), tmp_path
    )


WRONG_MIXTURES: list[tuple[str, Any, str]] = [
    ("law", {}, "law: object missing required field `order`"),
    ("mixture.weights", [0.5], "mixture: a mixture of 2 components has one positive weight for each; got [0.5]"),
    ("mixture.weights[0]", 0, "mixture: a mixture of 2 components has one positive weight for each; got [0.0, 0.75]"),
    ("mixture.weights[0]", -1, "one positive weight for each"),
    ("mixture.weights[0]", "1e999", "mixture.weights[0]: number out of range"),
    ("mixture.weights[0]", "NaN", "this is not JSON"),
    ("mixture.weights[0]", True, "mixture.weights[0]: expected `float`, got `bool`"),
    ("mixture.weights", ..., "mixture: object missing required field `weights`"),
    ("mixture.components", [], "mixture: a mixture has one component or more; got none"),
    ("mixture.components[1].order", [2, 3, 0, 1], "mixture.components[1].order: expected 5 entries; got 4"),
    ("mixture.components[1].order[0]", BIG, "mixture.components[1].order[0]"),
    ("mixture.components[1].order[0]", 4, "mixture.components[1]: the order of a network names each of its variables"),
    ("mixture.components[1].nodes[2]", 7, "mixture.components[1].nodes[2]: expected `object`, got `int`"),
    ("mixture.components[1].within", [], "mixture.components[1]: object contains unknown field `within`"),
    ("mixture.more", 1, "mixture: object contains unknown field `more`"),
    ("within[0].column", 2, "within[0].column: expected the number of a variable with bins; got 2"),
    ("within[0].roots[0]", 10**6, "within[0].roots[0]: expected a whole number from -1 to 2"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "message"), WRONG_MIXTURES, ids=lambda each: str(each)[:40])
def test_what_is_no_mixture(place: str, value: Any, message: str, tmp_path: Path) -> None:
    one = law()
    other = Network(DOMAIN, one.nodes, one.counts, ORDER)
    save(
        Model(network(), Mixture([replace(one, within=None), other], [1, 3], one.within)), tmp_path / "m.json"
    )
    good = json.loads((tmp_path / "m.json").read_text())
    del good["checksum"]
    put(good, place, value)
    assert message in refusal(text_of(good), tmp_path)


def test_one_law(good: Any, tmp_path: Path) -> None:
    parts = {"weights": [1.0], "components": [good["law"]]}
    both = {**good, "mixture": parts}
    assert "mixture: expected one law; this file has the field 'law', too" in refusal(
        json.dumps(both), tmp_path
    )


NOT_TEXT = {
    "empty": (b"", "the file is empty"),
    "blank": (b" \n\n", "the file is empty"),
    "BOM": (b"\xef\xbb\xbf{}", "it starts with '\\ufeff{}', not with an object"),
    "UTF-16": ("{}".encode("utf-16"), "this is not a model file"),
    "a list": (b"[1, 2]", "this is not a model file: it starts with '[1, 2]', not with an object"),
    "a table": (b"a,b\n1,2\n", "this is not a model file: it starts with 'a,b"),
    "an open brace": (b"{", "the file ends too early: it is not complete"),
    "two documents": (b'{"format": 1} {}', "trailing characters"),
    "a comment": (b'{"format": 1} // x', "trailing characters"),
    "bytes in a text": (b'{"format": "\xff"}', "a text in it is not UTF-8"),
    "nested lists": (b'{"x": ' + b"[" * 100_000, "nested too deeply"),
    "nested objects": (b'{"x":' * 100_000, "nested too deeply"),
    "thousands of digits": (
        b'{"format": "depnet network", "version": 1' + b"0" * 5000 + b"}",
        "out of range",
    ),
}


@pytest.mark.parametrize("case", NOT_TEXT)
def test_what_is_no_json(case: str, tmp_path: Path) -> None:
    content, message = NOT_TEXT[case]
    assert message in refusal(content, tmp_path)


def test_a_truncated_or_damaged_file(tmp_path: Path) -> None:
    whole = good_file(tmp_path).read_bytes()
    for end in np.linspace(1, len(whole.rstrip()) - 1, 60).astype(int):
        assert "the file ends too early: it is not complete" in refusal(whole[:end], tmp_path)
    packed = gzip.compress(whole)
    for end in range(2, len(packed), 37):
        assert "the compressed file ends too early" in refusal(packed[:end], tmp_path)
    for damaged in (packed[:100] + b"\xff" * 9 + packed[109:], packed + b"more", packed[:-8] + bytes(8)):
        assert "the compressed file is damaged" in refusal(damaged, tmp_path)


def test_a_valid_change_is_told_by_the_checksum(tmp_path: Path) -> None:
    path = good_file(tmp_path)
    text = path.read_text()
    for old, new in (
        ('"smoothing": 0.5', '"smoothing": 0.6'), ("-30, 30", "-30, 31"), ('"worth": 42.0', '"worth": 43.0'),
        ('"ordered": true', '"ordered": false'), ('"checksum"', '"later": 1, "checksum"'), ("\n}\n", ', "ordered": []}'),
    ):  # fmt: skip
        assert old in text
        said = refusal(text.replace(old, new, 1), tmp_path)
        assert "checksum: " in said
        assert "is not that of the content" in said or "the last field" in said
    without = json.loads(text.replace('"smoothing": 0.5', '"smoothing": 0.6', 1))
    del without["checksum"]
    path.write_text(json.dumps(without))
    assert depnet.load(path).nodes[0].table.smoothing == 0.6


def test_files_that_are_not_there_or_no_files(tmp_path: Path) -> None:
    with pytest.raises(ModelFileNotFoundError, match=r"there is no such model file.*missing\.json") as error:
        depnet.load(tmp_path / "missing.json")
    assert isinstance(error.value, FileNotFoundError)
    assert (error.value.filename, error.value.errno) == (str(tmp_path / "missing.json"), 2)
    refuses(ModelFileError, "this is a directory, not a model file", depnet.load, tmp_path)
    refuses(ModelFileError, "null", depnet.load, "a\0b")
    refuses(ModelFileAccessError, "cannot be read", depnet.load, "x" * 5000)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-1e400"])
def test_a_number_past_all_floats_in_every_place_of_a_number(number: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    seen = 0
    rng = random.Random(0)
    for _ in range(2):
        save(random_model(rng), path)
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
                load_model(path)
            seen += 1
    assert seen > 100
