"""A server behind the guard: where it listens, how it is reached, and what bounds it. The page and the API have the same."""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from depnet.doors.deadlines import DeadlineProtocol
from depnet.doors.guard import MOST_HEAD, Address, Guard, is_this_machine

MOST_CONNECTIONS = 500
"""Open at once; a system lets a program have some 1,000 files."""

TOKEN = "DEPNET_TOKEN"
"""The variable of the environment that has a token, of a server that has to keep its own."""


def listen(host: str, port: int | None, usual: int = 8421) -> socket.socket:
    """A socket that listens; port None: the usual one, or a free one where that is taken."""
    for wanted in (usual, 0) if port is None else (port,):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, wanted))
            listener.listen(100)  # who asks before the application is there waits for it
        except OSError:
            listener.close()
            if wanted == 0 or port is not None:
                raise
        else:
            return listener
    raise AssertionError("a free port was found, or an error raised")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server is reached; `token` None: by this machine alone, which needs none."""

    host: str
    port: int
    token: str | None

    @classmethod
    def of(cls, host: str, listener: socket.socket) -> "Place":
        """With the token of the environment, or a fresh one, where others can reach it."""
        token = None if is_this_machine(host) else os.environ.get(TOKEN) or secrets.token_urlsafe(24)
        return cls(host, listener.getsockname()[1], token)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"

    def guard(self, app: ASGIApp, **options: Any) -> Guard:
        return Guard(app, Address.of(self.host, self.port), self.token, **options)


def server_of(app: ASGIApp, **options: Any) -> uvicorn.Server:
    """uvicorn, with bounds; it logs no requests, whose addresses may hold a token."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            lifespan="on",
            proxy_headers=False,
            server_header=False,
            http=DeadlineProtocol,
            h11_max_incomplete_event_size=MOST_HEAD,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=1,
            **options,
        )
    )


def run_app(app: ASGIApp, listener: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    logging.getLogger("mcp").setLevel(logging.WARNING)  # which tells of every request
    server = server_of(app)
    ready()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[listener]))
