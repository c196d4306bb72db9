"""Progress bars: on a terminal only, and on standard error, so that they never are in the answer."""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from depnet.cli.layout import fold
from depnet.wording import printable

WIDTH_OF_A_BAR = 40
SECONDS_BETWEEN = 0.2


class Told(Protocol):
    """Called with what is done, of how much, and what goes on now, where that changes."""

    def __call__(self, done: int, total: int, now: str | None = None, /) -> None:
        """Note it; the bar is drawn by a thread."""


@contextmanager
def progress(what: str) -> Iterator[Told | None]:
    """A callback told(done, total) behind which a bar is drawn, with the time that has passed; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    state: tuple[int, int | None, str] = (0, None, what)

    def told(done: int, total: int, now: str | None = None, /) -> None:
        nonlocal state
        state = (done, total, now if now is not None else state[2])

    began, ended = time.monotonic(), threading.Event()

    def draw() -> None:
        while not ended.wait(SECONDS_BETWEEN):
            line = bar_line(*state, time.monotonic() - began)
            sys.stderr.write("\r" + fold(line, shutil.get_terminal_size().columns - 1)[0] + "\x1b[K")
            sys.stderr.flush()

    drawing = threading.Thread(target=draw, name="depnet-progress", daemon=True)
    drawing.start()
    try:
        yield told
    finally:
        ended.set()
        drawing.join()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def bar_line(done: int, total: int | None, what: str, seconds: float) -> str:
    """What is done as a line: the work, a bar, numbers, and minutes and seconds.

    >>> bar_line(1, 4, "learning", 61)[:24], bar_line(1, 4, "learning", 61)[-10:]
    ('learning ━━━━━━━━━━     ', ' 1/4  1:01')
    """
    filled = round(WIDTH_OF_A_BAR * min(done / total, 1)) if total else 0
    numbers = f"{done:,}/{total:,}" if total is not None else ""
    passed = f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
    return f"{printable(what)} {'━' * filled:{WIDTH_OF_A_BAR}} {numbers}  {passed}"
