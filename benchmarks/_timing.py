"""CPU seconds of a call, and of a command in a process of its own."""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeVar

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What `work` gives, and the CPU seconds of this process that it took."""
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def cpu_seconds() -> float:
    """CPU seconds of this process up to now, and of those that it started and that have ended."""
    return sum(os.times()[:4])


def least_seconds(work: Callable[[], object], times: int) -> float:
    """The least CPU seconds of several runs."""
    return min(timed(work)[1] for _ in range(times))


def command_seconds(command: Sequence[str], times: int) -> tuple[float, float]:
    """(CPU seconds, wall-clock seconds) of the process, medians."""
    cpu, wall = [], []
    for _ in range(times):
        before, begun = os.times(), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        wall.append(time.perf_counter() - begun)
        after = os.times()
        cpu.append(
            after.children_user + after.children_system - before.children_user - before.children_system
        )
    return median(cpu), median(wall)
