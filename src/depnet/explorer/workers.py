"""Work in a bounded number of threads, none of which keeps the server from stopping."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Workers:
    """At most `most` threads.

    A thread is busy until its work ends, not until whoever waited for it leaves: a reader who closes the page and opens it
    again does not get a second one. Threads are daemons, which those of the standard library's executor are not: Ctrl+C
    would wait for the last question.
    """

    def __init__(self, most: int) -> None:
        self._left = most
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()

    async def run(self, function: Callable[[], T]) -> T:
        """What `function` returns or raises, once a thread was free; one that nobody waits for any more is skipped."""
        answer: Future[T] = Future()
        self._waiting.put((answer, function))
        if self._left:
            self._left -= 1
            threading.Thread(target=self._serve, daemon=True, name="depnet-explorer").start()
        return await asyncio.wrap_future(answer)

    def _serve(self) -> None:
        while True:
            answer, function = self._waiting.get()
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(function())
                except BaseException as error:
                    answer.set_exception(error)
            del answer, function  # a thread that waits holds nothing of the last reader's
