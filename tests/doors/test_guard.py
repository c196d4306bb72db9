"""The guard, request by request, as the server hands them over."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.types import Message

from depnet.doors.guard import MOST_HEAD, MOST_HELD, MOST_SOCKETS, Address, Guard

HERE = Address.of("127.0.0.1", 8421)
TOKEN = "a-token"


async def inner(scope: Message, receive: Any, send: Any) -> None:
    """An application that reads the whole body and says how long it was."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    taken, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError("cut short")
        taken, more = taken + len(message.get("body", b"")), message.get("more_body", False)
    names = b",".join(name for name, _ in scope["headers"])
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"x-taken", str(taken).encode()), (b"x-names", names)],
        }
    )
    await send({"type": "http.response.body", "body": b"inside"})


def ask(
    guard: Guard,
    *,
    kind: str = "http",
    method: str = "GET",
    path: str = "/",
    query: str = "",
    body: tuple[bytes, ...] = (b"",),
    **headers: str,
) -> list[Message]:
    """What is sent back for one request; header names with _ for -."""
    sent: list[Message] = []
    parts: list[Message] = [
        {"type": "http.request", "body": b, "more_body": k + 1 < len(body)} for k, b in enumerate(body)
    ]
    waiting: Iterator[Message] = iter([{"type": "websocket.connect"}] if kind == "websocket" else parts)

    async def receive() -> Message:
        return next(waiting)

    async def send(message: Message) -> None:
        sent.append(message)

    given = {"host": "127.0.0.1:8421", **headers}
    raw = [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items() if v]
    scope = {"type": kind, "method": method, "path": path, "query_string": query.encode(), "headers": raw}
    running = guard(scope, receive, send)
    with pytest.raises(StopIteration):  # it never waits: no event loop is needed
        running.send(None)
    return sent


def status(sent: list[Message]) -> Any:
    return sent[0].get("status", sent[0]["type"])


OPEN = Guard(inner, HERE)


@pytest.mark.parametrize("host", ["127.0.0.1:8421", "localhost:8421", "LOCALHOST:8421"])
def test_its_own_names_are_let_in(host: str) -> None:
    assert status(ask(OPEN, host=host)) == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example:8421", "127.0.0.1:9999", "127.0.0.1", "localhost.evil.example:8421", "127.0.0.1:8421@evil:8421",
     "127.0.0.1:x", "192.168.0.7:8421", "[::ffff:127.0.0.1]:8421"],
)  # fmt: skip
def test_a_name_that_was_bound_anew_is_refused(host: str) -> None:
    assert status(ask(OPEN, host=host)) == 421
    assert status(ask(OPEN, kind="websocket", host=host, origin=f"http://{host}")) == "websocket.close"


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://", "ftp://127.0.0.1:8421"]
)
def test_another_origin_is_refused_whatever_it_asks(origin: str) -> None:
    assert status(ask(OPEN, kind="websocket", origin=origin)) == "websocket.close"
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
        assert status(ask(OPEN, method=method, origin=origin)) == 403


