"""All variables with their states: the joint domain X = X_0 x ... x X_{n-1}."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from depnet.checks import whole_number
from depnet.data.table.variable import MAX_CARDINALITY, Variable
from depnet.errors import DataError, EvidenceError, brief
from depnet.wording import nearest


@dataclass(frozen=True, slots=True)
class Domain:
    """The variables of a table, in order.

    Args:
        variables: the variables, no two of one name.

    Attributes:
        cardinalities: how many states each variable has.

    >>> domain = Domain.from_cardinalities([2, 3])
    >>> domain.size, domain.index("X1")
    (6, 1)
    """

    variables: tuple[Variable, ...]
    cardinalities: tuple[int, ...] = field(init=False, repr=False, compare=False, hash=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False, hash=False)
    """The variables' names, in order."""
    _indices: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.variables, Iterable) or isinstance(self.variables, str):
            raise DataError(f"a domain is made of Variables; got {brief(self.variables)}.")
        object.__setattr__(self, "variables", tuple(self.variables))
        if not self.variables:
            raise DataError("a domain needs at least one variable; got none.")
        indices: dict[str, int] = {}
        for i, variable in enumerate(self.variables):
            if not isinstance(variable, Variable):
                raise DataError(f"a domain is made of Variables; number {i} is {brief(variable)}.")
            if indices.setdefault(variable.name, i) != i:
                raise DataError(
                    f"variables {indices[variable.name]} and {i} are both named {brief(variable.name)}; "
                    "names must differ."
                )
        object.__setattr__(self, "cardinalities", tuple(v.cardinality for v in self.variables))
        object.__setattr__(self, "names", tuple(indices))
        object.__setattr__(self, "_indices", indices)

    @classmethod
    def from_cardinalities(cls, cardinalities: Sequence[int]) -> "Domain":
        """Variables X0, X1, ... whose states are their codes 0, 1, ...

        Args:
            cardinalities: how many states each has.

        Returns:
            The domain.
        """
        if not isinstance(cardinalities, Iterable) or isinstance(cardinalities, (str, bytes)):
            raise DataError(f"cardinalities are whole numbers, one a variable; got {brief(cardinalities)}.")
        variables = []
        for i, given in enumerate(cardinalities):
            k = whole_number(f"the cardinality of column {i}", given, at_least=1, error=DataError)
            if k > MAX_CARDINALITY:
                raise DataError(
                    f"column {i} would have {k:,} states; at most {MAX_CARDINALITY:,} are possible. "
                    "Group rare states, or bin a numeric column."
                )
            variables.append(Variable(f"X{i}", tuple(range(k))))
        return cls(tuple(variables))

    def __len__(self) -> int:
        return len(self.variables)

    @property
    def size(self) -> int:
        """|X|, the number of joint states (exact, however large)."""
        return math.prod(self.cardinalities)

    def index(self, name: str) -> int:
        """The place of a variable; an unknown name is an error that offers the nearest.

        Args:
            name: the variable's name.

        Returns:
            Its number, from 0 on.
        """
        try:
            return self._indices[name]
        except (KeyError, TypeError):
            raise EvidenceError(f"there is no variable {brief(name)}. {nearest(name, self.names)}") from None
