"""Deadlines of a request that comes slowly.

uvicorn bounds the bytes of a head (`h11_max_incomplete_event_size`) and the time between two requests, but it waits for
the rest of a request for as long as it takes. Here a head has its seconds; a body has seconds too, and each `SLOWEST`
bytes that have come buy it one more; an answer that is not read is given up. The requests that are still coming are
counted: with one too many the oldest goes, so that many slow ones keep nobody else out.
"""

import asyncio
from http import HTTPStatus
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SLOWEST = 32 * 2**10
"""Bytes a second."""


class DeadlineProtocol(H11Protocol):
    """uvicorn's protocol of one connection, with deadlines."""

    head_seconds: ClassVar[float] = 10.0
    body_seconds: ClassVar[float] = 20.0
    unread_seconds: ClassVar[float] = 60.0
    most_coming: ClassVar[int] = 128
    _coming: ClassVar[dict["DeadlineProtocol", asyncio.TimerHandle]] = {}  # the oldest first
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        """More of a request has come, or the beginning of the next one on the same connection."""
        if self not in self._coming:
            self._begin()
        self._taken += len(data)
        super().data_received(data)
        upgraded = self.transport.get_protocol() is not self  # a websocket: its frames do not come here
        coming = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if upgraded or not coming or self.transport.is_closing():
            self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        self._read_again()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read its answer."""
        self._unread = self._unread or self.loop.call_later(self.unread_seconds, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        self._read_again()
        super().resume_writing()

    def _read_again(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _begin(self) -> None:
        self._began, self._taken = self.loop.time(), 0
        self._coming[self] = self.loop.call_later(self.head_seconds, self._late)
        if len(self._coming) > self.most_coming:
            oldest = next(iter(self._coming))
            oldest.give_up(HTTPStatus.SERVICE_UNAVAILABLE, "Too many requests at once.\n")

    def _end(self) -> None:
        timer = self._coming.pop(self, None)
        if timer is not None:
            timer.cancel()

    def _late(self) -> None:
        allowed = self.head_seconds
        if self.conn.their_state is h11.SEND_BODY and self.conn.our_state is not h11.DONE:
            allowed = self.body_seconds + self._taken / SLOWEST
        left = self._began + allowed - self.loop.time()
        if left > 0:
            self._coming[self] = self.loop.call_later(left, self._late)
        else:
            self.give_up(HTTPStatus.REQUEST_TIMEOUT, "The request came too slowly.\n")

    def give_up(self, status: HTTPStatus, text: str) -> None:
        """Say why, unless the client has said nothing or an answer has begun, and hang up."""
        self._end()
        if self._taken and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            headers = {"content-type": "text/plain", "content-length": str(len(text)), "connection": "close"}
            answer = h11.Response(status_code=status, reason=status.phrase, headers=list(headers.items()))
            for event in (answer, h11.Data(data=text.encode()), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
        self.loop.call_later(1.0, self.transport.abort)  # a client that does not read does not keep it open
