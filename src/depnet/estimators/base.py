"""What the three estimators share: the parameters of learning from a frame, their checks, and how they are handed on."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from depnet.data.frames.left_out import Keep
from depnet.data.frames.unknown import HandleUnknown
from depnet.data.frames.variables import MAX_STATES, BinChoice
from depnet.estimators.callbacks import CallbackSupportMixin
from depnet.estimators.randomness import generator_of
from depnet.fitting.fit import FIT_SEED, FitOptions


@dataclass(kw_only=True, eq=False, repr=False)
class TableEstimator(CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that learns from a table.

    Its fields are its parameters, which scikit-learn finds in the signature of `__init__`; they are checked in `fit`.
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

    def _options(self, **others: Any) -> FitOptions:
        """The parameters that are options of a fit, and `others`."""
        own = self.get_params(deep=False)
        return FitOptions(**{f.name: own[f.name] for f in fields(FitOptions) if f.name in own}, **others)

    def _generator(self) -> np.random.Generator:
        return generator_of(self.random_state)

    def _fit_generator(self) -> np.random.Generator:
        """What fitting draws is a function of the table: without a seed it has one of its own."""
        return generator_of(FIT_SEED if self.random_state is None else self.random_state)

    @property
    def _threads(self) -> int:
        return self._options().threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
