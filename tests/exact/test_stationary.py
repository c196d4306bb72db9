import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import depnet
from depnet import Network, RandomScan, SequentialScan
from tests.reference import stationary as reference
from tests.strategies import networks


@given(networks(max_states=60, zeros=0.3, blocks=True), st.booleans())
def test_classes_and_laws_equal_the_dense_solve(network: Network, random: bool) -> None:
    scan = RandomScan() if random else SequentialScan()
    expected = reference.stationary_laws(network, scan)
    classes = depnet.recurrent_classes(network, scan)
    assert len(classes) == len(expected)
    for found, law in zip(classes, expected, strict=True):
        np.testing.assert_allclose(found.law, law, atol=1e-7)
