"""What was removed, and what to use instead: one line each, where a name, parameter or option is still asked for."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

LAW = 'learn(dataset, order="auto") gives a network whose law is that of its tables'

NAMES = {
    "DriftReport": "depnet.compare(network, dataset) says how near a network's marginals are to the data's",
    "MarginalDrift": "depnet.compare(network, dataset) says how near a network's marginals are to the data's",
    "Pool": f"{LAW}; depnet.query conditions it without a pool",
    "SupervisedCut": "learn(dataset, cuts=True) splits binned columns where it pays; or give the edges of bins yourself",
    "calibrate": f"{LAW}, with nothing to calibrate",
    "drift_report": "depnet.compare(network, dataset) says how near a network's marginals are to the data's",
    "expectation": "depnet.sample(...).codes and its diagnostics, or depnet.query for probabilities",
    "learn_parts": "depnet.cluster.learn(source, ...) learns from rows in parts, of Parquet files or a Dask data frame",
    "marginal_drift": "depnet.compare(network, dataset) says how near a network's marginals are to the data's",
    "plot_certificate": "print(certificate), or pictures.html_report",
    "plot_chains": "sampling.to_arviz, and ArviZ's plots of traces and R-hat",
    "plot_graph": "pictures.to_svg(pictures.dependency_graph(network))",
    "plot_marginals": "pictures.html_report, or pictures.marginals for the numbers",
    "plot_node": "pictures.node_svg",
    "plot_r_hat": "sampling.diagnose(rows, chains).r_hat",
    "plot_trace": "sampling.to_arviz, and ArviZ's plot of traces",
    "sweep_density": f"{LAW}; depnet.log_probability is then exact at any size",
}
"""Names that `depnet`, or a package in it, had."""

PARAMETERS = {
    "blocks": f"{LAW}: variables that move together need no block",
    "burn_in": f"{LAW}; log_probability is then exact at any size",
    "calibrate": f"{LAW}, with nothing to calibrate",
    "draws": f"{LAW}; log_probability is then exact at any size",
    "mean_field": f"{LAW}; its answers come at once",
    "pool": f"{LAW}; depnet.query conditions it without a pool",
}
"""Parameters that functions and estimators had."""


def without(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function, or a class, that once had these parameters: given one of them, it says what to use instead.

    >>> @without("pool")
    ... def query() -> None: ...
    >>> query(pool=None)
    Traceback (most recent call last):
    TypeError: query: pool was removed; learn(dataset, order="auto") gives a network whose law is that of its tables; \
depnet.query conditions it without a pool.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if isinstance(function, type):
            function.__init__ = decorate(function.__init__)  # type: ignore[misc]
            return function
        who = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def checked(*args: P.args, **parameters: P.kwargs) -> R:
            for name in names:
                if name in parameters:
                    raise TypeError(f"{who}: {name} was removed; {PARAMETERS[name]}.")
            return function(*args, **parameters)

        return checked

    return decorate
