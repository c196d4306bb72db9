"""Requests and websocket frames as somebody would send them who keeps to no rules."""

import base64
import os
import select
import socket
import struct
import time
from urllib.parse import urlsplit

from tests.explorer.browser import SECONDS


def connect(url: str) -> socket.socket:
    at = urlsplit(url)
    return socket.create_connection((at.hostname or "", at.port or 80), timeout=SECONDS)


def head(url: str, method: str, path: str, **headers: str) -> bytes:
    """A head with the right Host, and the page's own Origin where that is needed; "" leaves one out."""
    given = {"Host": urlsplit(url).netloc, **({} if method == "GET" else {"Origin": url}), **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{k.replace('_', '-')}: {v}" for k, v in given.items() if v)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def heard(connection: socket.socket, enough: bytes | None = None) -> bytes:
    """All that comes until the server hangs up, or until something has come; an error if it takes longer."""
    got, until = b"", time.monotonic() + SECONDS
    while enough is None or enough not in got:
        ready, _, _ = select.select([connection], [], [], max(until - time.monotonic(), 0))
        assert ready, f"the server does not hang up after {SECONDS} s; so far {got[:300]!r}"
        try:
            part = connection.recv(1 << 16)
        except ConnectionError:
            break
        if not part:
            break
        got += part
    return got


def asked(url: str, request: bytes) -> bytes:
    """The answer to a request, which is made the connection's last."""
    with connect(url) as connection:
        connection.sendall(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        return heard(connection)


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def websocket(url: str, **headers: str) -> socket.socket:
    """A websocket to NiceGUI's socket.io, open; what the server says first has been read."""
    key = base64.b64encode(os.urandom(16)).decode()
    given = {"Origin": url, "Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
    connection = connect(url)
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    connection.sendall(head(url, "GET", path, **{**given, "Sec_WebSocket_Key": key, **headers}))
    heard(connection, enough=b'"sid"')
    return connection


def frame(payload: bytes, opcode: int = 1, *, first: int = 0x80, mask: bool = True) -> bytes:
    """A frame; `first` has its final bit and the reserved ones."""
    size = len(payload)
    bit = 0x80 if mask else 0
    if size < 126:
        length = bytes([bit | size])
    elif size < 1 << 16:
        length = bytes([bit | 126]) + struct.pack(">H", size)
    else:
        length = bytes([bit | 127]) + struct.pack(">Q", size)
    key = b"\0\0\0\0" if mask else b""  # which leaves the payload as it is
    return bytes([first | opcode]) + length + key + payload
