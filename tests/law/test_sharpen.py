"""The loop that draws until an answer is good enough."""

import math

from depnet.law.sharpen import sharpen


def test_no_more_is_drawn_than_about_what_is_needed() -> None:
    drawn: list[int] = []
    assert sharpen(drawn.append, lambda: 1 / math.sqrt(sum(drawn)), 0.001, first=1000)
    assert 1_000_000 <= sum(drawn) <= 1_700_000
    assert all(more <= 3 * sum(drawn[:k]) for k, more in enumerate(drawn) if k)


def test_it_ends_at_the_most_or_where_it_is_over() -> None:
    drawn: list[int] = []
    assert not sharpen(drawn.append, lambda: math.inf, 0.1, first=10, most=1000)
    assert 1000 <= sum(drawn) <= 3000
    drawn.clear()
    assert not sharpen(drawn.append, lambda: 1.0, 0.1, first=10, over=lambda: len(drawn) == 3)
    assert len(drawn) == 3


def test_an_error_within_the_tolerance_ends_it_even_where_it_is_over() -> None:
    assert sharpen(lambda count: None, lambda: 0.0, 0.1, over=lambda: True)
