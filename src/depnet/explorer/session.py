"""One reader's open page: its model, its parameters, and its work, which ends when the page is closed."""

import asyncio
import functools
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlencode

from nicegui import Client, background_tasks, ui

from depnet.explorer.loaded import Loaded, Shelf
from depnet.explorer.turns import Turns

P = ParamSpec("P")
T = TypeVar("T")

WORKERS = max(2, os.cpu_count() or 2)
"""Questions that are worked on at once, of all readers together; others wait their turn."""

_turns = Turns(WORKERS)


class Stop:
    """Has the reader stopped a piece of work, or left? What works in a thread asks `stop()` now and then."""

    def __init__(self, left: threading.Event) -> None:
        self._left, self._pressed = left, threading.Event()

    def press(self) -> None:
        """The reader has stopped it."""
        self._pressed.set()

    @property
    def pressed(self) -> bool:
        """Has the reader stopped it?"""
        return self._pressed.is_set()

    def __call__(self) -> bool:
        """Should the work end?"""
        return self.pressed or self._left.is_set()


class Session:
    """What belongs to one open page, and to nobody else."""

    def __init__(
        self,
        shelf: Shelf,
        key: str | None,
        client: Client,
        parameters: Sequence[tuple[str, str]] = (),
        dark: bool = False,
        hides: bool = False,
    ) -> None:
        self.shelf, self.key, self.client = shelf, key, client
        self.parameters = tuple(parameters)
        """The query of the address, in its order: `/ask?sex=female` is (("sex", "female"),)."""
        self.dark = dark
        self.hides = hides and key is None
        """Are rows of the table and counts of few of them hidden? A table that a reader has dropped is the reader's own."""
        self.closed = threading.Event()
        """Set when the page is gone."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._themed: list[Callable[[bool], Any]] = []
        client.on_delete(self.close)

    @property
    def model(self) -> Loaded | None:
        """The model of this page, where there is one."""
        return self.shelf.get(self.key)

    @property
    def loaded(self) -> Loaded:
        """The model of this page; only views that need one are built with it."""
        loaded = self.model
        if loaded is None:
            raise LookupError("this page has no model.")
        return loaded

    def parameter(self, name: str, default: str = "") -> str:
        """The first parameter of that name."""
        return next((value for key, value in self.parameters if key == name), default)

    def url(self, path: str, parameters: Iterable[tuple[str, str]] = (), key: str | None = None) -> str:
        """The address of a view of this page's model (or of the one under `key`) in a given state."""
        key = self.key if key is None else key
        query = urlencode(list(parameters))
        return ("" if key is None else f"/m/{key}") + path + (f"?{query}" if query else "")

    def show_url(self, path: str, parameters: Iterable[tuple[str, str]] = ()) -> None:
        """Put the address of the present state into the address bar, without loading anything."""
        ui.navigate.history.replace(self.url(path, parameters))

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[Any]:
        """Go on with `work` beside the page, and stop when the page is closed."""
        task = background_tasks.create(self._beside(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _beside(self, work: Awaitable[None]) -> None:
        with self.client:
            await work

    async def work(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What takes longer than a moment, in a thread; the library's own bounds end it."""
        return await _turns.work(functools.partial(function, *args, **kwargs))

    def stop(self) -> Stop:
        """What ends a piece of this page's work."""
        return Stop(self.closed)

    def on_theme(self, callback: Callable[[bool], Any]) -> None:
        """Call with True when the page turns dark, with False when it turns light."""
        self._themed.append(callback)

    def set_dark(self, dark: bool) -> None:
        """The page is dark now, or light."""
        if dark != self.dark:
            self.dark = dark
            for callback in self._themed:
                callback(dark)

    def close(self) -> None:
        """The page is gone: so is its work."""
        self.closed.set()
        for task in list(self._tasks):
            task.cancel()
