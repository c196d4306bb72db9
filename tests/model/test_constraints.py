"""Constraints as text and as values, and in the model file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet
from depnet.data import Dataset
from depnet.data.binning.bins import Bins
from depnet.data.table.dataset import Holed
from depnet.data.table.values import Values
from depnet.data.table.variable import Domain, Variable
from depnet.errors import EvidenceError, ModelFileError
from depnet.model.constraints import Before, Constraint, Total, keeps, read_constraint, say_constraints

DAYS = Bins((0, 10, 20), ((1, 5), (12, 15)), "date")
MOMENTS = Bins((0, 10**12, 2 * 10**12), ((5,), (10**12,)), "datetime")
DOMAIN = Domain(
    (
        Variable("net", (0, 1, 2)),
        Variable("sales tax", (0, 1, 2)),
        Variable("total", (0, 1, 2, 3, 4)),
        Variable("day", DAYS.labels, DAYS),
        Variable("moment", MOMENTS.labels, MOMENTS),
        Variable("size", ("S", "L"), ordered=True),
    )
)


@pytest.mark.parametrize(
    ("text", "meant", "again"),
    [
        ("net <= total", Before("net", "total"), "total >= net"),
        ("total > net", Before("net", "total", strict=True), "total > net"),
        ("day < moment", Before("day", "moment", strict=True), "moment > day"),
        ('total = net + "sales tax"', Total("total", ("net", "sales tax")), 'total = net + "sales tax"'),
        ('net = total - "sales tax"', Total("total", ("sales tax", "net")), 'total = "sales tax" + net'),
        ("not total < net", Before("net", "total"), "total >= net"),
    ],
)
def test_text_is_read_and_written(text: str, meant: Any, again: str) -> None:
    assert read_constraint(DOMAIN, text) == meant
    assert str(meant) == again
    assert read_constraint(DOMAIN, again) == meant == read_constraint(DOMAIN, meant)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("net <= day", "cannot be compared"),
        ("net = 2", "is no constraint"),
        ("net != total", "is no constraint"),
        ("net <= total and net <= day", "cannot be compared|is no constraint"),
        ("net < net", "names a column twice"),
        ("total = net + net", "names a column twice"),
        ("total = net + nothing", "nothing"),
        ("total = net + day", "'day' has no numbers"),
        ("total = net + size", "'size' has no numbers"),
        ('total = net + "sales tax" - day', "adds and takes away"),
        (3, "is text such as"),
        (None, "is text such as"),
    ],
)
def test_what_is_no_constraint(text: Any, said: str) -> None:
    with pytest.raises(EvidenceError, match=said):
        read_constraint(DOMAIN, text)


def test_rows_keep_it_or_lack_a_cell_of_it() -> None:
    codes = np.array([[0, 1, 1], [0, 1, 2], [2, 2, 4], [2, 0, 1]], dtype=np.uint8)
    domain = Domain(DOMAIN.variables[:3])
    whole = Dataset(domain, codes)
    total, order = Total("total", ("net", "sales tax")), Before("net", "sales tax", strict=True)
    assert keeps(total, whole).tolist() == [True, False, True, False]
    assert keeps(order, whole).tolist() == [True, True, False, False]
    hidden = np.zeros(codes.shape, dtype=bool)
    hidden[3, 1] = hidden[1, 2] = True
    holed = Holed(domain, np.where(hidden, 0, codes).astype(np.uint8), hidden)
    assert keeps(total, holed).tolist() == [True, True, True, True]
    assert keeps(order, holed).tolist() == [True, True, False, True]


def test_rounding_is_that_of_the_total() -> None:
    numbers = Bins((0.0, 1.0, 9.0), ((0.5,), (1.5,)))
    domain = Domain(tuple(Variable(name, numbers.labels, numbers) for name in "abt"))
    values = {0: np.array([0.14, 0.14, 0.1]), 1: np.array([1.12, 1.12, 0.2]), 2: np.array([1.3, 1.31, 0.3])}
    table = Dataset(
        domain,
        np.array([[0, 1, 1], [0, 1, 1], [0, 0, 0]], dtype=np.uint8),
        values=Values(values),
    )
    assert keeps(Total("t", ("a", "b"), digits=1), table).tolist() == [True, True, True]
    assert keeps(Total("t", ("a", "b"), digits=2), table).tolist() == [False, False, True]
    assert keeps(Total("t", ("a", "b")), table).tolist() == [False, False, True]


def test_they_are_said_in_plain_words() -> None:
    kept: list[Constraint] = [
        Before("day", "moment"),
        Before("net", "total"),
        Before("net", "total", strict=True),
    ]
    kept += [Total("total", ("net", "sales tax")), Total("total", ("net",)), Before("sales tax", "total")]
    assert say_constraints(DOMAIN, kept) == [
        "moment is never before day: kept in drawn rows",
        "total is never below net: kept in drawn rows",
        "total is always above net: kept in drawn rows",
        "total is the sum of net and sales tax: kept in drawn rows",
        "total is always net: kept in drawn rows",
        'kept in drawn rows, too: total >= "sales tax"',
    ]
    assert say_constraints(DOMAIN, []) == []


def small_law() -> depnet.Network:
    rows = Dataset.from_codes(
        np.random.default_rng(0).integers(0, 3, size=(50, 6)) % DOMAIN.cardinalities, domain=DOMAIN
    )
    kept = (
        Before("day", "moment"),
        Total("total", ("net", "sales tax"), digits=0),
        Before("net", "total", strict=True),
    )
    return replace(depnet.learn(rows, order="auto"), constraints=kept)


def test_a_file_keeps_them(tmp_path: Path) -> None:
    law = small_law()
    depnet.save(law, tmp_path / "m.json")
    loaded = depnet.load(tmp_path / "m.json", law=True)
    assert loaded == law
    assert loaded.constraints == law.constraints
    assert loaded != replace(law, constraints=())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "order", "columns": [0, 9]}, "expected numbers of variables"),
        ({"kind": "order", "columns": [0, 1, 2]}, "of an order two"),
        ({"kind": "order", "columns": [0]}, "columns"),
        ({"kind": "order", "columns": [0, 0]}, "names a column twice"),
        ({"kind": "order", "columns": [0, 3]}, "cannot be compared"),
        ({"kind": "order", "columns": [0, 5]}, "'size' has no numbers"),
        ({"kind": "sum", "columns": [0, 3]}, "'day' has no numbers"),
        ({"kind": "sum", "columns": [0, 1], "digits": 99}, "digits"),
        ({"kind": "other", "columns": [0, 1]}, "kind"),
        ({"kind": "sum"}, "columns"),
    ],
)
def test_a_file_with_others_is_refused(given: Any, said: str, tmp_path: Path) -> None:
    depnet.save(small_law(), tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    document["law"]["constraints"][1] = given
    del document["checksum"]
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match=rf"law\.constraints\[1\].*{said}"):
        depnet.load(tmp_path / "m.json")
