"""The guard: an ASGI layer around a whole application that lets in only its own page, and programs that were told to.

Another site open in the same browser can send requests to 127.0.0.1 too. Three things keep it out: a request must
name this server in `Host` (a name that an attacker points at 127.0.0.1 is another name), an `Origin` must be the
page's own (of websockets and of everything that is not a plain GET it must be there), and on any other address than
this machine's own a token must have been given once, which a cookie then keeps. What is under `programs` is asked by
programs, too, which send no `Origin` (a page of another site does, whatever it sends) and have the token in a header of
theirs, `Authorization: Bearer TOKEN`. Heads and bodies are bounded, forwarding
headers are dropped (there is no proxy to be believed), and every answer says what the page may load: only from here.
"""

import hmac
import html
import ipaddress
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote, urlencode, urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

MOST_BODY = 64 * 2**20
"""Bytes of a request, an uploaded table among them."""
MOST_HELD = 256 * 2**20
"""Bytes of all bodies that are being read, or whose answers are being found."""

MOST_HEAD = 64 * 2**10
"""Bytes of a request's first line and headers together: a link to a view among them."""

MOST_SOCKETS = 200
"""Pages that are open at once."""

NEEDED = "This explorer needs its token: open the whole address that `depnet explore` printed."
NEEDED_OF_PROGRAM = (
    "This server needs its token, which it printed, in the header `Authorization: Bearer TOKEN`."
)

Refusal: TypeAlias = tuple[int, str]
"""A status, and what is said with it."""

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
        return port == self.port and (name in self.names or (self.any_number and _number(name) is not None))


def is_this_machine(host: str) -> bool:
    number = _number(host)
    return host.lower() == "localhost" if number is None else number.is_loopback


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    return None


