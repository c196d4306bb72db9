"""What a newcomer reads needs no theory: default output and help without the words of docs/words.md's last column."""

import re
from pathlib import Path

import pytest

import depnet as library
from tests.cli.entry import depnet

THEORY = re.compile(
    r"\b(laws?|lea(f|ves)|nats?|passe?s|FC|theorems?|m-projections?|manifolds?|pseudo-gibbs|stationary|clamped?|marginals?|(pseudo-)?log-likelihoods?)\b",
    re.IGNORECASE,
)
NAMES = re.compile(r"--[a-z-]+|\[[a-z|]+\]|clamped, bayes: as in the paper")
"""Options and their values may have the theory's names."""

SCREENS = (
    ["fit", "TABLE", "-o", "OUT"],
    ["query", "MODEL", "survived", "--given", "sex=female"],
    ["query", "MODEL", "survived", "--given", "age=child,class=Crew", "--data", "TABLE"],
    ["query", "MODEL", "survived", "--by", "class", "--data", "TABLE"],
    ["sample", "MODEL", "-n", "3"],
    ["show", "MODEL"],
    ["odd", "MODEL", "TABLE"],
    ["explain", "MODEL", "survived", "--given", "sex=female"],
    ["explain", "MODEL", "--given", "sex=female,class=Crew"],
    ["show", "MODEL", "--node", "survived"],
    ["score", "MODEL", "TABLE"],
    ["compare", "MODEL", "TABLE"],
    ["compare", "MODEL", "MODEL", "--data", "TABLE"],
    ["compare", "MODEL", "TABLE", "--report", "OUT"],
    *(
        [name, "--help"]
        for name in (
            "fit",
            "query",
            "sample",
            "show",
            "impute",
            "predict",
            "odd",
            "explain",
            "compare",
            "update",
        )
    ),
)


def theory_in(text: str) -> list[str]:
    """The theory's words in a text."""
    return [found[0] for found in THEORY.finditer(NAMES.sub("", " ".join(text.split())))]


@pytest.mark.parametrize("screen", SCREENS, ids=" ".join)
def test_what_the_command_says_needs_no_theory(
    screen: list[str], model: Path, table: Path, tmp_path: Path
) -> None:
    places = {"MODEL": model, "TABLE": table, "OUT": tmp_path / "model.json"}
    done = depnet(*(places.get(word, word) for word in screen))
    assert theory_in((done.stdout + done.stderr).decode()) == []


def test_a_printed_answer_needs_no_theory_and_theory_is_seen() -> None:
    people = library.titanic()
    law = library.learn(people, order="auto", smoothing=0.5)
    assert theory_in(str(library.query(law, "survived", {"sex": "female"}, data=people))) == []
    assert theory_in("10 leaves of the law, 3 passes") == ["leaves", "law", "passes"]
