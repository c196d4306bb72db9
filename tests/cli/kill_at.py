"""The command in a process that kills itself at one moment of a write: python -m tests.cli.kill_at fsync 0 before WORDS...

`sites` are the calls by which a file gets onto the disk and takes its name: the file's fsync and the directory's, the rename
of a file that replaces another, and the link of one that replaces none.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

SITES = ("fsync", "replace", "hardlink_to", "unlink")


def armed(site: str, number: int, when: str) -> None:
    """From now on this process kills itself before or after the call `number` (from 0) of `site`."""
    owner: Any = os if site == "fsync" else Path
    call, calls = getattr(owner, site), iter(range(10**9))

    def killing(*given: Any, **named: Any) -> Any:
        own = next(calls) == number
        if own and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*given, **named)
        if own:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, site, killing)


if __name__ == "__main__":
    from depnet.cli.main import main

    armed(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    main(sys.argv[4:])
