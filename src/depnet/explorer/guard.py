"""The guard: an ASGI layer around the whole application that lets in only what comes from its own page.

Another site open in the same browser can send requests to 127.0.0.1 too. Three things keep it out: a request must
name this server in `Host` (a name that an attacker points at 127.0.0.1 is another name), an `Origin` must be the
page's own (of websockets and of everything that is not a plain GET it must be there), and on any other address than
this machine's own a token must have been given once, which a cookie then keeps. Heads and bodies are bounded, forwarding
headers are dropped (there is no proxy to be believed), and every answer says what the page may load: only from here.
"""

import hmac
import html
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

MOST_BODY = 64 * 2**20
"""Bytes of a request, an uploaded table among them."""

MOST_HEAD = 64 * 2**10
"""Bytes of a request's first line and headers together: a link to a view among them."""

MOST_SOCKETS = 200
"""Pages that are open at once."""

CLOSE = (b"connection", b"close")
"""After a refusal nothing more is read."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
FORWARDING = (b"x-forwarded-", b"forwarded", b"x-real-ip")

# NiceGUI's page holds its scripts inline and runs what its server sends, so scripts cannot be named one by one; but
# nothing comes from elsewhere, and an attribute such as onerror never runs.
CONTENT_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "script-src-attr 'none'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


@dataclass(frozen=True, slots=True)
class Address:
    """The names and the port under which the server may be asked for; `any_number`: also any IP address."""

    names: frozenset[str]
    port: int
    any_number: bool = False

    @classmethod
    def of(cls, host: str, port: int) -> "Address":
        """What a server that listens on `host` answers to."""
        if is_this_machine(host):
            return cls(frozenset({"127.0.0.1", "localhost", "::1", host.lower()}), port)
        names = frozenset({host.lower(), "localhost", socket.gethostname().lower(), socket.getfqdn().lower()})
        # Rebinding needs a name: who asks for a number has not been misled by the name service.
        return cls(names, port, any_number=True)

    def allows(self, host: str) -> bool:
        """May a request name this host?

        >>> Address.of("127.0.0.1", 8000).allows("localhost:8000"), Address.of("127.0.0.1", 8000).allows("evil:8000")
        (True, False)
        """
        if any(c in host for c in "/?#@\\ \t"):
            return False
        try:
            parts = urlsplit(f"//{host}")
            name, port = (parts.hostname or "").lower(), parts.port or 80
        except ValueError:
            return False
        return port == self.port and (name in self.names or (self.any_number and _is_number(name)))


def is_this_machine(host: str) -> bool:
    """Is this an address that only programs on this machine reach?"""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: int
    reason: str


class Guard:
    """`app` behind the guard. `token` None: none is asked for."""

    def __init__(
        self, app: Application, address: Address, token: str | None = None, most_body: int = MOST_BODY
    ) -> None:
        self.app, self.address, self.token, self.most_body = app, address, token, most_body
        self.sockets = 0
        self.cookie = f"depnet_{address.port}"  # a browser does not tell ports apart when it sends cookies

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let the request in, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        refusal = self._refusal(scope, headers)
        if refusal is not None and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.reason})
        elif refusal is not None:
            await _answer(send, refusal.status, f"{refusal.reason}\n", CLOSE)
        elif scope["type"] == "http" and self._given(scope):
            await self._keep_token(scope, send)
        elif not self._known(scope, headers):
            reason = "This explorer needs its token: open the whole address that `depnet explore` printed."
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": "no token"})
            else:
                await _answer(send, 401, f"{reason}\n")
        else:
            scope = {**scope, "headers": [h for h in headers if not h[0].startswith(FORWARDING)]}
            await self._inside(scope, receive, send)

    def _refusal(self, scope: Message, headers: list[tuple[bytes, bytes]]) -> _Refusal | None:
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or not self.address.allows(hosts[0]):
            return _Refusal(421, "This is not the host that was asked for (Host).")
        origins = _values(headers, b"origin")
        needed = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if len(origins) > 1 or (needed and not origins) or any(not _same(o, hosts[0]) for o in origins):
            return _Refusal(403, "Only the explorer's own pages may ask this (Origin).")
        site = _values(headers, b"sec-fetch-site")
        if (
            site
            and site[0] in ("cross-site", "same-site")
            and "navigate" not in _values(headers, b"sec-fetch-mode")
        ):
            return _Refusal(403, "Only the explorer's own pages may ask this (Sec-Fetch-Site).")
        head = sum(len(name) + len(value) for name, value in headers) + len(scope.get("query_string", b""))
        if head > MOST_HEAD:
            return _Refusal(431, f"The head of a request has at most {MOST_HEAD:,} bytes.")
        lengths = _values(headers, b"content-length")
        if any(not n.isdigit() or int(n) > self.most_body for n in lengths):
            return _Refusal(413, f"A request has at most {self.most_body:,} bytes.")
        return None

    def _given(self, scope: Message) -> bool:
        """Is the right token in the address?"""
        if self.token is None:
            return False
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        return any(name == "token" and self._right(value) for name, value in query)

    def _known(self, scope: Message, headers: list[tuple[bytes, bytes]]) -> bool:
        if self.token is None:
            return True
        try:
            cookies = SimpleCookie("; ".join(_values(headers, b"cookie")))
        except CookieError:
            return False
        return self.cookie in cookies and self._right(cookies[self.cookie].value)

    def _right(self, value: str) -> bool:
        return self.token is not None and hmac.compare_digest(value.encode(), self.token.encode())

    async def _keep_token(self, scope: Message, send: Send) -> None:
        """The token becomes a cookie and leaves the address bar.

        By a page that goes on, not by a redirect: after one from elsewhere, a browser would withhold a strict cookie.
        """
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        target = "/" + quote(scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
        refresh = f'<meta http-equiv="refresh" content="0;url={html.escape(target)}">'
        page = f"<!doctype html><title>depnet</title>{refresh}"
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        await _answer(send, 200, page, (b"set-cookie", cookie.encode()), kind="text/html")

    async def _socket(self, scope: Message, receive: Receive, send: Send) -> None:
        if self.sockets >= MOST_SOCKETS:
            await receive()
            await send({"type": "websocket.close", "code": 1013, "reason": "too many pages are open"})
            return
        self.sockets += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.sockets -= 1

    async def _inside(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
            return
        taken, too_large, started = 0, False, False

        async def bounded() -> Message:
            nonlocal taken, too_large
            message = await receive()
            taken += len(message.get("body", b""))
            if taken <= self.most_body:
                return message
            too_large = True
            return {"type": "http.disconnect"}

        async def with_headers(message: Message) -> None:
            nonlocal started
            if too_large and not started:
                return  # what the application says of a body cut short is not the answer
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        try:
            await self.app(scope, bounded, with_headers)
        except Exception:
            if not too_large:
                raise
        if too_large and not started:
            await _answer(send, 413, f"A request has at most {self.most_body:,} bytes.\n", CLOSE)


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in headers if key == name]


def _same(origin: str, host: str) -> bool:
    """Does a page of this origin come from this host?"""
    scheme, separator, rest = origin.partition("://")
    return bool(separator) and scheme in ("http", "https") and rest.lower() == host.lower()


async def _answer(
    send: Send, status: int, text: str, *more: tuple[bytes, bytes], kind: str = "text/plain"
) -> None:
    body = text.encode()
    headers = [
        (b"content-type", f"{kind}; charset=utf-8".encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *more,
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
