"""Names and labels that would move a terminal's cursor, or turn its text around, are escaped wherever a person reads."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import depnet as library
from tests.cli.entry import depnet

NAME = "a\x1b[31mb\u202e"
LABEL = "\x1b]0;owned\x07 two\nlines\u2066"
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("hostile")
    variables = (library.Variable(NAME, (LABEL, "x")), library.Variable("\x9bplain", ("0", "1\r2")))
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 400)
    codes = np.stack([first, np.where(rng.random(400) < 0.9, first, 1 - first)], axis=1)
    rows = library.Dataset.from_codes(codes, domain=library.Domain(variables))
    network = library.learn(rows)
    library.save(network, folder / "model.json", library.learn(rows, order="auto"))
    table = folder / "table.jsonl"
    names = rows.domain.names
    table.write_text(
        "".join(
            json.dumps({n: v.states[c] for n, v, c in zip(names, variables, row, strict=True)}) + "\n"
            for row in codes.tolist()
        )
    )
    return folder / "model.json", table


@pytest.mark.parametrize(
    "words",
    [
        ["query", "MODEL", NAME],
        ["query", "MODEL", NAME, "\x9bplain", "--joint"],
        ["query", "MODEL", "\x9bplain", "--given", f"{NAME}=x"],
        ["query", "MODEL", NAME, "--data", "TABLE"],
        ["query", "MODEL", "\x9bplain", "--given", f"{NAME}=\x1b[2J"],
        ["query", "MODEL", "\x1b[2J"],
        ["query", "\x1b[2J.json", "x"],
        ["show", "MODEL"],
        ["show", "MODEL", "--links"],
        ["show", "MODEL", "--node", NAME],
        ["score", "MODEL", "TABLE"],
        ["compare", "MODEL", "TABLE"],
        ["compare", "MODEL", "MODEL"],
        ["compare", "MODEL", "TABLE", "--held-out", "TABLE", "--report", "OUT"],
        ["impute", "MODEL", "TABLE", "-o", "OUT"],
        ["update", "MODEL", "TABLE", "-o", "OUT"],
        ["fit", "TABLE", "-o", "OUT"],
    ],
    ids=lambda words: ascii(" ".join(words[:3])),
)
def test_nothing_raw_reaches_the_terminal(words: list[str], files: tuple[Path, Path], tmp_path: Path) -> None:
    model, table = map(str, files)
    at = {"MODEL": model, "TABLE": table, "OUT": str(tmp_path / "out.jsonl")}
    wrong = "\x1b[2J" in " ".join(words)
    done = depnet(*(at.get(word, word) for word in words), code=1 if wrong else 0)
    said = (done.stdout + done.stderr).decode()
    assert said
    assert RAW.search(said) is None, ascii(said)
    assert "\nlines" not in said


def test_json_has_them_as_they_are_but_escaped(files: tuple[Path, Path]) -> None:
    model, table = files
    found = depnet("query", model, NAME, "--json").stdout
    assert json.loads(found)["targets"][0]["states"] == [LABEL, "x"]
    for words in (["query", model, NAME, "--data", table], ["show", model, "--variables"], ["show", model]):
        text = depnet(*words, "--json").stdout.decode()
        assert RAW.search(text) is None, ascii(text)
        json.loads(text)
    names = json.loads(depnet("show", model, "--variables", "--json").stdout)["variables"]
    assert [each["name"] for each in names] == [NAME, "\x9bplain"]
