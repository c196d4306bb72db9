"""Colours that colour-blind readers can tell apart: Okabe and Ito's eight."""

from typing import Final

BLACK: Final = "#000000"
ORANGE: Final = "#E69F00"
SKY: Final = "#56B4E9"
GREEN: Final = "#009E73"
YELLOW: Final = "#F0E442"
BLUE: Final = "#0072B2"
VERMILLION: Final = "#D55E00"
PURPLE: Final = "#CC79A7"

CYCLE: Final = (SKY, ORANGE, GREEN, PURPLE, YELLOW, BLUE, VERMILLION)
"""Communities, states and chains, in this order."""

DATA: Final = BLUE
MODEL: Final = ORANGE
BOTH: Final = BLUE
ONE_WAY: Final = VERMILLION
GREY: Final = "#8a9099"
INK: Final = "#1b1f24"
REST: Final = "#b3b9c1"
"""What has no colour of its own."""


def of(number: int) -> str:
    """The colour of community, state or chain `number`; past the last, that of the rest."""
    return CYCLE[number] if number < len(CYCLE) else REST


def readable_on(colour: str) -> str:
    """Black or white, whichever is read more easily on a colour.

    >>> readable_on(YELLOW), readable_on(BLUE)
    ('#000000', '#ffffff')
    """
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return BLACK if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "#ffffff"
