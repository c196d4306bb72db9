"""The law of a number, and its mean by fits without a part of the rows each, whatever the order of rows and the threads."""

import numpy as np
import pytest

from depnet import Boost, Dataset, Domain, Variable
from depnet.arrays import FloatArray
from depnet.fitting.fit import FitOptions
from depnet.fitting.number import ResidualLaw, cross_fitted_mean, number_law, parts_of
from depnet.learning import limits
from depnet.threads import Work

DOMAIN = Domain(tuple(Variable(name, tuple(range(8))) for name in "ab"))


def claims(n: int, seed: int) -> tuple[Dataset, FloatArray]:
    """Mostly nothing; where there is something, more with b."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, (n, 2)).astype(np.uint8)
    some = rng.random(n) < 0.1 + 0.08 * codes[:, 0]
    return Dataset.from_codes(codes, domain=DOMAIN), some * (100.0 + 20.0 * codes[:, 1] + rng.normal(0, 5, n))


@pytest.fixture(scope="module")
def law() -> ResidualLaw:
    rows, numbers = claims(600, 0)
    options = FitOptions(boost=Boost(stages=40, leaves=4))
    return number_law(rows, numbers, options, np.random.default_rng(0))


def test_heaps_keep_bins_of_their_own(law: ResidualLaw) -> None:
    """P(y <= 0), which is that of nothing: the law has atoms at 0, and its shares are near the truth."""
    assert not law.located
    rows, _ = claims(400, 1)
    nothing = law.below(rows.codes, [1e-9])[:, 0]
    truth = 0.9 - 0.08 * rows.codes[:, 0]
    error, constant = np.abs(nothing - truth).mean(), np.abs(truth.mean() - truth).mean()
    assert error < 0.6 * constant
    assert (law.quantiles(rows.codes, [0.01]) == 0.0).all()


def test_quantiles_and_shares_below_them_are_of_one_law(law: ResidualLaw) -> None:
    rows, _ = claims(50, 2)
    quantiles = law.quantiles(rows.codes, [0.2, 0.5, 0.9])
    assert (np.diff(quantiles, axis=1) >= 0).all()
    for r in range(50):
        below = law.below(rows.codes[r : r + 1], quantiles[r].tolist())[0]
        until = law.below(rows.codes[r : r + 1], (quantiles[r] + 1e-6).tolist())[0]
        assert (below <= np.array([0.2, 0.5, 0.9]) + 1e-9).all()
        assert (until >= np.array([0.2, 0.5, 0.9]) - 1e-9).all()


INPUTS = Domain(tuple(Variable(name, tuple(range(12))) for name in "ab"))


def rows(n: int = 200) -> tuple[np.ndarray, FloatArray]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 12, (n, 2)).astype(np.uint8)
    return codes, np.where(codes[:, 0] > 5, 10.0, 0.0) + rng.normal(size=n)


def test_parts_are_alike() -> None:
    part = parts_of(103)
    assert sorted(np.bincount(part).tolist()) == [20, 20, 21, 21, 21]
    assert all(
        sorted(part[k : k + limits.PARTS]) == list(range(limits.PARTS)) for k in range(0, 100, limits.PARTS)
    )


def test_the_order_of_rows_and_threads_do_not_matter() -> None:
    codes, numbers = rows()
    turned = np.random.default_rng(1).permutation(len(numbers))
    one = cross_fitted_mean(INPUTS, codes, numbers)
    other = cross_fitted_mean(INPUTS, codes[turned], numbers[turned], Work(threads=2))
    assert np.array_equal(one.unseen[turned], other.unseen)
    assert np.array_equal(one.means(codes), other.means(codes))


def test_rows_are_predicted_by_a_fit_without_them() -> None:
    """An odd number moves the mean of its row by fits that have seen it, and not its own."""
    codes, numbers = rows()
    found = cross_fitted_mean(INPUTS, codes, numbers)
    odd = int(np.argmax(numbers))  # the last in the order of numbers before and after
    numbers[odd] += 1000.0
    again = cross_fitted_mean(INPUTS, codes, numbers)
    assert found.unseen[odd] == pytest.approx(10.0, abs=1.5)
    assert again.unseen[odd] == pytest.approx(10.0, abs=3.0)
    assert again.means(codes[[odd]])[0] > 15.0
    assert np.array_equal(found.means(codes), np.mean([fit.means(codes) for fit in found.fits], axis=0))


def test_lines_many_categories_and_holes_are_found() -> None:
    """More categories than boosting takes one by one, a line, and a hole that says something: without the label an R2 of
    0.76 would be the most, and without the hole or the line less."""
    rng = np.random.default_rng(1)
    number = Variable("number", (*range(20), "gone"), missing="gone")
    domain = Domain((number, Variable("label", tuple(f"s{k}" for k in range(300)))))
    codes = np.stack([rng.integers(0, 21, 3000), rng.integers(0, 300, 3000) ** 2 // 300], axis=1).astype(
        np.uint16
    )
    truth = np.where(codes[:, 0] == 20, 30.0, codes[:, 0]) + np.where(codes[:, 1] % 2, 8.0, 0.0)
    found = cross_fitted_mean(domain, codes, truth + rng.normal(size=3000))
    assert 1 - ((found.unseen - truth) ** 2).mean() / truth.var() > 0.85


def test_few_rows_and_one_value_have_a_constant_mean() -> None:
    codes, numbers = rows(8)
    assert cross_fitted_mean(INPUTS, codes, numbers).means(codes).tolist() == [numbers.mean()] * 8
    codes, _ = rows(40)
    assert cross_fitted_mean(INPUTS, codes, np.full(40, 7.0)).unseen.tolist() == [7.0] * 40


def test_no_time_is_a_mean_all_the_same() -> None:
    codes, numbers = rows()
    assert np.isfinite(cross_fitted_mean(INPUTS, codes, numbers, Work.of(max_seconds=0.0)).means(codes)).all()
