"""Bins and states for missing values in the model file: kept bit for bit, and checked in full."""

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import Domain, Network, Variable
from depnet.data import Bins
from depnet.errors import ModelFileError

AGES = Bins((-math.inf, 18, 65, math.inf), ((3, 9, 17), (30, 40), (70,)), "integer")
DAYS = Bins((0, 31, 59), ((1, 2), (40,)), "date")
DOMAIN = Domain(
    (
        Variable("age", (*AGES.labels, "(missing)"), AGES, "(missing)"),
        Variable("day", DAYS.labels, DAYS),
        Variable("sex", ("female", "male")),
    )
)


def network() -> Network:
    return Network.from_joint(np.full((4, 2, 2), 1 / 16), DOMAIN)


def document(tmp_path: Path) -> Any:
    depnet.save(network(), tmp_path / "m.json")
    read = json.loads((tmp_path / "m.json").read_text())
    del read["checksum"]
    return read


def test_bins_come_back(tmp_path: Path) -> None:
    depnet.save(network(), tmp_path / "m.json.gz")
    loaded = depnet.load(tmp_path / "m.json.gz")
    assert loaded == network()
    assert loaded.domain.variables[0].bins == AGES
    assert loaded.domain.variables[0].missing == "(missing)"
    assert loaded.domain.variables[2].bins is None


def test_infinite_edges_are_null_in_the_file(tmp_path: Path) -> None:
    read = document(tmp_path)["domain"]["variables"]
    assert read[0]["bins"] == {
        "kind": "integer",
        "edges": [None, 18, 65, None],
        "quantiles": [[3, 9, 17], [30, 40], [70]],
    }
    assert read[0]["missing"] is True
    assert set(read[2]) == {"name", "states"}


def test_the_fields_are_documented(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "model-file.md").read_text(encoding="utf-8")
    variable = document(tmp_path)["domain"]["variables"][0]
    for name in ("bins", "missing", "other", *(f"bins.{inner}" for inner in variable["bins"])):
        assert re.search(rf"[`.]{name}`", text), name


def test_a_file_of_version_2_has_bins(tmp_path: Path) -> None:
    old = document(tmp_path)
    assert old["version"] == 3
    old["version"] = 2
    (tmp_path / "m.json").write_text(json.dumps(old))
    assert depnet.load(tmp_path / "m.json") == network()


def test_a_file_of_version_1_has_no_bins(tmp_path: Path) -> None:
    old = document(tmp_path)
    old["version"] = 1
    (tmp_path / "m.json").write_text(json.dumps(old))
    with pytest.raises(ModelFileError, match=r"domain.variables\[0\]: there is no field 'bins' here"):
        depnet.load(tmp_path / "m.json")


AGE = ("domain", "variables", 0)
WRONG: dict[str, tuple[tuple[str | int, ...], Any, str]] = {
    "bins a list": ((*AGE, "bins"), [1], "variables[0].bins: expected an object with 'kind', 'edges'"),
    "no kind": ((*AGE, "bins", "kind"), ..., "variables[0].bins: the field 'kind' is missing"),
    "a field more": ((*AGE, "bins", "label"), 1, "variables[0].bins: there is no field 'label'"),
    "another kind": ((*AGE, "bins", "kind"), "text", "kind of bins is one of float, integer, date"),
    "kind a list": ((*AGE, "bins", "kind"), ["float"], "kind of bins is one of"),
    "an edge less": ((*AGE, "bins", "edges"), [1, 2, 3], "bins.edges: expected 4 entries; got 3"),
    "unsorted edges": ((*AGE, "bins", "edges", 1), 66, "bins: edges ascend; edge 2 is 65 after 66"),
    "equal edges": ((*AGE, "bins", "edges", 1), 65, "edges ascend; edge 2 is 65 after 65"),
    "an inner edge null": ((*AGE, "bins", "edges", 1), None, "bins.edges[1]: expected a number; got None"),
    "an inner edge past all floats": ((*AGE, "bins", "edges", 1), "1e999", "edge 1 is inf; only the first"),
    "an edge as text": ((*AGE, "bins", "edges", 1), "a", "bins.edges[1]: expected a number; got 'a'"),
    "an edge true": ((*AGE, "bins", "edges", 1), True, "bins.edges[1]: expected a number; got True"),
    "half an edge": ((*AGE, "bins", "edges", 1), 18.5, "edges of bins of the kind 'integer' are whole"),
    "a long edge": ((*AGE, "bins", "edges", 1), 10**300, "whole numbers from -9,223,372,036,854,775,808"),
    "a bin less": ((*AGE, "bins", "quantiles"), [[1], [20]], "bins.quantiles: expected 3 entries; got 2"),
    "no quantile": ((*AGE, "bins", "quantiles", 1), [], "bin 1 has 0 quantiles; expected 1 to 32"),
    "33 quantiles": (
        (*AGE, "bins", "quantiles", 1),
        [20] * 33,
        "quantiles[1]: a bin keeps at most 32 values; got 33",
    ),
    "a quantile null": ((*AGE, "bins", "quantiles", 1, 0), None, "quantiles[1][0]: expected a number"),
    "quantiles fall": ((*AGE, "bins", "quantiles", 1), [40, 30], "the quantiles of bin 1 ascend"),
    "a quantile of another bin": (
        (*AGE, "bins", "quantiles", 1, 0),
        3,
        "the quantiles of bin 1 lie in it; it is [18, 65) and they go from 3 to 40",
    ),
    "an endless quantile": ((*AGE, "bins", "quantiles", 2, 0), "1e999", "the quantiles of bin 2 are finite"),
    "missing 1": ((*AGE, "missing"), 1, "variables[0].missing: expected true or false; got 1"),
    "missing false": ((*AGE, "missing"), False, "bins.edges: expected 5 entries; got 4"),
    "a day past all dates": (("domain", "variables", 1, "bins", "edges", 2), 10**9, "'date' are whole"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_are_not_bins(case: str, tmp_path: Path) -> None:
    place, value, message = WRONG[case]
    wrong = copy.deepcopy(document(tmp_path))
    holder = wrong
    for step in place[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    (tmp_path / "m.json").write_text(json.dumps(wrong).replace('"1e999"', "1e999"))
    with pytest.raises(ModelFileError) as error:
        depnet.load(tmp_path / "m.json")
    assert message in str(error.value)
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("name", ["edges", "quantiles"])
def test_nan_among_bins(name: str, tmp_path: Path) -> None:
    text = json.dumps(document(tmp_path))
    nan = text.replace("18", "NaN") if name == "edges" else text.replace("40", "NaN")
    (tmp_path / "m.json").write_text(nan)
    with pytest.raises(ModelFileError, match=rf"variables\[[01]\].bins.{name}.*: NaN is not a number"):
        depnet.load(tmp_path / "m.json")


def test_many_bins(tmp_path: Path) -> None:
    """65,535 bins that are all checked: comparing each with all edges would be four billion steps."""
    read = document(tmp_path)
    number = 65_535
    read["domain"]["variables"] = [
        {
            "name": "x",
            "states": list(range(number)),
            "bins": {
                "kind": "integer",
                "edges": [None, *range(1, number), None],
                "quantiles": [[k] for k in range(number)],
            },
        }
    ]
    read["nodes"] = [{"variables": [0], "source": {"kind": "constant"}, "table": {"probabilities": []}}]
    (tmp_path / "m.json").write_text(json.dumps(read))
    with pytest.raises(ModelFileError, match="probabilities"):
        depnet.load(tmp_path / "m.json")
