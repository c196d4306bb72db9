"""What was removed, and what to use instead: one line each, where a name, parameter or option is still asked for."""

from collections.abc import Mapping
from typing import NoReturn

LAW = 'learn(dataset, order="auto") gives a network whose law is that of its tables'

NAMES = {
    "DriftReport": "depnet.compare(network, dataset) says how near a network's marginals are to the data's",
    "MarginalDrift": "depnet.compare(network, dataset) says how near a network's marginals are to the data's",
    "Pool": f"{LAW}; depnet.query conditions it without a pool",
    "calibrate": f"{LAW}, with nothing to calibrate",
    "drift_report": "depnet.compare(network, dataset) says how near a network's marginals are to the data's",
    "marginal_drift": "depnet.compare(network, dataset) says how near a network's marginals are to the data's",
    "sweep_density": f"{LAW}; depnet.log_probability is then exact at any size",
}
"""Names that `depnet` had."""

PARAMETERS = {
    "blocks": f"{LAW}: variables that move together need no block",
    "burn_in": f"{LAW}; log_probability is then exact at any size",
    "calibrate": f"{LAW}, with nothing to calibrate",
    "draws": f"{LAW}; log_probability is then exact at any size",
    "mean_field": f"{LAW}; its answers come at once",
    "pool": f"{LAW}; depnet.query conditions it without a pool",
    "rng": f"{LAW}; log_probability is then exact at any size",
}
"""Parameters that functions and estimators had."""


def refuse(who: str, given: Mapping[str, object]) -> None:
    """Raise a `TypeError` for parameters that `who` does not have, or no longer has.

    >>> refuse("query", {"pool": None})
    Traceback (most recent call last):
    TypeError: query: pool was removed; learn(dataset, order="auto") gives a network whose law ...
    """
    for name in given:
        _refused(who, name)


def _refused(who: str, name: str) -> NoReturn:
    if name in PARAMETERS:
        raise TypeError(f"{who}: {name} was removed; {PARAMETERS[name]}.")
    raise TypeError(f"{who}() got an unexpected keyword argument {name!r}")
