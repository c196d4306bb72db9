"""Conditions as targets: sums over states of the share inside, by whatever method, with the error of such a sum."""

import numpy as np
import pytest
from hypothesis import given

from depnet import Dataset, Domain, Network, Variable, learn, query, titanic
from depnet.errors import EvidenceError
from depnet.inference.answer.shown import without_small_counts
from depnet.inference.answer.target import targets_of
from tests.inference.answer.test_numbers import BINS, KNOWN, LAW
from tests.narrowed import by_name
from tests.refusals import refuses
from tests.strategies import networks, seeds


@given(networks(max_states=60), seeds)
def test_a_condition_is_a_sum_over_states(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    i = int(rng.integers(len(network.domain)))
    variable = network.domain.variables[i]
    number = int(rng.integers(-1, variable.cardinality + 1))
    text = f"{variable.name} > {number}"
    whole = np.asarray(query(network, variable.name, method="exact").probabilities)
    said = query(network, text, method="exact")
    share = sum(p for state, p in zip(variable.states, whole, strict=True) if state > number)  # type: ignore[operator]
    np.testing.assert_allclose(np.asarray(said.probabilities), [1 - share, share], atol=1e-12)
    assert said.states == ((False, True),)
    assert said.targets == (text,)


@pytest.mark.parametrize(
    "text", ["x", "x > 60", "x = 5..40", "size", "size = b", "size is missing", "size is known"]
)
def test_of_many_laws_it_is_what_each_says_alone(text: str) -> None:
    size = Variable("size", ("a", "b", "(missing)"), missing="(missing)")
    domain = Domain((Variable("x", BINS.labels, BINS), size))
    (target,) = targets_of(domain, text, [0.25, 0.0])
    laws = np.random.default_rng(0).dirichlet(np.ones(domain.cardinalities[target.index]), size=20)
    laws[0] = np.eye(laws.shape[1])[-1]  # the last state for certain: of a size, that it is missing
    np.testing.assert_allclose(target.shares(laws), [target.probabilities(one) for one in laws], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_bins_that_are_cut_have_a_share(seed: int) -> None:
    number = float(np.random.default_rng(seed).random() * 120)
    inside = [np.mean([value > number for value in kept]) for kept in BINS.quantiles]
    law = np.asarray(query(LAW, "x", KNOWN).probabilities)
    said = query(LAW, f"x > {number}", KNOWN)
    assert np.asarray(said.probabilities)[1] == pytest.approx(law @ inside)
    share, error = query(LAW, "x", KNOWN).numbers["x"].above(number)
    assert share == pytest.approx(law @ inside)
    assert error == 0


def test_conditions_beside_names_and_beside_each_other() -> None:
    asked = ["x > 60", "x", "x>60", "X1", "X2 != 1"]
    said = query(LAW, asked, data=_rows())
    assert isinstance(said.probabilities, dict)
    assert isinstance(said.observed, dict)
    assert list(said.probabilities) == asked
    np.testing.assert_allclose(said.probabilities["x > 60"], said.probabilities["x>60"])
    assert said.observed["x > 60"].tolist() == [0.75, 0.25]
    share = said.worth / (4 + said.worth)
    joined = share * said.probabilities["x > 60"] + (1 - share) * said.observed["x > 60"]
    np.testing.assert_allclose(by_name(said.combined)["x > 60"], joined)
    assert list(said.numbers) == ["x", "X1"]


def _rows() -> Dataset:
    return Dataset.from_codes([[0, 0, 0], [1, 0, 0], [5, 1, 0], [9, 1, 1]], domain=LAW.domain)


def test_the_error_of_a_condition_is_within_the_tolerance() -> None:
    """The errors of twelve states are; that of half of them together is asked for, too."""
    far = []
    exact = float(np.asarray(query(LAW, "x > 60", KNOWN, method="exact").probabilities)[1])
    for seed in range(60):
        said = query(LAW, "x > 60", KNOWN, method="sample", tolerance=0.01, rng=np.random.default_rng(seed))
        errors = np.asarray(said.standard_errors)
        assert said.converged
        assert said.tolerance == 0.01
        assert 0.003 < errors.max() <= 0.01
        far.append(abs(float(np.asarray(said.probabilities)[1]) - exact) / errors[1])
    assert (np.array(far) <= 2).mean() >= 0.86
    assert np.mean(far) >= 0.35


def test_what_the_evidence_says_of_the_same_number() -> None:
    """P(x > 60 | x > 55): values of the bin that 55 cuts are those above it."""
    law = np.asarray(query(LAW, "x").probabilities)
    values = [(value, p / 32) for kept, p in zip(BINS.quantiles, law, strict=True) for value in kept]
    known = [(value, p) for value, p in values if value > 55]
    total = sum(p for _, p in known)
    said = query(LAW, ["x > 57", "x"], {"x": ">55"})
    assert by_name(said.probabilities)["x > 57"][1] == pytest.approx(
        sum(p for v, p in known if v > 57) / total
    )
    assert said.numbers["x"].mean == pytest.approx(sum(v * p for v, p in known) / total)
    assert query(LAW, "x > 60", {"x": 119}).probabilities[1] == 1  # type: ignore[index]  # one target


def test_a_variable_that_is_called_like_a_condition_comes_first() -> None:
    domain = Domain((Variable("x > 1", ("no", "yes")), Variable("x", (0, 1, 2))))
    network = learn(Dataset.from_codes([[0, 0], [1, 2], [1, 1]], domain=domain), smoothing=0.5)
    assert query(network, "x > 1").states == (("no", "yes"),)
    assert query(network, "x > 0").states == ((False, True),)


def test_a_condition_is_asked_of_the_numbers_that_are_known() -> None:
    variable = Variable("x", (1, 2, "gone"), missing="gone")
    network = learn(Dataset.from_codes([[0], [1], [2], [2]], domain=Domain((variable,))))
    said = query(network, ["x > 1", "x"])
    assert by_name(said.probabilities)["x > 1"].tolist() == [0.5, 0.5]
    assert said.missing == {"x": 0.5}
    assert said.numbers["x"].above(1) == (0.5, 0.0)
    asked = query(network, ["x is missing", "x is known"])
    assert by_name(asked.probabilities)["x is missing"].tolist() == [0.5, 0.5]


def test_small_counts_of_conditions_are_hidden() -> None:
    people = titanic()
    said = query(learn(people, smoothing=0.5), "age = child", {"class": "Crew"}, data=people)
    hidden = without_small_counts(said)
    assert np.isnan(np.asarray(hidden.observed)).all()
    np.testing.assert_allclose(np.asarray(hidden.combined), np.asarray(said.probabilities))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("y > 1", "no variable 'y'"),
        ("x > much", "expected a number; got 'much'"),
        (["x > 60", "x > 60"], "is given twice"),
        ([], "at least one target"),
    ],
)
def test_what_is_no_condition(target: str | list[str], message: str) -> None:
    refuses(EvidenceError, message, lambda: query(LAW, target))


def test_a_joint_is_of_variables_and_nothing_beyond_the_data_is_said() -> None:
    refuses(EvidenceError, "'x > 60' is a condition", lambda: query(LAW, ["x > 60", "X1"], joint=True))
    said = query(LAW, "x > 1000")
    assert np.asarray(said.probabilities).tolist() == [1.0, 0.0]
    assert any("no value of the data meets x > 1000" in text for text in said.warnings)
