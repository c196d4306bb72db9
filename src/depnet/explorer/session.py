"""One reader's open page: its model, its parameters, and its work, which ends with the view that it is for.

All views are one page with one socket (`frame`): a link, Back or Forward leads to another view without loading anything.
"""

import asyncio
import functools
import json
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from nicegui import Client, background_tasks, ui

from depnet.data import Domain
from depnet.explorer.loaded import Loaded, Shelf
from depnet.explorer.state import State, read

P = ParamSpec("P")
T = TypeVar("T")

WORKERS = max(2, os.cpu_count() or 2)
"""Questions that are worked on at once, of all readers together; others wait their turn."""

MOST_ADDRESS = 8000
"""Signs of an address; a browser takes more, but servers between may not. What is longer leaves out what is known."""


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


_workers = Workers(WORKERS)


class Stop:
    """Whether the reader has stopped some work, or left; work in a thread calls `stop()` now and then."""

    def __init__(self, left: threading.Event) -> None:
        self._left, self._pressed = left, threading.Event()

    def press(self) -> None:
        self._pressed.set()

    @property
    def pressed(self) -> bool:
        return self._pressed.is_set()

    def __call__(self) -> bool:
        return self.pressed or self._left.is_set()


class Latest:
    """The latest of a view's questions: whoever begins another one drops it."""

    def __init__(self, session: "Session") -> None:
        self._session, self.stop = session, session.stop()
        self._task: asyncio.Task[Any] | None = None

    def drop(self) -> None:
        self.stop.press()
        if self._task is not None:
            self._task.cancel()

    def begin(self, work: Callable[[Stop], Coroutine[Any, Any, None]]) -> None:
        """Drop the older question, and go on with `work(stop)` beside the page."""
        self.drop()
        self.stop = self._session.stop()
        self._task = self._session.spawn(work(self.stop))


def root_of(key: str | None) -> str:
    """What the addresses of a model begin with, by its key on the shelf."""
    return "" if key is None else f"/m/{key}"


class Session:
    """What belongs to one open page, and to nobody else."""

    def __init__(
        self,
        shelf: Shelf,
        key: str | None,
        client: Client,
        parameters: Sequence[tuple[str, str]] = (),
        path: str = "/",
    ) -> None:
        self.shelf, self.key, self.client = shelf, key, client
        found = read(self._domain, parameters)
        self.state = found.state
        """What the reader looks at; `change` puts another in its place."""
        self.problems = found.problems
        """What was not understood of the address."""
        self.path = path
        """The open view's."""
        self.finding: Callable[[], Any] | None = None
        """What the open view shows, as a `Finding`, or None while it has nothing to show (`share`)."""
        self.closed = threading.Event()
        """Set when the open view is left, or the page is gone."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._told: list[Callable[[State], Any]] = []
        self._told_always: list[Callable[[State], Any]] = []
        client.on_delete(self.close)

    @property
    def model(self) -> Loaded | None:
        return self.shelf.get(self.key)

    @property
    def loaded(self) -> Loaded:
        """The model of this page; only views that need one are built with it."""
        loaded = self.model
        if loaded is None:
            raise LookupError("this page has no model.")
        return loaded

    @property
    def _domain(self) -> Domain | None:
        return None if self.model is None else self.model.domain

    def own(self, name: str, default: str = "") -> str:
        return self.state.own.get(name, default)

    def url(self, path: str, state: State | None = None, key: str | None = None) -> str:
        """The address of a view of this page's model, in this state: without one, in the present one.

        Parameters that another view has for itself stay behind. Of the model under another `key` it is the empty state.
        """
        if state is None:
            state = self.state if key is None else State()
            state = state if path == self.path else replace(state, own={})
        key = self.key if key is None else key
        query = urlencode(state.parameters())
        return root_of(key) + path + (f"?{query}" if query else "")

    def change(self, *, push: bool = True, **parts: Any) -> None:
        """Another state: `change(known={...})`, `change(target="sex")`, `change(own={"page": "2"})`.

        All who listen (`on_change`) show it. It comes into the address, so that a link opens it; the browser's Back leads
        to the state before, unless not `push`ed, as by a slider that is being drawn.
        """
        state = replace(self.state, **parts)
        if state == self.state:
            return
        self.state = state
        address = self.url(self.path, state)
        if len(address) > MOST_ADDRESS:
            address = self.url(self.path, replace(state, known={}))
        if len(address) > MOST_ADDRESS:  # what a view has for itself may be long, too
            address = self.url(self.path, replace(state, known={}, own={}))
        ui.run_javascript(f"window.depnetAddress({json.dumps(address)}, {json.dumps(push)})")
        self._tell()

    def set_own(self, push: bool = True, **values: str | None) -> None:
        own = {name: value for name, value in {**self.state.own, **values}.items() if value is not None}
        self.change(push=push, own=own)

    def went_to(self, address: str) -> None:
        """The browser is at an address of this page, by a link, Back or Forward; another view begins anew."""
        at = urlsplit(address)
        path = at.path.removeprefix(root_of(self.key)) or "/"
        found = read(self._domain, parse_qsl(at.query, keep_blank_values=True))
        if path != self.path:
            self.close()
            self.closed = threading.Event()
            self._told.clear()
        elif found.state == self.state:
            return
        self.path, self.state, self.problems = path, found.state, found.problems
        self._tell()

    def on_change(self, callback: Callable[[State], Any], *, always: bool = False) -> None:
        """Tell of each new state: until the view is left, or `always`."""
        (self._told_always if always else self._told).append(callback)

    def _tell(self) -> None:
        for callback in [*self._told_always, *self._told]:
            callback(self.state)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[Any]:
        """Go on with `work` beside the page, and stop when the view is left."""
        task = background_tasks.create(self._beside(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _beside(self, work: Awaitable[None]) -> None:
        with self.client:
            await work

    async def work(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What takes longer than a moment, in a thread; the library's own bounds end it.

        It is cancelled for whoever asked in a view that was left meanwhile.
        """
        asked_in = self.closed
        try:
            return await _workers.run(functools.partial(function, *args, **kwargs))
        finally:
            if asked_in.is_set():
                raise asyncio.CancelledError

    def stop(self) -> Stop:
        return Stop(self.closed)

    def close(self) -> None:
        self.closed.set()
        for task in list(self._tasks):
            task.cancel()
