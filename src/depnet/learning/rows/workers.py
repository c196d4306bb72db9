"""Where the parts of a table are, and how their answers come together: in this process, or on workers elsewhere."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray


class Answer(NamedTuple):
    """Counts of some parts together, and the numbers of those that were stale."""

    counts: NDArray[Any]
    stale: tuple[int, ...] = ()

    def plus(self, other: "Answer") -> "Answer":
        """Of both; the counts of parts that are stale are a single zero."""
        return Answer(self.counts + other.counts, self.stale + other.stale)


class Workers(Protocol):
    """Functions are called where the parts are, and what they give stays there."""

    def call(self, function: Any, *columns: Sequence[Any]) -> list[Any]:
        """`function` called once for each part; a column has a value for each part."""

    def gather(self, results: Sequence[Any]) -> list[Any]:
        """Such results, brought here."""

    def add(self, function: Callable[..., Answer], *columns: Sequence[Any]) -> Answer:
        """The sum of the answers of all parts."""

    def share(self, value: Any, size: int) -> Any:
        """A value of `size` bytes that is told to all parts, as a column has it."""


class LocalWorkers:
    """Parts in this process, one after the other."""

    def call(self, function: Any, *columns: Sequence[Any]) -> list[Any]:
        """`function` called once for each part."""
        return [function(*each) for each in zip(*columns, strict=True)]

    def gather(self, results: Sequence[Any]) -> list[Any]:
        """The results, which are here."""
        return list(results)

    def add(self, function: Callable[..., Answer], *columns: Sequence[Any]) -> Answer:
        """The sum of the answers; no more than two of them are held."""
        first, *others = zip(*columns, strict=True)
        total = function(*first)
        for each in others:
            total = total.plus(function(*each))
        return total

    def share(self, value: Any, size: int) -> Any:
        """The value as it is."""
        return value
