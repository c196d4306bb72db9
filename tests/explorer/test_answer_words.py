"""How sharp an answer is, in words that promise no more than was found."""

import numpy as np
import pytest

import depnet
from depnet.explorer.ask import Answer, found_by, sharpness
from tests.explorer.cases import shift_of, titanic_models


@pytest.mark.parametrize(
    ("error", "sharp", "said"),
    [
        (0.0, True, "computed in full"),
        (0.0099, True, "± 0.01"),
        (0.031, False, "not yet sharp: ± 0.04 at most"),
        (np.nan, False, "not yet sharp"),
        (0.0, False, "not yet sharp: ± 0 at most"),
    ],
)
def test_nothing_is_called_sharp_that_is_not(error: float, sharp: bool, said: str) -> None:
    half = np.array([0.5, 0.5])
    shift = shift_of(depnet.Variable("x", ("a", "b")), half, half, errors=np.array([0.0, error]))
    assert sharpness(Answer((shift,), shift.now.result, sharp, True, 0.1)) == said


def test_methods_are_said_in_words() -> None:
    law = titanic_models()[1]
    assert found_by(depnet.query(law, "sex")) == "Found by adding up all cases, without any error of chance."
    drawn = depnet.query(law, "sex", {"survived": "Yes"}, method="sample", tolerance=0.05)
    assert "draws of the model, weighted by what is known" in found_by(drawn)
    chains = depnet.query(titanic_models()[0], ["sex", "age"], method="sample", tolerance=0.05)
    assert "of draws in which what is known stays as it is" in found_by(chains)
