"""The law in a model file: beside the paper's network or alone; what is not one is refused; older files are read without."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import ConditionalTable, ConstantSource, DecisionGraph, Domain, Network, Node, Split
from depnet.errors import ModelError, ModelFileError
from depnet.model.file import EARLIER, NO_LAW, load_both
from depnet.model.file.memory import most_to_read
from depnet.model.held_out import HeldOut
from depnet.model.marginals import MarginalCounts
from tests.cli.entry import depnet as command

PEOPLE = depnet.titanic()
CARDS = PEOPLE.domain.cardinalities
CONSTANTS = [ConstantSource()] * 4


def paper() -> Network:
    """Each variable but the first knows the next; the last knows the first."""
    sources = [DecisionGraph((Split(0, (i + 1) % 4),), CARDS) for i in range(4)]
    learned = depnet.learn_parameters(PEOPLE, sources, smoothing=0.5).with_counts(PEOPLE)
    return replace(learned, held_out=HeldOut(100, -2.5, -3.0))


def ordered() -> Network:
    """survived, then sex, class and age, each of which knows the one before it."""
    order = (3, 1, 0, 2)
    before = dict(zip(order[1:], order, strict=False))
    sources = [DecisionGraph((Split(0, before[i]),) if i in before else (), CARDS) for i in range(4)]
    learned = depnet.learn_parameters(PEOPLE, sources, smoothing=0.5).with_counts(PEOPLE)
    return replace(learned, order=order, held_out=HeldOut(100, -2.25, -3.0, 42.0))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.json"


def test_both_are_loaded_from_one_file(path: Path) -> None:
    depnet.save(paper(), path, ordered())
    loaded = load_both(path)
    assert (loaded.network, loaded.law, loaded.layout, loaded.version) == (paper(), ordered(), None, 3)
    assert loaded.lacks is None
    assert loaded.network is not None
    assert loaded.law is not None
    assert loaded.network.domain is loaded.law.domain
    assert loaded.network.counts is loaded.law.counts
    assert depnet.load(path) == paper()
    assert depnet.load(path, law=True) == ordered()
    assert load_both(path).first == paper()
    assert path.read_text().count('"singles"') == 1


def test_a_law_alone(path: Path) -> None:
    depnet.save(ordered(), path)
    assert depnet.load(path) == depnet.load(path, law=True) == ordered()
    loaded = load_both(path)
    assert loaded.network is None
    assert loaded.first == ordered()
    assert loaded.lacks is None
    assert "nodes" not in json.loads(path.read_text())


def test_a_network_alone_has_no_law(path: Path) -> None:
    depnet.save(paper(), path)
    assert load_both(path).law is None
    assert load_both(path).lacks == NO_LAW
    assert depnet.load(path) == paper()
    with pytest.raises(
        ModelFileError, match=r"m.json': the file has no ordered law. Fit again .*order=\"auto\""
    ):
        depnet.load(path, law=True)


def test_counts_that_one_of_two_has_are_those_of_both(path: Path) -> None:
    depnet.save(replace(paper(), counts=None), path, ordered())
    assert (load_both(path).network, load_both(path).law) == (paper(), ordered())
    depnet.save(paper(), path, replace(ordered(), counts=None))
    assert (load_both(path).network, load_both(path).law) == (paper(), ordered())


def test_what_save_does_not_take(path: Path) -> None:
    with pytest.raises(ModelError, match="the law is an ordered Network; got a Network without an order"):
        depnet.save(paper(), path, paper())
    with pytest.raises(ModelError, match="the law is an ordered Network; got 3"):
        depnet.save(paper(), path, 3)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ModelError, match=r"both networks are ordered.*depnet.save\(law, path\)"):
        depnet.save(ordered(), path, ordered())
    with pytest.raises(ModelError, match="of different domains"):
        depnet.save(Network.from_joint(np.full(CARDS, 1 / 32)), path, ordered())
    codes = PEOPLE.codes[:1000]
    other = MarginalCounts.of(depnet.Dataset.from_codes(codes, domain=PEOPLE.domain))
    with pytest.raises(ModelError, match="counts of different rows"):
        depnet.save(paper(), path, replace(ordered(), counts=other))
    with pytest.raises(
        ModelFileError, match=r"was not written: law.held_out.rows: expected a whole number from 1"
    ):
        depnet.save(replace(ordered(), held_out=HeldOut(2**60, -1.0, -1.0)), path)
    assert not path.exists()


def document(path: Path, law: bool = True) -> Any:
    depnet.save(paper(), path, ordered() if law else None)
    read = json.loads(path.read_text())
    del read["checksum"]
    return read


@pytest.mark.parametrize("version", [1, 2])
def test_files_of_earlier_versions_are_read_without_a_law(version: int, path: Path) -> None:
    old = document(path, law=False)
    del old["held_out"]
    old["version"] = version
    old["law"] = "what a later depnet may have meant"  # left alone, as any field of another name
    path.write_text(json.dumps(old))
    loaded = load_both(path)
    assert loaded.network == replace(paper(), held_out=None)
    assert loaded.law is None
    assert loaded.version == version
    assert loaded.lacks == EARLIER
    assert "earlier depnet" in EARLIER
    assert "Fit again" in EARLIER
    with pytest.raises(ModelFileError, match=r"no ordered law. Fit again"):
        depnet.load(path, law=True)


VERSION_1 = """{
"format": "depnet network",
"version": 1,
"domain": {"variables": [
{"name": "sex", "states": ["female", "male"]},
{"name": "survived", "states": [false, true]}
]},
"nodes": [
{"variables": [0], "source": {"kind": "constant"}, "table": {"probabilities": [[0.2135, 0.7865]]}},
{"variables": [1], "source": {"kind": "decision graph", "operations": [["split", 0, 0]]}, "table": {"smoothing": 0.5, "counts": [[126, 344], [1364, 367]]}}
],
"counts": {"singles": [[470, 1731], [1490, 711]], "pairs": [[126, 344, 1364, 367]]},
"checksum": "sha256:fe8110bfb7629c84cb308ce4f6aa62838694953a12ccffbcc646e7a3f7acc14b"
}
"""  # noqa: E501  # as an earlier depnet wrote it

VERSION_2 = """{
"format": "depnet network",
"version": 2,
"domain": {"variables": [
{"name": "age", "states": ["< 18", ">= 18", "missing"], "bins": {"kind": "float", "edges": [null, 18.0, null], "quantiles": [[0.5, 4.0, 16.0], [22.0, 30.0, 48.0]]}, "missing": true},
{"name": "survived", "states": [false, true]}
]},
"nodes": [
{"variables": [0], "source": {"kind": "decision graph", "operations": [["split", 0, 1]]}, "table": {"smoothing": 0.5, "counts": [[52, 372, 125], [61, 229, 52]]}},
{"variables": [1], "source": {"kind": "constant"}, "table": {"smoothing": 0.5, "counts": [[549, 342]]}}
],
"checksum": "sha256:a396c9db31d875e902744d5da95f043497232da58f038aa2acf68718ffa7d130"
}
"""  # noqa: E501  # as a later one did, before laws


@pytest.mark.parametrize("text", [VERSION_1, VERSION_2], ids=["1", "2"])
def test_files_that_earlier_versions_wrote_answer_in_every_face_and_say_what_to_do(
    text: str, path: Path
) -> None:
    path.write_text(text)
    loaded = load_both(path)
    assert loaded.network == depnet.load(path)
    assert loaded.lacks == EARLIER
    for words in (["query", path, "survived"], ["sample", path, "-n", 3]):
        done = command(*words)
        assert EARLIER.encode() in done.stderr
        assert b"True" in done.stdout or b"False" in done.stdout
    model = depnet.DependencyNetwork.load(path, random_state=0)
    with pytest.warns(UserWarning, match="no ordered law.* Fit again"):
        assert len(model.sample(3)) == 3
    depnet.save(depnet.load(path), path)
    assert json.loads(path.read_text())["version"] == 3
    assert depnet.load(path) == loaded.network


def test_a_file_that_an_earlier_depnet_wrote(path: Path) -> None:
    path.write_text(VERSION_1)
    network = depnet.load(path)
    assert network.nodes[1].table == ConditionalTable.from_counts([[126, 344], [1364, 367]], 0.5)
    assert network.counts is not None
    assert network.counts.total == 2201
    path.write_text(VERSION_1.replace("0.2135, 0.7865", "0.2136, 0.7864"))
    with pytest.raises(ModelFileError, match="checksum"):
        depnet.load(path)


@pytest.mark.parametrize("version", [1, 2])
def test_nodes_on_lines_in_a_section_that_an_earlier_version_leaves_alone(version: int, path: Path) -> None:
    """They stand where nodes of a law do, and are not read: the checksum covers them all the same."""
    section = '"law": {"x": 1,\n"nodes": [\n{"y": 2},\n3\n]},\n"nodes": [\n'
    text = VERSION_1.replace('"nodes": [\n', section).replace('"version": 1', f'"version": {version}')
    path.write_text(text)
    with pytest.raises(ModelFileError, match="checksum"):
        depnet.load(path)
    read = json.loads(text)
    del read["checksum"]
    path.write_text(json.dumps(read))
    assert len(depnet.load(path).nodes) == 2


def test_blocks_and_calibrated_tables_of_earlier_versions_are_refused_with_what_to_do(path: Path) -> None:
    block = '{"variables": [0, 1], "source": {"kind": "constant"}, "table": {"probabilities": [[0.1, 0.2, 0.3, 0.4]]}}'
    start = VERSION_1.index('{"variables": [0]')
    text = VERSION_1[:start] + block + VERSION_1[VERSION_1.index("\n],", start) :]
    path.write_text(text)
    with pytest.raises(
        ModelFileError, match=r"nodes\[0\].*2 variables at once: a block.* Fit again .*depnet fit TABLE"
    ):
        depnet.load(path)
    for tilt in ("[1.0, 3.0]", "[[1.0, 3.0], [2.0, 1.0]]"):
        path.write_text(VERSION_1.replace('"smoothing": 0.5,', f'"smoothing": 0.5, "tilt": {tilt},'))
        with pytest.raises(
            ModelFileError, match=r"nodes\[1\].table.tilt: this table was calibrated.* Fit again"
        ):
            depnet.load(path)


def at(*place: str | int, be: Any) -> Callable[[Any], None]:
    def edit(value: Any) -> None:
        for step in place[:-1]:
            value = value[step]
        if be is ...:
            del value[place[-1]]
        else:
            value[place[-1]] = copy.deepcopy(be)

    return edit


def both_gone(value: Any) -> None:
    del value["law"], value["nodes"], value["held_out"]


WRONG: dict[str, tuple[Callable[[Any], None], str]] = {
    "neither": (both_gone, "the field 'nodes' is missing, and so is 'law'"),
    "law null": (at("law", be=None), "law: expected an object with 'order', 'nodes'; got None"),
    "law a list": (at("law", be=[]), "law: expected an object with 'order', 'nodes'"),
    "law empty": (at("law", be={}), "law: the field 'order' is missing"),
    "no nodes": (at("law", "nodes", be=...), "law: the field 'nodes' is missing"),
    "a domain of its own": (
        at("law", "domain", be={"variables": []}),
        "law: there is no field 'domain' here",
    ),
    "counts of its own": (at("law", "counts", be={}), "law: there is no field 'counts' here"),
    "order null": (at("law", "order", be=None), "law.order: expected a list; got None"),
    "order short": (at("law", "order", be=[3, 1, 0]), "law.order: expected 4 entries; got 3"),
    "order long": (at("law", "order", be=[3, 1, 0, 2, 2]), "law.order: expected 4 entries; got 5"),
    "order twice": (at("law", "order", be=[3, 1, 0, 3]), "law.order: expected every variable once"),
    "order 4": (at("law", "order", 3, be=4), "law.order[3]: expected a whole number from 0 to 3; got 4"),
    "order negative": (
        at("law", "order", 3, be=-1),
        "law.order[3]: expected a whole number from 0 to 3; got -1",
    ),
    "order huge": (at("law", "order", 3, be=10**30), "law.order[3]: expected a whole number from 0 to 3"),
    "order 2.0": (at("law", "order", 3, be=2.0), "law.order[3]: expected a whole number; got 2.0"),
    "order true": (at("law", "order", 1, be=True), "law.order[1]: expected a whole number; got True"),
    "order a name": (at("law", "order", 1, be="sex"), "law.order[1]: expected a whole number; got 'sex'"),
    "order nested": (at("law", "order", be=[[3, 1, 0, 2]]), "law.order: expected 4 entries; got 1"),
    "reads a later variable": (
        at("law", "order", be=[3, 0, 1, 2]),
        "law: the information source of 'class' reads 'sex', which comes later in the order",
    ),
    "nodes an object": (at("law", "nodes", be={}), "law.nodes: expected a list; got {}"),
    "nodes a string": (at("law", "nodes", be="x"), "law.nodes: expected a list; got 'x'"),
    "a node less": (at("law", "nodes", 3, be=...), "law.nodes: no node updates variable 'survived'"),
    "a node more": (lambda d: d["law"]["nodes"].append(0), "law.nodes[4]: there are 4 variables"),
    "a node twice": (at("law", "nodes", 2, "variables", be=[1]), "law.nodes[2].variables: expected [2]"),
    "a block": (at("law", "nodes", 2, "variables", be=[2, 3]), "law.nodes[2].variables: this node updates 2"),
    "a tilt": (
        at("law", "nodes", 1, "table", "tilt", be=[1.0, 2.0]),
        "law.nodes[1].table.tilt: this table was",
    ),
    "a count": (
        at("law", "nodes", 1, "table", "counts", 0, 1, be=-1),
        "law.nodes[1].table.counts[0][1]: expected",
    ),
    "a leaf of no table": (
        at("law", "nodes", 1, "source", be={"kind": "constant"}),
        "law.nodes[1].table.counts",
    ),
    "held_out without nodes": (
        at("nodes", be=...),
        "held_out: this is of the network in 'nodes', which is missing",
    ),
    "held_out null": (at("held_out", be=None), "held_out: expected an object with 'rows', 'score'"),
    "held_out null of the law": (at("law", "held_out", be=None), "law.held_out: expected an object"),
    "no rows": (at("law", "held_out", "rows", be=...), "law.held_out: the field 'rows' is missing"),
    "0 rows": (at("law", "held_out", "rows", be=0), "law.held_out.rows: expected a whole number from 1"),
    "1.5 rows": (
        at("law", "held_out", "rows", be=1.5),
        "law.held_out.rows: expected a whole number; got 1.5",
    ),
    "rows true": (
        at("law", "held_out", "rows", be=True),
        "law.held_out.rows: expected a whole number; got True",
    ),
    "10^400 rows": (
        at("law", "held_out", "rows", be=10**400),
        "law.held_out.rows: expected a whole number from 1",
    ),
    "no score": (at("held_out", "score", be=...), "held_out: the field 'score' is missing"),
    "score null": (at("held_out", "score", be=None), "held_out.score: expected a number; got None"),
    "score a string": (at("held_out", "score", be="-1"), "held_out.score: expected a number; got '-1'"),
    "score true": (at("held_out", "score", be=True), "held_out.score: expected a number; got True"),
    "score 10^400": (
        at("held_out", "score", be=10**400),
        "held_out.score: this number is larger than any float64",
    ),
    "score infinite": (
        at("held_out", "score", be="1e999"),
        "held_out: the score of held-out rows is a finite number",
    ),
    "independent infinite": (
        at("law", "held_out", "independent", be="-1e999"),
        "law.held_out: the independent of",
    ),
    "score NaN": (at("held_out", "score", be="NaN"), "held_out.score: NaN is not a number that a model file"),
    "worth NaN": (at("law", "held_out", "worth", be="NaN"), "law.held_out.worth: NaN is not a number"),
    "worth -Infinity": (
        at("law", "held_out", "worth", be="-Infinity"),
        "law.held_out.worth: -Infinity is not",
    ),
    "worth infinite": (at("law", "held_out", "worth", be="1e999"), "law.held_out: what a law is worth"),
    "worth 0": (
        at("law", "held_out", "worth", be=0),
        "law.held_out: what a law is worth is a number of rows above 0",
    ),
    "worth null": (
        at("law", "held_out", "worth", be=None),
        "law.held_out.worth: expected a number; got None",
    ),
    "sure infinite": (
        at("law", "held_out", "sure_shares", be="1e999"),
        "law.held_out: what intervals of shares rest on is a number of rows above 0",
    ),
    "sure 0": (
        at("law", "held_out", "sure_means", be=0),
        "law.held_out: what intervals of means rest on is a number of rows above 0",
    ),
    "a field more": (at("held_out", "scores", be=1), "held_out: there is no field 'scores' here"),
}


@pytest.mark.parametrize("layout", ["in one piece", "by lines"])
@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_a_law(case: str, layout: str, path: Path) -> None:
    edit, message = WRONG[case]
    wrong = document(path)
    edit(wrong)
    text = json.dumps(wrong) if layout == "in one piece" else on_lines(wrong)
    for number in ("-1e999", "1e999", "NaN", "-Infinity"):
        text = text.replace(f'"{number}"', number)
    path.write_text(text)
    with pytest.raises(ModelFileError) as error:
        depnet.load(path)
    assert message in str(error.value)
    assert len(str(error.value)) < 1000


def on_lines(wrong: Any) -> str:
    """Nodes on lines of their own, where there are lists of nodes."""
    text = json.dumps(wrong).replace('"nodes": [{', '\n"nodes": [\n{')
    return text.replace('}, {"variables"', '},\n{"variables"').replace("]]}}]", "]]}}\n]")


def test_files_on_lines_are_read_by_lines(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the cases above, and files that `save` writes, are not read in one piece."""
    pieces: list[str] = []

    def read(piece: str) -> int:
        pieces.append(piece)
        return most_to_read(piece)

    monkeypatch.setattr("depnet.model.file.parse.most_to_read", read)
    right = document(path)
    assert (load_both(path).network, load_both(path).law) == (paper(), ordered())
    path.write_text(on_lines(right))
    assert (load_both(path).network, load_both(path).law) == (paper(), ordered())
    depnet.save(ordered(), path)
    assert depnet.load(path) == ordered()
    assert pieces
    assert all(piece.count('"source"') <= 1 for piece in pieces)
    path.write_text(json.dumps(right))
    load_both(path)
    assert any(piece.count('"source"') > 1 for piece in pieces)


