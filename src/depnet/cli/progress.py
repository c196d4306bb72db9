"""Progress bars: on a terminal only, and on standard error, so that they never are in the answer."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Told(Protocol):
    """Called with what is done, of how much, and what goes on now, where that changes."""

    def __call__(self, done: int, total: int, now: str | None = None, /) -> None:
        """Draw the bar."""


@contextmanager
def progress(what: str) -> Iterator[Told | None]:
    """A callback told(done, total) that draws a bar; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=None)

        def told(done: int, total: int, now: str | None = None, /) -> None:
            bars.update(task, completed=done, total=total, description=now)

        yield told
