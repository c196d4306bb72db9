"""A client that means no good: its requests end, and others are answered meanwhile."""

import contextlib
import re
import socket
import time
from collections.abc import Iterator

import nicegui
import pytest

import depnet
from depnet.doors.deadlines import DeadlineProtocol
from depnet.explorer.app import STATIC
from tests.explorer.browser import SECONDS, wait_for
from tests.explorer.raw import asked, connect, frame, head, heard, status, websocket
from tests.explorer.watched import Watched, watched
from tests.narrowed import there

LIMITS = {"seconds": 2.5, "unread_seconds": 2.0, "MOST_PAGES": 40, "UNOPENED_SECONDS": 4.0}
"""Short ones, so that they are seen."""

MULTIPART = "multipart/form-data; boundary=b"
FILE = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """An explorer of the Titanic table."""
    folder = tmp_path_factory.mktemp("attacked")
    depnet.save(depnet.learn(depnet.titanic(), smoothing=0.5), folder / "model.json")
    with watched([folder / "model.json"], folder, **LIMITS) as running:
        yield running


@pytest.fixture(autouse=True)
def unharmed(server: Watched) -> Iterator[None]:
    """After each attack others are answered, and memory is where it was."""
    assert page(server) == 200
    before = server.resident()
    yield
    assert server.process.poll() is None
    assert page(server) == 200
    assert server.resident() < before + 100


def page(server: Watched) -> int:
    return status(asked(server.url, head(server.url, "GET", "/?sex=female")))


def upload_path(server: Watched) -> str:
    """Where an open Fit page sends its table."""
    text = asked(server.url, head(server.url, "GET", "/fit")).decode()
    found = there(re.search(r"/_nicegui/client/[0-9a-f-]+/upload/\d+", text))
    return found.group()


@contextlib.contextmanager
def many(begun: bytes, server: Watched, count: int) -> Iterator[list[socket.socket]]:
    """Connections on which a request has begun."""
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(connect(server.url)) for _ in range(count)]
        for connection in opened:
            with contextlib.suppress(ConnectionError):  # the first ones may be gone by now
                connection.sendall(begun)
        yield opened


