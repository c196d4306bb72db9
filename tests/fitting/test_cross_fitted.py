"""Means by fits without a part each: every row's is found without it, whatever the order of rows and the threads."""

import numpy as np

from depnet import Domain, Variable
from depnet.arrays import FloatArray
from depnet.fitting.cross_fitted import PARTS, cross_fitted_mean, parts_of
from depnet.learning.boost.mean import MeanBoost, Scale, boosted_mean

DOMAIN = Domain(tuple(Variable(name, tuple(range(12))) for name in "ab"))
QUICK = (MeanBoost(stages=60, rate=0.2, least_rows=5),)


def rows(n: int = 200) -> tuple[np.ndarray, FloatArray]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 12, (n, 2)).astype(np.uint8)
    return codes, np.where(codes[:, 0] > 5, 10.0, 0.0) + rng.normal(size=n)


def test_parts_are_alike() -> None:
    part = parts_of(103)
    assert sorted(np.bincount(part).tolist()) == [20, 20, 21, 21, 21]
    assert all(sorted(part[k : k + PARTS]) == list(range(PARTS)) for k in range(0, 100, PARTS))


def test_the_order_of_rows_and_threads_do_not_matter() -> None:
    codes, numbers = rows()
    turned = np.random.default_rng(1).permutation(len(numbers))
    one = cross_fitted_mean(DOMAIN, codes, numbers, candidates=QUICK)
    other = cross_fitted_mean(DOMAIN, codes[turned], numbers[turned], candidates=QUICK, n_jobs=2)
    assert np.array_equal(one.unseen[turned], other.unseen)
    assert np.array_equal(one.means(codes), other.means(codes))


def test_rows_are_predicted_by_a_fit_without_them() -> None:
    """Each fit again, by itself, from the rows of the other parts alone: it says the same of its own part."""
    codes, numbers = rows()
    found = cross_fitted_mean(DOMAIN, codes, numbers, candidates=QUICK)
    order = np.lexsort((codes[:, 1], codes[:, 0], numbers))
    scale = Scale.of(numbers)
    for k, fit in enumerate(found.fits):
        others, own = order[parts_of(len(order)) != k], order[parts_of(len(order)) == k]
        again = boosted_mean(
            DOMAIN,
            codes[others],
            scale.whole(numbers[others]),
            QUICK[0],
            scale=scale,
            start=fit.start,
            seed=k,
        )
        assert len(fit.stages) > 0
        assert np.array_equal(again.first(len(fit.stages)).means(codes[own]), found.unseen[own])
    assert np.array_equal(found.means(codes), np.mean([fit.means(codes) for fit in found.fits], axis=0))


def test_few_rows_and_one_value_have_a_constant_mean() -> None:
    codes, numbers = rows(8)
    assert cross_fitted_mean(DOMAIN, codes, numbers).means(codes).tolist() == [numbers.mean()] * 8
    codes, _ = rows(40)
    assert cross_fitted_mean(DOMAIN, codes, np.full(40, 7.0)).unseen.tolist() == [7.0] * 40


def test_no_time_is_a_mean_all_the_same() -> None:
    codes, numbers = rows()
    assert np.isfinite(cross_fitted_mean(DOMAIN, codes, numbers, max_seconds=0.0).means(codes)).all()
