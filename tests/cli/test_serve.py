"""`depnet serve` and the API of `depnet explore`: what is wrong with its words is said before it listens."""

import json
import socket
import sys
from pathlib import Path

import pytest

from tests.cli.entry import depnet
from tests.doors.running import running


def test_what_cannot_be_served_is_said(model: Path, table: Path, tmp_path: Path) -> None:
    assert b"is not a model file" in depnet("serve", table, "--port", 0, code=1).stderr
    assert (
        b"no such file" in depnet("serve", model, "--data", tmp_path / "no.csv", "--port", 0, code=1).stderr
    )
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert b"cannot be listened on" in depnet("serve", model, "--port", port, code=1).stderr


def test_the_extra_is_named(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert b"pip install 'depnet[serve]'" in depnet("serve", model, code=1).stderr


def test_the_page_has_the_api_too(model: Path, table: Path, tmp_path: Path) -> None:
    words = ("explore", model, "--data", table, "--no-open", "--port", 0)
    with running(tmp_path, *words, said="exploring at") as page:
        status, content = page.raw(
            "api/query", json.dumps({"targets": ["survived"], "given": {"sex": "female"}}).encode()
        )
        assert status == 200
        assert json.loads(content)["matching"] == 470
        assert page.raw("api/openapi.json")[0] == 200
        assert b"<title>" in page.raw("")[1]
        assert page.raw("api/query", b"{}", origin="http://evil.example")[0] == 403
