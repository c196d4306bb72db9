"""Zeros in tables: small domains are searched, large ones warned of; slow chains are reported."""

import contextlib
import warnings

import numpy as np
import pytest
from hypothesis import given

from depnet import Sampler, recurrent_classes, sample
from depnet.errors import MixingWarning, ReducibleError, ReducibleWarning
from depnet.model import Network, RandomScan, SequentialScan
from depnet.sampling.plan import chain_plan, check_irreducible
from tests.law.cases import given_tables
from tests.narrowed import there
from tests.sampling.chains import scans
from tests.strategies import networks, seeds

EQUAL = Network.from_joint(np.array([[0.5, 0.0], [0.0, 0.5]]))


@given(network=networks(max_variables=4, max_states=60, zeros=0.6), seed=seeds)
def test_recurrent_classes_are_those_of_the_exact_search(network: Network, seed: int) -> None:
    for scan in scans(np.random.default_rng(seed), network):
        several = len(recurrent_classes(network, scan)) > 1
        with pytest.raises(ReducibleError) if several else contextlib.nullcontext():
            check_irreducible(chain_plan(network, scan), "raise")


def test_a_reducible_chain_is_not_sampled_unless_asked() -> None:
    for scan in (RandomScan(), SequentialScan()):
        with pytest.raises(ReducibleError, match=r"2 recurrent classes.*X0=0, X1=0.*smoothing=0\.5"):
            sample(EQUAL, 10, scan=scan)
        with pytest.warns(ReducibleWarning, match="2 recurrent classes"):
            sample(EQUAL, 10, scan=scan, burn_in=1, thin=1, if_reducible="warn")
        rows = sample(
            EQUAL, 1000, scan=scan, burn_in=5, thin=1, if_reducible="ignore", rng=np.random.default_rng(0)
        )
        assert (rows.codes[:, 0] == rows.codes[:, 1]).all()


def test_zeros_that_do_not_split_the_chain_are_no_matter() -> None:
    transient = Network.from_joint(np.array([[0.5, 0.5], [0.0, 0.0]]))
    assert sample(transient, 10).rows == 10
    assert sample(EQUAL, 10, evidence={"X0": 1}).codes.tolist() == [[1, 1]] * 10


def chain_of_copies(n: int, flip: float) -> Network:
    """Each variable copies its neighbour, but for a share `flip`."""
    copy = [[1 - flip, flip], [flip, 1 - flip]]
    return given_tables(*[([(i + 1) % n], copy) for i in range(n)], in_order=False)


def test_a_large_domain_with_zeros_is_warned_of() -> None:
    with pytest.warns(ReducibleWarning, match=r"too large to check.*smoothing=0\.5"):
        sample(chain_of_copies(40, flip=0.0), 10, burn_in=1, thin=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sample(chain_of_copies(40, flip=0.1), 10, burn_in=1, thin=1)


def test_a_chain_that_does_not_mix_is_warned_of() -> None:
    """Under the random scan all variables agree after a while, and stay; in order, the codes go round."""
    for scan in (RandomScan(), SequentialScan()):
        with pytest.warns(MixingWarning, match=r'did not settle in 4096 sweeps.*order="auto"'):
            sampler = Sampler(chain_of_copies(5, flip=1e-6), scan=scan, rng=np.random.default_rng(0))
        mixing = there(sampler.report.mixing)
        assert not mixing.settled
        assert mixing.r_hat > 1.05
        assert sampler.report.burn_in > 2000


def test_the_mixing_time_of_a_known_chain() -> None:
    """Two variables that copy each other, c = 1/2: X0 keeps its value like an autoregression.

    With eigenvalue 1 - 2 flip of a sweep of two updates in the sequential scan, squared.
    """
    flip = 0.1
    rho = (1 - 2 * flip) ** 2
    sampler = Sampler(chain_of_copies(2, flip), scan=SequentialScan(), rng=np.random.default_rng(0))
    mixing = there(sampler.report.mixing)
    assert mixing.time == pytest.approx((1 + rho) / (1 - rho), rel=0.25)
