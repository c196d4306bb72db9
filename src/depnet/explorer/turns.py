"""Work in threads, a few at once and the rest in turn; no thread keeps the server from stopping."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Turns:
    """At most `most` threads.

    A turn ends with its work, not with whoever waited for it: a reader who closes the page and opens it again does not
    get a second thread. Threads are daemons, so that Ctrl+C does not wait for the last question, as it would for those
    of an executor or of anyio.
    """

    def __init__(self, most: int) -> None:
        self._left = most
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()

    async def work(self, function: Callable[[], T]) -> T:
        """What `function` returns or raises, once it had its turn; one that nobody waits for any more is skipped."""
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
