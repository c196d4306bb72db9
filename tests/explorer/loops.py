"""An event loop of one's own: Playwright's is running in the tests' thread once a browser is open."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_apart(work: Callable[[], Coroutine[Any, Any, T]], seconds: float = 300) -> T:
    """`asyncio.run(work())` in a thread; what it returns or raises."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result(seconds)