def test_one_list_of_nodes_on_lines_and_the_other_not(path: Path) -> None:
    depnet.save(paper(), path, ordered())
    text = path.read_text()
    law = text[text.index('"law"') : text.index('"counts": {"singles"')]
    nodes = text[text.index('"nodes"') : text.index('"held_out"')]
    for part in (law, nodes):
        path.write_text(text.replace(part, part.replace("\n", " ")))
        assert (load_both(path).network, load_both(path).law) == (paper(), ordered())
        path.write_text(
            text.replace(part, part.replace("\n", " ").replace('"smoothing": 0.5', '"smoothing": 0.6'))
        )
        with pytest.raises(ModelFileError, match="is not that of the content"):
            load_both(path)


def test_a_node_of_the_law_that_is_no_json_says_where(path: Path) -> None:
    depnet.save(ordered(), path)
    text = path.read_text()
    path.write_text(text.replace('"smoothing": 0.5', '"smoothing": NaN', 1))
    with pytest.raises(ModelFileError, match=r"law.nodes\[0\].table.smoothing: NaN is not a number"):
        depnet.load(path)
    path.write_text(text.replace('"smoothing": 0.5', '"smoothing": 0.5.5', 1))
    with pytest.raises(ModelFileError, match=r"line 12, column .*: this is not JSON"):
        depnet.load(path)
    path.write_text(text[: text.rindex('{"variables": [2]')])
    with pytest.raises(ModelFileError, match="the file ends too early"):
        depnet.load(path)


