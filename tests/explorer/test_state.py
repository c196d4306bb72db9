"""One state across all views: it is in the address, goes from view to view, and Back and Forward undo and redo it."""

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given as given_by
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

import depnet
from depnet import Dataset, Domain, Network, Variable
from depnet.cli.given import parse
from depnet.explorer.copyable import command_line, python
from depnet.explorer.known import describe_held, given, pairs, read_parameters, weights
from depnet.explorer.state import State, read

NAMES = ("sex", ".sex", "..", ".target", "age")
DOMAIN = Domain(tuple(Variable(name, ("a", "b", ">c")) for name in NAMES))


@given_by(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([("a",), ("a", "b"), (">c",)])),
    st.none() | st.sampled_from(NAMES),
    st.none() | st.sampled_from(NAMES),
    st.dictionaries(st.sampled_from(["page", "sort", "at.sex"]), st.text(max_size=3)),
)
def test_an_address_is_read_back_whatever_variables_are_called(
    known: dict[str, tuple[str, ...]], target: str | None, variable: str | None, own: dict[str, str]
) -> None:
    state = State(known, target, variable, own)
    found = read(DOMAIN, state.parameters())
    assert found.state == state
    assert found.problems == ()


def test_conditions_are_read_checked_and_said() -> None:
    (price,) = Dataset.from_frame([{"price": float(k)} for k in range(1000)]).domain.variables
    domain = Domain((price,))
    found = read_parameters(domain, [("price", ">250")])
    assert found.known == {"price": ">250"}
    assert read_parameters(domain, pairs(found.known)) == found
    assert given(found.known) == {"price": ">250"}
    assert describe_held("price", ">250") == "price > 250"
    assert 0 < weights(price, ">250").mean() < 1
    assert read_parameters(domain, [("price", ">=-5")]).known == {}  # all are allowed
    (problem,) = read_parameters(domain, [("price", ">5000")]).problems
    assert "no value of the data meets price > 5000" in problem
    assert read_parameters(domain, [("price", ">x")]).problems


def test_back_and_forward_undo_and_redo(page: Page, titanic: str) -> None:
    page.goto(f"{titanic}")
    evidence = page.get_by_role("list", name="Evidence")
    expect(evidence).to_contain_text("nothing yet")
    for name, label in (("sex", "female"), ("class", "1st")):
        page.locator(f'[data-variable="{name}"] [data-label="{label}"]').click()
        expect(evidence).to_contain_text(f"{name} = {label}")
    page.get_by_role("button", name="Take back sex = female").click()
    expect(evidence).not_to_contain_text("sex")
    expect(page).to_have_url(re.compile(r"/\?class=1st$"))  # Back leads from the address
    page.go_back()
    expect(evidence).to_contain_text("sex = female")
    page.go_back()
    expect(evidence).not_to_contain_text("class")
    expect(page).to_have_url(re.compile(r"/\?sex=female$"))
    page.go_back()
    expect(evidence).to_contain_text("nothing yet")
    page.go_forward()
    expect(evidence).to_contain_text("sex = female")
    page.get_by_role("link", name="Rows", exact=True).click()
    expect(page).to_have_url(re.compile(r"rows\?sex=female$"))
    page.go_back()
    expect(page.get_by_role("link", name="Explore", exact=True)).to_have_attribute("aria-current", "page")
    expect(evidence).to_contain_text("sex = female")


signs = st.sampled_from("ab\\\"'=,|~: <$-")
texts = st.one_of(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8),
    st.text(signs, min_size=1, max_size=5),
)
labels = st.lists(texts, min_size=3, max_size=4, unique=True)
names = st.lists(texts, min_size=2, max_size=3, unique=True)


def domain_of(names: list[str], labels: list[str]) -> Domain:
    return Domain(tuple(Variable(name, tuple(labels)) for name in names))


