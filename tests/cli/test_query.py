"""`depnet query` and `depnet show`, also of boosted nodes: the library's answers, on one screen, and the documented JSON."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet as library
from depnet.cli.main import run
from depnet.errors import EvidenceError
from depnet.inference.answer import question
from depnet.learning.options import AutoBoost
from tests.cli.entry import COMMAND, answer, depnet, refused
from tests.cli.test_documented import check_fields
from tests.mixed import boosts_asked, mixed_titanic
from tests.narrowed import by_name
from tests.refusals import refuses


def test_the_answer_is_the_library_s(model: Path) -> None:
    found = answer("query", model, "survived", "--given", "sex=female,class=1st")
    law = library.load(model, law=True)
    expected = library.query(law, "survived", {"sex": "female", "class": "1st"})
    assert found["probabilities"]["survived"] == pytest.approx(expected.probabilities)
    assert found["targets"] == [{"name": "survived", "states": ["No", "Yes"]}]
    assert found["method"] == expected.method
    assert found["evidence"] == {"sex": "female", "class": "1st"}
    assert found["evidence_ignored"] == list(expected.evidence_ignored)
    assert found["support"] == {"rows": 145, "of": 2201, "exact": False}
    assert (found["of"], found["scan"]) == ("law", None)
    assert found["converged"] is True
    assert found["r_hat"] is None


def test_a_question_does_not_take_for_ever_and_says_so(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question, "SECONDS", 0.05)
    words = ["query", model, "survived", "--given", "sex=female", "--method", "sample", "--tolerance", "1e-7"]
    found = answer(*words)
    assert not found["converged"]
    assert any(
        text.startswith("stopped by the time limit, at a standard error") for text in found["warnings"]
    )
    said = depnet(*words).stdout.decode()
    assert "warning: stopped by the time limit, at a standard error" in said
    assert answer(*words, "--max-seconds", 0.5)["seconds"] > 0.4
    assert answer(*words[:-1], "0.05", "--max-seconds", "inf")["converged"]


def test_evidence_whose_given_was_forgotten_is_not_asked_for(
    model: Path, numbered: tuple[Path, library.Network]
) -> None:
    for more in ([], ["--given", "class=1st"]):
        said = refused("query", model, "survived", "sex=female", *more, code=2)
        assert "If it is known, write --given sex=female." in said
    assert "--given 'class=1st|2nd'" in refused("query", model, "class=1st|2nd", "survived", code=2)
    alone = depnet("query", model, "sex=female")
    assert b"P(sex=female)" in alone.stdout
    assert alone.stderr == b""
    path, _ = numbered
    done = depnet("query", path, "old", "age > 30")
    assert b"age > 30" in done.stdout
    assert (
        b"warning: 'age > 30' is asked for, beside old. If it is known, write --given 'age > 30'."
        in done.stderr
    )
    for words in (["age", "age > 30"], ["age > 30"], ["age", "age=30"], ["age > 30", "day<2024-01-05"]):
        assert depnet("query", path, *words).stderr == b""
    assert depnet("query", path, "old", "age > 30", "-g", "day>2024-01-05").stderr == b""


def test_one_screen_with_error_method_and_support(model: Path) -> None:
    text = depnet("query", model, "survived", "--given", "sex=female,class=1st").stdout.decode()
    assert text.startswith("P(survived | sex = female, class = 1st)")
    for part in ("Yes", "0.96", "90 % sure", "145 of 2,201"):
        assert part in text
    assert "law" not in text
    assert "method    ordered law" in depnet("query", model, "survived", "--theory").stdout.decode()
    assert "±" not in text, "nothing was drawn"
    assert "exact" not in text
    assert len(text.splitlines()) <= 20


def test_sets_joints_and_sampling_which_is_the_same_each_time(model: Path) -> None:
    network = library.load(model, law=True)
    found = answer("query", model, "survived", "age", "--joint", "-g", "class=1st|2nd", "-g", "sex=male")
    known: dict[str, Any] = {"class": {"1st", "2nd"}, "sex": "male"}
    expected = library.query(network, ["survived", "age"], known, joint=True)
    assert np.array(found["probabilities"]) == pytest.approx(expected.probabilities)
    words = ("query", model, "survived", "--method", "sample")
    drawn, again, own, same = (answer(*words, *seed) for seed in (["--seed", 3], ["--seed", 3], [], []))
    assert drawn["probabilities"] == again["probabilities"] != own["probabilities"] == same["probabilities"]
    assert drawn["seed"] == 3
    assert 0 < max(drawn["standard_errors"]["survived"]) <= 0.002
    text = depnet("query", model, "survived", "--method", "sample", "--theory").stdout.decode()
    assert "effective sample size" in text


@pytest.fixture(scope="module")
def numbered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, library.Network]:
    """A model of ages in bins and days."""
    rows = [{"age": 20 + k % 37, "day": f"2024-01-{1 + k % 28:02}", "old": k % 37 > 20} for k in range(400)]
    model = library.DependencyNetwork(penalty="mdl", boost=None, random_state=0).fit(rows)
    path = tmp_path_factory.mktemp("numbered") / "model.json"
    model.save(path)
    return path, library.load(path, law=True)


def test_numbers_and_conditions(numbered: tuple[Path, library.Network]) -> None:
    path, law = numbered
    found = answer("query", path, "age", "old", "age > 30", "-g", "old=True")
    expected = library.query(law, ["age", "age > 30"], {"old": True})
    assert found["probabilities"]["age > 30"] == pytest.approx(by_name(expected.probabilities)["age > 30"])
    assert found["targets"][2] == {"name": "age > 30", "states": [False, True]}
    assert list(found["numbers"]) == ["age"]
    age = found["numbers"]["age"]
    assert age["kind"] == "integer"
    assert age["observed"] is None
    assert age["combined"] == age["probabilities"]
    assert age["probabilities"]["mean"] == pytest.approx(expected.numbers["age"].mean)
    assert age["probabilities"]["quantiles"]["0.5"] == expected.numbers["age"].median
    assert age["probabilities"]["standard_errors"]["mean"] == 0
    text = depnet("query", path, "age", "-g", "old=True").stdout.decode()
    assert f"{expected.numbers['age'].mean:.2f}".rstrip("0") in text
    assert "5 % to 95 %" in text
    bins = expected.states[0]
    assert not any(str(label) in text for label in bins if "," in str(label))
    text = depnet("query", path, "age", "-g", "old=True", "--bins").stdout.decode()
    assert all(str(label) in text for label in bins)
    assert "no variable 'agee'" in refused("query", path, "agee>30")


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--method", "clamped"], {"method": "clamped"}),
        (["--method", "bayes"], {"method": "bayes"}),
        (["--scan", "random"], {"scan": library.RandomScan()}),
        (["--scan", "sequential"], {"scan": library.SequentialScan()}),
    ],
)
def test_chains_are_asked_of_the_dependency_network(model: Path, words: list[str], options: Any) -> None:
    found = answer("query", model, "survived", "-g", "sex=female", *words)
    expected = library.query(library.load(model), "survived", {"sex": "female"}, **options)
    assert found["probabilities"]["survived"] == pytest.approx(expected.probabilities)
    assert found["of"] == "chain"


def test_the_answer_joins_the_table_s_and_the_model_s(model: Path, table: Path) -> None:
    words = ("query", model, "survived", "-g", "sex=male,class=2nd", "--data", table)
    found = answer(*words)
    assert (found["matching"], found["worth"]) == (179, 50)
    text = depnet(*words).stdout.decode()
    (line,) = [line.split() for line in text.splitlines() if line.strip().startswith("Yes")]
    joined, of_model, of_table = (
        found[name]["survived"][1] for name in ("combined", "probabilities", "observed")
    )
    assert [line[1], *line[5:7]] == [f"{joined:.4f}", f"{of_model:.4f}", f"{of_table:.4f}"]
    assert "answer    combines the table's 179 matching rows" in text
    assert min(of_model, of_table) < joined < max(of_model, of_table)


def test_small_counts_are_hidden(model: Path, table: Path) -> None:
    """Of 145 women of the first class four did not survive: nothing gives that number away."""
    words = ("query", model, "survived", "-g", "sex=female,class=1st", "--data", table)
    shown, hidden = answer(*words), answer(*words, "--hide-small")
    assert shown["observed"]["survived"] == pytest.approx([4 / 145, 141 / 145])
    assert hidden["observed"]["survived"] == [None, None], "the other would tell it by subtraction"
    assert hidden["combined"] == hidden["probabilities"] == shown["probabilities"]
    assert depnet(*words, "--hide-small").stdout.decode().count("hidden") == 3


def test_a_file_without_a_law_says_so_and_clamps(lawless: Path) -> None:
    for words in (["query", lawless, "survived", "-g", "sex=female"], ["sample", lawless, "--seed", "1"]):
        done = depnet(*words)
        (line,) = done.stderr.decode().splitlines()
        assert "this file has no ordered law: answers would be those of clamped chains" in line
    assert answer("query", lawless, "survived", "-g", "sex=female")["of"] == "chain"
    assert depnet("query", lawless, "survived", "--method", "clamped").stderr == b"", "it was asked for"
    assert "no ordered law" in refused("show", lawless, "--law")
    assert "no ordered law" in depnet("show", lawless).stdout.decode()


def test_misuse_is_exit_code_2(model: Path) -> None:
    assert "Missing argument 'TARGETS...'" in refused("query", model, code=2)
    assert "See depnet query --help." in refused("query", model, "survived", "--tolerance", "2", code=2)
    assert "three views" in refused("show", model, "--links", "--variables", code=2)
    assert "No such command 'quary'" in refused("quary", code=2)


def test_show_the_summary_and_the_links(model: Path) -> None:
    network = library.load(model)
    found = answer("show", model)
    assert (found["variables"], found["nodes"], found["rows"]) == (4, 4, 2201)
    assert [node["leaves"] for node in found["per_node"]] == [node.source.size for node in network.nodes]
    assert found["certificate"] is None
    assert set(found["law"]["order"]) == set(network.domain.names)
    assert answer("show", model, "--law")["of"] == "law"
    links = answer("show", model, "--links", "3")["links"]
    expected = library.links(network)[:3]
    assert [(link["source"], link["bits"]) for link in links] == [
        (link.source, link.strength) for link in expected
    ]
    assert len(answer("show", model, "--links")["links"]) == len(library.links(network))
    assert "survived" in depnet("show", model).stdout.decode()
    assert "bits per row" in depnet("show", model, "--links").stdout.decode()
    states = answer("show", model, "--variables")["variables"]
    assert states[0] == {"name": "class", "states": ["1st", "2nd", "3rd", "Crew"]}


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """`| head`: nothing on standard error, though the output is far larger than a pipe."""
    path = tmp_path / "wide.json"
    domain = library.Domain(tuple(library.Variable(f"variable number {i}", (0, 1)) for i in range(3000)))
    node = library.TableNode
    table = library.ConditionalTable.from_probabilities([[0.5, 0.5]])
    nodes = tuple(node(i, library.ConstantSource(), table) for i in range(3000))
    library.save(library.Network(domain, nodes), path)
    for option in ("--variables", "--json"):
        done = subprocess.run(
            ["bash", "-c", f"{COMMAND} show {path} {option} | head -n 1"], capture_output=True, check=True
        )
        assert done.stderr == b""
        assert done.stdout.count(b"\n") == 1


def test_a_traceback_only_with_debug(model: Path) -> None:
    refused("query", model, "nobody")
    for arguments in (["--debug", "query", str(model), "nobody"], ["query", str(model), "nobody", "--debug"]):
        refuses(EvidenceError, "nobody", run, arguments)


def test_completion_of_names_and_states(model: Path) -> None:
    def completed(line: str, word: int) -> list[str]:
        environment = {
            **os.environ,
            "_DEPNET_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(word),
        }
        done = subprocess.run([COMMAND], env=environment, capture_output=True, check=False)
        return [part.split(",", 1)[1] for part in done.stdout.decode().splitlines()]

    assert completed(f"depnet query {model} su", 3) == ["survived"]
    assert completed(f"depnet query {model} survived --given se", 5) == ["sex="]
    assert completed(f"depnet query {model} survived --given sex=f", 5) == ["sex=female"]


def test_help_of_every_command_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out.split("Commands:")[1]
    assert "..." not in text, "no description is cut off"
    for line in text.strip().splitlines():
        name = line.split()[0]
        assert run([name, "--help"]) == 0
        shown = capsys.readouterr().out
        assert f"Usage: depnet {name}" in shown
        if name != "paper":
            assert "--json" in shown
            assert "--debug" in shown
            assert f"\n  depnet {name} " in shown, "an example"


def test_json_is_strict(model: Path, table: Path) -> None:
    """Nobody is a child of the crew: the frequencies among no rows are not numbers, and null."""
    given = ("--given", "class=Crew,age=child", "--data", table)
    done = depnet("query", model, "survived", *given, "--json")
    found = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert found["observed"]["survived"] == [None, None]
    assert found["matching"] == 0
    assert found["combined"] == found["probabilities"]


@pytest.fixture(scope="module")
def boosted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("boosted") / "model.json"
    library.save(mixed_titanic(), path)
    return path


def test_show_a_boosted_model(boosted: Path, table: Path) -> None:
    assert answer("show", boosted, "--data", table)["certificate"]["fc_limit"] > 0
    summary = answer("show", boosted)
    assert (summary["leaves"], summary["boosted"], summary["rows"]) == (14, 1, 2201)
    assert [node["stages"] for node in summary["per_node"]] == [None, None, None, 3]
    assert summary["per_node"][3]["leaves"] is None
    check_fields("show", summary)
    text = depnet("show", boosted, "--theory").stdout.decode()
    assert "dependency network: 14 leaves, 1 boosted node" in text
    assert "3 stages" in text


def test_show_a_boosted_node(boosted: Path) -> None:
    said = answer("show", boosted, "--node", "survived")
    check_fields("show", said)
    assert said["boosted"] is True
    assert said["reads"] == ["sex", "class", "age"]
    assert [one["variable"] for one in said["inputs"]] == said["reads"]
    assert said["first_graph"]["vertices"][0]["test"] == "sex"
    text = depnet("show", boosted, "--node", "survived", "--theory").stdout.decode()
    assert "What its inputs gained, bits a row" in text
    plain = depnet("show", boosted, "--node", "survived").stdout.decode()
    assert "What each column adds, in bits per row" in plain
    assert "leaf" not in plain
    age = depnet("show", boosted, "--node", "age", "--theory").stdout.decode()
    assert age.startswith("age (adult, child), 2,201 rows")


def test_fit_boost_is_passed_on(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = boosts_asked(monkeypatch)
    depnet("fit", table, "-o", tmp_path / "m.json", "--penalty", "mdl", "--boost")
    depnet("fit", table, "-o", tmp_path / "n.json", "--penalty", "mdl")
    assert asked == [AutoBoost(), AutoBoost(), None, None]


def test_a_picture_of_the_answer(model: Path, table: Path, tmp_path: Path) -> None:
    picture = tmp_path / "answer.png"
    for more in ([], ["--by", "class"]):
        depnet("query", model, "survived", "--data", table, *more, "--plot", picture, "--force")
        assert picture.read_bytes().startswith(b"\x89PNG")
    depnet("compare", model, table, "--rows", "500", "--plot", tmp_path / "apart.svg")
    assert "chance alone" in (tmp_path / "apart.svg").read_text()
    assert "exists" in refused("query", model, "survived", "--plot", picture)
    assert "ends in .png, .pdf, .svg" in refused("query", model, "survived", "--plot", "x.gif", code=2)
    assert "--plot" in refused("query", model, "survived", "--each", table, "--plot", picture, code=2)
