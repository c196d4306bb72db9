"""From what callers pass as X to codes with holes, checked by scikit-learn's rules.

Frames keep their types and columns, and are found by name. Arrays and nested lists go through scikit-learn's own
validation (two dimensions, no sparse, complex or infinite values; missing values allowed). `Dataset` and `Holed` are
taken as they are.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_array, validate_data

from depnet.data.dataset import Dataset
from depnet.data.describe import BinChoice, describe
from depnet.data.domain import Domain
from depnet.data.encode import HandleUnknown, encode
from depnet.data.holed import Holed
from depnet.data.layout import Layout
from depnet.errors import DataError

MISSING = ("complete", "state", "error")


def is_frame(X: Any) -> bool:
    """A data frame of any kind, as opposed to an array, nested lists or codes."""
    if isinstance(X, (np.ndarray, Dataset, Holed, list, tuple)):
        return isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(row, Mapping) for row in X)
    import narwhals as nw

    try:
        nw.from_native(X)
    except TypeError:
        return False
    return True


def fitted_table(
    estimator: BaseEstimator, X: Any, *, bins: BinChoice, max_bins: int, missing: str
) -> tuple[Holed, Layout | None]:
    """The training rows, and the layout of their frame (None where X has codes already)."""
    if missing not in MISSING:
        raise ValueError(f'missing is "complete", "state" or "error"; got {missing!r}.')
    if isinstance(X, (Dataset, Holed)):
        estimator.n_features_in_ = len(X.domain)
        estimator.feature_names_in_ = np.array(X.domain.names, dtype=object)
        holed, layout = as_holed(X), None
        if missing == "state" and not holed.complete:
            raise DataError(
                'missing="state" is decided where states are made: read the frame with it, then pass the Dataset.'
            )
    else:
        table = checked(estimator, X, reset=True)
        keep: Any = "keep" if missing == "complete" else missing
        domain, layout = describe(table, bins=bins, max_bins=max_bins, missing=keep)
        holed = encode(table, domain)
    if missing == "error":
        holed.dataset()
    if holed.rows == 0:
        raise DataError("there are no rows to learn from: found a table with 0 sample(s).")
    return holed, layout


def later_table(
    estimator: BaseEstimator,
    X: Any,
    domain: Domain,
    *,
    handle_unknown: HandleUnknown,
    absent: HandleUnknown = "error",
) -> Holed:
    """Rows for a fitted estimator; with `absent="missing"`, columns may be lacking in a frame."""
    if isinstance(X, (Dataset, Holed)):
        if X.domain != domain:
            raise DataError("the rows have another domain than the fitted network's.")
        return as_holed(X)
    if absent == "missing" and is_frame(X):
        return encode(X, domain, handle_unknown=handle_unknown, absent=absent)
    return encode(checked(estimator, X, reset=False), domain, handle_unknown=handle_unknown)


def checked(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """A frame as it is, or an array that scikit-learn's validation accepts."""
    if not is_frame(X):
        return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    if isinstance(X, (list, tuple)):  # of dictionaries: their keys are the names
        names = list(dict.fromkeys(key for row in X for key in row))
        if reset:
            estimator.n_features_in_ = len(names)
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return X
    if hasattr(X, "dtypes") and any(getattr(dtype, "name", "") == "complex128" for dtype in _dtypes(X)):
        check_array(X)  # scikit-learn's own message
    _check_feature_names(estimator, X, reset=reset)
    _check_n_features(estimator, X, reset=reset)
    return X


def as_holed(table: Dataset | Holed) -> Holed:
    """A complete dataset as a table without holes."""
    if isinstance(table, Holed):
        return table
    return Holed(table.domain, table.codes, np.zeros(table.codes.shape, dtype=bool), table.weights)


def _dtypes(X: Any) -> list[Any]:
    dtypes = X.dtypes
    return list(dtypes() if callable(dtypes) else dtypes)


def joined(old: Dataset, new: Dataset, most: int) -> Dataset | None:
    """All rows of both, or None where they have more than so many codes."""
    if old.codes.size + new.codes.size > most:
        return None
    weights = None
    if old.weights is not None or new.weights is not None:
        weights = np.concatenate(
            [np.ones(d.rows, dtype=np.int64) if d.weights is None else d.weights for d in (old, new)]
        )
    return Dataset.from_codes(np.concatenate([old.codes, new.codes]), domain=old.domain, weights=weights)
