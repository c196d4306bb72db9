"""docs/paper-map.md tells the truth: its labels are the paper's, its functions import, its tests exist."""

import pkgutil
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
CELLS = 4

SECTIONS = {
    "Sec. 2": "alg:pseudo eq:c_i eq:ordered eq:ergodicity",
    "Sec. 3": "eq:E thm:e-flat thm:m-projection eq:p^(t+1) eq:FC eq:FC_rewrite eq:KL eq:FC<=KL thm:FC eq:FC-limit",
    "Sec. 4": """
        eq:cost eq:parameter_learning thm:parameter_learning eq:HtoKL eq:scost eq:cost_prime alg:framework eq:cost(Y_i^ll)
        thm:to_0 thm:to_p_true eq:sum_of_Lcost eq:evaluating_Delta eq:newYsplit eq:newYmerge
    """,
    "Sec. 5": "algo:clamped eq:inference_KL",
    "Appendix": "eq:FC(N)<=KL(N)",
    "figures": "fig:node fig:m-projection fig:genuine_gs fig:pseudo-gs fig:movement fig:fcd fig:split_merge",
    "tables": "table:FC-limit",
}
LABELS = {label for labels in SECTIONS.values() for label in labels.split()}
"""Every label of an equation, theorem, algorithm, figure or table of the paper; each must have a row."""


class Row(NamedTuple):
    label: str
    meaning: str
    functions: tuple[str, ...]
    tests: tuple[str, ...]


def rows(text: str) -> list[Row]:
    """The rows of all tables; names in backticks."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != CELLS or cells[0] == "label" or set(cells[0]) <= {"-"}:
            continue
        functions, tests = (tuple(re.findall(r"`([^`]+)`", cell)) for cell in cells[2:])
        found.append(Row(cells[0].strip("`"), cells[1], functions, tests))
    return found


def check(row: Row) -> None:
    assert row.label in LABELS or row.label.startswith("Sec. "), f"the paper has no {row.label!r}"
    assert row.meaning
    assert row.functions, f"{row.label}: no function"
    assert row.tests, f"{row.label}: no test"
    for name in row.functions:
        assert name.startswith("depnet."), name
        pkgutil.resolve_name(name)  # an AttributeError names what is missing
    for test in row.tests:
        file, _, function = test.partition("::")
        assert (ROOT / file).is_file(), f"{row.label}: there is no {file}"
        assert not function or f"def {function}(" in (ROOT / file).read_text(), f"{row.label}: no {test}"


MAP = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", rows(MAP), ids=lambda row: row.label)
def test_functions_import_and_tests_exist(row: Row) -> None:
    check(row)


def test_every_label_has_one_row() -> None:
    count = Counter(row.label for row in rows(MAP) if not row.label.startswith("Sec. "))
    assert set(count) == LABELS, LABELS ^ set(count)
    assert max(count.values()) == 1
    assert MAP.count("\n| ") == len(rows(MAP)) + MAP.count("\n| label"), "a row that is not of four cells"


def test_mutant_a_label_without_a_row() -> None:
    text = "\n".join(line for line in MAP.splitlines() if not line.startswith("| `eq:FC-limit`"))
    with pytest.raises(AssertionError):
        assert {row.label for row in rows(text) if not row.label.startswith("Sec. ")} == LABELS


def test_every_theory_test_is_on_the_map() -> None:
    for file in (ROOT / "tests" / "theory").glob("test_*.py"):
        assert f"`tests/theory/{file.name}`" in MAP, f"{file.name} is not on the map: give it a row"


@pytest.mark.parametrize(
    "line",
    [
        "| `eq:nonsense` | m | `depnet.learn` | `tests/test_paper_map.py` |",
        "| `eq:E` | m | `numpy.sum` | `tests/test_paper_map.py` |",
        "| `eq:E` | m | `depnet.geometry.kl` | `tests/test_nowhere.py` |",
        "| `eq:E` | m | `depnet.geometry.kl` | `tests/test_paper_map.py::test_nothing` |",
        "| `eq:E` | m | | `tests/test_paper_map.py` |",
    ],
)
def test_mutants_a_wrong_row(line: str) -> None:
    (row,) = rows(line)
    with pytest.raises(AssertionError):
        check(row)


def test_mutant_a_function_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="klm"):
        check(Row("eq:KL", "m", ("depnet.geometry.klm",), ("tests/test_paper_map.py",)))
