"""A teacher of words: an order of states found from the rows, and rows drawn from them."""

from dataclasses import replace

import numpy as np
import pytest

from depnet import Dataset, Domain
from depnet.data import Variable
from depnet.fitting.fit import FitOptions, fit_law
from depnet.learning import distil as teachers
from depnet.learning import limits
from depnet.learning.boost import BoostRows, NodeGrower, all_tests, tree_of
from depnet.learning.distil import Teacher, in_places, learn_teacher, state_places
from depnet.learning.words import Word
from depnet.model.score import score
from depnet.model.stages import UNIT
from depnet.threads import Work
from tests.narrowed import there

TOWNS = 40


def towns(rows: int, seed: int) -> Dataset:
    """Towns whose place on a hidden line tells of two numbers; their names say nothing of it."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, TOWNS, rows)
    place = np.random.default_rng(99).permutation(TOWNS)[town] / TOWNS
    cells = [np.digitize(place + rng.normal(0, 0.2, rows), np.linspace(0.1, 0.9, 7)) for _ in range(2)]
    names = tuple(f"town {k}" for k in range(TOWNS))
    domain = Domain((Variable("town", names), *(Variable(name, tuple(range(8))) for name in "ab")))
    return Dataset.from_codes(np.column_stack([town, *cells]).astype(np.uint8), domain=domain)


ROWS, HELD = towns(3000, 0), towns(3000, 1)


@pytest.fixture(scope="module")
def taught() -> Teacher:
    order = ["a", "b", "town"]
    law = fit_law(ROWS, FitOptions(order=order, distil=False))
    return learn_teacher(ROWS, law, [(ROWS, HELD, law)], {0: (1, 2), 2: (1,)}, Work())[0]


def test_like_states_are_neighbours() -> None:
    places = state_places(ROWS)
    hidden = np.random.default_rng(99).permutation(TOWNS)
    assert abs(np.corrcoef(places[0], hidden)[0, 1]) > 0.95
    assert sorted(places[0]) == list(range(TOWNS))
    assert places[1].tolist() == list(range(8))  # a number has its own order


def test_missing_values_stay_the_last_place() -> None:
    domain = Domain((Variable("x", ("a", "b", "c", "?"), missing="?"), Variable("y", (0, 1))))
    rows = Dataset.from_codes([[0, 0], [2, 0], [1, 1], [3, 1]] * 9, domain=domain)
    placed = in_places(rows, state_places(rows))
    assert state_places(rows)[0][3] == 3
    assert placed.domain.variables[0].has_cuts
    assert placed.domain.variables[0].missing == placed.domain.variables[0].states[3]


def test_a_word_is_the_boosted_node_of_its_stages() -> None:
    rows = BoostRows.of(in_places(ROWS, state_places(ROWS)), all_tests(in_places(ROWS, state_places(ROWS))))
    grower = NodeGrower(rows, 0, tree_of(rows, 0), (1, 2))
    grown = there(grower.grow(replace(teachers.TEACHER, stages=5)))
    word, node = Word.of(grower, grown), grower.node(grown)
    assert word.log_theta(rows.dataset) == pytest.approx(node.log_theta(rows.dataset), abs=1e-12)
    many = np.asfortranarray(np.repeat(rows.dataset.codes[:1], 20_000, axis=0))
    drawn = word.draw(many, np.random.default_rng(0))
    shares, theta = np.bincount(drawn, minlength=TOWNS) / len(drawn), node.probabilities(many[:1])[0]
    assert 0.5 * np.abs(shares - theta).sum() < 0.03
    assert 0.5 * np.abs(shares - np.roll(theta, 1)).sum() > 0.03


def test_draws_are_those_of_any_number_of_threads(taught: Teacher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teachers, "BLOCK", 500)
    once, again = taught.draw(3000, 1), taught.draw(3000, 3)
    np.testing.assert_array_equal(once, again)
    assert not np.array_equal(once[:500], once[500:1000])


def test_rows_are_drawn_in_the_states_of_the_table(taught: Teacher) -> None:
    assert 0 in taught.words
    drawn = Dataset.from_codes(taught.draw(30_000, 1), domain=ROWS.domain)
    for i in (1, 2):
        theirs, ours = (
            np.histogram2d(rows.column(0), rows.column(i), bins=(TOWNS, 8))[0] for rows in (drawn, HELD)
        )
        assert 0.5 * np.abs(theirs / theirs.sum() - ours / ours.sum()).sum() < 0.2
        shuffled = theirs[np.random.default_rng(5).permutation(TOWNS)]
        assert 0.5 * np.abs(shuffled / shuffled.sum() - ours / ours.sum()).sum() > 0.3


def test_cuts_tell_neighbours_apart(taught: Teacher) -> None:
    found = taught.cuts(ROWS)
    assert {cut.variable for cut in found} == {0}
    assert 5 < len(found) <= teachers.PLACE_CUTS
    for cut in found:
        own = np.sort(taught.places[0][cut.told])
        assert own.tolist() in (list(range(len(own))), list(range(TOWNS - len(own), TOWNS)))


def test_of_many_rows_a_teacher_learns_from_some_whatever_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "TEACHER_ROWS", 500)
    shuffled = Dataset.from_codes(ROWS.codes[::-1], domain=ROWS.domain)
    law = fit_law(towns(200, 2), FitOptions(order=["a", "b", "town"], distil=False))
    both, inputs = (ROWS, shuffled), {0: (1, 2)}
    found = [learn_teacher(rows, law, [(rows, HELD, law)], inputs, Work())[0] for rows in both]
    first, second = (each.words[0].bases[0] for each in found)
    np.testing.assert_array_equal(first, second)
    counts = np.bincount(found[0].places[0][ROWS.column(0)], minlength=TOWNS)
    low, middle, high = (int(each[0]) for each in found[0].words[0].tree.arrays)
    whole = np.log((counts[middle:high].sum() + 0.5) / (counts[low:middle].sum() + 0.5))
    assert first[0] != round(whole / UNIT)  # of 500 of the 3,000
    np.testing.assert_array_equal(found[0].draw(200, 1), found[1].draw(200, 1))


def test_a_category_of_many_states_is_taught() -> None:
    law, alone = (fit_law(ROWS, FitOptions(order=["a", "b", "town"], distil=each)) for each in (True, False))
    assert law.nodes[0].table.prior is not None
    assert score(law, HELD) > score(alone, HELD) + 0.03
