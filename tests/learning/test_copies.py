"""Columns that repeat each other are found, and drawn together."""

import numpy as np
import pandas as pd
import pytest

import depnet
from depnet.learning.auto import copies_of


def people(exceptions: float = 0.0, states: int = 60, rows: int = 3000) -> pd.DataFrame:
    """A code, the name of that code but for some exceptions, the region of the code, and a number."""
    rng = np.random.default_rng(1)
    code = rng.choice(states, rows, p=rng.dirichlet(np.ones(states)))
    name = np.where(rng.random(rows) < exceptions, rng.integers(0, states, rows), code * 7 % states)
    region = rng.integers(0, 9, states)[code]
    return pd.DataFrame(
        {
            "opid": [f"OP{c:04d}" for c in code],
            "operator": [f"name {n}" for n in name],
            "region": [f"R{r}" for r in region],
            "age": rng.normal(40, 10, rows).round(),
        }
    )


def test_a_copy_is_found_said_and_kept_in_drawn_rows() -> None:
    frame = people()
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    (copy,) = model.copies_
    assert {copy.column, copy.of} == {"opid", "operator"}
    assert str(copy) == f"{copy.column} repeats {copy.of}"
    drawn = model.sample(20_000)
    names = frame.drop_duplicates("opid").set_index("opid")
    assert (drawn["operator"] == names["operator"].reindex(drawn["opid"]).to_numpy()).mean() >= 0.999
    assert (drawn["region"] == names["region"].reindex(drawn["opid"]).to_numpy()).mean() >= 0.99
    known = model.query("operator", {"opid": frame["opid"][0]})
    assert known.combined.max() > 0.999
    assert copies_of(model.network_) == (), "the paper's network keeps its penalty"


@pytest.mark.parametrize(("exceptions", "found"), [(0.002, 1), (0.2, 0)])
def test_few_exceptions_are_exceptions_and_many_are_not(exceptions: float, found: int) -> None:
    frame = people(exceptions)
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    assert len(model.copies_) == found


def test_columns_that_are_independent_are_no_copies() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.integers(0, 40, 2000).astype(str) for name in "ab"})
    model = depnet.DependencyNetwork(random_state=0).fit(frame)
    assert model.copies_ == ()
    assert model.law_ is not None
    assert [node.inputs for node in model.law_.nodes] == [(), ()]
