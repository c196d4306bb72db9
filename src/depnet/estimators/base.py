"""What the estimators share: the parameters of learning from a frame; and X as codes with holes, by scikit-learn's rules.

Frames keep their types and columns, and are found by name. Arrays and nested lists go through scikit-learn's own
validation (two dimensions, no sparse, complex or infinite values; missing values allowed). `Dataset` and `Holed` are
taken as they are.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_array, validate_data

from depnet.arrays import CodeArray, FloatArray, IntArray
from depnet.data.frames.decode import fill, numbers_of
from depnet.data.table.columns import Layout
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.encode import HandleUnknown, describe_table, encode, places_of
from depnet.data.table.kinds import Kinds
from depnet.data.table.left_out import Keep, warn_left_out
from depnet.data.table.mixed import warn_mixed
from depnet.data.table.open import Opened, open_frame
from depnet.data.table.variable import Domain
from depnet.data.table.variables import MAX_STATES, BinChoice, StateOptions
from depnet.errors import STEADY_SEED, DataError
from depnet.fitting.choose_missing import with_hole_states
from depnet.fitting.fit import FitOptions
from depnet.threads import threads_of

HEADING = "Args:"

SHUFFLED_ROWS, SHUFFLES = 1_000, 3
"""Rows whose predictions tell the importance of a column, and how often it is shuffled among them."""


def parameters_of(docstring: str | None) -> dict[str, str]:
    r"""What the section `Args:` says, by the name of the parameter.

    >>> parameters_of("A thing.\n\nArgs:\n    one: first,\n        and more.\n    two: second.\n\nReturns:\n    It.")
    {'one': '    one: first,\n        and more.', 'two': '    two: second.'}
    """
    section = inspect.cleandoc(docstring or "").partition(HEADING)[2].partition("\n\n")[0]
    return {
        found[1]: found[0] for found in re.finditer(r"^    (\w.*?):.*(?:\n     .*)*", section, re.MULTILINE)
    }


def with_parameters(docstring: str, shared: str | None) -> str:
    r"""A docstring whose section `Args:` has also the parameters of a shared one, but for those that it says itself.

    >>> print(with_parameters("A thing.\n\nArgs:\n    one: own.", "Base.\n\nArgs:\n    one: shared.\n    two: shared."))
    A thing.
    <BLANKLINE>
    Args:
        one: own.
        two: shared.
    """
    text, own = inspect.cleandoc(docstring), parameters_of(docstring)
    end = text.index(HEADING) + len("\n".join([HEADING, *own.values()]))
    added = [said for name, said in parameters_of(shared).items() if name not in own]
    return "\n".join([text[:end], *added]) + text[end:]


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
        kinds: what columns are, by name: "number", "category", "ordered" (or a list of its values in order), "date", "time"
            or "skip" (left out); they are learned from whatever they look like. None: found in the table.
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
    kinds: Kinds | None = None
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


def shares_of_loss(
    losses: Callable[[CodeArray], FloatArray],
    codes: CodeArray,
    columns: Sequence[int],
    kept: Sequence[int],
    n: int,
) -> FloatArray:
    """[n]: how much worse rows are predicted when a column is shuffled among them, as shares that add up to 1.

    Args:
        losses: the loss of every row of codes [row, column], whose number is that of the rows, or a multiple.
        codes: rows learned from.
        columns: those that predictions may depend on.
        kept: the place of each column among all n that there were.
        n: how many these are; those that were left out have 0.
    """
    rng = np.random.default_rng(STEADY_SEED)
    some = codes[np.sort(rng.permutation(len(codes))[:SHUFFLED_ROWS])]
    before, found = float(losses(some).mean()), np.zeros(n)
    for i in columns:
        shuffled = np.asfortranarray(np.concatenate([some] * SHUFFLES))
        shuffled[:, i] = np.concatenate([rng.permutation(some[:, i]) for _ in range(SHUFFLES)])
        found[kept[i]] = max(float(losses(shuffled).mean()) - before, 0.0)
    return np.asarray(found / (found.sum() or 1.0))


Numbers: TypeAlias = dict[int, FloatArray]
"""Numbers for the rows of some columns, by place; those of cells that are not filled have no meaning."""


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
    sample_weight: Any = None,
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
        estimator.left_out_, places = (), list(range(len(X.domain)))
        holed, layout = X, None
        if missing == "state":
            holed = with_hole_states(holed, range(len(holed.domain)))
    else:
        table = validate(estimator, X, reset=True)
        keep: Any = "keep" if missing in ("auto", "complete") else missing
        how = estimator.bins if bins is None else bins
        options = StateOptions(how, estimator.max_bins, keep, estimator.max_states, estimator.kinds or {})
        found = describe_table(table, options, estimator.keep, coded=True)
        if bins is None:
            warn_mixed(found.mixed)
            warn_left_out(found.left_out)
        estimator.left_out_ = tuple(column.name for column in found.left_out)
        names = open_frame(table).names
        places = [k for k, name in enumerate(names) if name not in estimator.left_out_]
        assert found.table is not None
        layout, holed = found.layout, found.table if values else replace(found.table, values=None)
    estimator._kept = places  # noqa: SLF001  # which no user asks for
    if sample_weight is not None:
        holed = holed.weighed(sample_weight)
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
            raise DataError("the rows do not have the fitted model's domain: encode them with it.")
        return X
    if absent == "missing" and is_frame(X):
        return encode(X, domain, handle_unknown=estimator.handle_unknown, absent=absent, values=values)
    whole = validate(estimator, X, reset=False)
    return encode(whole, domain, handle_unknown=estimator.handle_unknown, values=values)


def fill_in(
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
        return Dataset.of_checked(
            holed.domain, Dataset.from_codes(codes, domain=holed.domain).codes, holed.weights
        )
    frame = validate(estimator, X, reset=False)
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


def copy(estimator: BaseEstimator, X: Any) -> Any:
    """X, which has no holes; an array is copied."""
    if isinstance(X, Holed):
        return X.dataset()
    whole = validate(estimator, X, reset=False)
    return whole.copy() if isinstance(whole, np.ndarray) else whole


def validate(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
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
        X = _collect(X)
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


def _collect(X: Any) -> Any:
    """A lazy frame's rows; any other frame as it is."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X
