"""`sample` and `Sampler`: one seed, one result; blocks; bad input; Ctrl-C. `trace` is Algorithms 1 and 2, step by step."""

import numpy as np
import pytest
from hypothesis import given

from depnet import (
    Network,
    RandomScan,
    Sampler,
    SequentialScan,
    learn,
    sample,
    titanic,
    trace,
)
from depnet.arrays import new_seeds
from depnet.data import Dataset
from depnet.errors import DataError, EvidenceError, SamplingError, ScanError
from depnet.law import limits
from depnet.model import Scan
from depnet.sampling import SamplingInterrupted, chains
from depnet.sampling.chains import keys_of
from depnet.sampling.plan import chain_plan
from tests.inference.cases import random_evidence
from tests.interrupts import ctrl_c
from tests.isas import AVAILABLE
from tests.reference import sampling as reference
from tests.refusals import refuses
from tests.sampling.chains import random_start, scans, twin_trace
from tests.sampling.test_chains import wide_network
from tests.strategies import mixed_networks, networks, seeds

XOR = Network.from_joint(np.array([[0.4, 0.1], [0.2, 0.3]]))
BINARY = wide_network((2,) * 9, 8, seed=1)
MIXED = wide_network((2, 3, 4, 2, 5), 6, seed=2)
SCANS: list[Scan] = [RandomScan(), SequentialScan()]


