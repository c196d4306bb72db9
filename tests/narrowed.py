"""What mypy cannot know: that something is there, and that an answer has several targets."""

from collections.abc import Mapping
from typing import TypeVar

from depnet.arrays import FloatArray

Value = TypeVar("Value")


def there(value: Value | None) -> Value:
    """The value, which is not None."""
    assert value is not None
    return value


def by_name(answer: FloatArray | Mapping[str, FloatArray] | None) -> Mapping[str, FloatArray]:
    """The answer of several targets."""
    assert isinstance(answer, Mapping)
    return answer
