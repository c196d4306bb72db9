"""A warning shows the user's own line, not one of depnet's."""

from collections.abc import Callable

import pandas as pd
import pytest

import depnet

NAMES = pd.DataFrame({"name": [f"n{k}" for k in range(300)], "a": [1, 2, 3] * 100})
CAUSES = pd.DataFrame({"dead": ["yes", "no"] * 150, "cause": ["heart", None, "lung", None] * 75})


@pytest.mark.parametrize(
    "call",
    [
        lambda: depnet.DependencyNetwork().fit(NAMES),
        lambda: depnet.DependencyNetworkClassifier().fit(NAMES, NAMES["a"] > 1),
        lambda: depnet.Dataset.from_frame(NAMES),
        lambda: depnet.DependencyNetwork(random_state=0).fit(CAUSES).impute(CAUSES),
    ],
    ids=["fit", "classifier", "dataset", "impute"],
)
def test_a_warning_shows_the_line_of_the_user(call: Callable[[], object]) -> None:
    with pytest.warns(UserWarning, match="left") as said:
        call()
    assert {one.filename for one in said} == {__file__}
