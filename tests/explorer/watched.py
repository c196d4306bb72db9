"""`depnet explore` in a process that can be looked into: on SIGUSR1 it says how many pages are alive in it.

`python -m tests.explorer.watched LIMITS explore ...`: as `depnet explore`, with other limits.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import Client

from depnet.cli import main
from depnet.doors.deadlines import DeadlineProtocol
from depnet.explorer import app
from depnet.explorer.session import Session
from tests.explorer.browser import SECONDS, serving, wait_for

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Watched:
    """A running server: its address, its process, and all that it has said."""

    url: str
    process: "subprocess.Popen[bytes]"
    log: Path

    def resident(self) -> float:
        """MB of memory that it has now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def files(self) -> int:
        """The files and connections that it has open."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def said(self) -> str:
        return self.log.read_text()

    def alive(self) -> tuple[int, int]:
        """Its sessions and its framework's clients."""
        before = self.said().count("alive: ")
        self.process.send_signal(signal.SIGUSR1)
        wait_for(lambda: self.said().count("alive: ") > before and self.said().endswith("\n"))
        sessions, clients = map(int, self.said().rsplit("alive: ", 1)[1].split()[:2])
        return sessions, clients

    def wait_for_pages(self, most: int, seconds: float = SECONDS) -> None:
        """Until no more sessions, and no more clients, are alive.

        To count them takes the server's one thread half a second, and it is asked to let pages go meanwhile: between two
        looks it has four times as long for itself. Asked again at once, it would do nothing but count.
        """
        until = time.monotonic() + seconds
        while True:
            begun = time.monotonic()
            alive = self.alive()
            if max(alive) <= most:
                return
            assert begun < until, f"{alive} sessions and clients after {seconds} s, at most {most} should be"
            time.sleep(4 * (time.monotonic() - begun))


@contextmanager
def watched(arguments: Sequence[str | Path], folder: Path, **limits: float) -> Iterator[Watched]:
    """A server on a free port of this machine, with its log in a folder; limits of requests or of pages by their names."""
    log = folder / "log.txt"
    command = [sys.executable, "-m", "tests.explorer.watched", json.dumps(limits)]
    with serving(command, arguments, log, ROOT) as (url, process):
        yield Watched(url.rstrip("/"), process, log)


def _tell(*_: Any) -> None:
    gc.collect()
    sessions = sum(isinstance(thing, Session) for thing in gc.get_objects())
    os.write(1, f"alive: {sessions} {len(Client.instances)}\n".encode())


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _tell)
    for name, value in json.loads(sys.argv[1]).items():
        setattr(DeadlineProtocol if hasattr(DeadlineProtocol, name) else app, name, value)
    sys.argv = ["depnet", *sys.argv[2:]]
    main()
