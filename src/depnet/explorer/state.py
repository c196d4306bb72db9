"""What a reader looks at, across all views, and as the address of a page has it.

    /?sex=female&.target=survived&.variable=age&.sort=change

What is known, the target and the chosen variable go from view to view; `own` is of one view alone. Names that begin with
a dot are not variables.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from depnet.data import Domain
from depnet.errors import brief
from depnet.explorer.known import Held, is_own, pairs, read_parameters
from depnet.wording import nearest

TARGET = ".target"
VARIABLE = ".variable"


@dataclass(frozen=True)
class State:
    """One state of the page; views show it, and ask for another by `Session.change`."""

    known: Mapping[str, Held] = field(default_factory=dict)
    target: str | None = None
    variable: str | None = None
    own: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the open view alone, by names without their dots."""

    def number(self, name: str) -> int | None:
        """What the open view's parameter of this name says, if that is a whole number."""
        text = self.own.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None

    def parameters(self) -> list[tuple[str, str]]:
        kept = [(TARGET, self.target), (VARIABLE, self.variable)]
        views = [(f".{name}", value) for name, value in self.own.items()]
        return [*pairs(self.known), *((name, value) for name, value in kept if value is not None), *views]


@dataclass(frozen=True, slots=True)
class Read:
    """A state that an address says, and what was not understood."""

    state: State
    problems: tuple[str, ...] = ()


def read(domain: Domain | None, parameters: Iterable[tuple[str, str]]) -> Read:
    """The state of a page whose model has this domain.

    >>> from depnet.data import Variable
    >>> domain = Domain((Variable("sex", ("female", "male")), Variable("age", ("child", "adult"))))
    >>> read(domain, [("sex", "male"), (".target", "age"), (".page", "2")]).state
    State(known={'sex': ('male',)}, target='age', variable=None, own={'page': '2'})
    """
    parameters = list(parameters)
    own = {name[1:]: value for name, value in parameters if is_own(name)}
    if domain is None:
        return Read(State(own=own))
    link = read_parameters(domain, parameters)
    problems = list(link.problems)
    chosen: dict[str, str | None] = {}
    for name in (TARGET[1:], VARIABLE[1:]):
        chosen[name] = own.pop(name, None)
        if chosen[name] is not None and chosen[name] not in domain.names:
            wanted = str(chosen[name])
            problems.append(f"there is no column {brief(wanted)}. {nearest(wanted, domain.names)}")
            chosen[name] = None
    return Read(State(link.known, chosen["target"], chosen["variable"], own), tuple(problems))
