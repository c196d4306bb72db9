"""The table's own answer: equal to a loop over rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given

import depnet
from depnet import Dataset, Network, query
from depnet.errors import DataError
from depnet.inference.answer.observed import MatchingRows
from depnet.inference.answer.target import targets_of
from depnet.model import Evidence
from tests.inference.cases import random_evidence, random_targets
from tests.narrowed import by_name
from tests.strategies import networks, seeds


def literal(
    targets: list[int], evidence: Evidence, data: Dataset
) -> tuple[dict[tuple[int, ...], float], float]:
    """Frequencies by state and the number of rows that match, by a loop over rows."""
    sums: dict[tuple[int, ...], float] = {}
    total = squares = 0.0
    times = np.ones(data.rows) if data.weights is None else data.weights
    for row, n in zip(data.codes.tolist(), times.tolist(), strict=True):
        weight = 1.0
        for i, code in evidence.clamped.items():
            weight *= float(row[i] == code)
        for i, tilt in evidence.tilts.items():
            weight *= float(tilt[row[i]])
        state = tuple(row[i] for i in targets)
        sums[state] = sums.get(state, 0.0) + n * weight
        total += n * weight
        squares += n * weight**2
    shares = {state: s / total for state, s in sums.items()} if total > 0 else {}
    return shares, total**2 / squares if total > 0 else 0.0


@given(networks(max_states=60), seeds)
def test_frequencies_are_those_of_a_loop(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    targets = random_targets(rng, network)
    codes = rng.integers(0, network.domain.cardinalities, size=(40, len(network.domain)))
    weights = rng.integers(0, 4, size=40) if rng.random() < 0.5 else None
    data = Dataset.from_codes(codes, domain=network.domain, weights=weights)
    asked = targets_of(network.domain, [network.domain.names[i] for i in targets])
    found = MatchingRows.of(network.domain, evidence, data).seen(asked)
    shares, rows = literal(targets, evidence, data)
    assert found.rows == pytest.approx(rows)
    if not rows:
        assert np.isnan(found.frequencies).all()
        return
    states = itertools.product(*(range(network.domain.cardinalities[i]) for i in targets))
    expected = [shares.get(state, 0.0) for state in states]
    np.testing.assert_allclose(found.frequencies.ravel(), expected, atol=1e-12)


def test_an_answer_carries_the_table_and_joins_both() -> None:
    people = depnet.titanic()
    network = depnet.learn(people, smoothing=0.5)
    result = query(network, ["survived", "class"], {"sex": "female"}, data=people)
    assert result.matching == {"survived": 470, "class": 470}
    assert isinstance(result.observed, dict)
    np.testing.assert_allclose(result.observed["survived"], [126 / 470, 344 / 470])
    for name, law in by_name(result.probabilities).items():
        np.testing.assert_allclose(
            by_name(result.combined)[name], (470 * result.observed[name] + 50 * law) / 520
        )
    assert result.worth == 50
    joint = query(network, ["survived", "sex"], {"class": "Crew"}, joint=True, data=people)
    assert np.asarray(joint.observed).shape == (2, 2)
    assert np.asarray(joint.combined).shape == (2, 2)
    without = query(network, "survived", {"sex": "female"})
    assert without.observed is None
    assert without.matching is None
    assert without.combined is without.probabilities
    nobody = query(network, "survived", {"class": "Crew", "age": "child"}, data=people)
    assert nobody.matching == 0
    assert np.isnan(np.asarray(nobody.observed)).all()
    np.testing.assert_array_equal(nobody.combined, nobody.probabilities)
    known = query(network, ["sex", "survived"], {"sex": "female"}, data=people)
    assert by_name(known.observed)["sex"].tolist() == [1.0, 0.0]
    with pytest.raises(DataError, match="another domain"):
        query(network, "survived", data=Dataset.from_codes([[0]], [2]))


def test_the_text_of_an_answer_joins_model_and_table() -> None:
    """Where rows are at hand the combined answer comes first, with its two parts beside it; else the model's alone."""
    table = depnet.titanic()
    law = depnet.learn(table, order="auto", smoothing=0.5)
    found = query(law, "survived", {"sex": "female"}, data=table)
    p, q, r = (np.asarray(each)[1] for each in (found.combined, found.probabilities, found.observed))
    _, heads, _, yes, *_ = str(found).splitlines()
    assert heads.split() == ["survived", "answer", "90", "%", "sure", "model", "table"]
    low, high = np.asarray(found.interval)[1]
    assert yes.split(maxsplit=2)[:2] == ["Yes", f"{p:.4f}"]
    assert yes.endswith(f"[{low:.3f} to {high:.3f}]  {q:.4f}  {r:.4f}")
    _, heads, _, yes, *_ = str(query(law, "survived", {"sex": "female"})).splitlines()
    assert heads.split() == ["survived", "probability", "90", "%", "sure"]
    assert yes.split()[:2] == ["Yes", f"{q:.4f}"]
