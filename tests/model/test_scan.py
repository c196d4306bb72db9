"""Scans: which node comes next, with and without clamped nodes."""

from typing import Any

import numpy as np
import pytest

from depnet import RandomScan, SequentialScan
from depnet.errors import ScanError
from depnet.model.scan import checked_scan
from tests.refusals import refuses


def test_uniform_weights_are_the_default() -> None:
    assert RandomScan().weights_of(4).tolist() == [0.25] * 4
    assert RandomScan().weights_of(4, free=[1, 3]).tolist() == [0.5, 0.5]
    assert RandomScan().weights_of(4, free=[]).tolist() == []


def test_free_weights_are_divided_by_their_sum() -> None:
    scan = RandomScan((0.5, 0.3, 0.2))
    assert scan.weights_of(3).tolist() == [0.5, 0.3, 0.2]
    np.testing.assert_allclose(scan.weights_of(3, free=[1, 2]), [0.6, 0.4], rtol=1e-15, atol=0)
    assert scan.weights_of(3, free=[]).tolist() == []
    assert RandomScan(np.array([0.5, 0.5])) == RandomScan((0.5, 0.5))  # type: ignore[arg-type]  # any sequence


def test_a_node_without_weight_may_only_be_clamped() -> None:
    scan = RandomScan((0.5, 0.5, 0.0))
    assert scan.weights_of(3, free=[0, 1]).tolist() == [0.5, 0.5]
    refuses(ScanError, "node 2 has the weight 0 and would never be updated", scan.weights_of, 3)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((0.5, 0.6), r"sum to 1; these sum to 1\.1"),
        ((), "sum to 0"),
        ((1.5, -0.5), "not negative; that of node 1 is -0.5"),
        ((float("inf"), 1.0), "that of node 0 is inf"),
        (("a", "b"), r"numbers, one a node; got \('a', 'b'\)"),
        (0.5, "numbers, one a node; got 0.5"),
        ((10**400, 1.0), "numbers, one a node"),
    ],
)
def test_what_are_not_weights(weights: Any, message: str) -> None:
    refuses(ScanError, message, RandomScan, weights)


def test_weights_of_another_network() -> None:
    refuses(ScanError, "2 weights, the network 3 nodes", RandomScan((0.5, 0.5)).weights_of, 3)


def test_the_order_of_free_nodes() -> None:
    assert SequentialScan().order_of(3) == (0, 1, 2)
    assert SequentialScan((2, 0, 1)).order_of(3) == (2, 0, 1)
    assert SequentialScan((2, 0, 1)).order_of(3, free=[1, 2]) == (2, 1)
    assert SequentialScan(np.array([1, 0])) == SequentialScan((1, 0))  # type: ignore[arg-type]  # any sequence
    refuses(ScanError, "orders 2 nodes, the network has 3", SequentialScan((0, 1)).order_of, 3)


@pytest.mark.parametrize(
    "order", [(0, 0), (1, 2), (0, 2), (-1, 0), (0.0, 1.0), (0.4, 1.2), (True, False), 3, ("a",)]
)
def test_what_is_not_an_order(order: Any) -> None:
    refuses(ScanError, r"names every node 0\.\.n-1 once; got", SequentialScan, order)


def test_what_is_not_a_scan() -> None:
    assert checked_scan(RandomScan()) == RandomScan()
    with pytest.raises(ScanError, match=r"RandomScan\(weights\) or SequentialScan\(order\); got 'random'"):
        checked_scan("random")
