"""Patience with a request that comes slowly, and where it ends.

uvicorn waits for the rest of a request for as long as it takes, and takes a head of any length. Here a head has its
seconds and its bytes; a body has seconds too, and each `SLOWEST` bytes that have come buy it one more; an answer that
is not read is given up. Of requests that are still coming there are only so many: one more, and the oldest goes, so
that many slow ones keep nobody else out. What a request asks for is the guard's affair, not this one's.
"""

import asyncio
from collections import OrderedDict
from typing import Any, ClassVar

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from depnet.explorer.guard import MOST_HEAD

SLOWEST = 32 * 2**10
"""Bytes a second."""


class Patient(asyncio.Protocol):
    """uvicorn's protocol of one connection (`inner`), fed with what comes in time."""

    head_seconds: ClassVar[float] = 10.0
    body_seconds: ClassVar[float] = 20.0
    unread_seconds: ClassVar[float] = 60.0
    most_coming: ClassVar[int] = 128
    _coming: ClassVar["OrderedDict[Patient, None]"] = OrderedDict()

    def __init__(self, **options: Any) -> None:
        self.inner: Any = AutoHTTPProtocol(**options)
        self._loop = asyncio.get_running_loop()
        self._slow: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody is there: a request should follow."""
        self._transport: Any = transport
        self.inner.connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        """More of a request, or the beginning of the next one on the same connection."""
        if self._slow is None:
            self._begin()
        self._taken += len(data)
        self.inner.data_received(data)
        upgraded = self._transport.get_protocol() is not self  # a websocket: its frames do not come here
        if upgraded or self._transport.is_closing() or not (self._in_head() or self.inner.cycle.more_body):
            self._end()
        elif self._in_head() and self._taken > MOST_HEAD:
            self._give_up(
                b"431 Request Header Fields Too Large", f"A head has at most {MOST_HEAD:,} bytes.\n"
            )

    def eof_received(self) -> bool | None:
        """Nothing more comes."""
        return self.inner.eof_received()  # type: ignore[no-any-return]

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._end()
        self.resume_writing()
        self.inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """The answer is not being read."""
        self._unread = self._unread or self._loop.call_later(self.unread_seconds, self._transport.abort)
        self.inner.pause_writing()

    def resume_writing(self) -> None:
        """It is being read again."""
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        self.inner.resume_writing()

    def _begin(self) -> None:
        self._began, self._taken, self._earlier = self._loop.time(), 0, self.inner.cycle
        self._slow = self._loop.call_later(self.head_seconds, self._late)
        self._coming[self] = None
        if len(self._coming) > self.most_coming:
            next(iter(self._coming))._give_up(b"503 Service Unavailable", "Too many requests at once.\n")

    def _end(self) -> None:
        self._coming.pop(self, None)
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None

    def _in_head(self) -> bool:
        """Is the head still coming? (Or the rest of a body that was refused: that is nobody's request.)"""
        cycle = self.inner.cycle
        return cycle is None or cycle.response_complete

    def _late(self) -> None:
        deadline = self._began + self.head_seconds
        if not self._in_head():
            deadline = self._began + self.body_seconds + self._taken / SLOWEST
        left = deadline - self._loop.time()
        if left > 0:
            self._slow = self._loop.call_later(left, self._late)
        else:
            self._give_up(b"408 Request Timeout", "The request came too slowly.\n")

    def _give_up(self, status: bytes, text: str) -> None:
        """Say why, unless an answer has begun, and hang up."""
        self._end()
        cycle = self.inner.cycle
        if (cycle is self._earlier and self._taken) or (cycle is not None and not cycle.response_started):
            head = b"HTTP/1.1 %s\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\nconnection: close"
            self._transport.write(head % (status, len(text)) + b"\r\n\r\n" + text.encode())
        self._transport.close()
        self._loop.call_later(1.0, self._transport.abort)  # whoever does not read does not keep it open
