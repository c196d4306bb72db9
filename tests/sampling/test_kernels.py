"""Every kernel, fed from a buffer of words, equals the slow twin bit for bit."""

import numpy as np
import pytest
from hypothesis import given

from depnet import Network, SequentialScan
from depnet.sampling.kernels import Task
from tests.reference import sampling as reference
from tests.sampling.chains import (
    made_kernel,
    random_evidence,
    random_start,
    random_words,
    run_kernel,
    scans,
    twin_rows,
    words_needed,
)
from tests.strategies import networks, seeds


@pytest.mark.parametrize("name", ["codes", "callback"])
@given(network=networks(max_variables=5, max_states=200, blocks=True, zeros=0.1), seed=seeds)
def test_kernel_equals_the_slow_twin(name: str, network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    evidence = random_evidence(rng, network)
    for scan in scans(rng, network):
        kernel = made_kernel(network, scan, evidence, name)
        chains = int(rng.choice([1, 3, 17]))
        task = Task(0, chains, lead=int(rng.integers(3)), gap=1, records=2, record_stride=chains)
        start = random_start(rng, kernel.plan, chains)
        words = random_words(rng, words_needed(kernel.plan, task), chains)
        places = random_words(rng, task.records, chains)
        expected = twin_rows(kernel.plan, task, start, words, places)
        assert np.array_equal(run_kernel(kernel, task, start, words, places), expected)


def test_the_twin_notices_a_wrong_order() -> None:  # the mutant of the test above
    network = Network.from_joint(np.array([[0.1, 0.4], [0.3, 0.2]]))
    rng = np.random.default_rng(0)
    right = made_kernel(network, SequentialScan((0, 1)), random_evidence(rng, network), "codes")
    wrong = made_kernel(network, SequentialScan((1, 0)), right.plan.evidence, "codes")
    task = Task(0, 64, lead=2, records=1, record_stride=64)
    start = random_start(rng, right.plan, 64)
    words = random_words(rng, words_needed(right.plan, task), 64)
    places = random_words(rng, 1, 64)
    expected = twin_rows(right.plan, task, start, words, places)
    assert np.array_equal(run_kernel(right, task, start, words, places), expected)
    assert not np.array_equal(run_kernel(wrong, task, start, words, places), expected)


def test_philox_gives_the_published_words() -> None:
    assert reference.philox((0, 0, 0, 0), (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    digits = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    assert reference.philox(digits, (0xA4093822, 0x299F31D0)) == [
        0xD16CFE09,
        0x94FDCCEB,
        0x5001E420,
        0x24126EA1,
    ]
