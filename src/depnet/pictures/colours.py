"""Colours that colour-blind readers can tell apart: Okabe and Ito's eight, and a ramp for what stands in an order."""

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

BOTH: Final = BLUE
ONE_WAY: Final = VERMILLION
GREY: Final = "#8a9099"
INK: Final = "#1b1f24"
REST: Final = "#b3b9c1"
"""What has no colour of its own."""


def of(number: int) -> str:
    """The colour of community, state or chain `number`; past the last, that of the rest."""
    return CYCLE[number] if number < len(CYCLE) else REST


_RAMP: Final = ((246, 221, 128), (52, 160, 152), (36, 80, 158))
"""From light yellow over teal to blue: light to dark also where hues cannot be told apart."""


def ramp(place: int, of: int) -> str:
    """The colour of the state at `place` (0, 1, ...) of `of` states that stand in an order, from light to dark.

    >>> ramp(0, 3), ramp(2, 3), ramp(0, 1)
    ('#f6dd80', '#24509e', '#f6dd80')
    """
    at = 2 * place / max(of - 1, 1)
    first, second = (_RAMP[0], _RAMP[1]) if at < 1 else (_RAMP[1], _RAMP[2])
    share = at if at < 1 else at - 1
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(first, second, strict=True))


def readable_on(colour: str) -> str:
    """Black or white, whichever is read more easily on a colour.

    >>> readable_on(YELLOW), readable_on(BLUE)
    ('#000000', '#ffffff')
    """
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return BLACK if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "#ffffff"
