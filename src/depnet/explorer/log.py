"""What the server says in its terminal: a line for a message that nobody understands, a traceback for our own mistakes.

Any program on the machine can send the server's websocket what is no message. The libraries that read it log a
traceback for each, from which nobody learns anything, and among which a real mistake would not be seen.
"""

import logging
import traceback
from pathlib import Path

from depnet.pictures.labels import short

LOGGERS = ("engineio.server", "socketio.server", "asyncio", "uvicorn.error")
"""Who reads messages, and who hears of what they raise."""

LETTERS = 200
PACKAGE = Path(__file__).parent.parent
IN_FRONT = ("guard.py", "deadlines.py")
"""Every request passes through these, whoever fails behind them."""


class OneLine(logging.Filter):
    """A filter that leaves of an error its name and its text, unless the package's own code was at work."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten the record; True: it is always logged."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not is_ours(error):
            said = record.getMessage().partition("\n")[0]
            record.msg = "%s: %s"
            record.args = (short(said, LETTERS), short(f"{type(error).__name__}: {error}", LETTERS))
            record.exc_info = record.exc_text = None
        return True


def is_ours(error: BaseException) -> bool:
    """Was code of this package at work, behind what every request passes?"""
    places = (Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__))
    return any(PACKAGE in place.parents and place.name not in IN_FRONT for place in places)


def keep_short() -> None:
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, OneLine) for known in logger.filters):
            logger.addFilter(OneLine())
