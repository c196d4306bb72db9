"""Holes of the caller's own frame filled: what was observed stays as it is, to the last digit.

A category is imputed as its state. A number stands in a bin, of which the values that the bin keeps are drawn, or
one value is taken: for floats the mean over bins of the bins' means, weighted by their probabilities, as
IterativeImputer predicts the mean; for whole numbers, dates and moments the median of the same mixture.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from depnet.arrays import FloatArray, IntArray
from depnet.data.assemble import assemble
from depnet.data.bins import Bins
from depnet.data.decode import piece_of
from depnet.data.domain import Domain
from depnet.data.layout import Layout


def predictive_quantiles(probabilities: FloatArray, bins: Bins, levels: list[float]) -> FloatArray:
    """[row, level]: quantiles of the mixture of the bins' kept values, by each row's probabilities of the bins.

    >>> bins = Bins((0, 1, 2), ((0.0, 0.5), (1.0, 1.5)), "float")
    >>> predictive_quantiles(np.array([[0.5, 0.5], [0.0, 1.0]]), bins, [0.5]).tolist()
    [[0.5], [1.0]]
    """
    sizes = [len(values) for values in bins.quantiles]
    values = np.array([value for kept in bins.quantiles for value in kept], dtype=np.float64)
    each = probabilities[:, : len(bins)] / np.array(sizes)
    cumulated = np.cumsum(np.repeat(each, sizes, axis=1), axis=1)
    cumulated /= cumulated[:, -1:]
    found = [(cumulated < level - 1e-12).sum(axis=1).clip(max=len(values) - 1) for level in levels]
    return np.stack([values[at] for at in found], axis=1)


def expected_numbers(probabilities: FloatArray, bins: Bins) -> FloatArray | IntArray:
    """One number a row from its probabilities of the bins: the mean for floats, else the median."""
    if bins.kind == "float":
        means = np.array([np.mean(values) for values in bins.quantiles])
        weights = probabilities[:, : len(bins)]
        return np.asarray(weights @ means / weights.sum(axis=1))
    return predictive_quantiles(probabilities, bins, [0.5])[:, 0].astype(np.int64)


def filled(
    frame: Any,
    codes: IntArray,
    hidden: NDArray[np.bool_],
    domain: Domain,
    layout: Layout,
    *,
    probabilities: dict[str, FloatArray] | None = None,
    rng: np.random.Generator | None = None,
) -> Any:
    """`frame` with the cells that `hidden` marks replaced by what the codes mean.

    Numbers are drawn from their bins with `rng`; without one they are made of the `probabilities`.
    """
    pieces = []
    for i, variable in enumerate(domain.variables):
        piece = piece_of(codes[:, i], variable, layout.columns[i], rng)
        if variable.bins is not None and rng is None and probabilities is not None:
            numbers: Any = expected_numbers(probabilities[variable.name], variable.bins)
            unit = {"date": "datetime64[D]", "datetime": "datetime64[us]"}.get(variable.bins.kind)
            piece = replace(piece, numbers=numbers if unit is None else numbers.view(unit))
        pieces.append(piece)
    if isinstance(frame, np.ndarray) and frame.dtype.names is None:
        return _filled_array(frame, pieces, hidden)
    whole = assemble(
        pieces, layout, len(codes), getattr(frame, "index", None) if layout.kind == "pandas" else None
    )
    if layout.kind == "dicts":
        return [
            {**old, **{name: new[name] for i, name in enumerate(new) if hidden[r, i]}}
            for r, (old, new) in enumerate(zip(frame, whole, strict=True))
        ]
    if layout.kind == "numpy":
        out = frame.copy()
        for i, column in enumerate(layout.columns):
            out[column.key][hidden[:, i]] = whole[column.key][hidden[:, i]]
        return out
    return _filled_frame(frame, whole, hidden, layout)


def _filled_array(frame: NDArray[Any], pieces: list[Any], hidden: NDArray[np.bool_]) -> NDArray[Any]:
    out = np.array(frame)
    for i, piece in enumerate(pieces):
        rows = hidden[:, i]
        if rows.any():
            values = piece.numbers if piece.numbers is not None else piece.objects()
            out[rows, i] = values[rows]
    return out


def _filled_frame(frame: Any, whole: Any, hidden: NDArray[np.bool_], layout: Layout) -> Any:
    import narwhals as nw

    old: Any = nw.from_native(frame)
    if isinstance(old, nw.LazyFrame):
        old = old.collect()
    new: Any = nw.from_native(whole, eager_only=True)
    changed = []
    for i, column in enumerate(layout.columns):
        if hidden[:, i].any():
            was = old.get_column(column.key)
            now = new.get_column(str(column.key) if layout.kind == "pyarrow" else column.key)
            keep = nw.new_series("keep", ~hidden[:, i], backend=old.implementation)
            if layout.kind == "pandas":  # which would align series by their index
                native = was.to_native().where(~hidden[:, i], now.to_native())
                changed.append(nw.from_native(native, series_only=True).alias(column.key))
            else:
                changed.append(was.zip_with(keep, now.cast(was.dtype)))
    return old.with_columns(*changed).to_native() if changed else frame
