"""A table with columns of every kind and with holes, and a model of it."""

import functools
import warnings
from typing import Any

import numpy as np
import pandas as pd

import depnet
from depnet.arrays import FloatArray

CITIES = ("Bern", "Köln", "O'Hare", 'the "old"')


@functools.cache
def shop() -> pd.DataFrame:
    """Orders: a city, whole numbers, floats, dates, truth values; the notes of cheap orders are mostly missing."""
    rng = np.random.default_rng(7)
    n = 800
    city = rng.integers(0, 4, n)
    rooms = 1 + (rng.random(n) * (2 + city)).astype(int)
    price = np.round(rng.gamma(4, 30, n) * (1 + city) + 20 * rooms, 2)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(
        (rng.random(n) * 200 + 60 * (price > 400)).astype(int), "D"
    )
    frame = pd.DataFrame(
        {
            "city": np.array(CITIES, dtype=object)[city],
            "rooms": rooms,
            "price": price,
            "when": when,
            "paid": rng.random(n) < np.clip(price / 600, 0.1, 0.9),
            "note": np.where(rng.random(n) < 0.5, "gift", "fragile").astype(object),
        }
    )
    frame.loc[(frame["price"] < 250) & (rng.random(n) < 0.9), "note"] = None
    frame.loc[rng.random(n) < 0.1, "price"] = np.nan
    frame.loc[rng.random(n) < 0.1, "city"] = None
    return frame


@functools.cache
def shop_model() -> depnet.DependencyNetwork:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return depnet.DependencyNetwork(random_state=0, distil=False).fit(shop())


@functools.cache
def titanic_model() -> depnet.DependencyNetwork:
    return depnet.DependencyNetwork(random_state=0).fit(depnet.titanic())


def law_of(model: depnet.DependencyNetwork) -> depnet.Network:
    law = model.law_
    assert isinstance(law, depnet.Network)
    return law


def states_of(
    model: depnet.DependencyNetwork, target: str, known: Any = None, **options: Any
) -> tuple[depnet.QueryResult, FloatArray]:
    """A query of one target, with the seed of all doors, and the probabilities of its states."""
    found = depnet.query(law_of(model), target, known, rng=np.random.default_rng(0), **options)
    assert isinstance(found.probabilities, np.ndarray)
    return found, found.probabilities


def share_of(model: depnet.DependencyNetwork, condition: str, known: Any = None) -> float:
    return float(states_of(model, condition, known)[1][1])
