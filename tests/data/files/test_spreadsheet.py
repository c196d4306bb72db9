"""No cell begins like a formula, whatever a spreadsheet takes for the end of the one before."""

import csv
import re
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from depnet import Domain, Variable, save
from depnet.data.files.spreadsheet import guard, guard_domain
from tests.wide import of_constants

RUNS = re.compile("(^|[\n\r,;\t|])[\"' ]*?[=+\\-@\uff1d\uff0b\uff0d\uff20]")


@given(st.text(alphabet="ab1=+-@\uff1d\uff0b\uff0d\uff20\n\r,;\t|'\" ."))
@example("\t=1")
def test_nothing_begins_like_a_formula(text: str) -> None:
    plain = guard(text)
    assert plain.replace("'", "") == text.replace("'", "")
    try:
        float(text)
    except ValueError:
        for found in RUNS.finditer(plain):
            assert "'" in found[0], ascii(plain)
    else:
        assert plain == text


def test_labels_stay_different() -> None:
    domain = guard_domain(Domain((Variable("=x", ("=a", "'=a", "b")), Variable("'=x", (1, -2)))))
    assert len(set(domain.names)) == 2
    assert len(set(domain.variables[0].states)) == 3
    assert domain.variables[1].states == (1, -2)


def test_sample_for_a_spreadsheet(tmp_path: Path) -> None:
    from tests.cli.entry import depnet

    network = of_constants([2, 2], ordered=True)
    domain = Domain((Variable("x", ("=1+1", "a;\uff1db")), Variable("y", ("u", "v"))))
    save(type(network)(domain, network.nodes, None, network.order), tmp_path / "m.json")
    plain, safe = (
        depnet("sample", tmp_path / "m.json", "-n", 40, "--seed", 1, *more).stdout.decode()
        for more in ([], ["--spreadsheet"])
    )
    assert {row["x"] for row in csv.DictReader(plain.splitlines())} == {"=1+1", "a;\uff1db"}
    assert {row["x"] for row in csv.DictReader(safe.splitlines())} == {"'=1+1", "a;'\uff1db"}