def test_what_the_model_does_not_know_is_told_and_the_rest_opens() -> None:
    domain = domain_of(["sex", "class"], ["a", "b", "c"])
    found = read_parameters(domain, [("sex", "a"), ("sez", "a"), ("class", "d")])
    assert found.known == {"sex": ("a",)}
    assert len(found.problems) == 2
    assert "sez" in found.problems[0]
    assert "'d'" in found.problems[1]
    many = read_parameters(
        domain, [*((f"x{k}", "a") for k in range(1000)), ("class", "d"), *[("sex", "a")] * 2]
    )
    assert many.known == {"sex": ("a",)}
    assert len(many.problems) == 6
    assert many.problems[-1] == "996 more names or values that the model does not know."
    target = read(DOMAIN, [(".target", "sez"), ("sex", "a")])
    assert target.state == State({"sex": ("a",)})
    assert "sez" in target.problems[0]


def test_all_states_are_no_evidence_and_numbers_mean_themselves() -> None:
    rng = np.random.default_rng(0)
    table = Dataset.from_frame(rng.normal(40, 10, (200, 1)))
    (variable,) = table.domain.variables
    assert read_parameters(table.domain, [(variable.name, str(s)) for s in variable.states]).known == {}
    assert read_parameters(table.domain, [(variable.name, "40.0")]).known == {variable.name: ("40",)}
    assert read_parameters(table.domain, [(variable.name, "is missing")]).known == {
        variable.name: "is missing"
    }


@given_by(names, labels, st.data())
def test_the_command_reads_what_is_written_for_it(
    names: list[str], labels: list[str], data: st.DataObject
) -> None:
    """The shell's words, parsed by the command's own parser, are the evidence, whatever signs are in the labels."""
    domain = domain_of(names, labels)
    chosen = {
        names[0]: tuple(data.draw(st.lists(st.sampled_from(labels), min_size=1, max_size=2, unique=True)))
    }
    words = shlex.split(command_line("model.json", names[1:], chosen))
    assert words[:2] == ["depnet", "query"]
    found = parse([words[words.index("--given") + 1]], domain)
    assert found == given(chosen)


@pytest.fixture(scope="module")
def odd_model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Network, Path]:
    """Names and labels with everything that shells, Python and the command could stumble over."""
    rng = np.random.default_rng(1)
    domain = Domain(
        (
            Variable("-sex of 'x'", ("a, b", 'say "c"', "d=e|f")),
            Variable("$HOME", ("~", "\\", "<b>&")),
            Variable("number", (1, 2, 3)),
        )
    )
    codes = rng.integers(0, 3, (300, 1)) + rng.integers(0, 2, (300, 3))
    table = Dataset.from_codes(codes % 3, domain=domain)
    law = depnet.learn(table, smoothing=0.5, order="auto")
    path = tmp_path_factory.mktemp("odd") / "a model's.json"
    depnet.save(depnet.learn(table, smoothing=0.5), path, law=law)
    return law, path


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"$HOME": ("\\",)},
        {"-sex of 'x'": ("a, b",), "$HOME": ("~", "<b>&")},
        {"number": (2,), "-sex of 'x'": ('say "c"', "d=e|f")},
    ],
)
def test_the_text_for_python_runs_and_says_the_same(
    odd_model: tuple[Network, Path], chosen: dict[str, tuple[str | int, ...]]
) -> None:
    network, path = odd_model
    targets = [name for name in network.domain.names if name not in chosen]
    expected = depnet.query(network, targets, given(chosen))
    ran: dict[str, depnet.QueryResult] = {}
    with redirect_stdout(io.StringIO()) as said:
        exec(python(str(path), targets, chosen), ran)  # what a reader would paste
    assert said.getvalue()
    for name in targets:
        assert np.array_equal(_of(ran["result"].probabilities, name), _of(expected.probabilities, name))


def _of(answer: Any, name: str) -> Any:
    return answer[name] if isinstance(answer, dict) else answer
