"""What the estimators share: the parameters of learning from a frame, their checks, and how they are handed on."""

import inspect
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from depnet.data.table.encode import HandleUnknown
from depnet.data.table.variables import MAX_STATES, BinChoice, Keep
from depnet.errors import STEADY_SEED
from depnet.fitting.fit import FitOptions
from depnet.threads import threads_of

HEADING = "Args:"


def parameters_of(docstring: str | None) -> dict[str, list[str]]:
    r"""The lines of the section `Args:`, by the name of the parameter.

    >>> parameters_of("A thing.\n\nArgs:\n    one: first,\n        and more.\n    two: second.\n\nReturns:\n    It.")
    {'one': ['    one: first,', '        and more.'], 'two': ['    two: second.']}
    """
    lines = inspect.cleandoc(docstring or "").splitlines()
    found: dict[str, list[str]] = {}
    for line in lines[lines.index(HEADING) + 1 :] if HEADING in lines else ():
        if not line.startswith("    "):
            break
        if not line.startswith("     "):
            found[line.split(":")[0].strip()] = []
        found[list(found)[-1]].append(line)
    return found


def with_parameters(docstring: str, shared: str | None) -> str:
    r"""A docstring whose section `Args:` has also the parameters of a shared one, but for those that it says itself.

    >>> print(with_parameters("A thing.\n\nArgs:\n    one: own.", "Base.\n\nArgs:\n    one: shared.\n    two: shared."))
    A thing.
    <BLANKLINE>
    Args:
        one: own.
        two: shared.
    """
    lines = inspect.cleandoc(docstring).splitlines()
    own = parameters_of(docstring)
    end = lines.index(HEADING) + 1 + sum(map(len, own.values()))
    added = [line for name, text in parameters_of(shared).items() if name not in own for line in text]
    return "\n".join([*lines[:end], *added, *lines[end:]])


@dataclass(kw_only=True, eq=False, repr=False)
class TableEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that learns from a table.

    Its fields are its parameters, which scikit-learn finds in the signature of `__init__`; they are checked in `fit`.
    What is said of them here is added to the docstrings of subclasses, where these do not say it themselves.

    Args:
        penalty: what complexity costs: "auto" (chosen on rows held out; of fewer than 10 rows one fixed penalty), a
            value such as `depnet.Mdl()`, its name, or a function R(k, N).
        smoothing: the pseudo-count of each cell of a table; above 0 there are no zero probabilities.
        bins: how numbers become states: "quantile", a number of bins, a list of edges, "categories", or a mapping of
            column names to these.
        max_bins: the most bins of a column that `bins` leaves free.
        keep: names of columns to learn from although they look like names, identifiers or row numbers, which are left
            out otherwise (`left_out_`).
        max_states: of text, all but the most frequent values are one state, "other".
        rounds: the most rounds that complete the holes of a table.
        handle_unknown: a value never seen, in rows given after `fit`, is an "error", or as good as "missing", which one
            warning a call says.
        max_leaves: a node has no more leaves than these; None: as many as pay.
        min_leaf_rows: the fewest rows of a new leaf.
        boost: whether nodes add up many small decision graphs: None (no), "auto" (where held-out rows say that it
            helps), or a `depnet.Boost`. Such a node has no counts, so that no rows can be added to it.
        max_seconds: learning stops about then, with what it has.
        n_jobs: threads; None: one, unless joblib's context says otherwise; -1: all cores. Results do not depend on it.
        random_state: a seed makes each call reproducible, for itself: two calls that draw draw the same. Without one,
            rows and holes that are drawn are fresh each time; models and answers are the same each time.
    """

    penalty: Any = "auto"
    smoothing: float = 0.5
    bins: BinChoice = "quantile"
    max_bins: int = 16
    keep: Keep = ()
    max_states: int = MAX_STATES
    rounds: int = 20
    handle_unknown: HandleUnknown = "missing"
    max_leaves: int | None = None
    min_leaf_rows: int = 0
    boost: Any = None
    max_seconds: float | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        if cls.__doc__ is not None and HEADING in cls.__doc__:
            cls.__doc__ = with_parameters(cls.__doc__, TableEstimator.__doc__)

    def _options(self, **others: Any) -> FitOptions:
        """The parameters that are options of a fit, and `others`."""
        own = self.get_params(deep=False)
        return FitOptions(**{f.name: own[f.name] for f in fields(FitOptions) if f.name in own} | others)

    def _generator(self) -> np.random.Generator:
        return generator_of(self.random_state)

    def _steady_generator(self) -> np.random.Generator:
        """For what nobody asked to be drawn: a model is a function of its table, an answer of its model and question."""
        return generator_of(STEADY_SEED if self.random_state is None else self.random_state)

    @property
    def _threads(self) -> int:
        return threads_of(self.n_jobs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def generator_of(random_state: object) -> np.random.Generator:
    """A generator from `random_state`: None (fresh), a seed, a RandomState (which moves on), or a Generator.

    >>> generator_of(3).integers(100, size=2).tolist() == generator_of(3).integers(100, size=2).tolist()
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    words = check_random_state(random_state).randint(0, 2**32, size=4, dtype=np.uint32)
    return np.random.default_rng(words.tolist())
