"""What is refused, and what is said then."""

from collections.abc import Callable

import pytest


def refuses(
    error: type[BaseException], match: str, ask: Callable[..., object], /, *given: object, **options: object
) -> None:
    """The call, with what is given to it, raises an error whose text matches."""
    with pytest.raises(error, match=match):
        ask(*given, **options)
