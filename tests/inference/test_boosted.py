"""Sampled answers of boosted nodes; exact ones, rows with holes and judges are asked of mixed networks in their files."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import depnet
from depnet import Network, QueryResult, RandomScan, SequentialScan
from depnet.model import Scan
from depnet.model.boosted import BoostedNode
from tests.boosted import random_boosted_network
from tests.estimators.tables import law_of as law
from tests.strategies import random_mixed_network

CARDS = [2, 3, 2, 4]
MIXED = random_mixed_network(5, CARDS)
SCANS: list[Scan] = [RandomScan(), RandomScan((0.4, 0.1, 0.2, 0.3)), SequentialScan((2, 0, 3, 1))]


def joint(network: Network, given: Any, scan: Scan, **options: Any) -> QueryResult:
    return depnet.query(network, ["X0", "X3"], given, scan=scan, joint=True, **options)


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("table_states", [0, 1 << 12])
def test_sampled_answers_are_near_the_exact_ones(
    scan: Scan, table_states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stages walked, or looked up: within 9 standard errors, which a right answer misses about once in 3e9 cells.

    The mutant, a node without its stages, is farther off than that.
    """
    monkeypatch.setattr("depnet.model.sources.limits.TABLE_STATES", table_states)
    given = {"X1": {0: 1.0, 2: 0.5}, "X2": 1}
    found = joint(replace(MIXED), given, scan, method="sample", tolerance=0.003, rng=np.random.default_rng(1))
    assert found.converged
    room = 9 * np.asarray(found.standard_errors) + 1e-9
    assert (np.abs(law(found) - law(joint(MIXED, given, scan))) <= room).all()
    shorter = replace(MIXED, nodes=(without_stages(MIXED.nodes[0]), *MIXED.nodes[1:]))
    assert (np.abs(law(found) - law(joint(shorter, given, scan))) > room).any()


def without_stages(node: depnet.Node) -> BoostedNode:
    assert isinstance(node, BoostedNode)
    return BoostedNode(node.variable, node.start, node.start_scores, node.stages.first(0))


def test_supports() -> None:
    assert depnet.query(random_boosted_network(1, CARDS), ["X0"]).support is None
