"""Laws as BIF files: the same law is read again, other programs read the same, and what is wrong is said."""

import random
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Domain, Network
from depnet.errors import ModelFileError
from depnet.model.file.bif import MOST_NUMBERS, encode_bif, read_bif
from depnet.model.model import Model
from depnet.model.sources.source import JointStates
from tests.model.file.fuzzing import _assert_sound, bytes_mutated
from tests.model.file.networks import domains
from tests.refusals import refuses
from tests.strategies import ordered_networks, random_ordered_network

TEXT = """network weather { property author "a; b"; }
// rain comes first
variable rain { type discrete [ 2 ] { no, yes }; property position = (1, 2); }
variable "wet grass" { type discrete [ 3 ] { dry damp wet }; }
variable late { type discrete [2] { 0, 1 }; }
probability ( late | "wet grass", rain ) {
  default .75, .25;
  (wet, yes) 0.333 0.666; /* rounded */
}
probability ( "wet grass" | rain ) { table .8, .1, .15, .2, .05, .7; }
probability ( rain ) { table 1e-1, 0.9; }
"""


def read(text: str) -> Network:
    return read_bif(bytearray(text.encode())).network


def theta(network: Network, i: int) -> np.ndarray[Any, Any]:
    node = network.nodes[i]
    return node.probabilities(JointStates(network.domain.cardinalities, node.inputs).codes())


def assert_same(one: Network, other: Network) -> None:
    """One law, bit for bit, whatever the sources are."""
    assert (one.domain, one.order, one.tiers) == (other.domain, other.order, other.tiers)
    assert [v.ordered for v in one.domain.variables] == [v.ordered for v in other.domain.variables]
    for i in range(len(one)):
        assert np.array_equal(theta(one, i), theta(other, i))


def test_a_file_of_another_program() -> None:
    law = read(TEXT)
    assert law.domain.names == ("rain", "wet grass", "late")
    assert law.order == (0, 1, 2)
    assert theta(law, 0).tolist() == [[0.1, 0.9]] * 1
    assert theta(law, 1).tolist() == [[0.8, 0.15, 0.05], [0.1, 0.2, 0.7]]  # its own states change slowest
    late = theta(law, 2).reshape(2, 3, 2)
    assert np.allclose(late[1, 2], [1 / 3, 2 / 3], atol=1e-15)
    assert (late[0] == [0.75, 0.25]).all()


@given(ordered_networks(zeros=0.2, boosted=True))
def test_a_law_that_is_read_again_is_the_same(law: Network) -> None:
    given_order = replace(law, tiers=tuple(np.argsort(law.order or ()).tolist()))
    for each in (law, given_order):
        data = encode_bif(Model(each))
        again = read_bif(bytearray(data)).network
        assert_same(each, again)
        assert encode_bif(Model(again)) == data


@given(domains())
def test_any_name_label_and_bin_is_kept(domain: Domain) -> None:
    cards = domain.cardinalities
    law = random_ordered_network(np.random.default_rng(0), cards, range(len(cards)))
    law = Network(domain, law.nodes, order=law.order)
    assert_same(law, read_bif(bytearray(encode_bif(Model(law)))).network)


def pyagrum() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its import ends the process where warnings are errors
        return pytest.importorskip("pyagrum", reason="pyAgrum is of the group bench")


def posterior(path: Path, target: int, known: dict[int, int]) -> Any:
    """pyAgrum's answer, and its network."""
    network = pyagrum().loadBN(str(path))
    engine = pyagrum().LazyPropagation(network)
    engine.setEvidence(known)
    engine.makeInference()
    return engine.posterior(target).toarray()


