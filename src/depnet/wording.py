"""Numbers of things, and lists of names, in the text of results and messages."""

from collections.abc import Sequence


def counted(number: int, what: str, many: str | None = None) -> str:
    """A number of things; `many` is the plural where it is not `what` with an s.

    >>> counted(1, "row"), counted(1200, "row"), counted(3, "leaf", "leaves")
    ('1 row', '1,200 rows', '3 leaves')
    """
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are.

    >>> some_of(["class", "sex", "age"], most=2)
    'class, sex and 1 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