OWN, LAN = "http://127.0.0.1:8421", "192.168.0.7:8421"
SMALL, SHUT = Guard(inner, HERE, most_body=10), Guard(inner, Address.of("192.168.0.7", 8421), TOKEN)
POST = {"method": "POST", "origin": OWN}
SOCKET = {"kind": "websocket", "host": LAN, "origin": f"http://{LAN}"}
HALF = "x" * (MOST_HEAD // 2)


@pytest.mark.parametrize(
    ("guard", "request_", "said"),
    [
        (OPEN, {}, 200),
        (OPEN, {"Host": "127.0.0.1:8421"}, 421),  # a second one beside the usual
        # its own origin is let in, and a missing one only to look
        (OPEN, {"kind": "websocket", "origin": OWN}, "websocket.accept"),
        (OPEN, {"kind": "websocket"}, "websocket.close"),
        (OPEN, POST, 200),
        (OPEN, {"method": "POST"}, 403),
        # a page elsewhere may lead here, but not read
        (OPEN, {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}, 200),
        (OPEN, {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}, 403),
        (OPEN, {"sec_fetch_site": "same-origin", "sec_fetch_mode": "cors"}, 200),
        # a body is bounded, whether it says its length or not; so is a head
        (SMALL, {**POST, "body": (b"12345", b"67890")}, 200),
        (SMALL, {**POST, "body": (b"12345", b"678901")}, 413),
        (SMALL, {**POST, "content_length": "11"}, 413),
        (SMALL, {**POST, "content_length": "x"}, 413),
        (OPEN, {"query": HALF}, 200),
        (OPEN, {"query": HALF, "cookie": HALF}, 431),
        # without the token nothing is shown
        (SHUT, {"host": LAN}, 401),
        (SHUT, {"host": LAN, "query": "token=wrong"}, 401),
        (SHUT, {"host": LAN, "cookie": "depnet_8421=wrong"}, 401),
        (SHUT, {"host": LAN, "cookie": "depnet_8421="}, 401),
        (SHUT, {"host": LAN, "cookie": f"depnet_9999={TOKEN}"}, 401),
        (SHUT, SOCKET, "websocket.close"),
        (SHUT, {**SOCKET, "query": f"token={TOKEN}"}, "websocket.close"),
        (SHUT, {**SOCKET, "cookie": f"depnet_8421={TOKEN}"}, "websocket.accept"),
        (SHUT, {"host": LAN, "cookie": f"other=1; depnet_8421={TOKEN}"}, 200),
    ],
)
def test_who_is_let_in(guard: Guard, request_: dict[str, Any], said: int | str) -> None:
    assert status(ask(guard, **request_)) == said


def test_all_bodies_together_are_bounded_and_given_back() -> None:
    guard = Guard(inner, HERE)
    guard.held = MOST_HELD - 5
    assert status(ask(guard, **POST, body=(b"12345",))) == 200
    assert status(ask(guard, **POST, body=(b"123", b"456"))) == 503
    assert guard.held == MOST_HELD - 5


def test_sockets_are_bounded_and_given_back() -> None:
    guard = Guard(inner, HERE)
    guard.sockets = MOST_SOCKETS - 1
    assert status(ask(guard, kind="websocket", origin=OWN)) == "websocket.accept"
    assert guard.sockets == MOST_SOCKETS - 1
    guard.sockets = MOST_SOCKETS
    assert status(ask(guard, kind="websocket", origin=OWN)) == "websocket.close"


def test_every_answer_says_what_the_page_may_load() -> None:
    for sent in (ask(OPEN), ask(OPEN, host="evil:1")):
        headers = dict(sent[0]["headers"])
        policy = headers[b"content-security-policy"].decode()
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src-attr 'none'" in policy
        assert "http" not in policy  # no other place
        assert headers[b"x-content-type-options"] == b"nosniff"


def test_forwarding_headers_do_not_come_in() -> None:
    sent = ask(
        OPEN, x_forwarded_prefix='/"><script>', x_forwarded_for="1.2.3.4", forwarded="for=1", accept="*/*"
    )
    assert dict(sent[0]["headers"])[b"x-names"] == b"host,accept"


def test_the_token_becomes_a_cookie_and_leaves_the_address() -> None:
    sent = ask(SHUT, host=LAN, path='/a"<b', query=f"sex=female&token={TOKEN}&x=%22%3E")
    headers, page = dict(sent[0]["headers"]), sent[1]["body"].decode()
    cookie = headers[b"set-cookie"].decode()
    assert cookie == f"depnet_8421={TOKEN}; Path=/; HttpOnly; SameSite=Strict"
    assert 'content="0;url=/a%22%3Cb?sex=female&amp;x=%22%3E"' in page
    assert TOKEN not in page
    sent = ask(SHUT, host=LAN, path="//evil.example/x", query=f"token={TOKEN}")
    assert "url=/evil.example/x" in sent[1]["body"].decode(), "the next page is always on this server"


def test_on_all_addresses_numbers_are_let_in_but_not_names_of_others() -> None:
    everywhere = Address.of("0.0.0.0", 80)
    assert everywhere.allows("10.1.2.3")
    assert everywhere.allows("[::1]:80")
    assert not everywhere.allows("rebound.example")


BOTH = Guard(inner, HERE, TOKEN, programs="/api")


def test_programs_send_no_origin_and_their_token_in_a_header() -> None:
    mine = f"Bearer {TOKEN}"
    for header in (mine, f"bearer {TOKEN}"):
        assert status(ask(BOTH, method="POST", path="/api/query", authorization=header)) == 200
    for header in ("", "Bearer", "Bearer other", f"Basic {TOKEN}", TOKEN):
        assert status(ask(BOTH, method="POST", path="/api/query", authorization=header)) == 401
    assert status(ask(BOTH, method="POST", path="/page", authorization=mine)) == 403  # a page has its origin
    assert status(ask(BOTH, path="/page", authorization=mine)) == 401  # and a cookie
    assert (
        status(ask(BOTH, path="/api/describe", query=f"token={TOKEN}")) == 401
    )  # an address is logged and remembered


def test_pages_of_other_sites_are_no_programs() -> None:
    mine = f"Bearer {TOKEN}"
    for origin, site in (("http://evil", ""), ("null", ""), ("", "cross-site")):
        sent = ask(
            BOTH, method="POST", path="/api/query", authorization=mine, origin=origin, sec_fetch_site=site
        )
        assert status(sent) == 403
    assert status(ask(BOTH, method="POST", path="/api/query", authorization=mine, host="evil:8421")) == 421
    cookie = f"depnet_8421={TOKEN}"
    assert (
        status(ask(BOTH, method="POST", path="/api/query", origin="http://127.0.0.1:8421", cookie=cookie))
        == 200
    )


def test_a_program_is_refused_in_json() -> None:
    sent = ask(BOTH, path="/api/describe")
    assert dict(sent[0]["headers"])[b"www-authenticate"] == b"Bearer"
    assert json.loads(sent[1]["body"])["error"] == "Refused"
