"""What a model is worth, in plain figures."""

import math
from dataclasses import replace

import numpy as np

from depnet import Dataset, learn, titanic
from depnet.fitting.summary import exact_figures, law_nearness, plain_figures
from depnet.model.marginals import HeldOut, MarginalCounts
from tests.narrowed import there


def test_bits_a_row_that_are_explained() -> None:
    network = learn(titanic())
    assert plain_figures(None) == plain_figures(network) == []
    bit = math.log(2)
    better = replace(network, held_out=HeldOut(rows=120, score=-3.0 * bit, independent=-5.0 * bit))
    said = "tested on 120 rows held back from learning: knowing the other columns removes 40 % of the uncertainty"
    assert plain_figures(better) == [said]
    assert exact_figures(better) == [
        "2.00 of the 5.00 bits a row that independent columns leave are explained"
    ]
    assert exact_figures(network) == exact_figures(None) == []
    worse = replace(network, held_out=HeldOut(rows=1, score=-5.5 * bit, independent=-5.0 * bit))
    (line,) = plain_figures(worse)
    assert line.startswith("tested on 1 row held back from learning: knowing the other columns does not help")


def test_how_near_drawn_rows_are() -> None:
    people = titanic()
    law = learn(people, smoothing=0.5, order="auto")
    assert law_nearness(law) is None
    near = there(law_nearness(law, people))
    assert near.rows == 20_000
    assert near.one_way < 3 * near.floor_one_way
    assert plain_figures(law, near) == [near.said]
    kept = there(law_nearness(replace(law, counts=MarginalCounts.of(people))))
    assert np.array_equal(kept.singles, near.singles)
    assert law_nearness(law, Dataset.from_codes(people.codes[:0], domain=people.domain)) is None
