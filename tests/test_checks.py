"""Arguments: the plain value, or an error of the caller's class that names it; work in threads; the name that was meant."""

import math
import threading
from typing import Any

import numpy as np
import pytest

from depnet.errors import DataError, LearningError, SamplingError, checked_seconds, whole_number
from depnet.threads import cores, jobs_of, results_in_threads, threads_of
from depnet.wording import nearest
from tests.refusals import refuses


def test_whole_numbers() -> None:
    assert type(whole_number("rows", np.int8(3), at_least=0)) is int
    for wrong in (True, 2.0, "3", None, -1):
        with pytest.raises(DataError, match=f"rows is a whole number of at least 0; got {wrong!r}"):
            whole_number("rows", wrong, at_least=0, error=DataError)


def test_seconds() -> None:
    assert (checked_seconds(None), checked_seconds(2), checked_seconds(math.inf)) == (None, 2.0, None)
    assert checked_seconds(0, zero=True) == 0
    wrongs: list[Any] = [True, -1, "1", math.nan, 0]
    for wrong in wrongs:
        refuses(SamplingError, "max_seconds is a positive number of seconds, or None", checked_seconds, wrong)
    for wrong in wrongs[:-1]:
        with pytest.raises(LearningError, match="max_seconds is a number of seconds of at least 0, or None"):
            checked_seconds(wrong, zero=True, error=LearningError)


def test_threads() -> None:
    assert (jobs_of(None), jobs_of(3), jobs_of(-1)) == (1, 3, cores())
    refuses(SamplingError, "n_jobs is a whole number of at least 1; got 0", jobs_of, 0)


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

    refuses(RuntimeError, "the first", results_in_threads, work, range(50), 2, stop=stopped.set)
    assert len(begun) < 50


def test_one_thread_is_one() -> None:
    assert threads_of(1) == 1
    assert threads_of(2) == 2


def test_nearest_names() -> None:
    assert nearest("a", ["b"]) == "There is: 'b'."
    assert nearest("q", map(str, range(1000))).endswith("and 995 more.")
    assert nearest("name 9999", [f"name {i}" for i in range(10_000)]) == "Did you mean 'name 9999'?"