class Guard:
    """`app` behind the guard. `token` None: none is asked for. `programs`: how paths begin that programs may ask for."""

    def __init__(
        self,
        app: ASGIApp,
        address: Address,
        token: str | None = None,
        most_body: int = MOST_BODY,
        programs: str | None = None,
    ) -> None:
        self.app, self.address, self.token, self.most_body = app, address, token, most_body
        self.programs = programs
        self.sockets, self.held = 0, 0
        self.cookie = f"depnet_{address.port}"  # a browser does not tell ports apart when it sends cookies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        request = HTTPConnection({**scope, "headers": headers})
        of_program = self._of_program(scope)
        refusal = self._foreign(request, of_program) or self._too_large(request)
        given = [] if of_program else request.query_params.getlist("token")
        with_token = refusal is None and any(map(self._is_token, given))
        if refusal is None and not any(map(self._is_token, self._tokens(request, of_program))):
            refusal = 401, NEEDED_OF_PROGRAM if of_program else NEEDED
        inside = {**scope, "headers": [h for h in headers if not h[0].startswith(FORWARDING)]}
        if scope["type"] == "websocket":
            await self._socket(inside, receive, send, refusal)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        if with_token and self.token is not None:
            await self._keep_token(request)(scope, receive, with_headers)
        elif refusal is not None:
            await _refuse(*refusal, of_program=of_program)(scope, receive, with_headers)
        else:
            await self._limit_body(inside, receive, with_headers)

    def _of_program(self, scope: Scope) -> bool:
        """Is it a request for what programs may ask?"""
        return (
            scope["type"] == "http" and self.programs is not None and scope["path"].startswith(self.programs)
        )

    def _tokens(self, request: HTTPConnection, of_program: bool) -> list[str]:
        """The tokens that a request has: in a cookie, and that of a program in its header."""
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        named = [bearer.strip()] if of_program and scheme.lower() == "bearer" else []
        return [request.cookies.get(self.cookie, ""), *named]

    def _foreign(self, request: HTTPConnection, of_program: bool) -> Refusal | None:
        """Why a request cannot be one of its own pages, nor of a program."""
        hosts, origins = request.headers.getlist("host"), request.headers.getlist("origin")
        if len(hosts) != 1 or not self.address.allows(hosts[0]):
            return 421, "This is not the host that was asked for (Host)."
        needed = request.scope["type"] == "websocket" or request.scope["method"] not in SAFE_METHODS
        needed = needed and not of_program
        if len(origins) > 1 or (needed and not origins) or any(not _same(o, hosts[0]) for o in origins):
            return 403, "Only its own pages may ask this (Origin)."
        site, mode = request.headers.get("sec-fetch-site"), request.headers.get("sec-fetch-mode")
        if site in ("cross-site", "same-site") and mode != "navigate":
            return 403, "Only its own pages may ask this (Sec-Fetch-Site)."
        return None

    def _too_large(self, request: HTTPConnection) -> Refusal | None:
        head = sum(len(name) + len(value) for name, value in request.headers.raw)
        if head + len(request.scope.get("query_string", b"")) > MOST_HEAD:
            return 431, f"The head of a request has at most {MOST_HEAD:,} bytes."
        lengths = request.headers.getlist("content-length")
        if any(not n.isdigit() or int(n) > self.most_body for n in lengths):
            return self._refuse_body()
        return None

    def _refuse_body(self) -> Refusal:
        return 413, f"A request has at most {self.most_body:,} bytes."

    def _is_token(self, value: str) -> bool:
        return self.token is None or hmac.compare_digest(value.encode(), self.token.encode())

    def _keep_token(self, request: HTTPConnection) -> Response:
        """The token becomes a cookie and leaves the address bar.

        By a page that goes on, not by a redirect: after one from elsewhere, a browser would withhold a strict cookie.
        """
        rest = urlencode([pair for pair in request.query_params.multi_items() if pair[0] != "token"])
        target = "/" + quote(request.scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
        refresh = f'<meta http-equiv="refresh" content="0;url={html.escape(target)}">'
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        headers = {"set-cookie": cookie, "cache-control": "no-store"}
        return HTMLResponse(f"<!doctype html><title>depnet</title>{refresh}", headers=headers)

    async def _socket(self, scope: Scope, receive: Receive, send: Send, refusal: Refusal | None) -> None:
        full = self.sockets >= MOST_SOCKETS
        if refusal is not None or full:
            await receive()
            reason = "too many pages are open" if refusal is None else refusal[1]
            await WebSocketClose(1013 if refusal is None else 1008, reason)(scope, receive, send)
            return
        self.sockets += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.sockets -= 1

    async def _limit_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, unless the body turns out to be too large."""
        taken, started = 0, False
        refusal: Refusal | None = None

        async def receive_bounded() -> Message:
            nonlocal taken, refusal
            message = await receive()
            size = len(message.get("body", b""))
            taken, self.held = taken + size, self.held + size
            if taken > self.most_body:
                refusal = self._refuse_body()
            elif size and self.held > MOST_HELD:
                refusal = 503, "The bodies of all requests take too much memory. Come again in a second."
            return message if refusal is None else {"type": "http.disconnect"}

        async def send_unless_cut(message: Message) -> None:
            nonlocal started
            if started or refusal is None:  # what is said of a body cut short is not the answer
                started = True
                await send(message)

        try:
            await self.app(scope, receive_bounded, send_unless_cut)
        except Exception:
            if refusal is None:
                raise
        finally:
            self.held -= taken
        if not started and refusal is not None:
            await _refuse(*refusal, of_program=self._of_program(scope))(scope, receive, send)


def _same(origin: str, host: str) -> bool:
    scheme, separator, rest = origin.partition("://")
    return bool(separator) and scheme in ("http", "https") and rest.lower() == host.lower()


def _refuse(status: int, reason: str, *, of_program: bool = False) -> Response:
    """A response after which the connection is closed; to a program as its errors are."""
    headers = {"connection": "close", "cache-control": "no-store"}
    if status == 401 and of_program:
        headers["www-authenticate"] = "Bearer"
    if of_program:
        return JSONResponse({"error": "Refused", "message": reason}, status, headers)
    return PlainTextResponse(f"{reason}\n", status, headers)