def drawn(network: Network, scan: Scan, n: int, *, n_jobs: int = 1, parts: int = 1, seed: int = 7) -> bytes:
    sampler = Sampler(
        network, scan=scan, burn_in=3, thin=2, chains=1100, rng=np.random.default_rng(seed), n_jobs=n_jobs
    )
    blocks = [block.codes for block in sampler.blocks(n, -(-n // parts))]
    return np.concatenate(blocks).tobytes()


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("network", [BINARY, MIXED])
def test_rows_depend_on_the_seed_alone(network: Network, scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 2500
    expected = drawn(network, scan, n)
    assert drawn(network, scan, n, n_jobs=3) == expected
    assert drawn(network, scan, n, parts=7) == expected
    assert drawn(network, scan, n, seed=8) != expected
    for isa in AVAILABLE:
        monkeypatch.setenv("DEPNET_ISA", isa)
        assert drawn(network, scan, n) == expected
        monkeypatch.delenv("DEPNET_ISA")
    monkeypatch.setattr(limits, "THREAD_CELLS", 0)
    monkeypatch.setattr(chains.Chains, "updates_a_call", 5000)
    assert drawn(network, scan, n, n_jobs=2, parts=3) == expected


def test_rows_go_round_the_chains() -> None:
    """Row r * chains + c is record r of chain c, whatever the other chains are."""
    few = sample(BINARY, 30, burn_in=2, thin=3, chains=10, rng=np.random.default_rng(1)).codes
    many = sample(BINARY, 60, burn_in=2, thin=3, chains=20, rng=np.random.default_rng(1)).codes
    assert np.array_equal(few.reshape(3, 10, -1), many.reshape(3, 20, -1)[:, :10])


def test_automatic_burn_in_is_reported() -> None:
    network = learn(titanic(), smoothing=0.5)
    sampler = Sampler(network, rng=np.random.default_rng(0))
    report = sampler.report
    assert report.mixing is not None
    assert report.mixing.settled
    assert report.burn_in >= 10 * report.mixing.time
    assert report.thin >= 2 * report.mixing.time
    assert report.mixing.variable in network.domain.names
    assert Sampler(network, burn_in=5, thin=2).report.mixing is None


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    sample(XOR, 100, chains=10, progress=lambda done, n: seen.append((done, n)))
    assert seen[-1] == (100, 100)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("n", [0, -1, 2.5, "many", True])
def test_a_number_of_rows_that_is_none(n: object) -> None:
    refuses(SamplingError, "n is a whole number of at least 1; got", lambda: sample(XOR, n))  # type: ignore[arg-type]  # the point


def test_what_cannot_be_sampled_is_said() -> None:
    refuses(SamplingError, "burn_in is a whole number of at least 0; got -1", sample, XOR, 5, burn_in=-1)
    refuses(SamplingError, "thin is a whole number of at least 1; got 0", lambda: sample(XOR, 5, thin=0))
    refuses(SamplingError, "chains is a whole number of at least 1; got 0", lambda: sample(XOR, 5, chains=0))
    refuses(SamplingError, "n_jobs is a whole number of at least 1; got 0", lambda: sample(XOR, 5, n_jobs=0))
    with pytest.raises(SamplingError, match="if_reducible is 'raise', 'warn' or 'ignore'; got 'no'"):
        sample(XOR, 5, if_reducible="no")  # type: ignore[arg-type]  # the point
    refuses(ScanError, "a scan is RandomScan", lambda: sample(XOR, 5, scan="random"))  # type: ignore[arg-type]  # the point
    refuses(ScanError, "3 weights, the network 2 nodes", sample, XOR, 5, scan=RandomScan((0.2, 0.2, 0.6)))
    refuses(ScanError, "node 1 has the weight 0", lambda: sample(XOR, 5, scan=RandomScan((1.0, 0.0))))
    assert sample(XOR, 5, scan=RandomScan((1.0, 0.0)), evidence={"X1": 0}).rows == 5
    refuses(EvidenceError, "every column is given", lambda: sample(XOR, 5, evidence={"X0": 0, "X1": 1}))
    refuses(EvidenceError, "no variable 'X7'", lambda: sample(XOR, 5, evidence={"X7": 0}))
    refuses(TypeError, r"rng is a numpy\.random\.Generator", lambda: sample(XOR, 5, rng=3))  # type: ignore[arg-type]  # the point


def test_evidence_that_contradicts_the_tables() -> None:
    """X0 in {0, 1} is impossible where X1 = 1, and X1 gets there sooner or later."""
    joint = np.array([[0.3, 0.0], [0.3, 0.0], [0.0, 0.4]])
    network = Network.from_joint(joint)
    nodes = (network.nodes[0], Network.from_joint(np.full((3, 2), 1 / 6)).nodes[1])
    network = Network(network.domain, nodes)
    for scan in SCANS:
        sampler = Sampler(
            network, scan=scan, evidence={"X0": {0, 1}}, burn_in=50, thin=1, if_reducible="ignore"
        )
        refuses(EvidenceError, r"node 0 \(X0\) gives probability 0 to every state", sampler.draw, 10)
    never = Network.from_joint(np.array([[0.5, 0.5], [0.0, 0.0], [0.0, 0.0]]))
    refuses(EvidenceError, "leaves no value of 'X0' possible", sample, never, 5, evidence={"X0": {1, 2}})


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_is_heard_and_what_was_drawn_is_kept(n_jobs: int) -> None:
    expected = Sampler(BINARY, burn_in=3, thin=50, chains=256, rng=np.random.default_rng(7)).draw(512).codes
    sampler = Sampler(BINARY, burn_in=3, thin=50, chains=256, rng=np.random.default_rng(7), n_jobs=n_jobs)
    with ctrl_c(after=0.05) as pressing:

        def once_under_way(done: int, _: int) -> None:
            if done >= 512:
                pressing.begin()

        with pytest.raises(SamplingInterrupted) as stop:
            sampler.draw(10**7, progress=once_under_way)
        took = pressing.since
    assert took < 20, "a second on an idle machine"
    assert 512 <= stop.value.drawn.rows < 10**7
    assert np.array_equal(stop.value.drawn.codes[:512], expected)
    following = sampler.draw(256).codes  # the chains are whole, and go on
    again = Sampler(BINARY, burn_in=3, thin=50, chains=256, rng=np.random.default_rng(7))
    again.draw(stop.value.drawn.rows)
    assert np.array_equal(again.draw(256).codes, following)


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
    with pytest.raises(EvidenceError, match="nothing left to draw"):
        trace(XOR, 5, scan=scan, start=[0, 0], evidence={"X0": 0, "X1": 0})
    said = r"a scan is RandomScan\(weights\) or SequentialScan\(order\); got 'random'"
    refuses(ScanError, said, trace, XOR, 5, scan="random", start=[0, 0])
    three = Network.from_joint(np.full((3, 2), 1 / 6))
    with pytest.raises(EvidenceError, match="'X0' = 2, which the evidence does not allow"):
        trace(three, 5, scan=scan, start=[2, 0], evidence={"X0": {0, 1}})
