"""What would move a target: exact by elimination, within its errors by draws, and what a table's own rows say."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings

from depnet import Dataset, Domain, Network, Variable, log_probability, query
from depnet.data import Bins
from depnet.errors import EvidenceError, ModelError
from depnet.inference.answer.result import QueryResult
from depnet.inference.judge.influence import LEVEL, Influence, influence
from depnet.inference.judge.measure import Measure, seen_effects
from depnet.law import draw, limits
from depnet.model import Evidence
from tests.inference.ordered.test_levels import random_law
from tests.law.cases import evidence_of, given_tables, weighed
from tests.narrowed import there
from tests.reference import influence as twin
from tests.reference import ordered
from tests.refusals import refuses
from tests.strategies import ordered_networks, random_evidence, random_ordered_network, seeds

NETWORKS = ordered_networks(min_variables=2, max_states=60, zeros=0.2, boosted=True)


def asked(network: Network, seed: int) -> tuple[int, dict[int, tuple[float, ...]]]:
    """A target and what is known beside it; a range of the target may be known, too."""
    rng = np.random.default_rng(seed)
    cards = network.domain.cardinalities
    weights = random_evidence(rng, cards, range(len(cards)))
    free = [i for i in range(len(cards)) if np.count_nonzero(weights.get(i, (1.0,) * cards[i])) > 1]
    assume(len(free) > 0)
    return free[int(rng.integers(len(free)))], weights


@settings(max_examples=40)
@given(NETWORKS, seeds)
def test_exact_tables_are_those_of_the_joint_law(network: Network, seed: int) -> None:
    target, weights = asked(network, seed)
    mass = weighed(ordered.law(network), weights)
    assume(mass.sum() > 0)
    law = mass / mass.sum()
    found = influence(network, f"X{target}", evidence_of(weights), of="0")
    assert (found.method, found.sharp, found.error) == ("exact", True, 0)
    assert found.value == pytest.approx(twin.marginal(law, target)[0])
    g, h = found.measure.values.tolist(), found.measure.counts.tolist()
    for effect in found.effects:
        j = network.domain.index(effect.variable.name)
        z = twin.values(law, target, j, g, h)
        np.testing.assert_allclose(effect.values, z, rtol=0, atol=1e-9)
        np.testing.assert_allclose(effect.probabilities, twin.marginal(law, j), rtol=0, atol=1e-9)
        assert effect.bits == pytest.approx(twin.information(law, target, j), abs=1e-9)
        low, high = twin.reach(twin.marginal(law, j), z, LEVEL)
        # one of states whose values or masses are equal but for the order of sums
        assert effect.values[effect.low] == pytest.approx(low, abs=1e-6)
        assert effect.values[effect.high] == pytest.approx(high, abs=1e-6)
        assert effect.width >= 0
    widths = [effect.width for effect in found.effects]
    assert widths == sorted(widths, reverse=True)


def drawn(network: Network, known: dict[str, int], seed: int, draws: int) -> Influence:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "MOST_CELLS", 0)
        patch.setattr(limits, "MOST_DRAWS", draws)
        rng = np.random.default_rng(seed)
        return influence(network, "X0", known, of="0", tolerance=1e-6, max_seconds=None, rng=rng)


def worst(found: Influence, law: np.ndarray) -> float:
    """The largest deviation of the draws, in standard errors (of 32 batches: t with 31 degrees of freedom)."""
    g, h = found.measure.values.tolist(), found.measure.counts.tolist()
    gaps = []
    for effect in found.effects:
        j = int(effect.variable.name.removeprefix("X"))
        z = np.array(twin.values(law, 0, j, g, h))
        likely = effect.probabilities > 0.02
        gaps += (np.abs(effect.values - z)[likely] / np.maximum(effect.errors[likely], 1e-12)).tolist()
        gaps.append(abs(effect.bits - twin.information(law, 0, j)) / max(effect.bits_error, 1e-4))
    return float(max(gaps))


@pytest.mark.parametrize("kind", ["exact", "accepted", "resampled"])
def test_draws_agree_within_their_errors(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Some 25 quantities within 7 standard errors of 32 batches: false alarms below 25 * 4e-7. An error of 0.03 would be
    # 7 standard errors at the last assertion.
    network = random_ordered_network(np.random.default_rng(8), (3, 2, 3, 2, 2), (3, 0, 4, 1, 2))
    if kind != "exact":
        monkeypatch.setattr(limits, "MOST_CELLS", 0)
    if kind == "resampled":
        monkeypatch.setattr(draw.Rows, "_bound", lambda *_: math.inf)
    found = drawn(network, {"X2": 1, "X3": 0}, 4, 1 << 15)
    weights = {2: (0.0, 1.0, 0.0), 3: (1.0, 0.0)}
    law = ordered.condition(ordered.law(network), weights)
    assert (found.method, found.sharp) == ("draws", False)
    assert worst(found, law) < 7
    other = ordered.condition(ordered.law(network), {2: (0.0, 0.0, 1.0), 3: (1.0, 0.0)})
    assert worst(found, other) > 7  # of another law


def test_a_rare_state_is_no_end_of_a_reach() -> None:
    # X1 is 2 once in a thousand, and then X0 is certain.
    network = given_tables(([], [[0.6, 0.399, 0.001]]), ([0], [[0.5, 0.5], [0.3, 0.7], [0.0, 1.0]]))
    found = influence(network, "X1", of="1")
    (effect,) = found.effects
    assert (effect.low, effect.high) == (0, 1)
    assert effect.values[2] == 1.0


def test_means_leave_out_what_is_missing() -> None:
    bins = Bins((0, 10, 20), ((2, 4), (12, 16)), "integer")
    age = Variable("age", (*bins.labels, "none"), bins, missing="none")
    network = given_tables(([], [[0.5, 0.5]]), ([0], [[0.4, 0.1, 0.5], [0.2, 0.8, 0.0]]))
    domain = Domain((Variable("sex", ("female", "male")), age))
    found = influence(Network(domain, network.nodes, order=(0, 1)), "age", of="mean")
    assert found.measure.said == "mean of age"
    (effect,) = found.effects
    np.testing.assert_allclose(effect.values, [(0.4 * 3 + 0.1 * 14) / 0.5, 0.2 * 3 + 0.8 * 14])
    assert found.value == pytest.approx((0.6 * 3 + 0.9 * 14) / 1.5)
    above = influence(Network(domain, network.nodes, order=(0, 1)), "age", of=">3")
    np.testing.assert_allclose(above.effects[0].values, [(0.4 * 0.5 + 0.1) / 0.5, 0.2 * 0.5 + 0.8])


def test_what_cannot_be_asked() -> None:
    network = given_tables(([], [[0.5, 0.5]]), ([0], [[0.4, 0.6], [0.2, 0.8]]))
    refuses(EvidenceError, "'X1' is already known", influence, network, "X1", {"X1": 0})
    refuses(EvidenceError, "neither a state of 'X1' nor a condition", influence, network, "X1", of="blue")
    with pytest.raises(ModelError, match="influence asks a law"):
        influence(Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]])), "X1")


def test_a_measure_is_a_state_first() -> None:
    variable = Variable("level", ("mean", "mode", "other"))
    assert Measure.of(variable).values.tolist() == [1.0, 0.0, 0.0]
    assert Measure.of(variable, "!=mean").values.tolist() == [0.0, 1.0, 1.0]
    days = Variable("day", (10, 20, 30))
    assert Measure.of(days).shown(12.5) == "12.5"
    assert Measure.of(days, "20").shown(0.25) == "0.250"


def test_evidence_that_cuts_bins_counts_by_values_as_in_answers() -> None:
    """What `query` says given the same, at 6 standard errors of both; a law that forgets values is far from it."""
    law, rng = random_law(5), np.random.default_rng(0)
    known = {"x": "<4", "z": ">1"}
    options: dict[str, Any] = {"tolerance": 0.003, "max_seconds": None, "rng": rng}

    def gaps(asked: Network) -> list[float]:
        found = influence(asked, "sex", known, **options)
        gaps = [abs(found.value - of(query(law, "sex", known, rng=rng))[0]) / (found.error + 0.002)]
        for effect in found.effects:
            for code, state in enumerate(effect.variable.states):
                if effect.variable.name in known or not effect.probabilities[code] > 0.02:
                    continue
                given = {**known, effect.variable.name: None if state == effect.variable.missing else state}
                gap = effect.values[code] - of(query(law, "sex", given, rng=rng))[0]
                gaps.append(abs(gap) / (effect.errors[code] + 0.002))
        number = influence(asked, "y", known, **options)
        mean = there(query(law, "y", known, rng=rng).summary("y", of="probabilities"))
        return [*gaps, abs(number.value - mean.mean) / (number.error + mean.mean_error + 1e-3)]

    assert max(gaps(law)) < 6
    assert max(gaps(replace(law, within=None))) > 6


def of(found: QueryResult) -> np.ndarray:
    return np.asarray(found.probabilities)[::-1]


@pytest.mark.parametrize(
    "known", [{"sex": "!=female", "x": "<4"}, {"x": 3, "z": ">1"}, {"y": "<=1.5", "z": "!=3"}]
)
def test_the_probability_of_evidence_that_cuts_bins_is_that_of_answers(known: dict[str, Any]) -> None:
    """P(a, b) = P(a) P(b | a), each by `query`."""
    law, rng = random_law(5), np.random.default_rng(0)
    first, second = (
        f"{name} {text}" if isinstance(text, str) else f"{name} = {text}" for name, text in known.items()
    )
    name, *_ = known
    p = of(query(law, first, rng=rng, tolerance=5e-4))[0]
    q = of(query(law, second, {name: known[name]}, rng=rng, tolerance=5e-4))[0]
    if name == "y":  # a condition is answered of rows that know it
        p *= 1 - query(law, "y", rng=rng).missing["y"]
    found = log_probability(law, known, rng=rng, tolerance=5e-4)
    assert found.values[0] == pytest.approx(math.log(p * q), abs=0.01)
    assert found.standard_errors[0] < 1e-3
    forgetful = log_probability(replace(law, within=None), known)
    assert abs(forgetful.values[0] - math.log(p * q)) > 0.02


DOMAIN = Domain(
    (Variable("town", ("a", "b", "c")), Variable("ill", ("no", "yes")), Variable("old", ("no", "yes")))
)


def people(counts: dict[tuple[int, int, int], int], weights: bool) -> Dataset:
    rows = np.array([row for row, n in counts.items() for _ in range(1 if weights else n)], dtype=np.uint8)
    times = np.array(list(counts.values())) if weights else None
    return Dataset.from_codes(rows, domain=DOMAIN, weights=times)


COUNTS = {(0, 0, 1): 30, (0, 1, 1): 10, (1, 0, 1): 18, (1, 1, 1): 2, (2, 1, 1): 7, (2, 0, 0): 9}


def test_means_among_the_rows_that_match() -> None:
    ill = Measure.of(DOMAIN.variables[1], "yes")
    old = Evidence({2: 1}, {})
    for weights in (False, True):
        (seen,) = seen_effects(people(COUNTS, weights), old, 1, ill, [0])
        assert seen.rows.tolist() == [40, 20, 7]
        np.testing.assert_allclose(seen.values, [0.25, 0.1, 1.0])
