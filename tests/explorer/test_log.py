"""The server's terminal: a line for what others send, a traceback for our own mistakes."""

import logging
import subprocess
import sys

import pytest

from depnet.data import Variable
from depnet.errors import DataError
from depnet.explorer.log import OneLine


def logged(text: str, error: BaseException) -> str:
    record = logging.LogRecord("asyncio", logging.ERROR, __file__, 1, text, (), None)
    record.exc_info = (type(error), error, error.__traceback__)
    assert OneLine().filter(record)
    return logging.Formatter("%(message)s").format(record)


def test_an_error_of_others_is_one_line_without_control_characters() -> None:
    with pytest.raises(ValueError, match="invalid") as caught:
        int("7\x1b[2J\n")
    text = logged("Task exception was never retrieved\nfuture: <Task>", caught.value)
    assert text.startswith("Task exception was never retrieved: ValueError: invalid literal")
    assert "\n" not in text
    assert "\x1b" not in text


def test_a_mistake_of_ours_is_told_in_full() -> None:
    with pytest.raises(DataError) as caught:
        Variable("", ())
    assert "Traceback" in logged("Task exception was never retrieved", caught.value)


SCRIPT = """
import os, time
from depnet import Network
from depnet.explorer import app
from depnet.explorer.loaded import Loaded

class Busy(Loaded):
    def warm(self):
        until = time.monotonic() + 1
        try:
            while time.monotonic() < until:
                tuple(k for k in range(3000))
        except SystemError:
            os._exit(1)
        os._exit(0)

app.serve(Busy(Network.from_joint([0.5, 0.5])), announce=lambda url: None, browse=False)
"""


def test_what_is_made_ready_is_not_disturbed_by_the_start() -> None:
    """As NiceGUI starts, it looks at all objects (`gc.get_objects`): a tuple that a thread makes then is not finished."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
