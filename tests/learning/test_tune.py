"""The ladder as a table: the scores that penalty="auto" decides by."""

import numpy as np
import pytest

from depnet import Aic, Dataset, Mdl, learn, score, titanic, tune
from depnet.errors import LearningError
from depnet.learning.learn import learn_with_choice
from depnet.learning.options import LearnOptions
from depnet.learning.penalty import Auto
from depnet.learning.rows.some_rows import held_out
from tests.refusals import refuses

PEOPLE = titanic()


def test_every_cell_is_the_held_out_score_of_its_candidate() -> None:
    auto = Auto(penalties=(Mdl(), Aic()), smoothings=(1.0, 4.0), patience=9)
    found = tune(PEOPLE, auto=auto, smoothing=0.5)
    assert found.smoothings == (0.5, 2.0)
    parts = list(held_out(PEOPLE))
    assert found.held_out == sum(held.total for _, held in parts)
    for rung, penalty in enumerate(auto.penalties):
        leaves = []
        for s, smoothing in enumerate(found.smoothings):
            total = 0.0
            for rows, held in parts:
                network = learn(rows, penalty=penalty, smoothing=smoothing)
                total += score(network, held) * held.total
                leaves.append(sum(node.source.size for node in network.nodes))
            assert found.scores[rung, s] == pytest.approx(total / found.held_out, abs=1e-12)
        assert found.leaves[rung] == round(float(np.mean(leaves)))


def test_the_choice_is_that_of_auto() -> None:
    found = tune(PEOPLE, smoothing=0.5)
    _, choice = learn_with_choice(PEOPLE, LearnOptions(penalty=Auto(), smoothing=0.5))
    assert choice is not None
    assert found.choice.pooled == choice.pooled
    assert found.choice.penalties == choice.penalties
    rung, s = found.best
    assert (found.penalties[rung], found.smoothings[s]) == choice.pooled
    assert found.scores.max() == found.scores[rung, s]


def test_validation_rows_and_options_are_used() -> None:
    half = Dataset(PEOPLE.domain, PEOPLE.codes[::2])
    auto = Auto(penalties=(Mdl(),), smoothings=(1.0,))
    found = tune(PEOPLE, auto=auto, validation=half, roles={"survived": "target"}, max_leaves=3)
    expected = score(learn(PEOPLE, smoothing=0.5, roles={"survived": "target"}, max_leaves=3), half)
    assert found.scores[0, 0] == pytest.approx(expected, abs=1e-12)
    assert found.held_out == half.rows
    assert found.own == 0
    refuses(LearningError, "smoothing", tune, PEOPLE, smoothing=0.0)


def test_progress_never_passes_the_number_of_nodes() -> None:
    told: list[tuple[int, int]] = []
    tune(PEOPLE, auto=Auto(penalties=(Mdl(), Aic())), progress=lambda *done: told.append(done))
    assert told
    assert all(done <= total == 4 for done, total in told)
