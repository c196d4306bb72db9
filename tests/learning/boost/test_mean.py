"""Means by boosted stages: the native booster is its slow twin, and the same in any order of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depnet import Domain, Variable
from depnet._native import boost as native
from depnet.arrays import FloatArray
from depnet.learning.boost.linear import Design, ridge
from depnet.learning.boost.mean import MeanBoost, Scale, boosted_mean
from depnet.model.stages import Test as StageTest
from tests.reference import means as twin
from tests.strategies import seeds

FEW = MeanBoost(stages=40, leaves=4, rate=0.2, least_rows=5)


def grown(
    codes: np.ndarray,
    numbers: np.ndarray,
    inputs: list[twin.Input],
    wanted: twin.Settings,
    held: tuple[np.ndarray, np.ndarray] | None,
) -> twin.Grown:
    """By the native booster."""
    begin, leaf, variable, low, high, values, held_losses = native.boost_mean(
        np.asfortranarray(codes, dtype=np.uint16),
        numbers.astype(np.int32),
        list(inputs),
        native.MeanSettings(**wanted._asdict()),
        held_codes=None if held is None else np.asfortranarray(held[0], dtype=np.uint16),
        held_numbers=None if held is None else held[1].astype(np.int32),
        seconds=None,
        stop=native.Stop(),
    )
    splits = [
        (y, StageTest(j, a, b))
        for y, j, a, b in zip(leaf.tolist(), variable.tolist(), low.tolist(), high.tolist(), strict=True)
    ]
    return twin.Grown(begin.tolist(), splits, values.tolist(), held_losses.tolist())


@given(seeds, st.booleans())
@settings(max_examples=30)
def test_it_is_its_twin(seed: int, holds_out: bool) -> None:
    rng = np.random.default_rng(seed)
    inputs = [
        twin.Input(int(rng.integers(1, 5)), bool(rng.integers(2))) for _ in range(int(rng.integers(1, 4)))
    ]
    tables = []
    for rows in (int(rng.integers(1, 40)), 10):
        codes = np.stack([rng.integers(0, each.present + each.missing, rows) for each in inputs], axis=1)
        tables.append((codes, rng.integers(-3000, 3000, rows) + 2000 * codes[:, 0]))
    wanted = twin.Settings(
        stages=5,
        leaves=int(rng.integers(2, 6)),
        patience=2,
        rate=0.3,
        shrinkage=float(rng.integers(0, 3)),
        share=0.7,
        least_rows=int(rng.integers(1, 4)),
        seed=seed,
    )
    codes, numbers = tables[0]
    held = tables[1] if holds_out else None
    literal = twin.boost_mean(
        codes.tolist(),
        numbers.tolist(),
        inputs,
        wanted,
        None if held is None else (held[0].tolist(), held[1].tolist()),
    )
    assert grown(codes, numbers, inputs, wanted, held) == literal


DOMAIN = Domain((Variable("x", tuple(range(10))), Variable("kind", ("a", "b", "c", "d"))))


def rows(n: int = 300) -> tuple[np.ndarray, FloatArray]:
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 10, n), rng.integers(0, 4, n)], axis=1).astype(np.uint8)
    return codes, codes[:, 0] * np.where(codes[:, 1] % 2, 1.0, -1.0) + 0.1 * rng.normal(size=n)


def test_the_order_of_rows_does_not_matter() -> None:
    codes, numbers = rows()
    turned = np.random.default_rng(1).permutation(len(numbers))
    found = []
    for some in (np.arange(len(numbers)), turned):
        scale = Scale.of(numbers[some])
        stages = boosted_mean(DOMAIN, codes[some], scale.whole(numbers[some]), FEW, scale=scale)
        found.append(stages.means(codes))
    assert np.array_equal(found[0], found[1])


def test_categories_are_cut_by_their_means() -> None:
    """Two cuts tell kinds b and d from a and c, whose names lie between: one stage of two leaves begins with that."""
    codes, numbers = rows()
    scale = Scale.of(numbers)
    one = MeanBoost(stages=1, leaves=2, rate=1.0, share=1.0)
    said = boosted_mean(DOMAIN, codes, scale.whole(numbers), one, scale=scale).means(codes)
    odd = codes[:, 1] % 2 == 1
    assert len(np.unique(said)) == 2
    assert said[odd].min() > said[~odd].max()


def test_a_linear_start_is_least_squares() -> None:
    codes, _ = rows()
    numbers = 3.0 * codes[:, 0] + np.array([0.0, 5.0, -1.0, 2.0])[codes[:, 1]]
    scale = Scale.of(numbers)
    design = Design.of(DOMAIN, codes)
    z = design.columns(codes)
    effects = design.effects(ridge(z.T @ z, z.T @ scale.whole(numbers), 1e-6))
    assert scale.numbers(effects.sums(codes)) == pytest.approx(numbers, abs=1e-2)
    none = MeanBoost(stages=1, least_rows=1000)
    stages = boosted_mean(DOMAIN, codes, scale.whole(numbers), none, scale=scale, start=effects)
    assert len(stages.stages) == 0
    assert np.array_equal(stages.means(codes), scale.numbers(effects.sums(codes)))


def test_numbers_too_large_and_codes_too_high_are_refused() -> None:
    inputs, wanted = [twin.Input(2, False)], twin.Settings(1, 2, 1, 0.1, 1.0, 1.0, 1, 0)
    with pytest.raises(ValueError, match="2\\^25 or more"):
        grown(np.zeros((2, 1)), np.array([0, 2**25]), inputs, wanted, None)
    with pytest.raises(ValueError, match="above the last state"):
        grown(np.full((2, 1), 2), np.zeros(2), inputs, wanted, None)
