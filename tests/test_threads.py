"""Work in threads: results in their order, and an end that nobody survives."""

import threading

import pytest

from depnet.threads import results_in_threads, threads_of


@pytest.mark.parametrize("threads", [1, 3])
def test_results_are_in_the_order_of_the_items(threads: int) -> None:
    told: list[int] = []
    found = results_in_threads(lambda x: x * x, range(20), threads, told=lambda: told.append(1))
    assert found == [x * x for x in range(20)]
    assert len(told) == 20


def test_after_a_failure_others_are_stopped_and_the_rest_is_not_begun() -> None:
    stopped, begun = threading.Event(), []

    def work(x: int) -> None:
        begun.append(x)
        if x == 0:
            raise RuntimeError("the first")
        assert stopped.wait(10), "it goes on until it is told to stop"

    with pytest.raises(RuntimeError, match="the first"):
        results_in_threads(work, range(50), 2, stop=stopped.set)
    assert len(begun) < 50


def test_one_thread_is_one() -> None:
    assert threads_of(1) == 1
    assert threads_of(2) == 2
