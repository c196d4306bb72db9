"""Deadlines of requests that come slowly, and of answers that are not read, which uvicorn waits for without end.

A request, its head as well as its body, has `seconds`, and every `SLOWEST` bytes that have come give it one more. Of too
many that are still coming the oldest is given up, so that slow ones keep nobody else out.
"""

import asyncio
from http import HTTPStatus
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SLOWEST = 32 * 2**10
"""Bytes a second."""


class DeadlineProtocol(H11Protocol):
    seconds: ClassVar[float] = 20.0
    unread_seconds: ClassVar[float] = 60.0
    most_coming: ClassVar[int] = 128
    _coming: ClassVar[dict["DeadlineProtocol", asyncio.TimerHandle]] = {}  # the oldest first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        if self not in self._coming:  # the next request on the same connection
            self._begin()
        self._taken += len(data)
        super().data_received(data)
        upgraded = self.transport.get_protocol() is not self  # a websocket: its frames do not come here
        coming = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if upgraded or not coming or self.transport.is_closing():
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        self._unread = self.loop.call_later(self.unread_seconds, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        self._unread.cancel()
        super().resume_writing()

    def _begin(self) -> None:
        self._began, self._taken = self.loop.time(), 0
        self._wait()
        if len(self._coming) > self.most_coming:
            next(iter(self._coming)).give_up(HTTPStatus.SERVICE_UNAVAILABLE)

    def _wait(self) -> None:
        left = self._began + self.seconds + self._taken / SLOWEST - self.loop.time()
        if left > 0:
            self._coming[self] = self.loop.call_later(left, self._wait)
        else:
            self.give_up(HTTPStatus.REQUEST_TIMEOUT)

    def _end(self) -> None:
        timer = self._coming.pop(self, None)
        if timer is not None:
            timer.cancel()

    def give_up(self, status: HTTPStatus) -> None:
        """Hang up; a client that has begun a request, and has had nothing of an answer, learns why."""
        self._end()
        if self._taken and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            line = f"HTTP/1.1 {status.value} {status.phrase}"
            self.transport.write(f"{line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".encode())
        self.transport.close()
        self.loop.call_later(1.0, self.transport.abort)  # a client that does not read does not keep it open