@pytest.mark.parametrize("seed", range(10))
def test_pyagrum_reads_what_is_written_and_answers_alike(tmp_path: Path, seed: int) -> None:
    """And the other way round: what it makes up and writes is read here. It keeps numbers in 32 bits."""
    gum, rng = pyagrum(), np.random.default_rng(seed)
    cards = rng.integers(2, 5, size=rng.integers(2, 7)).tolist()
    law = random_ordered_network(rng, cards, rng.permutation(len(cards)).tolist())
    odd = [
        replace(v, name=f"{v.name} é?", states=tuple(f"{k} < {s}" for k, s in enumerate(v.states)))
        for v in law.domain.variables
    ]
    depnet.save(Network(Domain(tuple(odd)), law.nodes, order=law.order), tmp_path / "ours.bif")
    gum.initRandom(seed + 1)
    gum.saveBN(gum.randomBN(n=6, ratio_arc=1.2, domain_size=3), str(tmp_path / "theirs.bif"))
    for path in (tmp_path / "ours.bif", tmp_path / "theirs.bif"):
        read = depnet.load(path)
        variables = read.domain.variables
        target, *others = rng.permutation(len(variables)).tolist()
        known = {j: int(rng.integers(variables[j].cardinality)) for j in others[:2]}
        evidence = {variables[j].name: variables[j].states[x] for j, x in known.items()}
        found = depnet.query(read, variables[target].name, evidence, method="exact").probabilities
        assert np.allclose(np.asarray(found), posterior(path, target, known), atol=2e-6)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (TEXT, "", "there are no variables"),
        ("rain {", "rain (", r"line 3: expected '\{'; got '\('"),
        ("[ 2 ]", "[ 3 ]", "line 3: expected a new variable with 3 different states; got rain"),
        ("no, yes", "no, no", "line 3: expected a new variable with 2 different"),
        ("( rain ) { table 1e-1, 0.9", "( rain | late ) { default 1, 0", "circle"),
        ("( rain ) {", "( late ) {", "late has its probabilities already"),
        ("probability ( rain ) { table 1e-1, 0.9; }", "", "'rain' has no probabilities"),
        ("(wet, yes)", "(wet, maybe)", "line 8: expected a state of each of wet grass, rain"),
        ("  default .75, .25;\n", "", "line 8: the probabilities of late are not given for all"),
        ("1e-1, 0.9", "0.1, 0.8", "do not sum to 1"),
        ("1e-1, 0.9", "1.1, -0.1", "expected 2 numbers, none below 0"),
        ("1e-1, 0.9", "0.1", "expected 2 numbers"),
        ("1e-1, 0.9", "a, b", "expected numbers"),
        ("1e-1, 0.9; }", "1e-1, 0.9", "expected words, at most 2, and then ';'; got the end"),
        ("; }\n// rain", " }\n// rain", "got"),
        ('a; b"', "a; b", "line"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, said: str) -> None:
    assert old in TEXT
    refuses(ModelFileError, said, read, TEXT.replace(old, new))


def test_arcs_in_a_circle_are_refused() -> None:
    variables = "".join(f"variable {name} {{ type discrete [1] {{x}}; }}\n" for name in "abc")
    tables = "".join(f"probability ( {own} | {of} ) {{ table 1; }}\n" for own, of in ("ab", "bc", "ca"))
    refuses(ModelFileError, "circle: '. -> . -> . -> .'", read, variables + tables)


def test_a_file_that_claims_long_tables_is_refused_before_they_are_made() -> None:
    states = ", ".join(f"s{k}" for k in range(200))
    text = "".join(f"variable {name} {{ type discrete [ 200 ] {{ {states} }}; }}\n" for name in "abc")
    refuses(ModelFileError, f"more than {MOST_NUMBERS:,}", read, text + "probability ( a | b, c ) {")


def test_a_law_of_many_inputs_is_refused_with_its_sizes() -> None:
    cards = [2] * 25
    law = Network.from_joint([0.5, 0.5])
    node = depnet.TableNode(
        24,
        depnet.FunctionSource(lambda x: x.sum(axis=1) % 2, tuple(range(24)), 2),
        depnet.ConditionalTable.from_probabilities([[0.5, 0.5], [0.1, 0.9]]),
    )
    first = [depnet.TableNode(i, depnet.ConstantSource(), law.nodes[0].table) for i in range(24)]
    large = Network(Domain.from_cardinalities(cards), (*first, node), order=tuple(range(25)))
    refuses(ModelFileError, "'X24' 33,554,432", encode_bif, Model(large))
    refuses(ModelFileError, "this model has none", encode_bif, Model(law))


def test_a_damaged_file_is_refused_or_sound() -> None:
    rng, refused = random.Random(0), 0
    law = random_ordered_network(np.random.default_rng(1), [2, 3, 2, 3], [2, 0, 3, 1])
    for good in (TEXT.encode(), encode_bif(Model(law))):
        for _ in range(150):
            try:
                _assert_sound(read_bif(bytearray(bytes_mutated(good, rng))).network)
            except ModelFileError:
                refused += 1
    assert 150 < refused < 300


def test_files_are_known_by_their_name(tmp_path: Path) -> None:
    law = depnet.learn(depnet.titanic(), order="auto")
    depnet.save(depnet.learn(depnet.titanic()), tmp_path / "law.bif.gz", law)
    again = depnet.load(tmp_path / "law.bif.gz", law=True)
    assert_same(law, again)
    model = depnet.DependencyNetwork.load(tmp_path / "law.bif.gz")
    answers = [
        np.asarray(ask("survived", {"sex": "male"}).probabilities)
        for ask in (model.query, partial(depnet.query, law))
    ]
    assert np.array_equal(answers[0], answers[1])
    (tmp_path / "bad.bif").write_text("hello")
    refuses(ModelFileError, "bad.bif': line 1: expected network", depnet.load, tmp_path / "bad.bif")
