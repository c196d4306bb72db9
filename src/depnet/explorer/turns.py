"""Work in threads, so many at once and the rest in turn; none of them keeps the server from stopping."""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Turns:
    """At most `most` threads at a time.

    A turn ends with its thread, not with whoever waited for it: a reader who closes the page and opens it again does
    not get a second thread. Threads are daemons, so that Ctrl+C does not wait for the last question.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.running = 0
        self._waiting: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()

    async def work(self, function: Callable[[], T]) -> T:
        """What `function` returns or raises, once it had its turn; one that nobody waits for any more is skipped."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def told(set_it: Callable[[Any], None], value: Any) -> None:
            if not answer.done():
                set_it(value)

        def tell(set_it: Callable[[Any], None], value: Any) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens
                loop.call_soon_threadsafe(told, set_it, value)

        def turn() -> None:
            if not answer.cancelled():
                try:
                    tell(answer.set_result, function())
                except BaseException as error:
                    tell(answer.set_exception, error)

        self._enter(turn)
        return await answer

    def _enter(self, turn: Callable[[], None]) -> None:
        with self._lock:
            self._waiting.append(turn)
            if self.running == self.most:
                return
            self.running += 1
        threading.Thread(target=self._thread, daemon=True, name="depnet-explorer").start()

    def _thread(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self.running -= 1
                    return
                turn = self._waiting.popleft()
            turn()
