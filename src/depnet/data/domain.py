"""All variables with their states: the joint domain X = X_0 x ... x X_{n-1}."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from depnet.data.nearest import nearest
from depnet.data.variable import Variable
from depnet.errors import DataError, EvidenceError


@dataclass(frozen=True, slots=True)
class Domain:
    """The variables of a table, in order.

    >>> domain = Domain.from_cardinalities([2, 3])
    >>> domain.size, domain.index("X1")
    (6, 1)
    """

    variables: tuple[Variable, ...]
    cardinalities: tuple[int, ...] = field(init=False, repr=False, compare=False, hash=False)
    _indices: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        if not self.variables:
            raise DataError("a domain needs at least one variable; got none.")
        indices = {variable.name: i for i, variable in enumerate(self.variables)}
        if len(indices) < len(self.variables):
            twice = next(v.name for i, v in enumerate(self.variables) if indices[v.name] != i)
            raise DataError(f"two variables are named {twice!r}; names must differ.")
        object.__setattr__(self, "cardinalities", tuple(v.cardinality for v in self.variables))
        object.__setattr__(self, "_indices", indices)

    @classmethod
    def from_cardinalities(cls, cardinalities: Sequence[int]) -> "Domain":
        """Variables X0, X1, ... whose states are their codes 0, 1, ..."""
        return cls(tuple(Variable(f"X{i}", tuple(range(int(k)))) for i, k in enumerate(cardinalities)))

    def __len__(self) -> int:
        return len(self.variables)

    @property
    def size(self) -> int:
        """|X|, the number of joint states (exact, however large)."""
        return math.prod(self.cardinalities)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in order."""
        return tuple(variable.name for variable in self.variables)

    def index(self, name: str) -> int:
        """The place of the variable called `name`; an unknown name is an error that offers the nearest."""
        try:
            return self._indices[name]
        except (KeyError, TypeError):
            raise EvidenceError(f"there is no variable {name!r}. {nearest(name, self.names)}") from None
