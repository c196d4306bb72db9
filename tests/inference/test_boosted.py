"""Whatever answers, judges and draws from a network does so with boosted nodes, as if they were written out as tables."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import Dataset, Network, QueryResult, RandomScan, SequentialScan
from depnet.inference.judge.cells import cell_laws
from depnet.inference.judge.compare import compare
from depnet.model import Scan
from depnet.model.boosted import BoostedNode
from tests.boosted import random_boosted_network, tabulated
from tests.estimators.tables import law_of as law
from tests.strategies import random_mixed_network

CARDS = [2, 3, 2, 4]
MIXED = random_mixed_network(5, CARDS)
SCANS: list[Scan] = [RandomScan(), RandomScan((0.4, 0.1, 0.2, 0.3)), SequentialScan((2, 0, 3, 1))]
EVIDENCE = [None, {"X1": 2}, {"X1": {0: 1.0, 2: 0.5}, "X2": 1}]


def some_rows(count: int = 200) -> Dataset:
    return Dataset.from_codes(np.random.default_rng(1).integers(0, CARDS, size=(count, 4)), CARDS)


def joint(network: Network, given: Any, scan: Scan, **options: Any) -> QueryResult:
    return depnet.query(network, ["X0", "X3"], given, scan=scan, joint=True, **options)


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("given", EVIDENCE)
def test_exact_answers_are_those_of_the_tables(scan: Scan, given: Any) -> None:
    tables = tabulated(MIXED)
    np.testing.assert_allclose(law(joint(MIXED, given, scan)), law(joint(tables, given, scan)), atol=1e-9)


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("table_states", [0, 1 << 12])
def test_sampled_answers_are_near_the_exact_ones(
    scan: Scan, table_states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stages walked, or looked up: within 9 standard errors, which a right answer misses about once in 3e9 cells.

    The mutant, a node without its stages, is farther off than that.
    """
    monkeypatch.setattr("depnet.model.node.TABLE_STATES", table_states)
    given = EVIDENCE[2]
    found = joint(replace(MIXED), given, scan, method="sample", tolerance=0.003, rng=np.random.default_rng(1))
    assert found.converged
    room = 9 * np.asarray(found.standard_errors) + 1e-9
    assert (np.abs(law(found) - law(joint(MIXED, given, scan))) <= room).all()
    shorter = replace(MIXED, nodes=(without_stages(MIXED.nodes[0]), *MIXED.nodes[1:]))
    assert (np.abs(law(found) - law(joint(shorter, given, scan))) > room).any()


def without_stages(node: depnet.Node) -> BoostedNode:
    assert isinstance(node, BoostedNode)
    return BoostedNode(node.variable, node.start, node.start_scores, node.stages.first(0))


@pytest.mark.parametrize("table_states", [0, 1 << 12])
def test_rows_with_holes(table_states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("depnet.model.node.TABLE_STATES", table_states)
    codes = some_rows(30).codes.astype(int)
    codes[np.random.default_rng(2).random(codes.shape) < 0.4] = -1
    found, expected = (depnet.query_rows(network, codes) for network in (replace(MIXED), tabulated(MIXED)))
    assert found.method.tolist() == expected.method.tolist()
    for name, p in found.probabilities.items():
        np.testing.assert_allclose(p, expected.probabilities[name], atol=1e-7)


def test_judges_ask_for_probabilities_alone() -> None:
    tables, rows = tabulated(MIXED), some_rows()
    laws, same = cell_laws(MIXED, rows), cell_laws(tables, rows)
    assert np.array_equal(laws.best, same.best)
    np.testing.assert_allclose(laws.theta, same.theta, rtol=1e-12)
    np.testing.assert_allclose(
        depnet.score_samples(MIXED, rows), depnet.score_samples(tables, rows), rtol=1e-12
    )
    found = compare(MIXED, tables, rows, rng=np.random.default_rng(0))
    by = {(scored.rows_of, scored.by): scored.mean for scored in found.scores}
    assert by["data", "first"] == pytest.approx(by["data", "second"], rel=1e-12)


def test_supports() -> None:
    assert depnet.query(random_boosted_network(1, CARDS), ["X0"]).support is None