def test_a_change_of_order_or_held_out_is_told_by_the_checksum(path: Path) -> None:
    depnet.save(paper(), path, ordered())
    good = path.read_text()
    for old, new in (('"worth": 42.0', '"worth": 43.0'), ("-2.5", "-2.75"), ("-2.25", "-2.0")):
        assert good.count(old) == 1
        path.write_text(good.replace(old, new))
        with pytest.raises(ModelFileError, match="is not that of the content"):
            depnet.load(path)
    free = Network(
        Domain.from_cardinalities([2, 2]),
        tuple(
            Node((i,), ConstantSource(), ConditionalTable.from_probabilities([[0.5, 0.5]])) for i in (0, 1)
        ),
        order=(0, 1),
    )
    depnet.save(free, path)
    path.write_text(path.read_text().replace('"order": [0, 1]', '"order": [1, 0]'))
    with pytest.raises(ModelFileError, match="is not that of the content"):
        depnet.load(path)


def test_the_text_is_laid_out_for_people(path: Path) -> None:
    depnet.save(paper(), path, ordered())
    lines = path.read_text().splitlines()
    assert (
        '"law": {"order": [3, 1, 0, 2], "held_out": {"rows": 100, "score": -2.25, "independent": -3.0, "worth": 42.0},'
        in lines
    )
    assert lines.count('"nodes": [') == 2
    assert sum(line.startswith('{"variables"') for line in lines) == 8
