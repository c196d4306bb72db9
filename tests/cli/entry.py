"""The command: `depnet` runs it in this process, `real` as the installed script in a process of its own."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from depnet.cli.main import run

COMMAND = str(Path(sys.executable).parent / "depnet")

Done = subprocess.CompletedProcess[bytes]


def depnet(*arguments: object, code: int = 0, cwd: Path | None = None) -> Done:
    """Run the command; its exit code is as expected, and an error is one line, without a traceback."""
    words = list(map(str, arguments))
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(cwd or Path.cwd()),
    ):
        ended = run(words)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue())
    return _checked(subprocess.CompletedProcess(words, ended, *texts), code)


def real(
    *arguments: object,
    code: int = 0,
    stdin: bytes | None = None,
    cwd: Path | None = None,
    before: Callable[[], None] | None = None,
) -> Done:
    """The same through the installed script."""
    done = subprocess.run(
        [COMMAND, *map(str, arguments)],
        input=b"" if stdin is None else stdin,
        capture_output=True,
        cwd=cwd,
        preexec_fn=before,
        env={**os.environ, "PYTHONWARNINGS": "error::ResourceWarning"},
        check=False,
    )
    return _checked(done, code)


def _checked(done: Done, code: int) -> Done:
    assert done.returncode == code, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    if code:
        assert done.stderr.startswith(b"depnet: "), done.stderr
    return done


def answer(*arguments: object, by: Callable[..., Done] = depnet, **options: Any) -> Any:
    return json.loads(by(*arguments, "--json", **options).stdout)


def refused(*arguments: object, code: int = 1, by: Callable[..., Done] = depnet, **options: Any) -> str:
    """The one line on standard error of a command that must fail; nothing on standard output."""
    done = by(*arguments, code=code, **options)
    assert done.stdout == b""
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    return lines[0]
