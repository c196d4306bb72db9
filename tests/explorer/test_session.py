"""What belongs to one page and what to all: the session, the shelf, the workers."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest
from nicegui import Client

import depnet
from depnet.explorer.loaded import MOST_LEARNED, Loaded, Shelf
from depnet.explorer.session import Session, Workers
from depnet.explorer.state import State
from tests.explorer.browser import run_apart

MODEL = Loaded(depnet.learn(depnet.titanic()))


class NoClient:
    """A client that only remembers what to do when it goes."""

    def on_delete(self, handler: Callable[[], None]) -> None:
        self.go = handler


def session(shelf: Shelf, key: str | None = None, **options: Any) -> Session:
    return Session(shelf, key, cast("Client", NoClient()), **options)


def test_the_shelf_keeps_the_last_learned_models_apart() -> None:
    shelf = Shelf(MODEL)
    others = [Loaded(MODEL.network, name=str(k)) for k in range(MOST_LEARNED + 1)]
    keys = [shelf.keep(other) for other in others[:-1]]
    assert len(set(keys)) == MOST_LEARNED
    assert all(len(key) >= 16 for key in keys)
    assert shelf.get(keys[0]) is others[0]  # asked for, so it stays
    last = shelf.keep(others[-1])
    assert shelf.get(keys[1]) is None
    assert shelf.get(keys[0]) is others[0]
    assert shelf.get(last) is others[-1]
    assert shelf.get(None) is MODEL
    assert shelf.get("guessed") is None


def test_addresses_keep_the_model_and_any_text() -> None:
    shelf = Shelf(MODEL)
    key = shelf.keep(MODEL)
    own = session(shelf, key, parameters=[("sex", "female"), (".target", "age"), (".page", "2")])
    assert (
        own.url("/", State({"a&b": ("1=2",)}, own={"<x>": "ü"})) == f"/m/{key}/?a%26b=1%3D2&.%3Cx%3E=%C3%BC"
    )
    assert own.url("/") == f"/m/{key}/?sex=female&.target=age&.page=2"
    assert own.url("/rows") == f"/m/{key}/rows?sex=female&.target=age"
    assert session(shelf).url("/") == "/"
    assert session(shelf).url("/", key=key) == f"/m/{key}/"
    assert own.own("page") == "2"
    assert own.own("sort", "?") == "?"
    with pytest.raises(LookupError):
        _ = session(Shelf(None)).loaded


def test_a_page_that_is_gone_says_so_to_its_work() -> None:
    own = session(Shelf(MODEL))
    assert not own.closed.is_set()
    cast("NoClient", own.client).go()
    assert own.closed.is_set()


def test_another_view_ends_the_work_of_the_one_before() -> None:
    own, told = session(Shelf(MODEL)), []
    own.on_change(lambda state: told.append("view"))
    own.on_change(lambda state: told.append("frame"), always=True)
    before = own.stop()
    own.went_to("/?sex=male")  # Back in the same view
    own.went_to("/?sex=male")
    assert told == ["frame", "view"]
    assert not before()

    async def leave() -> None:
        work = asyncio.ensure_future(own.work(lambda: own.went_to("/rows?sex=male&.page=2&.target=agee")))
        await asyncio.wait([work])
        assert work.cancelled()  # nobody hears of it

    run_apart(leave)
    assert before()
    assert not own.stop()()
    assert told == ["frame", "view", "frame"]
    assert (own.path, own.state) == ("/rows", State({"sex": ("male",)}, own={"page": "2"}))
    assert len(own.problems) == 1


def test_work_is_done_in_workers() -> None:
    workers, running, most, lock = Workers(2), 0, 0, threading.Lock()
    begun, go = threading.Semaphore(0), threading.Event()

    def work(k: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        begun.release()
        assert go.wait(60)
        with lock:
            running -= 1
        return k

    async def main() -> None:
        tasks = [asyncio.create_task(workers.run(lambda k=k: work(k))) for k in range(6)]  # type: ignore[misc]
        for _ in range(2):
            assert await asyncio.to_thread(begun.acquire, timeout=60)
        tasks[0].cancel()  # its thread goes on, and so does its turn
        tasks[5].cancel()  # never had one
        await asyncio.wait([tasks[0], tasks[5]])
        assert running == 2
        go.set()
        assert await asyncio.gather(*tasks[1:5]) == [1, 2, 3, 4]
        assert [begun.acquire(blocking=False) for _ in range(4)] == [True] * 3 + [
            False
        ]  # the sixth never began

    run_apart(main)
    assert most == 2


def test_an_error_comes_to_whoever_asked() -> None:
    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await Workers(1).run(lambda: 1 // 0)

    run_apart(main)


SCRIPT = """
import os, time
from depnet import Network
from depnet.explorer import app
from depnet.explorer.loaded import Loaded

class Busy(Loaded):
    def warm(self):
        until = time.monotonic() + 1
        try:
            while time.monotonic() < until:
                tuple(k for k in range(3000))
        except SystemError:
            os._exit(1)
        os._exit(0)

app.serve(Busy(Network.from_joint([0.5, 0.5])), announce=lambda url: None, browse=False)
"""


def test_what_is_made_ready_is_not_disturbed_by_the_start() -> None:
    """As NiceGUI starts, it looks at all objects (`gc.get_objects`): a tuple that a thread makes then is not finished."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
