"""Numbers drawn within bins: by the law of a leaf, from what bins keep, and within what is known."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from depnet.data import Bins, Domain, Variable, decode
from depnet.data.frames.within import PlaceTrees, Within
from depnet.data.table.columns import Layout
from depnet.model.evidence import narrow_domain
from tests.laws import assert_same_law
from tests.reference.within import leaf_law

BINS = Bins((0, 10, 20), (tuple(range(8)), (10, 11, 11, 15)), "integer")
DOMAIN = Domain((Variable("x", BINS.labels, BINS), Variable("sex", ("female", "male"))))


def trees(shares: list[list[int]]) -> Within:
    """In the first bin women have the first law, men the second; the second bin has no tree."""
    arrays = ([0, -1], [1, -1, -1], [0, 0, 0], [1, 0, 1], [each for law in shares for each in law])
    made = [np.array(each, dtype=np.int32) for each in arrays]
    return Within(DOMAIN, (1, 0), (PlaceTrees(0, *made),))


def only(place: int) -> list[int]:
    return [256 * (p == place) for p in range(8)]


cuts = st.lists(st.integers(0, 256), min_size=7, max_size=7).map(sorted)
laws = cuts.map(lambda ends: [b - a for a, b in itertools.pairwise([0, *ends, 256])])


@given(laws, st.integers(0, 7), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_places_are_drawn_by_the_law_of_their_leaf(shares: list[int], low: int, size: int, seed: int) -> None:
    """20,000 draws; a share is wrong by 0.03 with a probability of 2 exp(-2 20,000 0.03^2) = 3e-16."""
    high = min(low + size, 8)
    narrowed = narrow_domain(DOMAIN, {"x": slice(low, high)})
    codes = np.zeros((20_000, 2), dtype=np.int64)
    drawn = trees([shares, only(0)]).draw(codes, narrowed, np.random.default_rng(seed))[0]
    found = np.bincount(drawn, minlength=8)[low:high] / len(drawn)
    assert drawn.min() >= low
    assert drawn.max() < high
    expected = np.array(leaf_law(shares, 8)[low:high], dtype=np.float64)
    assert np.abs(found - expected / expected.sum()).max() < 0.03


def test_a_bin_without_a_tree_draws_all_that_it_keeps_alike() -> None:
    codes = np.ones((40_000, 2), dtype=np.int64)
    drawn = trees([only(0), only(0)]).draw(codes, DOMAIN, np.random.default_rng(0))[0]
    counts = np.array([(drawn == value).sum() for value in (10, 11, 15)])
    assert_same_law(counts, np.array([0.25, 0.5, 0.25]), detects_l1=0.07)


def test_leaves_are_of_the_states_of_a_row() -> None:
    codes = np.array([[0, 0], [0, 1]] * 500)
    drawn = trees([only(0), only(7)]).draw(codes, DOMAIN, np.random.default_rng(0))[0]
    # But for one draw in 1,024, which is the bin's own: more than 12 of 500 in a case in a million.
    assert (drawn[0::2] != 0).sum() <= 12
    assert (drawn[1::2] != 7).sum() <= 12


def test_what_is_known_of_a_number_may_be_several_ranges_or_none_that_is_kept() -> None:
    codes = np.zeros((500, 2), dtype=np.int64)
    even = trees([[32] * 8] * 2)
    rng = np.random.default_rng(0)
    either = narrow_domain(DOMAIN, {"x": [slice(0, 2), slice(6, 8)]})
    assert set(even.draw(codes, either, rng)[0].tolist()) == {0, 1, 6, 7}
    between = narrow_domain(DOMAIN, {"x": slice(8, 10)})
    assert set(even.draw(codes, between, rng)[0].tolist()) == {8}


def test_decoded_rows_have_the_numbers_and_holes_stay_holes() -> None:
    domain = Domain((DOMAIN.variables[0],))
    within = Within(domain, (0,), ())
    layout = Layout.of(domain, "dicts")
    made = decode([[0], [-1], [1]], domain, layout, rng=np.random.default_rng(0), within=within)
    assert [row["x"] is None for row in made] == [False, True, False]
    assert made[0]["x"] in range(8)
    assert made[2]["x"] in (10, 11, 15)
