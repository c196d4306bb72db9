"""Saying whether what was to be reached was; tables that can be pasted into a text."""

from collections.abc import Sequence


def at_most(what: str, found: float, limit: float, form: str = ".3f") -> bool:
    """Print one line; is it reached?"""
    reached = found <= limit
    print(
        f"{what}: {found:{form}} (to reach: <= {limit:g}) {'reached' if reached else 'NOT reached'}",
        flush=True,
    )
    return reached


def at_least(what: str, found: float, limit: float, form: str = ".3f") -> bool:
    """Print one line; is it reached?"""
    reached = found >= limit
    print(
        f"{what}: {found:{form}} (to reach: >= {limit:g}) {'reached' if reached else 'NOT reached'}",
        flush=True,
    )
    return reached


def exit_code(reached: Sequence[bool]) -> int:
    """0 where all is reached."""
    return 0 if all(reached) else 1


def line(cells: Sequence[str]) -> None:
    """A line of a table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def head(names: Sequence[str]) -> None:
    """The head of a table."""
    line(names)
    print(f"|{'---|' * len(names)}", flush=True)
