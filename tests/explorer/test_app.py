"""The server as it starts."""

import subprocess
import sys

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
