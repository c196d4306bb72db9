"""A diagram of boxes and arrows, before it is drawn."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with text, centred at (x, y); `bars` are probabilities drawn inside, `tip` is said on hover."""

    x: float
    y: float
    width: float
    height: float
    text: str
    color: str
    tip: str = ""
    bars: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line from one point to another, with a label."""

    start: tuple[float, float]
    end: tuple[float, float]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a diagram."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagram:
    """A picture of boxes and arrows, or several that follow each other."""

    title: str
    caption: str
    frames: tuple[Frame, ...]
    columns: int = field(default=4)
