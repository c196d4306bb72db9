"""Trees within bins in model files: as they were, left out by earlier files, and every fault with its place."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import DependencyNetwork
from depnet.errors import ModelError, ModelFileError
from depnet.model.file import load_both


@pytest.fixture(scope="module")
def model() -> DependencyNetwork:
    x = np.random.default_rng(0).normal(size=1500)
    rows = np.column_stack([x, x, np.round(x) % 2]) + np.array([0, 0.01, 0]) * np.random.default_rng(
        1
    ).normal(size=(1500, 3))
    return DependencyNetwork(penalty="mdl", random_state=0).fit(rows)


@pytest.fixture
def path(model: DependencyNetwork, tmp_path: Path) -> Path:
    model.save(tmp_path / "m.json")
    return tmp_path / "m.json"


def changed(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    document = json.loads(path.read_text())
    change(document)
    document.pop("checksum", None)
    path.write_text(json.dumps(document))
    return path


def test_what_is_loaded_draws_the_same_rows(model: DependencyNetwork, path: Path) -> None:
    assert model.law_ is not None
    assert model.law_.within is not None
    again = DependencyNetwork.load(path, random_state=0)
    assert again.law_ == model.law_
    assert np.array_equal(np.asarray(again.sample(200)), np.asarray(model.sample(200)))
    assert load_both(path).network == model.network_
    depnet.save(model.law_, path.with_name("law.json"))
    assert depnet.load(path.with_name("law.json")) == model.law_


def test_a_file_without_them_is_read_as_before(model: DependencyNetwork, path: Path) -> None:
    law = depnet.load(changed(path, lambda document: document.pop("within")), law=True)
    assert model.law_ is not None
    assert law == replace(model.law_, within=None)


def test_trees_are_of_one_domain_and_order(model: DependencyNetwork) -> None:
    assert model.law_ is not None
    with pytest.raises(ModelError, match="another domain or order"):
        replace(model.network_, within=model.law_.within)


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no list": (lambda d: d.update(within={}), "within: expected a list"),
    "a field is missing": (lambda d: d["within"][0].pop("roots"), r"within\[0\]: the field 'roots'"),
    "no bins": (lambda d: d["within"][0].update(column=2), r"within\[0\].column: .* has no bins"),
    "a variable twice": (lambda d: d["within"].append(d["within"][0]), "within: .* stands twice"),
    "no such node": (lambda d: d["within"][0]["roots"].__setitem__(0, 10**6), r"within\[0\].roots\[0\]"),
    "reads itself": (
        lambda d: d["within"][0]["variable"].__setitem__(0, d["within"][0]["column"]),
        r"within\[0\].variable\[0\]: a tree does not read",
    ),
    "no such level": (
        lambda d: d["within"][0]["threshold"].__setitem__(0, 10**6),
        r"within\[0\].threshold\[0\]: the variable of this test has no such level",
    ),
    "a circle": (
        lambda d: d["within"][0]["child"].__setitem__(0, 0),
        r"within\[0\].child\[0\]: expected the first of two later nodes",
    ),
    "no such leaf": (
        lambda d: d["within"][0]["child"].__setitem__(-1, 10**6),
        r"within\[0\].child\[\d+\]: there is no such leaf",
    ),
    "a share too few": (lambda d: d["within"][0]["shares"].pop(), r"within\[0\].shares: expected 32 numbers"),
    "too much": (lambda d: d["within"][0]["shares"].__setitem__(8, 300), r"within\[0\].shares\[8\]"),
    "not all": (
        lambda d: d["within"][0]["shares"].__setitem__(slice(0, 32), [1] * 32),
        r"within\[0\].shares\[0\]: the shares of a leaf are 256 in all",
    ),
    "no whole number": (lambda d: d["within"][0]["shares"].__setitem__(3, 0.5), r"within\[0\].shares\[3\]"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_said_with_its_place(path: Path, name: str) -> None:
    change, said = FAULTS[name]
    with pytest.raises(ModelFileError, match=said):
        depnet.load(changed(path, change))
