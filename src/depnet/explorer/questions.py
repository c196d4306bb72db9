"""Questions to try first: what a model that nobody has asked yet can be asked, from its strongest links."""

from dataclasses import dataclass, field

import numpy as np

from depnet.explorer.known import Held
from depnet.explorer.loaded import Loaded
from depnet.explorer.state import State


@dataclass(frozen=True)
class Question:
    """A question in words, the view that answers it, and the state in which it does."""

    text: str
    path: str
    state: State = field(default_factory=State)


def what_if(loaded: Loaded) -> Question | None:
    """What changes when the variable that tells most is known? None where no variable tells of another."""
    graph = loaded.graph
    if not graph.ties:
        return None
    teller, told = graph.ties[0].ends
    variable = loaded.network.domain.variables[teller]
    held: Held = (variable.states[_telling_state(loaded, teller)],)
    other = loaded.network.domain.names[told]
    return Question(
        f"What is likely when {variable.name} is {held[0]}? Look at {other}.",
        "/ask",
        State({variable.name: held}, variable=other),
    )


def first_questions(loaded: Loaded, *, rows: bool) -> list[Question]:
    """Three at most; `rows` says whether rows of a table may be shown."""
    asked = what_if(loaded)
    found = [] if asked is None else [asked]
    names = loaded.network.domain.names
    if asked is not None:
        strength = np.zeros(len(names))
        for tie in loaded.graph.ties:
            strength[tie.second] += tie.forward or 0.0
            strength[tie.first] += tie.backward or 0.0
        target = names[int(np.argmax(strength))]
        found.append(Question(f"What moves {target} most?", "/target", State(target=target)))
    if rows:
        found.append(Question("Which rows are odd, and what makes them so?", "/rows"))
    elif asked is not None:
        found.append(Question(f"How is {asked.state.variable} predicted?", "/node", asked.state))
    return found


def _telling_state(loaded: Loaded, variable: int) -> int:
    """The last state of two; else the one that is met most often: of it, most is known."""
    states = loaded.network.domain.variables[variable].cardinality
    counts = loaded.counts
    if states <= 2 or counts is None:
        return states - 1
    return int(np.argmax(counts.singles[variable]))
