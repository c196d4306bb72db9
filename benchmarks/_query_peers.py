"""The same queries put to Bayesian networks that pyAgrum and pgmpy learned from the same rows."""

import importlib
import logging
import warnings
from functools import partial
from typing import Any

import numpy as np

from benchmarks import _pyagrum
from benchmarks._bif import BayesianNetwork, Query
from benchmarks._pyagrum import Answerer
from benchmarks._timing import timed
from depnet.arrays import FloatArray, IntArray


def peers(truth: BayesianNetwork, codes: IntArray, queries: list[Query]) -> None:
    """Print what pyAgrum, and pgmpy on pyAgrum's structure, make of the queries: errors and CPU seconds."""
    try:
        network, seconds = timed(lambda: _pyagrum.learner(codes, truth.domain.cardinalities).learnBN())
        print(f"  pyAgrum: learn {seconds:.1f} s CPU")
    except ImportError as error:
        print(f"  the peers are not installed ({error})")
        return
    _asked("pyAgrum", _pyagrum.answerer(network), queries)
    try:
        answer, seconds = timed(lambda: _pgmpy(truth, codes, network))
        print(f"  pgmpy: parameters on pyAgrum's structure {seconds:.1f} s CPU")
    except ImportError as error:
        print(f"  pgmpy: not installed ({error})")
        return
    _asked("pgmpy", answer, queries)


def _asked(who: str, answer: Answerer, queries: list[Query]) -> None:
    errors, seconds = [], []
    for target, evidence, expected in queries:
        found, taken = timed(partial(answer, target, evidence))
        seconds.append(taken)
        errors.append(float(np.abs(found - expected).mean()))
    print(
        f"  {who}: mean absolute error {np.mean(errors):.4f}, largest {np.max(errors):.3f}; "
        f"{1000 * np.mean(seconds):.1f} ms CPU a query, over the first {len(queries)} queries",
        flush=True,
    )


def _pgmpy(truth: BayesianNetwork, codes: IntArray, network: Any) -> Answerer:
    """Parameters and elimination by pgmpy, on pyAgrum's structure: its own search takes minutes on 1,000 rows."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    elimination = importlib.import_module("pgmpy.inference").VariableElimination
    bayesian_network = importlib.import_module("pgmpy.models").DiscreteBayesianNetwork
    names = [f"X{i}" for i in range(len(truth.domain))]
    arcs = [(network.variable(a).name(), network.variable(b).name()) for a, b in network.arcs()]
    model = bayesian_network(arcs)
    model.add_nodes_from(names)
    model.fit(_pyagrum.labelled(codes, truth.domain.cardinalities))
    engine = elimination(model)

    def answer(target: int, evidence: dict[int, int]) -> FloatArray:
        known = {names[j]: f"s{x}" for j, x in evidence.items()}
        factor = engine.query([names[target]], evidence=known, show_progress=False)
        values = dict(zip(factor.state_names[names[target]], factor.values, strict=True))
        return np.array([values.get(f"s{x}", 0.0) for x in range(truth.domain.cardinalities[target])])

    return answer
