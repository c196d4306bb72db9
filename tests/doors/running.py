"""A real server in a process of its own."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.entry import COMMAND


@dataclass(frozen=True)
class Running:
    url: str
    process: subprocess.Popen[bytes]
    log: Path
    token: str | None

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """The status, and what JSON says."""
        status, content = self.raw(path, None if body is None else json.dumps(body).encode(), **headers)
        return status, json.loads(content)

    def raw(self, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """The status and the bytes of an answer; header names with _ for -."""
        own = {"content-type": "application/json"} if body is not None else {}
        if self.token is not None:
            own["authorization"] = f"Bearer {self.token}"
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(
            self.url + path, data=body, headers={k: v for k, v in own.items() if v}
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def memory(self) -> int:
        """Bytes that it holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) * 1024


@contextlib.contextmanager
def running(
    folder: Path, *words: object, said: str = "serving at", environment: Any = None
) -> Iterator[Running]:
    """`depnet ...` until the block ends, when it has to stop by itself, quietly."""
    log = folder / "server.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [COMMAND, *map(str, words)],
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
        )
    try:
        address = None
        for _ in range(600):
            text = log.read_text(encoding="utf-8")
            address = re.search(rf"{said} (\S+)", text)
            if address is not None and text.endswith("\n"):
                break
            assert process.poll() is None, text
            time.sleep(0.1)
        assert address is not None
        token = re.search(r"the token is (\S+)", log.read_text(encoding="utf-8"))
        yield Running(address[1], process, log, None if token is None else token[1])
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert "Traceback" not in log.read_text(encoding="utf-8")
