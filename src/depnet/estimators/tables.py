"""From what callers pass as X to codes with holes, checked by scikit-learn's rules.

Frames keep their types and columns, and are found by name. Arrays and nested lists go through scikit-learn's own
validation (two dimensions, no sparse, complex or infinite values; missing values allowed). `Dataset` and `Holed` are
taken as they are.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_array, validate_data

from depnet.arrays import FloatArray, IntArray
from depnet.data.frames.decode import fill, numbers_of
from depnet.data.table.columns import Layout
from depnet.data.table.dataset import Dataset, Holed, join_rows
from depnet.data.table.encode import HandleUnknown, described, encode, places_of
from depnet.data.table.open import Opened, open_frame
from depnet.data.table.variable import Domain
from depnet.data.table.variables import BinChoice, StateOptions, warn_left_out
from depnet.errors import DataError
from depnet.estimators.base import TableEstimator
from depnet.fitting.choose_missing import with_hole_states

Numbers: TypeAlias = dict[int, FloatArray]
"""Of some columns by their places, a number for each row; of cells that are not filled it may be any."""


def is_frame(X: Any) -> bool:
    """A data frame of any kind, as opposed to an array, nested lists or codes."""
    if isinstance(X, Opened):
        return True
    if isinstance(X, (np.ndarray, Holed, list, tuple)):
        return isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(row, Mapping) for row in X)
    import narwhals as nw

    try:
        nw.from_native(X)
    except TypeError:
        return False
    except nw.exceptions.DuplicateError:  # a frame, if not a good one: whoever opens it says so
        return True
    return True


def check_choice(name: str, value: Any, *choices: Any) -> None:
    """A parameter that has a few values, asked about in `fit`: a misspelt one must not wait for the first strange row."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ValueError(f"{name} is {', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}; got {value!r}.")


def fitted_table(
    estimator: TableEstimator,
    X: Any,
    *,
    missing: str,
    bins: BinChoice | None = None,
    values: bool = False,
) -> tuple[Holed, Layout | None]:
    """The training rows, and the layout of their frame (None where X has codes already); `bins`: not the estimator's.

    The estimator then has `left_out_`, the columns of the frame that it does not learn from; they are said once, so not
    where the table is made again with other `bins`. With `values` the table keeps its numbers as they are.
    """
    check_choice("missing", missing, "auto", "complete", "state", "error")
    check_choice("handle_unknown", estimator.handle_unknown, "error", "missing")
    if isinstance(X, Holed):
        estimator.n_features_in_ = len(X.domain)
        estimator.feature_names_in_ = np.array(X.domain.names, dtype=object)
        estimator.left_out_ = ()
        holed, layout = X, None
        if missing == "state":
            holed = with_hole_states(holed, range(len(holed.domain)))
    else:
        table = checked(estimator, X, reset=True)
        keep: Any = "keep" if missing in ("auto", "complete") else missing
        how = estimator.bins if bins is None else bins
        options = StateOptions(how, estimator.max_bins, keep, estimator.max_states)
        found = described(table, options, estimator.keep, coded=True)
        if bins is None:
            warn_left_out(found.left_out)
        estimator.left_out_ = tuple(column.name for column in found.left_out)
        assert found.table is not None
        layout, holed = found.layout, found.table if values else replace(found.table, values=None)
    if missing == "error":
        holed.dataset()
    if holed.rows == 0:
        raise DataError("there are no rows to learn from: found a table with 0 sample(s).")
    return holed, layout


def check_target(estimator: TableEstimator, y: Any) -> None:
    """Refuse to learn what y is from no y, in scikit-learn's words."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )


def later_table(
    estimator: TableEstimator,
    X: Any,
    domain: Domain,
    *,
    absent: HandleUnknown = "error",
    values: bool = False,
) -> Holed:
    """Rows for a fitted estimator; with `absent="missing"`, columns may be lacking in a frame.

    With `values` the table keeps its numbers as they are.
    """
    if isinstance(X, Holed):
        if X.domain != domain:
            raise DataError("the rows have another domain than the fitted network's.")
        return X
    if absent == "missing" and is_frame(X):
        return encode(X, domain, handle_unknown=estimator.handle_unknown, absent=absent, values=values)
    whole = checked(estimator, X, reset=False)
    return encode(whole, domain, handle_unknown=estimator.handle_unknown, values=values)


def filled(
    estimator: BaseEstimator,
    X: Any,
    holed: Holed,
    codes: IntArray,
    layout: Layout | None,
    *,
    numbers: Numbers | None = None,
    laws: dict[str, FloatArray] | None = None,
    rng: np.random.Generator | None = None,
) -> Any:
    """X with its holes as the codes say; numbers as they are given, or from the laws, or drawn from their bins.

    `layout` is that of the training frame, which a frame of the same kind has too.
    """
    if layout is None or isinstance(X, Holed):
        return Dataset.from_codes(codes, domain=holed.domain, weights=holed.weights)
    frame = checked(estimator, X, reset=False)
    kind = open_frame(frame).kind
    own = layout if layout.kind == kind else Layout.of(holed.domain, kind)
    hidden = np.asarray(holed.hidden)
    return fill(frame, codes, holed.domain, own, hidden=hidden, laws=laws, numbers=numbers, rng=rng)


def values_of(
    X: Any, domain: Domain, numbers: NDArray[np.bool_] | None = None
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The numbers of a frame [row, column], column-major, and which columns have such; other cells have any value.

    `numbers` says which are wanted; else they are those with bins, and those of more than two numbers that are their states.
    """
    opened = open_frame(X)
    values = np.zeros((opened.rows, len(domain)), order="F")
    found = np.zeros(len(domain), dtype=bool)
    for i, place in enumerate(places_of(opened, domain, "missing")):
        if place is None or (numbers is not None and not numbers[i]):
            continue
        column = opened.column(place)
        if column.numbers is not None and (
            numbers is not None or numbers_of(domain.variables[i]) is not None
        ):
            values[:, i] = column.numbers
            found[i] = True
    return values, found


def unchanged(estimator: BaseEstimator, X: Any) -> Any:
    """X, which has no holes; an array is copied."""
    if isinstance(X, Holed):
        return X.dataset()
    whole = checked(estimator, X, reset=False)
    return whole.copy() if isinstance(whole, np.ndarray) else whole


def checked(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """A frame as it is, or an array that scikit-learn's validation accepts."""
    if not is_frame(X):
        return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
    if isinstance(X, (list, tuple, Opened)):  # of dictionaries, whose keys are the names; or an open file
        names = X.names if isinstance(X, Opened) else list(dict.fromkeys(key for row in X for key in row))
        if reset:
            estimator.n_features_in_ = len(names)
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return X
    from narwhals import dependencies

    if not dependencies.is_pandas_like_dataframe(X):
        X = _collected(X)
    elif any(dtype.kind == "c" for dtype in X.dtypes):
        check_array(X)  # scikit-learn's own message on complex numbers
    elif not X.columns.is_unique:
        open_frame(X)  # ours on names, which scikit-learn's next line would not understand
    if reset or not _knows_columns(estimator, X):
        _check_feature_names(estimator, X, reset=reset)
        _check_n_features(estimator, X, reset=reset)
    return X


def _knows_columns(estimator: BaseEstimator, X: Any) -> bool:
    """Has a later frame the columns that were learned from, in their order? Those left out may be there, or not.

    A model of a file does not know which were left out: any other column may be there.
    """
    left: tuple[str, ...] | None = getattr(estimator, "left_out_", ())
    if left is None:
        return True
    if not left or not hasattr(estimator, "feature_names_in_"):
        return False
    learned = [name for name in estimator.feature_names_in_ if name not in left]
    return [name for name in X.columns if name not in left] == learned


def _collected(X: Any) -> Any:
    """A lazy frame's rows; any other frame as it is."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X


def joined(old: Dataset, new: Dataset, most: int) -> Dataset | None:
    """All rows of both, or None where they have more than `most` codes."""
    both = joined_tables(old, new, most)
    return None if both is None else both.dataset()


def joined_tables(old: Holed, new: Holed, most: int) -> Holed | None:
    """All rows of both, their holes and their numbers as they came, or None where they have more than `most` codes."""
    return None if old.codes.size + new.codes.size > most else join_rows([old, new])