@pytest.mark.parametrize("begun", [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b"])
def test_many_slow_heads_keep_nobody_out_and_end(server: Watched, begun: bytes) -> None:
    with many(begun, server, 200) as slow:
        assert page(server) == 200
        said = [heard(connection) for connection in slow]
        ends = [status(one) for one in said if one]  # those that had said nothing are told nothing
        assert set(ends) <= {408, 503}
        assert ends.count(408) <= DeadlineProtocol.most_coming  # the oldest had to go before their time
        assert bool(begun) == bool(ends.count(408))


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_request_that_drips_ends_too(server: Watched, part: str) -> None:
    begun, more = b"GET / HTTP/1.1\r\n", b"x: y\r\n"
    if part == "body":
        of_body = {"Content_Type": MULTIPART, "Content_Length": "100000"}
        begun, more = head(server.url, "POST", upload_path(server), **of_body) + FILE, b"x"
    with many(begun, server, 20) as slow:
        ended, began = set[socket.socket](), time.monotonic()
        while len(ended) < len(slow):
            assert time.monotonic() - began < SECONDS, f"a {part} that never ends was waited for"
            for connection in set(slow) - ended:
                try:
                    connection.sendall(more)
                except ConnectionError:
                    ended.add(connection)
            assert page(server) == 200


def test_a_second_request_on_a_connection_ends_too(server: Watched) -> None:
    with connect(server.url) as connection:
        connection.sendall(head(server.url, "GET", "/depnet/history.js"))
        heard(connection, enough=(STATIC / "history.js").read_bytes())
        connection.sendall(b"GET / HTTP/1.1\r\n")  # and no more of it
        assert b"408 Request Timeout" in heard(connection)


def test_an_answer_that_is_not_read_ends_too(server: Watched) -> None:
    path, count = f"/_nicegui/{nicegui.__version__}/static/sass.dart.js", 6
    length = int(re.findall(rb"content-length: (\d+)", asked(server.url, head(server.url, "GET", path)))[0])
    before = server.files()
    with connect(server.url) as connection:
        connection.sendall(head(server.url, "GET", path) * count)
        wait_for(lambda: server.files() > before)
        wait_for(lambda: server.files() <= before)
        assert len(heard(connection)) < count * length  # the rest went with the connection


def test_a_websocket_is_not_taken_for_a_slow_request(server: Watched) -> None:
    with websocket(server.url) as connection:
        time.sleep(2 * LIMITS["seconds"])
        connection.sendall(frame(b"still there", opcode=9))
        assert b"still there" in heard(connection, enough=b"still there")


@pytest.mark.parametrize(
    "sent",
    [
        frame(b"2", mask=False),
        frame(b"2", first=0xF0),
        frame(b"2", opcode=5),
        frame(b"\xff\xfe"),
        frame(b"x" * 200, opcode=9),  # a ping has at most 125 bytes
        frame(b"", opcode=0),  # goes on with nothing
        frame(b"x", opcode=8),  # half a code
        bytes([0x81, 0xFF]) + (2**62).to_bytes(8, "big"),
        frame(b"x" * (5 * 2**20)),
        b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=lambda sent: sent[:6].hex(),
)
def test_a_frame_that_is_none_ends_the_socket(server: Watched, sent: bytes) -> None:
    with websocket(server.url) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(sent)
        said = heard(connection)
    assert b"Traceback" not in said
    assert b".py" not in said


def test_pages_that_nobody_opens_do_not_stay(server: Watched) -> None:
    for path in ["/?class=1st"] * 20 + ["/fit"] * 50 + ["/nowhere"] * 20:
        asked(server.url, head(server.url, "GET", path))
    # well before the framework would forget them, after a minute
    server.wait_for_pages(int(LIMITS["MOST_PAGES"]), LIMITS["UNOPENED_SECONDS"] + 40)


def test_a_body_over_the_bound_is_not_taken_in(server: Watched) -> None:
    path = upload_path(server)
    said = asked(server.url, head(server.url, "POST", path, Content_Length=str(65 * 2**20)))
    assert status(said) == 413
    chunk = b"100000\r\n" + b"x" * 2**20 + b"\r\n"
    with connect(server.url) as connection:
        request = head(server.url, "POST", path, Content_Type=MULTIPART, Transfer_Encoding="chunked")
        connection.sendall(request + b"%x\r\n" % len(FILE) + FILE + b"\r\n")
        sent = 0
        with contextlib.suppress(ConnectionError):
            for _ in range(100):
                connection.sendall(chunk)
                sent += 1
        said = heard(connection)
    assert 60 <= sent <= 80
    assert not said or status(said) == 413


@pytest.mark.parametrize("endless", [b"x: " + b"y" * 8000 + b"\r\n", b"z" * 8000])
def test_a_head_without_end_is_not_taken_in(server: Watched, endless: bytes) -> None:
    with connect(server.url) as connection:
        connection.sendall(b"GET /?")
        if endless.endswith(b"\n"):
            connection.sendall(b" HTTP/1.1\r\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(1000):
                connection.sendall(endless)
            pytest.fail("8 MB of a head were taken")
        said = heard(connection)
    assert not said or status(said) in (400, 431)


def test_a_link_of_any_length_is_answered_or_refused(server: Watched) -> None:
    def ask(query: str) -> bytes:
        return asked(server.url, head(server.url, "GET", f"/?{query}"))

    unknown = "&".join(f"{k:x}=" for k in range(10_000))
    assert 50_000 < len(unknown) < 65_000
    said = ask(unknown)
    assert status(said) == 200
    assert said.count(b"there is no variable") == 5
    assert b"9,995 more" in said
    assert status(ask("&".join(["sex=female"] * 5000))) == 200
    assert status(ask("sex=" + "x" * 60_000)) == 200
    assert status(ask("sex=" + "x" * 100_000)) in (400, 431)
    assert status(ask("%ff=%fe&%00=%00&=&&&sex")) == 200


def join(connection: socket.socket) -> None:
    connection.sendall(frame(b"40"))
    heard(connection, enough=b"40{")


def test_an_open_page_takes_only_what_it_has(server: Watched) -> None:
    """Events of no element, no listener, and values that are no choice: the page's own socket sends them."""
    text = asked(server.url, head(server.url, "GET", "/")).decode()
    found = there(re.search(r"'client_id': '([0-9a-f-]+)'", text))
    with websocket(server.url) as connection:
        join(connection)
        own = f'"client_id":"{found.group(1)}","tab_id":"t","document_id":"d"'
        connection.sendall(frame(f'420["handshake",{{{own}}}]'.encode()))
        assert b"430[true]" in heard(connection, enough=b"430[")
        listeners = re.findall(r'"listener_id":"([0-9a-f-]+)"', text)
        assert listeners
        for element in range(60):
            for listener in (listeners[0], "none"):
                for args in ('["[\\"x\\",99]"]', '["7"]', "[null]", '["{}"]', '["not json"]', "7"):
                    event = f'42["event",{{{own},"id":{element},"listener_id":"{listener}","args":{args}}}]'
                    connection.sendall(frame(event.encode()))
        connection.sendall(frame(b"\x03\xe8", opcode=8))
        said = heard(connection)
    assert b"Traceback" not in said


def test_other_hosts_and_origins_are_refused_however_they_are_written(server: Watched) -> None:
    host = server.url.removeprefix("http://")
    port = host.rsplit(":", 1)[1]
    for request in (
        head(server.url, "GET", "/", Host=""),
        head(server.url, "GET", f"http://{host}/", Host=f"evil.example:{port}"),
        head(server.url, "GET", "/", Host=f"{host}\r\nHost: evil.example"),
        head(server.url, "GET", "/", Host=host + "\r\nX_Forwarded_Host: x", Origin="null"),
        head(server.url, "POST", "/", Origin=f"http://{host}.evil.example"),
    ):
        assert status(asked(server.url, request)) in (400, 403, 421), request
    given = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
    with connect(server.url) as connection:
        key = {"Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Origin": "http://evil.example"}
        path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        connection.sendall(head(server.url, "GET", path, **given, **key))
        assert status(heard(connection, enough=b"\r\n")) in (400, 403)


@pytest.mark.parametrize(
    "prefix", ["/depnet/", "/_nicegui/{version}/static/", "/_nicegui/{version}/esm/codemirror/"]
)
@pytest.mark.parametrize(
    "up", ["../", "%2e%2e/", "..%2f", "..%5c", "%2e%2e%2f", "....//", "%252e%252e%252f", "/"]
)
def test_no_file_outside_is_shown(server: Watched, prefix: str, up: str) -> None:
    base = prefix.format(version=nicegui.__version__)
    for target in ("app.py", "nicegui.py", "etc/passwd"):
        for depth in (1, 12):
            said = asked(server.url, head(server.url, "GET", base + up * depth + target))
            assert status(said) in (400, 403, 404), (base, up, depth, target)
            assert b"root:" not in said
            assert b"import" not in said.split(b"\r\n\r\n", 1)[1][:200] or b"<!DOCTYPE" in said[:2000]
