"""Two variables of a model, all others clamped."""

import numpy as np
import pytest

from depnet import RandomScan, SequentialScan, stationary
from depnet.errors import DepnetError
from depnet.explorer.known import given
from depnet.explorer.theory_walk import walk
from depnet.explorer.two_tables import binary_variables, pair_network, relevant_others
from tests.explorer.cases import titanic_models


def test_a_pair_is_the_network_with_the_others_clamped() -> None:
    titanic, _ = titanic_models()
    assert binary_variables(titanic) == ("sex", "age", "survived")
    others = {"class": "3rd", "age": "child"}
    assert set(relevant_others(titanic, ("sex", "survived"))) <= set(others)
    for scan in (RandomScan(), SequentialScan()):
        path = walk(pair_network(titanic, ("survived", "sex"), others), scan)
        clamped = stationary(titanic, scan, evidence=given({k: (v,) for k, v in others.items()}))
        code = {
            name: titanic.domain.variables[titanic.domain.index(name)].code(v) for name, v in others.items()
        }
        expected = clamped[code["class"], :, code["age"], :]
        assert np.allclose(path.end, expected, rtol=0, atol=1e-9)
    with pytest.raises(DepnetError, match="two different variables"):
        pair_network(titanic, ("class", "sex"), {})
