"""Ctrl-C, pressed while a test is at work."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class CtrlC:
    """Sends SIGINT some time after `begin`, and again every five seconds until `end`.

    Again, so that no test waits for ever: Python drops one that arrives while a destructor or a callback of the garbage
    collector runs (Hypothesis has such a callback).
    """

    def __init__(self, after: float) -> None:
        self.pressed: list[float] = []
        self._after = after
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._press, daemon=True)

    def begin(self) -> None:
        if not self._thread.is_alive() and not self.pressed:
            self._thread.start()

    def end(self) -> None:
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    @property
    def since(self) -> float:
        """Seconds since it was pressed first: were it the last time, no test that waits longer than that could fail."""
        return time.monotonic() - self.pressed[0]

    def _press(self) -> None:
        pause, main = self._after, threading.main_thread().ident
        assert main is not None
        while not self._over.wait(pause):
            self.pressed.append(time.monotonic())
            # To the main thread, as a terminal's is: one that came to this thread would not wake it where it waits.
            signal.pthread_kill(main, signal.SIGINT)
            pause = 5.0


@contextmanager
def ctrl_c(after: float) -> Iterator[CtrlC]:
    """A `CtrlC` that is heard, whatever handler another test has left."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    pressing = CtrlC(after)
    try:
        yield pressing
    finally:
        pressing.end()
        signal.signal(signal.SIGINT, before)
