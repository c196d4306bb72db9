"""The notebooks run, are small, and show what the code that they hold gave."""

import json
from pathlib import Path

import matplotlib as mpl
import pytest

from tests.notebooks.execute import NOTEBOOKS, code_cells, code_digest, executed, forms, outputs_of

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
MOST_BYTES = 300_000


def test_there_are_notebooks() -> None:
    assert len(PATHS) == 5


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_as_much_as_it_holds(path: Path) -> None:
    mpl.use("agg")
    document = json.loads(path.read_text(encoding="utf-8"))
    kept = [[output["output_type"] for output in cell["outputs"]] for cell in code_cells(document)]
    made = [[output["output_type"] for output in found] for found in outputs_of(document)]
    assert made == kept


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_its_outputs_are_of_its_code(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert path.stat().st_size < MOST_BYTES
    assert document["nbformat"] == 4
    assert document["metadata"]["depnet"]["code"] == code_digest(document), "run scripts/notebooks"
    assert [cell["execution_count"] for cell in code_cells(document)] == [
        *range(1, len(code_cells(document)) + 1)
    ]
    assert document["cells"][0]["cell_type"] == "markdown"


def test_what_a_cell_shows() -> None:
    code = ["print('said')\n", "from fractions import Fraction\n", "Fraction(1, 3)"]
    cells = [{"cell_type": "code", "source": code}, {"cell_type": "code", "source": ["x = 1"]}]
    again = json.loads(executed({"cells": cells, "metadata": {}}))
    first, second = (cell["outputs"] for cell in again["cells"])
    assert [output["output_type"] for output in first] == ["stream", "execute_result"]
    assert first[0]["text"] == ["said\n"]
    assert first[1]["data"]["text/plain"] == ["Fraction(1, 3)"]
    assert second == []
    cells[1]["source"] = ["1 / 0"]
    with pytest.raises(ZeroDivisionError):
        list(outputs_of({"cells": cells}))


def test_the_forms_of_a_value() -> None:
    class Face:
        def _repr_html_(self) -> str:
            return "<b>1</b>"

    assert forms(Face()) == {"text/html": "<b>1</b>", "text/plain": "<Face>"}
    assert forms({"a": 1}) == {"text/plain": "{'a': 1}"}
