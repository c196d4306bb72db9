"""`trace` is Algorithms 1 and 2, step by step."""

import numpy as np
import pytest
from hypothesis import given

from depnet import FunctionSource, Network, RandomScan, SequentialScan, TableNode, trace
from depnet.arrays import new_seeds
from depnet.data import Dataset, Domain
from depnet.errors import DataError, EvidenceError, SamplingError, ScanError
from depnet.model import Scan
from depnet.sampling.chains import keys_of
from depnet.sampling.plan import chain_plan
from tests.boosted import random_boosted_network
from tests.reference import sampling as reference
from tests.refusals import refuses
from tests.sampling.chains import random_evidence, random_start, scans, twin_trace
from tests.strategies import mixed_networks, networks, random_table, seeds

XOR = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))


def twin_of_trace(
    network: Network, scan: Scan, evidence: object, start: list[int], steps: int, seed: int
) -> list[tuple[int, ...]]:
    made = chain_plan(network, scan, evidence)  # type: ignore[arg-type]  # Evidence or what it is parsed from
    key = int(keys_of(new_seeds(np.random.default_rng(seed), 1)[0], 1)[0])
    return twin_trace(made, start, [reference.split_word(key, t) for t in range(steps)])[:steps]


@given(network=networks(max_states=100) | mixed_networks(max_states=100), seed=seeds)
def test_trace_is_the_algorithm_to_the_letter(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    for scan in scans(rng, network):
        start = random_start(rng, chain_plan(network, scan, evidence), 1)[0].tolist()
        rows = trace(network, 30, scan=scan, start=start, evidence=evidence, rng=np.random.default_rng(seed))
        expected = twin_of_trace(network, scan, evidence, start, 30, seed)
        assert [tuple(row) for row in rows.codes.tolist()] == expected
        assert rows.codes[0].tolist() == start


def test_one_site_changes_in_a_step_and_the_order_is_kept() -> None:
    rows = trace(XOR, 500, scan=SequentialScan((1, 0)), start=[0, 0], rng=np.random.default_rng(0)).codes
    changed = rows[1:] != rows[:-1]
    assert not changed[::2, 0].any(), "even steps update X1"
    assert not changed[1::2, 1].any(), "odd steps update X0"
    assert changed.any(axis=0).all()


def of_functions() -> Network:
    """Sources without a native form."""
    rng = np.random.default_rng(0)
    n = 24
    nodes = []
    for i in range(n):
        source = FunctionSource(lambda x: x.sum(axis=1) % 2, tuple(j for j in range(n) if j != i), 2)
        nodes.append(TableNode(i, source, random_table(rng, 2, 2)))
    return Network(Domain.from_cardinalities((2,) * n), tuple(nodes))


@pytest.mark.parametrize("network", [of_functions(), random_boosted_network(1, [2, 3] * 8, stages=8)])
@pytest.mark.parametrize("scan", [RandomScan(), SequentialScan()])
def test_nodes_of_many_inputs(network: Network, scan: Scan) -> None:
    start = [0] * len(network)
    rows = trace(network, 60, scan=scan, start=start, rng=np.random.default_rng(3))
    expected = twin_of_trace(network, scan, None, start, 60, 3)
    assert [tuple(row) for row in rows.codes.tolist()] == expected


def test_start_by_labels_and_evidence_over_start() -> None:
    rows = trace(
        XOR, 50, scan=RandomScan(), start={"X0": 1}, evidence={"X1": 1}, rng=np.random.default_rng(0)
    )
    assert isinstance(rows, Dataset)
    assert rows.codes[0].tolist() == [1, 1]
    assert (rows.codes[:, 1] == 1).all()
    overwritten = trace(XOR, 1, scan=RandomScan(), start=[0, 0], evidence={"X1": 1})
    assert overwritten.codes.tolist() == [[0, 1]]


def test_what_cannot_be_traced_is_said() -> None:
    scan = RandomScan()
    with pytest.raises(SamplingError, match="steps is a whole number of at least 1; got 0"):
        trace(XOR, 0, scan=scan, start=[0, 0])
    refuses(DataError, "start is 2 codes", lambda: trace(XOR, 5, scan=scan, start=[0, 0, 0]))
    refuses(DataError, "start names no state for 'X1'", lambda: trace(XOR, 5, scan=scan, start={"X0": 0}))
    refuses(DataError, "code 2 is outside", lambda: trace(XOR, 5, scan=scan, start=[0, 2]))
    with pytest.raises(EvidenceError, match="nothing left to sample"):
        trace(XOR, 5, scan=scan, start=[0, 0], evidence={"X0": 0, "X1": 0})
    with pytest.raises(
        ScanError, match=r"a scan is RandomScan\(weights\) or SequentialScan\(order\); got 'random'"
    ):
        trace(XOR, 5, scan="random", start=[0, 0])  # type: ignore[arg-type]  # the point
    three = Network.from_joint(np.full((3, 2), 1 / 6))
    with pytest.raises(EvidenceError, match="'X0' = 2, which the evidence does not allow"):
        trace(three, 5, scan=scan, start=[2, 0], evidence={"X0": {0, 1}})
